"""Metrics on rows of numbers, and what they make of the rows before distances are taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.convert.numpy import is_loadable
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError

Lists = tuple[Array, Array, Array]

#: Metrics on rows of numbers by the norm the kernels take.
NORMS = {
    "manhattan": "l1",
    "cityblock": "l1",
    "l1": "l1",
    "euclidean": "l2",
    "l2": "l2",
    "chebyshev": "max",
    "minkowski": "lp",
    "hamming": "hamming",
    "cosine": "l2",
    "mahalanobis": "l2",
}


@dataclass(frozen=True, eq=False)
class Space:
    """A metric on rows of numbers: a norm of differences, after a change of coordinates.

    Mahalanobis' distance is Euclid's after x → Lᵀx, with L Lᵀ the inverse covariance; the cosine distance
    1 − cos is half of Euclid's squared, after every row was brought to length 1. A row of zeros has no direction and
    keeps its length of 0; it is at 1 from every other row, also of zeros, as in scikit-learn.
    """

    name: str
    norm: str
    power: float = 2.0
    weights: Array | None = None
    turn: Array | None = None

    @property
    def has_boxes(self) -> bool:
        """Whether a k-d tree can tell how far a box is."""
        return self.norm != "hamming"

    def rows(self, X: Any) -> Array:
        """Rows in the coordinates distances are taken in, without gaps, all finite."""
        x = as_matrix(X)
        place = _core.first_nonfinite(x)
        if place[0] >= 0:
            names = X.names if isinstance(X, Table) else None
            column = repr(names[place[1]]) if names else str(place[1])
            raise InputError(
                f"Row {place[0]} has {x[place]} in column {column}. The metric {self.name!r} needs finite numbers. "
                "Fill the cell, leave the row out, or take metric='mixed', to which a missing cell is far from all."
            )
        if self.weights is not None and len(self.weights) != x.shape[1]:
            raise InputError(f"There are {len(self.weights)} column weights, but the rows have {x.shape[1]} columns.")
        if self.turn is not None:
            if len(self.turn) != x.shape[1]:
                raise InputError(
                    f"The inverse covariance is of {len(self.turn)} columns, but the rows have {x.shape[1]}."
                )
            return _turned(x.astype(np.float64), self.turn)
        if self.name == "cosine":
            return _of_length_one(x)
        return np.ascontiguousarray(x)

    def metric_distances(self, distances: Array) -> Array:
        """Distances as the metric states them, from those of the coordinates."""
        return distances * distances / 2 if self.name == "cosine" else distances

    def without_direction(self, rows: Array) -> Array | None:
        """Which rows have no direction in these coordinates though the metric compares directions; None for none."""
        if self.name != "cosine":
            return None
        nowhere: Array = np.asarray(~rows.any(axis=1))
        return nowhere if nowhere.any() else None

    def search_radii(self, radii: Array) -> Array:
        """Radii of the coordinates that leave out none of the metric's."""
        return np.sqrt(2 * radii) * (1 + 1e-15) if self.name == "cosine" else radii

    def shown_within(self, lists: Lists, radii: Array, nowhere: Array | None = None) -> Lists:
        """The lists found within `search_radii`, as the metric states them; `nowhere` are rows without direction."""
        start, rows, distances = lists
        shown = self.metric_distances(distances)
        if self.name != "cosine":
            return start, rows, shown
        if nowhere is not None:
            shown = np.where(nowhere[rows], 1.0, shown)
            order = np.lexsort((rows, shown, np.repeat(np.arange(len(start) - 1), np.diff(start))))
            rows, shown = rows[order], shown[order]
        near = shown <= np.repeat(radii, np.diff(start))
        return np.concatenate([[0], np.cumsum(near)])[start], rows[near], shown[near]

    def distances(self, a: Array, b: Array) -> Array:
        """All distances between rows in these coordinates, by the definition: every index gives these bits."""
        kind = np.float32 if a.dtype == b.dtype == np.float32 else np.float64
        x: Array = np.ascontiguousarray(a, dtype=kind)
        y: Array = np.ascontiguousarray(b, dtype=kind)
        out = np.empty((len(x), len(y)))
        _core.pairwise_distances(x, y, self.norm, self.power, self.weights, out)
        return out

    def between(self, a: Any, b: Any) -> Array:
        """All distances of the metric between rows as they come, however large or small their numbers."""
        x, y = self.rows(a), self.rows(b)
        if x.shape[1] != y.shape[1]:
            raise InputError(f"Rows of {x.shape[1]} columns cannot be compared with rows of {y.shape[1]}.")
        return self.shown_between(x, y)

    def shown_between(self, x: Array, y: Array) -> Array:
        """All distances of the metric between rows in these coordinates, however large or small their numbers."""
        scale = min(safe_scale(x, self), safe_scale(y, self))
        if scale >= 1:
            return self._scaled_between(x, y, scale)
        # Rows that are far off are measured by themselves: next to them, squares of the others would vanish.
        return apart(
            safe_scales(np.abs(x).max(axis=1), self),
            safe_scales(np.abs(y).max(axis=1), self),
            lambda some, others, scale: self._scaled_between(x[some], y[others], scale),
        )

    def _scaled_between(self, x: Array, y: Array, scale: float) -> Array:
        """The same, where all rows are multiplied by `scale` meanwhile."""
        if scale == 1:
            found = self.metric_distances(self.distances(x, y))
        else:
            found = self.metric_distances(
                self.distances(x.astype(np.float64) * scale, y.astype(np.float64) * scale) / scale
            )
        for places, rows in ((found, x), (found.T, y)):
            nowhere = self.without_direction(rows)
            if nowhere is not None:
                places[nowhere] = 1.0
        return found


