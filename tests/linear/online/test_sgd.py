"""Stochastic gradient descent: step by step against NumPy, and its end against the optimum."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import learnt
from learnt import SGDClassifier, SGDRegressor, _core, losses
from learnt.data.row_keys import order_of_points
from learnt.errors import ConvergenceWarning, InputError, ParameterError
from learnt.learner.parameters import seed_from


def rows(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) * [1, 2, 0.5, 1.5][:p]
    x[rng.random(x.shape) < 0.4] = 0
    score = x @ rng.normal(size=p) + 0.5 * rng.normal(size=n)
    return x, np.where(score > 0, 1, -1), score


def quietly(model, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args)


def by_hand(x, y, loss, *, epochs=2, eta=0.1, power=0.5, alpha=0.01, batch=1, optimizer="sgd", momentum=0.9):
    """Gradient steps as they stand in books; rows in order. Weights after each step, the intercept first."""
    x = np.column_stack([np.ones(len(x)), x])
    w, speed, size, t, history = np.zeros(x.shape[1]), np.zeros(x.shape[1]), np.zeros(x.shape[1]), 0, []
    shrink = np.append(0.0, np.full(x.shape[1] - 1, alpha))
    for _ in range(epochs):
        for first in range(0, len(x), batch):
            part, goal = x[first : first + batch], y[first : first + batch]
            at = w + momentum * speed if optimizer == "nesterov" else w
            score = part @ at
            slope = goal * loss.derivative(goal * score) if loss.of == "margin" else loss.derivative(score - goal)
            gradient = part.T @ slope / len(part) + shrink * at
            t += 1
            rate = eta / t**power
            if optimizer == "adam":
                speed, size = 0.9 * speed + 0.1 * gradient, 0.999 * size + 0.001 * gradient**2
                w = w - rate * speed / (1 - 0.9**t) / (np.sqrt(size / (1 - 0.999**t)) + 1e-8)
            elif optimizer in ("momentum", "nesterov"):
                speed = momentum * speed - rate * gradient
                w = w + speed
            elif batch == 1:  # row by row the weights shrink first, as everywhere
                w = w * (1 - rate * shrink) - rate * part[0] * slope[0]
            else:
                w = w - rate * gradient
            history.append(w)
    return np.array(history)


PLAIN = {"standardize": False, "learning_rate": "invscaling", "eta0": 0.1, "alpha": 0.01}
IN_ORDER = {**PLAIN, "shuffle": False, "max_iter": 2}


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared"])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_steps_of_a_classifier_are_those_by_hand(loss, storage):
    x, y, _ = rows()
    model = quietly(SGDClassifier(loss=loss, **IN_ORDER), storage(x), y)
    expected = by_hand(x, y, losses.MARGIN[loss])[-1]
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "epsilon_insensitive"])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_steps_of_a_regressor_are_those_by_hand(loss, storage):
    x, _, score = rows()
    score = score - score.mean()  # it starts from the mean
    model = quietly(SGDRegressor(loss=loss, epsilon=0.7, **IN_ORDER), storage(x), score)
    made = {"huber": losses.huber(0.7), "epsilon_insensitive": losses.epsilon_insensitive(0.7)}
    expected = by_hand(x, score, made.get(loss, losses.REGRESSION[loss]))[-1]
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nesterov", "adam"])
@pytest.mark.parametrize("batch", [7, 80])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_steps_by_batches_are_those_by_hand(optimizer, batch, storage):
    x, y, _ = rows()
    model = quietly(SGDClassifier(optimizer=optimizer, batch_size=batch, **IN_ORDER), storage(x), y)
    expected = by_hand(x, y, losses.logistic, optimizer=optimizer, batch=batch)[-1]
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9)


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_the_average_is_the_mean_of_the_weights_after_all_steps(batch, storage):
    x, y, _ = rows()
    model = quietly(SGDClassifier(average=True, batch_size=batch, **IN_ORDER), storage(x), y)
    expected = by_hand(x, y, losses.logistic, batch=batch).mean(axis=0)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9)


def standard(x):
    return (x - x.mean(axis=0)) / (x.std(axis=0) / np.sqrt((x != 0).mean(axis=0)))


def objective(z, y, alpha, l1=0.0):
    def value(w):
        return losses.logistic(y * (z @ w[1:] + w[0])).mean() + alpha * (
            (1 - l1) / 2 * w[1:] @ w[1:] + l1 * np.abs(w[1:]).sum()
        )

    return value


def weights_of(model, x):
    """Intercept and coefficients of the standardised columns."""
    spread = x.std(axis=0) / np.sqrt((x != 0).mean(axis=0))
    return np.append(model.intercept_[0] + model.coef_[0] @ x.mean(axis=0), model.coef_[0] * spread)


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_it_ends_near_the_optimum(storage):
    x, y, _ = rows(2000)
    f = objective(standard(x), y, 0.01)
    best = minimize(f, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).fun
    model = SGDClassifier(alpha=0.01).fit(storage(x), y)
    assert model.converged_
    assert best <= f(weights_of(model, x)) < best + 2e-4
    assert len(model.trace_) <= 64
    assert model.trace_.loss[-1] < model.trace_.loss[0]


def test_weights_lead_where_copies_lead():
    x, y, _ = rows(300)
    counts = np.random.default_rng(1).integers(0, 5, 300)
    copies, repeated = np.repeat(x, counts, axis=0), np.repeat(y, counts)
    f = objective(standard(copies), repeated, 0.01)
    best = minimize(f, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).fun
    for model in (SGDClassifier(alpha=0.01).fit(x, y, counts), SGDClassifier(alpha=0.01).fit(copies, repeated)):
        assert f(weights_of(model, copies)) < best + 5e-4


def test_l1_makes_weights_zero_and_ends_near_the_optimum():
    x, y, _ = rows(2000)
    x = np.column_stack([x, np.random.default_rng(5).normal(size=(2000, 6))])  # six columns without meaning
    f = objective(standard(x), y, 0.03, l1=1.0)
    model = SGDClassifier(penalty="l1", alpha=0.03).fit(x, y)
    assert (model.coef_[0, 4:] == 0).sum() >= 5
    assert (model.coef_[0, :4] != 0).any()
    precisely = {"xtol": 1e-9, "ftol": 1e-12, "maxiter": 10**5}
    best = minimize(f, weights_of(model, x), method="Powell", options=precisely).fun
    assert f(weights_of(model, x)) < best + 1e-3


def test_a_ridge_regression_is_found():
    x, _, score = rows(2000)
    z, t = standard(x), (score - score.mean()) / score.std()
    exact = np.linalg.solve(z.T @ z / 2000 + 0.05 * np.eye(4), z.T @ t / 2000)
    model = SGDRegressor(alpha=0.05, tol=1e-6).fit(x, score)
    spread = x.std(axis=0) / np.sqrt((x != 0).mean(axis=0))
    np.testing.assert_allclose(model.coef_ * spread / score.std(), exact, atol=2e-3)


def test_dense_and_sparse_rows_give_one_answer():
    x, y, score = rows(400)
    adam, lasso = {"batch_size": 16, "optimizer": "adam"}, {"batch_size": 8, "penalty": "l1"}
    for settings in ({}, {"average": True}, adam, lasso):
        dense, sparse = (quietly(SGDClassifier(**settings), s(x), y) for s in (np.asarray, csr_matrix))
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-10)
        dense, sparse = (quietly(SGDRegressor(**settings), s(x), score) for s in (np.asarray, csr_matrix))
        np.testing.assert_allclose(sparse.predict(x), dense.predict(x), rtol=1e-7, atol=1e-10)


def test_going_on_is_what_going_through_all_rows_is():
    x, y, score = rows(100)
    settings = {**IN_ORDER, "max_iter": 1}
    for cls, target in ((SGDClassifier, y), (SGDRegressor, score)):
        whole = quietly(cls(fit_intercept=False, average=True, **settings), x, target)
        parts = cls(fit_intercept=False, average=True, **settings)
        for cut in (slice(0, 30), slice(30, 31), slice(31, 100)):
            parts.partial_fit(x[cut], target[cut], **({"classes": [-1, 1]} if cls is SGDClassifier else {}))
        np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9)
        assert parts.t_ == 100
        assert parts.n_iter_ == 3


def test_learning_in_parts_finds_the_border_and_refuses_strange_classes():
    x, y, _ = rows(2000)
    model = SGDClassifier()
    for start in range(0, 2000, 100):
        model.partial_fit(x[start : start + 100], y[start : start + 100], classes=[-1, 1])
    assert model.score(x, y) > SGDClassifier().fit(x, y).score(x, y) - 0.02
    with pytest.raises(InputError, match="7"):
        model.partial_fit(x[:3], [7, 1, -1])
    with pytest.raises(ParameterError, match="average"):
        model.set_params(average=True).partial_fit(x, y)


def test_units_do_not_matter_not_even_enormous_ones():
    x, y, score = rows(300)
    factor = np.array([1e-150, 1e150, 1e-3, 1e6])
    one, two = SGDClassifier().fit(x, y), SGDClassifier().fit(x * factor, y)
    np.testing.assert_allclose(two.predict_proba(x * factor), one.predict_proba(x), rtol=1e-6)
    one, two = SGDRegressor().fit(x, score), SGDRegressor().fit(x * factor, score * 1e100)
    np.testing.assert_allclose(two.predict(x * factor), one.predict(x) * 1e100, rtol=1e-6)
    with pytest.raises(InputError, match=r"'x1'.*overflow"):
        SGDClassifier().fit(x * [1, 1e160, 1, 1], y)


def test_early_stopping_keeps_the_weights_that_were_best_on_rows_held_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 100))
    y = x[:, 0] + 2 * rng.normal(size=200) > 0
    full = quietly(SGDClassifier(alpha=0, max_iter=300), x, y)
    early = SGDClassifier(alpha=0, early_stopping=True).fit(x, y)
    assert early.n_iter_ < full.n_iter_
    assert np.linalg.norm(early.coef_) < np.linalg.norm(full.coef_)
    with pytest.raises(InputError, match="holds out"):
        SGDClassifier(early_stopping=True).fit(x[:2], [True, False])


def test_early_stopping_ends_with_the_weights_of_the_pass_that_was_best_and_never_learns_from_rows_held_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 100))
    y = np.where(x[:, 0] + 2 * rng.normal(size=200) > 0, 1, -1)
    order = order_of_points(x)  # in which rows are numbered before they are drawn
    x, y = x[order], y[order]
    drawn = np.empty(200)
    _core.hash_uniform(seed_from(0), 0, drawn)
    out = drawn < 0.1
    settings = {"alpha": 0.0, "early_stopping": True, "learning_rate": "constant", "n_iter_no_change": 6}
    with learnt.watch() as log:
        model = SGDClassifier(**settings).fit(x, y)
    passes = [(step.facts["intercept"][0], step.facts["coef"][0]) for step in log if step.what == "descent"]
    costs = [losses.logistic(y[out] * (b + x[out] @ w)).mean() for b, w in passes]
    best = int(np.argmin(costs))
    assert best < len(passes) - 1  # it got worse afterwards
    assert model.n_iter_ == best + 1
    np.testing.assert_allclose(model.coef_[0], passes[best][1], rtol=1e-12)
    other = quietly(SGDClassifier(**settings, max_iter=1), x, np.where(out, -y, y))
    np.testing.assert_array_equal(other.coef_, quietly(SGDClassifier(**settings, max_iter=1), x, y).coef_)


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_optimal_steps_begin_at_eta0_and_fall_with_their_number(storage):
    x, y, _ = rows()
    alpha, eta = 0.05, 0.2
    settings = {**IN_ORDER, "learning_rate": "optimal", "alpha": alpha, "eta0": eta, "max_iter": 1}
    model = quietly(SGDClassifier(loss="hinge", **settings), storage(x), y)
    w, b = np.zeros(4), 0.0
    for t, (row, truth) in enumerate(zip(x, y, strict=True)):
        rate = 1 / (alpha * (1 / (alpha * eta) + t))
        slope = truth * losses.hinge.derivative(truth * (b + row @ w))
        w, b = w * (1 - rate * alpha) - rate * slope * row, b - rate * slope
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), np.append(b, w), rtol=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_an_elastic_net_ends_near_its_optimum(storage):
    x, y, _ = rows(400)
    alpha, ratio = 0.05, 0.6
    model = SGDClassifier(penalty="elasticnet", alpha=alpha, l1_ratio=ratio, standardize=False, tol=1e-6)
    quietly(model, storage(x), y)

    def objective(b, w):
        penalty = alpha * ((1 - ratio) / 2 * w @ w + ratio * np.abs(w).sum())
        return losses.logistic(y * (b + x @ w)).mean() + penalty

    def split(v):  # w as the difference of two halves that are not negative: smooth
        return objective(v[0], v[1:5] - v[5:])

    bounds = [(None, None), *[(0, None)] * 8]
    least = minimize(split, np.zeros(9), method="L-BFGS-B", bounds=bounds, options={"maxiter": 5000, "ftol": 1e-14}).fun
    assert objective(model.intercept_[0], model.coef_[0]) == pytest.approx(least, rel=2e-3)


def test_the_other_schedules_and_losses_classify_too():
    x, y, _ = rows(1000)
    best = SGDClassifier().fit(x, y).score(x, y)
    for settings in (
        {"learning_rate": "constant"},
        {"learning_rate": "invscaling"},
        {"learning_rate": "optimal", "alpha": 0.01},
        {"loss": "hinge"},
        {"loss": "exponential"},
        {"loss": "squared"},
        {"penalty": "elasticnet", "alpha": 0.01},
        {"penalty": None},
    ):
        assert quietly(SGDClassifier(**settings), x, y).score(x, y) > best - 0.06, settings


def test_steps_that_cannot_be_made_are_refused_with_advice():
    x, y, score = rows()
    with pytest.raises(ParameterError, match="alpha"):
        SGDClassifier(learning_rate="optimal", alpha=0).fit(x, y)
    with pytest.raises(InputError, match="eta0"):
        SGDRegressor(standardize=False, learning_rate="constant", eta0=100.0).fit(x, score)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        SGDClassifier(max_iter=1).fit(x, y)


def test_wide_sparse_rows_are_learnt_from():
    rng = np.random.default_rng(0)
    columns, cells = rng.integers(100_000, size=(3000, 20)), rng.random((3000, 20))
    x = csr_matrix((cells.ravel(), columns.ravel(), np.arange(0, 60_001, 20)), shape=(3000, 100_000))
    y = x @ rng.normal(size=100_000) > 0
    model = SGDClassifier().fit(x, y)
    assert model.score(x, y) > 0.95
    assert np.isfinite(model.coef_).all()


def test_whoever_watches_sees_every_pass():
    x, y, _ = rows()
    with learnt.watch() as log:
        model = SGDClassifier().fit(x, y)
    assert len(log) == model.n_iter_
    assert log["objective"][-1] == pytest.approx(model.trace_.loss[-1])
    np.testing.assert_allclose(log["coef"][-1], model.coef_)


def test_scores_of_other_losses_become_probabilities_in_their_order():
    x, y, _ = rows(1000)
    model = SGDClassifier(loss="hinge").fit(x, y)
    scores, shares = model.decision_function(x), model.predict_proba(x)[:, 1]
    assert (np.argsort(scores) == np.argsort(shares)).mean() > 0.99
    assert model.explain(x)[0].kind == "score"
    assert SGDClassifier().fit(x, y).explain(x)[0].kind == "log-odds"
