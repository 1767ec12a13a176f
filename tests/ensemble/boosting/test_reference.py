"""The learners against boosting written down plainly, and against scikit-learn's."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_friedman1
from sklearn.ensemble import GradientBoostingRegressor as PlainBoosting
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tests.ensemble.boosting.boosting_reference import boost

from learnt.ensemble import GradientBoostingClassifier, GradientBoostingRegressor


def rows(n=160, p=4, seed=0, gaps=0.1):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 15, (n, p)).astype(float)
    signal = x[:, 0] - 0.5 * x[:, 1] * (x[:, 2] > 7)
    x[rng.random(x.shape) < gaps] = np.nan
    return x, signal + rng.normal(size=n)


CASES = {
    "plain": {},
    "few rows in leaves": {"min_samples_leaf": 3, "max_leaf_nodes": 9},
    "shallow": {"max_depth": 2, "max_leaf_nodes": None},
    "level by level": {"growth": "depth", "max_leaf_nodes": 6, "min_samples_leaf": 5},
    "a strong penalty": {"l2_regularization": 50.0},
    "rising and falling": {"monotonic_cst": [1, -1, 0, 0], "min_samples_leaf": 5},
    "one column a way": {"interaction_cst": [[0], [1, 2]], "min_samples_leaf": 5},
}


#: What is taken of tables that are not small.
LARGE = {"learning_rate": 0.1, "subsample": 1.0, "max_features": 1.0, "min_samples_leaf": 16, "max_leaf_nodes": 31}


def plainly(settings):
    """The same settings in the words of the plain program."""
    groups = settings.get("interaction_cst")
    if groups is not None:
        groups = [*groups, [3]]
    ways = settings.get("monotonic_cst")
    return {
        "leaves": settings.get("max_leaf_nodes", 31) or 10**6,
        "depth": settings.get("max_depth"),
        "least": settings["min_samples_leaf"],
        "l2": settings.get("l2_regularization", 1.0),
        "directions": None if ways is None else np.array(ways),
        "groups": groups,
        "level_by_level": settings.get("growth") == "depth",
    }


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_those_of_boosting_written_down_plainly(settings, weighted):
    x, y = rows()
    weights = np.random.default_rng(5).integers(0, 4, len(y)).astype(float) if weighted else None
    settings = LARGE | settings
    stages, trees = boost(x, y, 5, weights=weights, **plainly(settings))
    model = GradientBoostingRegressor(max_iter=5, **settings).fit(x, y, weights)
    for stage, found in zip(stages[1:], model.staged_predict(x), strict=True):
        counted = slice(None) if weights is None else weights > 0
        np.testing.assert_allclose(found[counted], stage[counted], rtol=1e-7)
    assert model.trees_[0].n_leaves == sum(1 for _ in _leaves(trees[0]))


def _leaves(node):
    if not node.kids:
        yield node
    for kid in node.kids:
        yield from _leaves(kid)


@pytest.mark.parametrize("settings", [CASES["plain"], CASES["few rows in leaves"]], ids=["plain", "few rows"])
def test_log_odds_are_those_of_boosting_written_down_plainly(settings):
    x, y = rows(seed=3)
    y = (y > np.median(y)).astype(int)
    settings = LARGE | settings
    stages, _ = boost(x, y, 5, kind="logistic", **plainly(settings))
    model = GradientBoostingClassifier(max_iter=5, **settings).fit(x, y)
    for stage, found in zip(stages[1:], model.staged_decision_function(x), strict=True):
        np.testing.assert_allclose(found, stage, rtol=1e-5, atol=1e-6)  # gradients are single-precision numbers


def test_rounded_gradients_of_many_rows_are_as_good_as_exact_ones():
    from sklearn.metrics import log_loss

    rng = np.random.default_rng(4)
    x = rng.normal(size=(80_000, 5)).astype(np.float32)
    y = (x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + rng.normal(size=len(x)) > 0).astype(int)
    few = slice(0, 60_000)
    rounded = GradientBoostingClassifier(max_iter=25, early_stopping=False).fit(x[few], y[few])
    exact = GradientBoostingClassifier(max_iter=25, early_stopping=False).fit(x[few], y[few], np.ones(60_000))
    losses = [log_loss(y[60_000:], model.predict_proba(x[60_000:])) for model in (rounded, exact)]
    assert losses[0] == pytest.approx(losses[1], rel=2e-3)
    assert (rounded.trees_.threshold[:5] == exact.trees_.threshold[:5]).any()


def halves(x, y, seed=0):
    mask = np.random.default_rng(seed).random(len(y)) < 0.6
    return x[mask], y[mask], x[~mask], y[~mask]


@pytest.mark.costly
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_log_losses_are_close_to_those_of_scikit_learn(load):
    from sklearn.metrics import log_loss

    x, y, x_new, y_new = halves(*load(return_X_y=True))
    settings = {"max_iter": 40, "l2_regularization": 1.0, "min_samples_leaf": 10}
    one = GradientBoostingClassifier(**settings, learning_rate=0.1, subsample=1.0, max_features=1.0).fit(x, y)
    other = theirs(HistGradientBoostingClassifier(**settings), x, y)
    np.testing.assert_allclose(one.train_score_[-1], -log_loss(y, one.predict_proba(x)), rtol=1e-9)
    for rows, truth in ((x, y), (x_new, y_new)):
        said = log_loss(truth, other.predict_proba(rows))
        assert log_loss(truth, one.predict_proba(rows)) == pytest.approx(said, rel=0.1)


def theirs(learner, x, y):
    """Fitted on one thread: on a busy machine theirs wait for each other."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return learner.fit(x, y)