def power_of(space: Space) -> float:
    """To which power differences are raised."""
    return {"l2": 2.0, "lp": space.power, "hamming": 0.0}.get(space.norm, 1.0)


def safe_scale(x: Array, space: Space) -> float:
    """A power of two times which differences may be raised to the norm's power; 1 for ordinary numbers.

    Powers of two change no digit. Numbers of float32 never need one for squares.
    """
    power = power_of(space)
    if power == 0 or x.size == 0 or (x.dtype == np.float32 and power <= 2):
        return 1.0
    largest = float(max(abs(x.min()), abs(x.max())))
    if largest == 0:
        return 1.0
    exponent = math.frexp(largest)[1]
    if -800 / power <= exponent <= 950 / power:
        return 1.0
    return math.ldexp(1.0, -max(-1000, min(exponent, 1000)))


def safe_scales(largest: Array, space: Space) -> Array:
    """Of rows with these largest cells a power of two each, as `safe_scale` of that row alone; few different ones."""
    power = power_of(space)
    if power == 0:
        return np.ones(len(largest))
    exponent, step = np.frexp(largest)[1], max(1, int(800 / power))
    ordinary = (-800 / power <= exponent) & (exponent <= 950 / power)
    steps = np.where(ordinary, 0, np.clip(-(-exponent // step) * step, -1000, 1000))
    return np.where(largest > 0, np.ldexp(1.0, -steps), 2.0**1000)  # zeros go with the smallest


def apart(a: Array, b: Array, measured: Callable[[Array, Array, float], Array]) -> Array:
    """All distances between rows whose safe scales are a and b; `measured` gives those of some, by one scale."""
    out = np.empty((len(a), len(b)))
    for s in np.unique(a):
        for t in np.unique(b):
            some, others = np.flatnonzero(a == s), np.flatnonzero(b == t)
            out[np.ix_(some, others)] = measured(some, others, float(min(s, t)))
    return out


def space_of(metric: Any) -> Space | None:
    """The space of a metric on numbers, given by name or as an object; None for any other metric."""
    name = metric if isinstance(metric, str) else getattr(metric, "name", None)
    if not isinstance(name, str) or name not in NORMS:
        return None
    power = float(getattr(metric, "p", None) or 2.0)
    weights = getattr(metric, "column_weights", None)
    if weights is not None:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        if weights.ndim != 1 or not np.all((weights >= 0) & np.isfinite(weights)):
            raise ParameterError(f"The column weights are {weights!r}. Expected finite numbers of at least 0.")
    norm, turn = NORMS[name], None
    if norm == "lp":
        if not power >= 1:
            raise ParameterError(f"p is {power!r}. Expected 1 or more: below 1 there is no triangle inequality.")
        norm = {1.0: "l1", 2.0: "l2", np.inf: "max"}.get(power, "lp")
    if name == "mahalanobis":
        turn = factor(getattr(metric, "inverse_covariance", None), weights)
        weights = None
    if name == "cosine" and weights is not None:
        raise ParameterError("The cosine metric takes no column weights. Multiply the columns themselves.")
    return Space(name, norm, power, weights, turn)


def factor(inverse: Any, weights: Array | None) -> Array:
    if inverse is None:
        raise ParameterError("The metric 'mahalanobis' has no inverse covariance. Give one, or the rows it is of.")
    inverse = np.asarray(inverse, dtype=np.float64)
    if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1] or not np.isfinite(inverse).all():
        raise ParameterError(
            f"The inverse covariance has the shape {inverse.shape}. Expected a square of finite numbers."
        )
    if weights is not None:
        inverse = inverse * np.sqrt(weights)[:, None] * np.sqrt(weights)[None, :]
    # A covariance of collinear columns has an inverse with zeros among its roots: no Cholesky factor.
    roots, axes = np.linalg.eigh((inverse + inverse.T) / 2)
    if roots[0] < -1e-9 * max(1e-300, abs(roots[-1])):
        raise ParameterError(f"The inverse covariance has the negative root {roots[0]:g}. Expected none below 0.")
    turned: Array = axes * np.sqrt(np.maximum(roots, 0))
    return turned


def _turned(x: Array, turn: Array) -> Array:
    """x·turn; where that is beyond all numbers, the largest of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = x @ turn
        beyond = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(beyond):
            unit = math.ldexp(1.0, math.frexp(float(np.abs(turn).sum(axis=0).max()))[1] + 1)
            most = np.finfo(np.float64).max / unit
            found[beyond] = np.clip((x[beyond] / unit) @ turn, -most, most) * unit
    return np.ascontiguousarray(found)


def _of_length_one(x: Array) -> Array:
    x = x.astype(np.float64)
    largest = np.abs(x).max(axis=1, initial=0.0)
    x /= np.where(largest > 0, largest, 1.0)[:, None]  # first, that squares may neither overflow nor vanish
    x = np.ascontiguousarray(x)
    length = np.empty((len(x), 1))  # from the origin: added column by column, as for sparse rows
    _core.pairwise_distances(x, np.zeros((1, x.shape[1])), "l2", 2.0, None, length)
    x /= np.where(length > 0, length, 1.0)
    return x


def as_matrix(X: Any) -> Array:
    """A 2-D array of floats."""
    if isinstance(X, Table):
        if not X.schema.all_numeric:
            other = next(c for c in X.schema if c.coded)
            raise InputError(
                f"Column {other.name!r} is {other.kind}, but this metric takes numbers. "
                "Take metric='mixed', or encode the column."
            )
        x = X.matrix if X.matrix is not None else np.array(X, dtype=np.float64)
    else:
        x = np.asarray(X)
    if x.ndim != 2 or x.shape[1] == 0:
        raise InputError(f"The rows have the shape {x.shape}. Expected rows and columns, at least one column.")
    if x.dtype != np.float32:
        x = x.astype(np.float64, copy=False)
    return x if is_loadable(x) else x.copy()
