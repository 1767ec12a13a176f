"""Gaussians where cells are missing at random: the EM algorithm under a weak prior, each step a pass."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.bayes.discriminant.class_products import ClassProducts, StandardView
from learnt.bayes.discriminant.expected_products import ExpectedProducts, ExpectProducts, Gaussians
from learnt.bayes.discriminant.gaussians import FLOOR
from learnt.bayes.discriminant.weak_prior import WeakPrior
from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.watch import report, watching

#: Ends when a step raises the objective by no more than this for each row,
GAIN = 1e-6
#: or when no mean and no covariance moves by more than this, in units of the columns' deviations,
MOVE = 1e-6
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
    gaussians = Gaussians.of(mean, _definite(covariance), FLOOR)
    iteration, before = 0, -np.inf
    while True:
        iteration += 1
        found: ExpectedProducts = yield ExpectProducts(view, gaussians)
        products = prior.added_to(found.products)
        objective = found.log_likelihood + prior.log_density(gaussians, view.scale)
        if watching():
            report("em", learner="DiscriminantClassifier", iteration=iteration, objective=objective)
        mean, covariance = estimate(products)
        after = Gaussians.of(mean, covariance, FLOOR)
        moved = max(
            float(np.abs(after.mean - gaussians.mean).max(initial=0.0)),
            float(np.abs(after.covariance - gaussians.covariance).max(initial=0.0)),
        )
        small = rising and objective - before <= GAIN * float(products.class_weight.sum())
        converged = small or moved <= MOVE
        if converged or iteration == MOST_STEPS:
            return Expectation(products, iteration, converged)
        gaussians, before = after, objective


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
