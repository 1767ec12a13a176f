"""Losses against their formulas, their gradients against differences, and against what peers say."""

from __future__ import annotations

import numpy as np
import pytest

from learnt import losses
from learnt.errors import InputError, ParameterError

ALL = [*losses.MARGIN.values(), *losses.REGRESSION.values(), losses.huber(0.3), losses.epsilon_insensitive(1.7)]
AT = np.array([-3.01, -1.2, -0.4, 0.13, 0.77, 1.31, 2.9])


def test_the_losses_of_a_margin_are_those_of_the_course_and_cost_one_at_zero():
    assert list(losses.MARGIN) == ["zero_one", "hinge", "logistic", "exponential", "squared"]
    for loss in losses.MARGIN.values():
        assert loss(0.0) == 1.0
    expected = {
        "zero_one": (AT <= 0) * 1.0,
        "hinge": np.maximum(0, 1 - AT),
        "logistic": np.log2(1 + np.exp(-AT)),
        "exponential": np.exp(-AT),
        "squared": (1 - AT) ** 2,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(losses.MARGIN[name](AT), values, rtol=1e-14)


def test_every_margin_loss_lies_above_the_errors():
    z = np.linspace(-5, 5, 1001)
    for loss in losses.MARGIN.values():
        assert (loss(z) >= losses.zero_one(z) - 1e-12).all(), loss.name


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_a_derivative_is_the_slope_between_two_points_close_by(loss):
    h = 1e-6
    np.testing.assert_allclose(loss.derivative(AT), (loss(AT + h) - loss(AT - h)) / (2 * h), rtol=1e-6, atol=1e-8)


def test_losses_of_errors_are_those_of_scikit_learn():
    from sklearn._loss.loss import AbsoluteError, HalfSquaredError, HuberLoss

    zeros = np.zeros_like(AT)
    for own, peer in (
        (losses.squared_error, HalfSquaredError()),
        (losses.absolute_error, AbsoluteError()),
        (losses.huber(0.8), HuberLoss(delta=0.8)),
    ):
        np.testing.assert_allclose(own(AT), peer.loss(y_true=zeros, raw_prediction=AT), rtol=1e-12)
    np.testing.assert_allclose(losses.epsilon_insensitive(0.5)(AT), np.maximum(0, np.abs(AT) - 0.5))


def test_hopeless_margins_cost_much_and_never_nothing():
    assert losses.logistic(-1e6) == pytest.approx(1e6 / np.log(2))
    assert losses.logistic(1e6) == 0.0
    assert losses.exponential(-1e6) == np.inf
    assert losses.logistic.derivative(-1e6) == pytest.approx(-1 / np.log(2))
    assert np.isfinite(losses.logistic.derivative(np.array([-1e300, 1e300]))).all()


def test_a_number_gives_a_number_and_an_array_an_array():
    assert isinstance(losses.hinge(0.5), float)
    assert losses.hinge([0, 2]).tolist() == [1.0, 0.0]
    assert losses.hinge(np.ones((2, 3))).shape == (2, 3)


def test_what_is_no_number_is_refused():
    with pytest.raises(InputError, match="hinge"):
        losses.hinge("high")
    for width in (0, -1, np.nan, "wide", None):
        with pytest.raises(ParameterError, match="width"):
            losses.huber(width)
        with pytest.raises(ParameterError, match="width"):
            losses.epsilon_insensitive(width)


def test_all_losses_are_drawn():
    import matplotlib as mpl

    mpl.use("Agg")
    margins, errors = losses.plot()
    assert len(margins.get_legend().get_texts()) == 5
    assert len(errors.get_legend().get_texts()) == 4
