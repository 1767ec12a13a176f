"""Without hidden layers the optimum is known: logistic regression, least squares, Poisson's conditions."""

import numpy as np
import pytest

from learnt import Autoencoder, LinearRegression, LogisticRegression, MLPClassifier, MLPRegressor, losses, watch
from learnt.errors import ConvergenceWarning, InputError

LINEAR = {
    "hidden_layer_sizes": (),
    "solver": "lbfgs",
    "alpha": 0.0,
    "standardize": True,
    "max_iter": 2000,
    "tol": 1e-10,
}


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3)) * [1, 10, 0.1] + [0, 5, 2]
    return x, x @ [1.0, 0.1, -5.0] + rng.logistic(size=200) * 3, rng.integers(1, 4, 200).astype(float)


@pytest.mark.parametrize("classes", [2, 3])
def test_no_hidden_layer_is_logistic_regression(rows, classes):
    x, score, w = rows
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    ours = MLPClassifier(**LINEAR).fit(x, y, sample_weight=w)
    theirs = LogisticRegression(penalty=None, tol=1e-10).fit(x, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-6)


def test_a_penalty_is_the_one_of_logistic_regression(rows):
    x, score, _ = rows
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    y = (score > np.median(score)).astype(int)
    ours = MLPClassifier(**(LINEAR | {"alpha": 0.01})).fit(x, y)
    theirs = LogisticRegression(C=1 / (0.01 * 200), tol=1e-10).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-6)


def test_no_hidden_layer_is_least_squares(rows):
    x, score, w = rows
    ours, theirs = MLPRegressor(**LINEAR).fit(x, score, w), LinearRegression().fit(x, score, w)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-6, atol=1e-6)


def test_gradient_steps_come_to_the_same_optimum(rows):
    x, score, _ = rows
    steps = {"hidden_layer_sizes": (), "solver": "adam", "alpha": 0.0, "standardize": True, "dropout": 0.0}
    ours = MLPRegressor(**steps, early_stopping=False, learning_rate_init=0.05, batch_size=200, max_iter=400).fit(
        x, score
    )
    np.testing.assert_allclose(ours.predict(x), LinearRegression().fit(x, score).predict(x), atol=0.01)


def test_poisson_meets_the_conditions_of_its_optimum(rows):
    x = rows[0]
    y = np.random.default_rng(1).poisson(np.exp(0.3 * x[:, 0] + 0.5)).astype(float)
    rate = MLPRegressor(**LINEAR, loss="poisson").fit(x, y).predict(x)
    np.testing.assert_allclose(np.column_stack([np.ones(200), x]).T @ (rate - y) / 200, 0, atol=1e-5)


def test_a_loss_that_is_no_number_stops_in_words_that_say_what_to_change(rows):
    x, score, _ = rows
    lost = losses.Loss("lost", "?", "error", lambda r: r * np.nan, np.zeros_like)
    with pytest.raises(InputError, match=r"no number at the first weights.*a loss other than 'lost'"):
        MLPRegressor(loss=lost, solver="lbfgs").fit(x, score)
    for model in (MLPClassifier, MLPRegressor):
        with pytest.raises(InputError, match='Choose standardize="robust"'):
            model(solver="lbfgs", standardize=False).fit(x * 1e160, score > 0)
    with pytest.raises(InputError, match=r"as large as .*e\+16.* Choose standardize"):
        Autoencoder(1, solver="lbfgs", standardize=False).fit(x * 1e160)


def test_steps_turn_back_where_the_loss_is_infinite():
    x = np.random.default_rng(0).normal(size=(200, 4))
    y = np.exp(3 * x[:, 0])
    scaled = MLPRegressor(**LINEAR, loss="poisson").fit(x, y)
    as_it_is = MLPRegressor(**(LINEAR | {"standardize": False}), loss="poisson").fit(x * 1e4, y)  # e^10,000 is infinite
    assert as_it_is.loss_curve_[-1] == pytest.approx(scaled.loss_curve_[-1], rel=1e-9)


def test_a_search_that_gets_stuck_is_not_called_one_that_came_to_rest(rows):
    x, score, _ = rows
    wrong = losses.Loss("wrong", "r²", "error", np.square, lambda r: -2 * r)  # its slope leads upwards
    with pytest.warns(ConvergenceWarning, match="before the loss came to rest"):
        assert not MLPRegressor(loss=wrong, solver="lbfgs").fit(x, score).converged_


def test_steps_over_all_rows_can_be_watched_and_interrupted(rows):
    x, score, _ = rows
    model = MLPRegressor(solver="lbfgs", hidden_layer_sizes=(4,))
    with watch() as log:
        model.fit(x, score)
    assert log["objective"] == model.loss_curve_.tolist()
    before = model.predict(x)

    def interrupt(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watch(interrupt):
        model.fit(x, -score)
    np.testing.assert_array_equal(model.predict(x), before)
