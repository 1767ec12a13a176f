"""Ordered statistics of the target, by category: what boosting and forests make of columns of many categories.

Rows stand at places, hashed from their cells, and see the mean target of the rows of their category at earlier places
alone, drawn to the mean m of all rows as if `PRIOR` more of them were there. From totals by category and place:

    t = (Σ w y + PRIOR·m) / (Σ w + PRIOR)        over the rows of a category at places before the row's own

No row sees its own target, nor does one of two rows see the other's that sees its. Equal rows stand at one place.

L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018, has the idea of rows in an order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array

PRIOR = 10.0  #: The weight of the mean of all rows in that of a category.
LEAST_PRIOR, MOST_PRIOR = 0.1, 1000.0
_MOST_PLACES = 64
_MOST_CELLS = 1 << 22  # categories × places of a column
_SPREAD = 1 / 3  # least part of the places that rows would take, were no two of them equal


def place_count(n_categories: int, n_outputs: int) -> int:
    """How many places the rows of a column are put at; fewer where categories are very many."""
    return int(np.clip(_MOST_CELLS // n_outputs // max(n_categories, 1), 2, _MOST_PLACES))


@dataclass(frozen=True, eq=False)
class CategoryBins:
    """Statistics as bins from 0 on, of rows by category and place, and of categories from all of their rows."""

    rows: Array
    categories: Array
    n_bins: int


def category_bins(weight: Array, target: Array, max_bins: int, prior: float = PRIOR) -> CategoryBins:
    """The bins from the weights of rows and their weighted targets, categories × places; below `max_bins`."""
    mean = target.sum() / weight.sum()
    whole, heavy = _shrunk(target.sum(1), weight.sum(1), mean, prior), weight.sum(1)
    order = np.argsort(whole, kind="stable")
    edges = _core.edges_of_sorted(np.ascontiguousarray(whole[order]), np.ascontiguousarray(heavy[order]), max_bins)
    rows = np.searchsorted(edges, _before(weight, target, mean, prior)).astype(np.uint8)
    return CategoryBins(rows, np.searchsorted(edges, whole).astype(np.uint8), len(edges) + 1)


def error_lowered(weight: Array, target: Array, prior: float = PRIOR) -> float:
    """By how much Σ w (y − t)² is less than Σ w (y − m)²: whether the rows before tell of those after them.

    0 where too few rows differ enough to stand at many places: the rows before tell little of a category there.
    """
    if not weight.any() or not _is_spread(weight):
        return 0.0
    mean = target.sum() / weight.sum()
    step = _before(weight, target, mean, prior) - mean
    return float((step * (2 * (target - mean * weight) - weight * step)).sum())


def deviations(weight: Array, target: Array, squares: float, prior: float) -> float:
    """How far Σ w (t − m)(y − m) lies above what it is on average where rows before tell nothing, in its standard
    deviations. `squares` is Σ w y²."""
    whole, mean = weight.sum(), target.sum() / weight.sum()
    step = _before(weight, target, mean, prior) - mean
    chance = max(squares / whole - mean * mean, 0.0) * (step * step * weight).sum()
    return float((step * (target - mean * weight)).sum() / np.sqrt(chance)) if chance > 0 else 0.0


def fitting_prior(weight: Array, target: Array, squares: float) -> float:
    """The weight of the mean that fits the categories: the variance within them through that between them, estimated
    by analysis of variance. `squares` is Σ w y²; infinite where categories do not differ more than by chance."""
    own, sums = weight.sum(1), target.sum(1)
    own, sums = own[own > 0], sums[own > 0]
    whole, explained = own.sum(), (sums * sums / own).sum()
    within = max(squares - explained, 0.0) / max(whole - len(own), 1.0)
    apart = explained - sums.sum() ** 2 / whole - (len(own) - 1) * within
    between = apart / max(whole - (own * own).sum() / whole, 1e-300)
    return float(np.clip(within / between, LEAST_PRIOR, MOST_PRIOR)) if between > 0 else MOST_PRIOR


def _before(weight: Array, target: Array, mean: float, prior: float) -> Array:
    return _shrunk(np.cumsum(target, 1) - target, np.cumsum(weight, 1) - weight, mean, prior)


def _shrunk(target: Array, weight: Array, mean: float, prior: float) -> Array:
    shrunk: Array = (target + prior * mean) / (weight + prior)
    return shrunk


def _is_spread(weight: Array) -> bool:
    """Whether rows differ enough to stand at many places."""
    n = weight.shape[1]
    expected = n * -np.expm1(weight.sum(1) * np.log1p(-1 / n))
    return bool(np.count_nonzero(weight) >= _SPREAD * expected.sum())


def listed_side(right: Array) -> tuple[Array, int]:
    """Of categories that go to the right or not the smaller side: its codes, and its child. The others go to the
    other child."""
    fewer = int(2 * np.count_nonzero(right) <= len(right))
    return np.flatnonzero(right == bool(fewer)).astype(np.int32), fewer
