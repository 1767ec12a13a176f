"""Losses: gradients are derivatives, starts are minima, answers are what the loss is for."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from learnt.ensemble.boosting.histogram_growth import gradients, total_loss
from learnt.ensemble.boosting.losses import Loss, class_loss, class_start, numbers_of, shares_of
from learnt.errors import InputError

NUMBERS = {
    "squared": Loss("squared"),
    "absolute": Loss("absolute"),
    "quantile": Loss("quantile", 1, 0.8),
    "huber": Loss("huber", 1, 1.5),
    "poisson": Loss("poisson"),
}


def costs(loss, scores, target):
    """The loss of each row, as the page defines it."""
    f = scores[0]
    if loss.name == "softmax":
        return np.log(np.exp(scores).sum(axis=0)) - scores[target, np.arange(len(target))]
    r = target - f
    return {
        "logistic": lambda: np.log1p(np.exp(f)) - target * f,
        "poisson": lambda: np.exp(f) - target * f,
        "squared": lambda: 0.5 * r**2,
        "absolute": lambda: np.abs(r),
        "quantile": lambda: np.where(r > 0, 0.8 * r, -0.2 * r),
        "huber": lambda: np.where(np.abs(r) <= 1.5, 0.5 * r**2, 1.5 * (np.abs(r) - 0.75)),
    }[loss.name]()


def derivatives(loss, scores, target, weights=None):
    g, h = np.empty(scores.shape, np.float32), np.empty(scores.shape, np.float32)
    gradients(loss.name, scores, target, weights, loss.parameter, g, h)
    return g, h


def rows(loss, n=400, seed=0):
    rng = np.random.default_rng(seed)
    scores = np.ascontiguousarray(rng.normal(size=(loss.n_outputs, n)) * 2)
    if loss.name in NUMBERS:
        return scores, np.abs(rng.normal(size=n)) * 3
    return scores, rng.integers(max(loss.n_outputs, 2), size=n).astype(np.int32)


@pytest.mark.parametrize("loss", [*NUMBERS.values(), class_loss(2), class_loss(4)], ids=lambda loss: loss.name)
def test_gradients_are_the_derivatives_of_the_loss(loss):
    scores, target = rows(loss)
    g, h = derivatives(loss, scores, target)
    step = 1e-5
    for c in range(loss.n_outputs):
        move = np.zeros_like(scores)
        move[c] = step
        up, down, here = (costs(loss, s, target) for s in (scores + move, scores - move, scores))
        np.testing.assert_allclose(g[c], (up - down) / (2 * step), atol=2e-4)
        if not loss.flat:
            np.testing.assert_allclose(h[c], (up - 2 * here + down) / step**2, atol=2e-4, rtol=1e-3)
        else:
            assert (h[c] == 1).all()


@pytest.mark.parametrize("loss", [*NUMBERS.values(), class_loss(2), class_loss(4)], ids=lambda loss: loss.name)
def test_weights_multiply_both_derivatives(loss):
    scores, target = rows(loss, 50)
    weights = np.random.default_rng(1).integers(0, 4, 50).astype(float)
    plain, weighted = derivatives(loss, scores, target), derivatives(loss, scores, target, weights)
    for one, other in zip(plain, weighted, strict=True):
        np.testing.assert_allclose(other, one * weights.astype(np.float32), rtol=1e-6)


@pytest.mark.parametrize("loss", [*NUMBERS.values(), class_loss(2), class_loss(4)], ids=lambda loss: loss.name)
def test_totals_are_those_of_the_rows_asked_for(loss):
    scores, target = rows(loss, 300)
    rng = np.random.default_rng(1)
    weights, kept = rng.integers(0, 4, 300).astype(float), rng.random(300) < 0.5
    total, weight = total_loss(loss.name, scores, target, weights, loss.parameter, kept)
    assert weight == pytest.approx(weights[kept].sum())
    assert total == pytest.approx((weights * costs(loss, scores, target))[kept].sum(), rel=1e-9)


@pytest.mark.parametrize("name", ["squared", "poisson"])
def test_the_mean_is_the_best_start(name):
    loss, target = NUMBERS[name], np.abs(np.random.default_rng(2).normal(size=99))
    best = minimize_scalar(lambda f: costs(loss, np.full((1, 99), f), target).sum(), bounds=(-5, 5), method="bounded").x
    np.testing.assert_allclose(loss.start(float(target.mean())), best, atol=1e-5)


def test_scores_of_classes_start_at_their_shares():
    for counts in ([3.0, 7.0], [2.0, 3.0, 5.0], [1.0, 0.0, 2.0]):
        np.testing.assert_allclose(
            shares_of(class_start(np.array(counts))[None, :])[0], np.array(counts) / sum(counts), atol=1e-12
        )


def test_probabilities_of_scores_far_out_are_exact_and_add_up():
    shares = shares_of(np.array([[800.0], [-800.0], [0.0], [40.0]]))
    assert shares[0].tolist() == [0.0, 1.0]
    assert shares[1].tolist() == [1.0, 0.0]
    assert shares[3, 0] == pytest.approx(np.exp(-40), rel=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_a_log_link_never_overflows():
    assert np.isfinite(numbers_of(np.array([1e9, -1e9, 0.0]), "log")).all()


def test_counts_below_zero_are_refused_with_their_row():
    with pytest.raises(InputError, match=r"-2 \(row 11\)"):
        Loss("poisson").check(np.array([1.0, -2.0]), first_row=10)
    with pytest.raises(InputError, match="all 0"):
        Loss("poisson").start(0.0)
