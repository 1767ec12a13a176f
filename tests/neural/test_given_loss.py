"""Losses from outside the core: gradients, learners of both kinds, and what is not allowed."""

import numpy as np
import pytest

from learnt import MLPClassifier, MLPRegressor, check_gradients, losses
from learnt.errors import ParameterError
from learnt.neural.given_loss import GivenLoss


def log_cosh():
    return losses.Loss("log_cosh", "log cosh r", "error", lambda r: np.log(np.cosh(r)), np.tanh)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("loss", [losses.squared_error, losses.huber(0.5), losses.epsilon_insensitive(0.3), log_cosh()])
def test_gradients_of_losses_of_errors_are_finite_differences(loss, normalised):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3))
    y = 5 * x[:, 0] + rng.normal(size=120)
    model = MLPRegressor(loss=loss, activation="tanh", batch_normalization=normalised, max_iter=30).fit(x, y)
    assert check_gradients(model, x, y).error < 1e-6
    assert model.score(x, y) > 0.8
    trace = model.trace(x, y)
    np.testing.assert_allclose(trace.losses, loss(trace.sums[-1][:, 0] * y.std() + y.mean() - y), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("loss", [losses.hinge, losses.exponential, losses.squared, losses.logistic])
@pytest.mark.parametrize("k", [2, 3])
def test_gradients_of_losses_of_margins_are_finite_differences(loss, k):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 3))
    y = np.digitize(x[:, 0], [0.0, 0.8][: k - 1])
    model = MLPClassifier(loss=loss, activation="tanh", max_iter=30).fit(x, y, np.repeat([1.0, 2.0, 0.5], 50))
    assert check_gradients(model, x, y).error < 1e-6
    assert model.score(x, y) > 0.7
    explanation = model.explain(x)[0]
    total = explanation.base + sum(part.contribution for part in explanation.evidence)
    assert total == pytest.approx(explanation.total, abs=1e-6)


def test_a_loss_of_the_core_given_from_outside_is_the_same():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    y = (y - y.mean()) / y.std()
    settings = {"max_iter": 5, "precision": "double", "early_stopping": True}
    one = MLPRegressor(loss="squared_error", **settings).fit(x, y)
    two = MLPRegressor(loss=losses.squared_error, **settings).fit(x, y)
    np.testing.assert_allclose(two.predict(x), one.predict(x), rtol=1e-6)
    np.testing.assert_allclose(two.validation_curve_, one.validation_curve_, rtol=1e-9)


def test_losses_of_the_other_kind_and_without_gradient_are_refused():
    for model in (MLPClassifier(loss=losses.squared_error), MLPRegressor(loss=losses.hinge),
                  MLPClassifier(loss=losses.zero_one)):  # fmt: skip
        with pytest.raises(ParameterError, match=r"a learnt\.losses\.Loss of the"):
            model.fit(np.arange(6.0).reshape(3, 2), [0, 1, 0])


def test_an_error_inside_a_loss_comes_out():
    def broken(r):
        raise ZeroDivisionError

    bad = losses.Loss("bad", "?", "error", broken, broken)
    with pytest.raises(ZeroDivisionError):
        MLPRegressor(loss=bad).fit(np.arange(6.0).reshape(3, 2), [0.0, 1.0, 2.0])


def test_rows_and_scores_have_their_losses_and_deltas():
    found, deltas = GivenLoss(losses.hinge)(np.array([[0.5, -2.0]]), np.array([0.0]))
    assert (found.tolist(), deltas.tolist()) == ([0.5], [[-1.0, 0.0]])