def error(loss, y, answer):
    if loss == "poisson":
        return float(np.mean(answer - y + y * np.log(np.maximum(y, 1e-9) / answer)))
    if loss == "quantile":
        return float(np.mean(np.maximum(0.8 * (y - answer), -0.2 * (y - answer))))
    return float(np.mean(np.abs(y - answer) if loss == "absolute_error" else (y - answer) ** 2))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "poisson"])
@pytest.mark.parametrize("data", ["diabetes", pytest.param("friedman", marks=pytest.mark.slow)])
def test_losses_of_numbers_are_close_to_those_of_scikit_learn(loss, data):
    x, y = load_diabetes(return_X_y=True) if data == "diabetes" else make_friedman1(1200, noise=1.0, random_state=0)
    y = np.abs(y)
    x, y, x_new, y_new = halves(x, y)
    settings = {"loss": loss, "max_iter": 60, "max_leaf_nodes": 15}
    if loss == "quantile":
        settings["quantile"] = 0.8
    own = LARGE | {"min_samples_leaf": 20, "l2_regularization": 0.0} | settings
    one = GradientBoostingRegressor(**own).fit(x, y)
    other = theirs(HistGradientBoostingRegressor(**settings, early_stopping=False), x, y)
    assert error(loss, y, one.predict(x)) == pytest.approx(error(loss, y, other.predict(x)), rel=0.12, abs=0.02)
    assert error(loss, y_new, one.predict(x_new)) < 1.06 * error(loss, y_new, other.predict(x_new)) + 0.02
    if data == "diabetes" and loss in ("squared_error", "poisson"):  # the same steps at leaves: the same trees
        np.testing.assert_allclose(one.predict(x_new), other.predict(x_new), rtol=1e-5)


def test_gross_errors_harm_huber_less_than_the_squared_error():
    x, y = make_friedman1(1200, noise=0.5, random_state=1)
    wild = y.copy()
    wild[::20] += 300 * np.random.default_rng(0).choice([-1, 1], len(wild[::20]))
    off = {}
    for loss in ("squared_error", "huber", "absolute_error"):
        model = GradientBoostingRegressor(**LARGE | {"loss": loss, "max_iter": 80, "max_leaf_nodes": 8}).fit(x, wild)
        off[loss] = np.mean(np.abs(model.predict(x) - y))
    other = PlainBoosting(loss="huber", n_estimators=80, max_leaf_nodes=8, max_depth=None, random_state=0).fit(x, wild)
    assert off["huber"] < off["squared_error"] / 2
    assert off["huber"] < 1.4 * np.mean(np.abs(other.predict(x) - y))


def test_a_quantile_is_above_its_share_of_the_targets():
    rng = np.random.default_rng(3)
    x = rng.random((3000, 2))
    y = x[:, 0] + (0.2 + x[:, 1]) * rng.normal(size=3000)
    for level in (0.1, 0.5, 0.9):
        model = GradientBoostingRegressor(loss="quantile", quantile=level, early_stopping=False).fit(x, y)
        assert np.mean(y <= model.predict(x)) == pytest.approx(level, abs=0.03)
