"""Maximum likelihood of Gaussians where cells are missing at random: the EM algorithm, each step a pass."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.bayes.discriminant.class_products import ClassProducts, StandardView
from learnt.bayes.discriminant.expected_products import ExpectedProducts, ExpectProducts, Gaussians
from learnt.bayes.discriminant.gaussians import FLOOR
from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.watch import report, watching

#: Ends when no mean and no covariance moves by more than this, in units of the columns' deviations,
TOLERANCE = 1e-6
#: or after this many steps.
MOST_STEPS = 200
#: The least variance in any direction to begin with.
_LEAST = 0.01

Estimate = Callable[[ClassProducts], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Expectation:
    """Where EM ended: products as if no cell were missing, how many steps it took, and whether they were enough."""

    products: ClassProducts
    n_iter: int
    converged: bool


def by_expectation(view: StandardView, pairs: ClassProducts, estimate: Estimate) -> Generator[Pass, Any, Expectation]:
    """`pairs` are products over the cells that are there, `estimate` makes means and covariances of products.

    The log-likelihood of the cells that are there rises with every step (Dempster, Laird and Rubin, 1977).
    """
    mean, covariance = estimate(pairs)
    gaussians = Gaussians.of(mean, _definite(covariance), FLOOR)
    iteration = 0
    while True:
        iteration += 1
        found: ExpectedProducts = yield ExpectProducts(view, gaussians)
        if watching():
            report("em", learner="DiscriminantClassifier", iteration=iteration, objective=found.log_likelihood)
        mean, covariance = estimate(found.products)
        after = Gaussians.of(mean, covariance, FLOOR)
        moved = max(
            float(np.abs(after.mean - gaussians.mean).max(initial=0.0)),
            float(np.abs(after.covariance - gaussians.covariance).max(initial=0.0)),
        )
        if moved <= TOLERANCE or iteration == MOST_STEPS:
            return Expectation(found.products, iteration, moved <= TOLERANCE)
        gaussians = after


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
