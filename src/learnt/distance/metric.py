"""A metric with all that it takes from the rows it is for: the one noun of distances, indexes and learners."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.distance.mixed_cells import MixedCells
from learnt.distance.space import NORMS, space_of
from learnt.distance.sparse_rows import is_sparse, sparse_distances
from learnt.distance.text_edits import as_cells, edits
from learnt.distance.value_difference import check_value_tables
from learnt.errors import ParameterError, SavedModelError
from learnt.show.words import spell
from learnt.storable import storable

TEXT_METRICS = ("levenshtein", "text")

#: Metrics that add up a part for each column, and the power those are raised to.
_POWERS = {"manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "euclidean": 2.0, "l2": 2.0, "chebyshev": 1.0, "hamming": 0.0}


@storable
@dataclass(frozen=True, eq=False)
class Metric:
    """A resolved metric. A part of every column, weighted, adds up to the distance:

    "mixed"        (Σ_j w_j d_j^power)^(1/power),  d_j ≤ 1: the share of the range, 0 or 1 of labels, 1 if missing
    "text"         the same, with the edits between texts as a share of the longer one
    "levenshtein"  the edits themselves
    a norm         of the differences of numbers

    `resolve` makes one. `dataclasses.replace` and `weighted` make another from it.
    """

    name: str
    p: float = 2.0
    power: int = 1
    column_weights: Array | None = None
    ranges: Array | None = None
    value_tables: dict[str, Array] | None = None  # distances of labels, by column
    inverse_covariance: Array | None = None
    text: tuple[int, ...] = ()  # places of columns of text
    names: tuple[str, ...] = ()  # of the columns, where labels have distances

    def __post_init__(self) -> None:
        if self.name not in (*NORMS, "mixed", *TEXT_METRICS):
            known = ", ".join((*sorted(NORMS), "mixed", *TEXT_METRICS))
            raise ParameterError(f"There is no metric {self.name[:80]!r}. Expected one of {known}.")
        if not self.p >= 1:
            raise ParameterError(f"p is {spell(self.p)}. Expected 1 or more: below 1 there is no triangle inequality.")
        if self.power not in (1, 2):
            raise ParameterError(f"The power of the mixed metric is {spell(self.power)}. Expected 1 or 2.")
        for values, what in ((self.column_weights, "column weights"), (self.ranges, "ranges")):
            if values is not None and not (values.ndim == 1 and values.dtype.kind == "f" and _sensible(values)):
                raise ParameterError(f"The {what} are {spell(values)}. Expected finite numbers of at least 0.")

    # What it is

    @property
    def is_metric(self) -> bool:
        """Whether the triangle inequality holds: a tree may then spare comparisons.

        Cosine distances obey none, nor do edits as a share of the longer text. The mixed metric obeys it, if
        the distances of labels do.
        """
        return self.name not in ("cosine", "text")

    @property
    def needs_all_cells(self) -> bool:
        """Whether rows with missing cells are refused."""
        return self.name in NORMS

    @property
    def by_products(self) -> bool:
        """Whether products of matrices give the distances, up to rounding."""
        space = space_of(self)
        return space is not None and space.norm == "l2"

    @property
    def has_boxes(self) -> bool:
        """Whether a k-d tree can tell how far a box is."""
        space = space_of(self)
        return space is not None and space.has_boxes

    @property
    def takes_text(self) -> bool:
        """Whether rows are compared as texts, also those that fitting never saw."""
        return self.name in TEXT_METRICS

    @property
    def adds_up(self) -> bool:
        """Whether the distance is a sum of a part for each column, or a root of one."""
        return self.name in ("mixed", "text", "minkowski") or (self.name in _POWERS and self.name != "chebyshev")

    def weighted(self, feature_weights: Array) -> Metric:
        """The same with columns that count so much more or less."""
        before = 1.0 if self.column_weights is None else self.column_weights
        return replace(self, column_weights=before * feature_weights)

    # What it measures

    def distances(self, a: Any, b: Any) -> Array:
        """All distances between rows of a and rows of b: tables, matrices, or for texts what `as_cells` gives."""
        if self.takes_text:
            return self._of_cells(*(as_cells(x, self.text) if isinstance(x, Table) else x for x in (a, b)))
        space = space_of(self)
        if space is not None:
            return sparse_distances(space, a, b) if is_sparse(a) or is_sparse(b) else space.between(a, b)
        one = a if isinstance(a, Table) else Table(a)
        other = (b if isinstance(b, Table) else Table(b)).matched(one.schema)
        mixed = MixedCells(one, self)
        return mixed.distances(mixed.split(one), mixed.split(other))

    def _of_cells(self, a: Array, b: Array) -> Array:
        total = np.zeros((len(a), len(b)))
        for j in range(a.shape[1]):
            weight = 1.0 if self.column_weights is None else float(self.column_weights[j])
            total += weight * self._part_of_cells(j, a[:, j], b[:, j])
        return np.sqrt(total) if self.power == 2 else total

    def parts(self, a: Table, b: Table) -> Iterator[Array]:
        """What each column adds for every pair of rows, before weights and the last root; nothing if none does."""
        if self.takes_text:
            x, y = as_cells(a, self.text), as_cells(b, self.text)
            yield from (self._part_of_cells(j, x[:, j], y[:, j]) for j in range(a.n_columns))
        elif self.name == "mixed":
            for j, (one, other) in enumerate(zip(a.columns, b.columns, strict=True)):
                yield self._mixed_part(j, _floats(one), _floats(other))
        elif self.name == "minkowski" or self.name in _POWERS:
            power = self.p if self.name == "minkowski" else _POWERS[self.name]
            for one, other in zip(a.columns, b.columns, strict=True):
                away = np.abs(_floats(one)[:, None] - _floats(other)[None, :])
                yield (away != 0) / a.n_columns if power == 0 else away if power == 1 else away**power

    def _part_of_cells(self, j: int, x: Array, y: Array) -> Array:
        if self.name == "levenshtein":
            return edits(x, y, relative=False)
        if j in self.text:
            part: Array = edits(x, y, relative=True) ** self.power
            return part
        return self._mixed_part(j, x.astype(np.float64), y.astype(np.float64))

    def _mixed_part(self, j: int, x: Array, y: Array) -> Array:
        """Of numbers or codes, NaN where one is missing."""
        gone = np.isnan(x)[:, None] | np.isnan(y)[None, :]
        entries = None if self.value_tables is None else self.value_tables.get(self.names[j])
        scale = 0.0 if self.ranges is None else float(self.ranges[j])
        if entries is not None:
            one, other = (np.where(np.isnan(v), 0, v).astype(np.intp) for v in (x, y))
            away = entries[one[:, None], other[None, :]]
        elif scale > 0:
            away = np.minimum(np.abs(x[:, None] - y[None, :]) / scale, 1.0)
        else:
            away = (x[:, None] != y[None, :]).astype(np.float64)
        part: Array = np.where(gone, 1.0, away) ** self.power
        return part

    def check(self, table: Table) -> None:
        """Raise if a file holds a metric that cannot measure these rows."""
        n = table.n_columns
        square = self.inverse_covariance
        for values in (self.column_weights, self.ranges):
            if values is not None and not (values.shape == (n,) and values.dtype == np.float64):
                raise SavedModelError("The weights or ranges of the metric do not fit the columns.")
        if (self.name == "mahalanobis") != (square is not None) or (square is not None and square.shape != (n, n)):
            raise SavedModelError("The inverse covariance does not fit the columns.")
        if square is not None and not (square.dtype == np.float64 and np.isfinite(square).all()):
            raise SavedModelError("The inverse covariance is not finite.")
        if not set(self.text) <= set(range(n)) or self.names not in ((), table.names):
            raise SavedModelError("The metric names columns that are not there.")
        if self.value_tables is not None and not self.names:
            raise SavedModelError("The metric has distances of labels, but no names of columns.")
        check_value_tables(self.value_tables, table)


def _sensible(values: Array) -> bool:
    return bool(np.all((values >= 0) & np.isfinite(values)))


def _floats(column: Column) -> Array:
    """Numbers or codes, NaN where one is missing."""
    return np.where(column.missing, np.nan, column.values).astype(np.float64, copy=False)
