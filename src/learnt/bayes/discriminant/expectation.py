"""Gaussians where cells are missing at random: the EM algorithm under a weak prior, each step a pass."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.bayes.discriminant.acceleration import Acceleration
from learnt.bayes.discriminant.class_products import ClassProducts, StandardView
from learnt.bayes.discriminant.expected_products import ExpectedProducts, ExpectProducts, Gaussians
from learnt.bayes.discriminant.gaussians import FLOOR
from learnt.bayes.discriminant.weak_prior import WeakPrior
from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.watch import report, watching

#: Ends when the step ahead is sure to raise the objective by no more than this for each row,
GAIN = 1e-6
#: or after this many steps.
MOST_STEPS = 200
#: The least variance in any direction to begin with.
_LEAST = 0.01

Estimate = Callable[[ClassProducts], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Expectation:
    """Where EM ended: products as if no cell were missing, the prior's included, and whether its steps were enough."""

    products: ClassProducts
    n_iter: int
    converged: bool


def by_expectation(
    view: StandardView, pairs: ClassProducts, prior: WeakPrior, estimate: Estimate, *, rising: bool
) -> Generator[Pass, Any, Expectation]:
    """`pairs` are products over the cells that are there, `estimate` makes means and covariances of products.

    Where these are the most probable ones (`rising`), no step lowers the objective, which is the log-likelihood of the
    cells that are there and the log density of the prior (Dempster, Laird and Rubin, 1977).
    """
    mean, covariance = estimate(pairs)
    at = ahead = Gaussians.of(mean, _definite(covariance), FLOOR)
    acceleration = Acceleration()
    products, objective = pairs, -np.inf
    for iteration in range(1, MOST_STEPS + 1):
        found: ExpectedProducts = yield ExpectProducts(view, at)
        reached = found.log_likelihood + prior.log_density(at, view.scale)
        if at is not ahead and not reached >= objective:  # acceleration led down: on by EM's own step
            at = ahead
            acceleration.led_down()
            _report(iteration, objective)
            continue
        products, objective = prior.added_to(found.products), reached
        _report(iteration, objective)
        mean, covariance = estimate(products)
        ahead = Gaussians.of(mean, covariance, FLOOR)
        # What the step gains if all cells were there; the cells that are there gain as much, or more.
        gain = float(products.weight[:, 0, 0] @ ahead.divergence(at))
        if gain <= GAIN * float(products.class_weight.sum()):
            return Expectation(products, iteration, True)
        at = acceleration.beyond(at, ahead, FLOOR) if rising else ahead
    return Expectation(products, MOST_STEPS, False)


def _report(iteration: int, objective: float) -> None:
    if watching():
        report("em", learner="DiscriminantClassifier", iteration=iteration, objective=objective)


def _definite(covariances: Array) -> Array:
    """Covariances over pairs of cells need not be those of any rows: moved to their diagonals as far as it takes."""
    found = covariances.copy()
    for sigma in found:
        diagonal = np.maximum(np.diag(sigma), _LEAST)
        sigma[np.diag_indices(len(sigma))] = diagonal
        least = float(np.linalg.eigvalsh(sigma)[0]) if len(sigma) else 1.0
        if least < _LEAST:
            goal = float(diagonal.min())
            share = 1.0 if goal - least <= 0 else min(1.0, (_LEAST - least) / (goal - least))
            sigma += share * (np.diag(diagonal) - sigma)
    return found
