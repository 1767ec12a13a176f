"""How much each column counts, learnt from the rows: axes stretched, or shrunk to nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.table import Array, Table, unknown_column
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain
from learnt.neighbors.measure import Measure
from learnt.show.words import spell
from learnt.watch import report

#: Parts of distances held: columns × rows × rows of a sample; 64 MB.
CELLS = 8 << 20
FEWEST_ROWS, MOST_ROWS = 30, 1000
MOST_STEPS = 60
PASSES, RATE = 4, 0.2


class ColumnWeights(Domain):
    """Weights by column: an array, a list, or a dict by name."""

    words = "numbers of at least 0, one for each column or by name, not all of them 0"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str) or value is None:
            return False
        values: Any = list(value.values()) if isinstance(value, Mapping) else value
        if isinstance(value, Mapping) and not all(isinstance(name, str) for name in value):
            return False
        try:
            numbers = np.asarray(values)
        except ValueError:  # lists of different lengths
            return False
        if numbers.ndim != 1 or len(numbers) == 0 or numbers.dtype.kind not in "iuf":
            return False
        named = isinstance(value, Mapping)
        return bool(np.all(np.isfinite(numbers)) and np.all(numbers >= 0) and (named or numbers.any()))


def given_weights(given: Any, table: Table) -> Array:
    """The weight of each column as the user gave it; columns a dict does not name keep 1."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in table:
                raise ParameterError(f"feature_weights: {unknown_column(name, table.names)}")
        found = np.array([float(given.get(name, 1.0)) for name in table.names])
    else:
        found = np.array(given, dtype=np.float64)
        if len(found) != table.n_columns:
            raise ParameterError(f"feature_weights has {len(found)} numbers, but there are {table.n_columns} columns.")
    if not found.any():
        raise ParameterError("feature_weights is 0 for every column: nothing is left to compare rows by.")
    return found


def column_parts(measure: Measure, table: Table, what: str) -> tuple[Array, Array]:
    """What each column adds to the distances of a sample of rows (columns × rows × rows), and these rows.

    The sample is spread evenly over the table, so that it needs no chance; parts are weighted as in the metric.
    """
    if not measure.adds_up:
        raise ParameterError(
            f"feature_weights={spell(what)} needs a metric that adds up a part of each column, such as 'auto', "
            f"'mixed', 'euclidean' or 'manhattan', not {measure.name!r}."
        )
    wanted = max(FEWEST_ROWS, min(MOST_ROWS, math.isqrt(CELLS // table.n_columns)))
    rows = np.unique(np.linspace(0, table.n_rows - 1, min(wanted, table.n_rows)).round().astype(np.int64))
    sample = table.take(rows)
    parts = np.stack(list(measure.parts(sample, sample)))
    if measure.column_weights is not None:
        parts *= measure.column_weights[:, None, None]
    return parts, rows


def stretch_columns(parts: Array, same: Array | None, values: Array, row_weights: Array, learner: str) -> Array:
    """Weights under which each row is best answered by the others, softly: near ones count exponentially more.

        p_ij ∝ exp(−Σ_c w_c part_c(i, j)),  j ≠ i
        classes   minimise −Σ_i log Σ_{j of the same class} p_ij
        numbers   minimise Σ_i (y_i − Σ_j p_ij y_j)²

    over w ≥ 0, by a quasi-Newton method from equal weights. (Goldberger et al., 2005, with one weight a column.)
    """
    from scipy.optimize import minimize

    columns, n, _ = parts.shape
    flat = parts.reshape(columns, n * n)
    typical = flat.mean(axis=1) * n / max(1, n - 1)
    unit = 1 / np.where(typical > 0, typical, 1.0)
    flat = flat * unit[:, None]  # columns of equal say to begin with, which also conditions the search
    share = row_weights / row_weights.sum()
    steps = 0

    def loss(w: Array) -> tuple[float, Array]:
        nonlocal steps
        z = -(w @ flat).reshape(n, n)
        np.fill_diagonal(z, -np.inf)
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        if same is not None:
            right = np.where(same, p, 0.0)
            chance = np.maximum(right.sum(axis=1), 1e-12)
            value = float(-(share * np.log(chance)).sum())
            gradient = (p - right / chance[:, None]) * share[:, None]
        else:
            miss = p @ values - values
            value = float((share * miss**2).sum())
            gradient = 2 * (share * miss)[:, None] * p * (values[None, :] - (p @ values)[:, None])
        steps += 1
        report("stretching columns", learner=learner, iteration=steps, objective=value)
        return value, -(flat @ gradient.ravel())

    # About ten neighbours share most of the vote at the start.
    start = np.full(columns, 3.0 / columns)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * columns, options={"maxiter": MOST_STEPS}
    )
    return _of_largest_one(np.asarray(found.x) * unit, np.ones(columns))


def update_weights(parts: Array, right: Array, learner: str) -> Array:
    """Weights changed after each row in turn, by its nearest right and its nearest wrong neighbour.

        w_c ← w_c · exp(rate · (part_c(wrong) − part_c(right)) / typical part)

    A column in which the wrong neighbour is farther than the right one tells them apart, and gains; one in which it
    is nearer loses. Nearest is by the weights reached so far. (After Kira and Rendell's Relief, 1992.)
    """
    columns, n, _ = parts.shape
    typical = parts.reshape(columns, -1).mean(axis=1)
    scaled = parts / np.where(typical > 0, typical, 1.0)[:, None, None]
    w = np.ones(columns)
    others = ~np.eye(n, dtype=bool)
    for sweep in range(PASSES):
        for i in range(n):
            away = w @ scaled[:, i]
            hits, misses = right[i] & others[i], ~right[i]
            if not hits.any() or not misses.any():
                continue
            hit, miss = (int(np.where(some, away, np.inf).argmin()) for some in (hits, misses))
            change = scaled[:, i, miss] - scaled[:, i, hit]
            w *= np.exp(RATE * change / max(1.0, float(np.abs(change).max())) / (sweep + 1))
            w /= w.max()
        report("weighing columns", learner=learner, iteration=sweep + 1, total=PASSES)
    return _of_largest_one(w / np.where(typical > 0, typical, 1.0), np.ones(columns))


def _of_largest_one(weights: Array, otherwise: Array) -> Array:
    largest = float(weights.max(initial=0.0))
    return weights / largest if largest > 0 and np.isfinite(largest) else otherwise
