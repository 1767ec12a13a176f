"""How a learner measures distance: a metric by name, with what it takes from the fitted rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table, unknown_column
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.neighbors.space import NORMS
from learnt.neighbors.text_edits import as_cells, edits
from learnt.neighbors.value_difference import check_value_tables
from learnt.storable import storable

NAMES = ("auto", "mixed", "levenshtein", *NORMS)
TEXT_METRICS = ("levenshtein", "text")

#: Squares of ranges beyond these would overflow or vanish.
SMALLEST_RANGE, LARGEST_RANGE = 1e-140, 1e140

#: Metrics that add up a part for each column, and the power those are raised to.
_POWERS = {"manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "euclidean": 2.0, "l2": 2.0, "chebyshev": 1.0, "hamming": 0.0}


@storable
@dataclass(frozen=True)
class Measure:
    """What `build_index` reads a metric from. A part of every column, weighted, adds up to the distance:

    "mixed"      (Σ_j w_j d_j^power)^(1/power),  d_j ≤ 1: the share of the range, 0 or 1 of labels, 1 if missing
    "text"       the same, with the edits between texts as a share of the longer one
    a norm       of the differences of numbers
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

    @property
    def is_metric(self) -> bool:
        return self.name == "levenshtein"

    @property
    def takes_text(self) -> bool:
        """Whether rows are compared as texts, also those that fitting never saw."""
        return self.name in TEXT_METRICS

    @property
    def adds_up(self) -> bool:
        """Whether the distance is a sum of a part for each column, or a root of one."""
        return self.name in ("mixed", "text", "minkowski") or (self.name in _POWERS and self.name != "chebyshev")

    def weighted(self, feature_weights: Array) -> Measure:
        """The same with columns that count so much more or less."""
        before = 1.0 if self.column_weights is None else self.column_weights
        return replace(self, column_weights=before * feature_weights)

    def distances(self, a: Array, b: Array) -> Array:
        """All distances between rows of `as_cells`; only metrics of text are asked for it."""
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
        if self.name not in (*NORMS, "mixed", *TEXT_METRICS) or self.power not in (1, 2) or not self.p >= 1:
            raise SavedModelError(f"There is no metric {self.name[:80]!r} of power {self.power} and p {self.p}.")
        for values in (self.column_weights, self.ranges):
            if values is not None and not (values.shape == (n,) and values.dtype == np.float64 and _sensible(values)):
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


def measure_of(metric: str, p: float, table: Table, weights: Array | None, text: tuple[str, ...]) -> Measure:
    """The metric of that name for these rows."""
    for name in text:
        if name not in table:
            raise ParameterError(f"text_columns: {unknown_column(name, table.names)}")
        if table[name].kind not in ("nominal", "ordinal"):
            raise ParameterError(
                f"text_columns names {name!r}, which is {table[name].kind}. Expected a column of text."
            )
    if metric == "levenshtein":
        other = next((c for c in table.schema if c.kind not in ("nominal", "ordinal")), None)
        if other is not None:
            raise InputError(
                f"Column {other.name!r} is {other.kind}, but the metric 'levenshtein' compares texts. "
                "Take metric='auto' and name the columns of text in text_columns."
            )
        return Measure("levenshtein", text=tuple(range(table.n_columns)))
    if metric in ("auto", "mixed"):
        return _mixed(table, 2 if metric == "auto" else 1, tuple(j for j, n in enumerate(table.names) if n in text))
    if text:
        raise ParameterError(f"text_columns needs metric='auto', 'mixed' or 'levenshtein', not {metric!r}.")
    if metric == "mahalanobis":
        return Measure(metric, inverse_covariance=_inverse_covariance(table, weights))
    return Measure(metric, p=float(p))


def _mixed(table: Table, power: int, text: tuple[int, ...]) -> Measure:
    ranges, varies = np.zeros(table.n_columns), np.ones(table.n_columns)
    for j, column in enumerate(table.columns):
        there = column.values[~column.missing]
        low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 0.0)
        if column.kind == "numeric":
            ranges[j] = high - low
            if not np.isfinite(ranges[j]):
                raise InputError(f"The range of column {column.name!r} is not finite. Divide it by a large number.")
        elif column.kind == "ordinal" and j not in text:
            ranges[j] = max(0, len(column.categories) - 1)
        varies[j] = float(low < high or 0 < len(there) < len(column))
    # A column that is the same in all rows is equally far from all of them: it would only blur their distances.
    return Measure("text" if text else "mixed", power=power, ranges=ranges, column_weights=varies, text=text)


def of_numbers(measure: Measure) -> Measure | None:
    """The mixed metric without gaps and labels is Euclid's, or Manhattan's, of columns divided by their ranges.

    None if a range is so small or large that its square is not to be trusted. Beyond the range these go on growing.
    """
    assert measure.ranges is not None
    assert measure.column_weights is not None
    there = measure.ranges > 0
    scale = np.where(there, measure.ranges, 1.0)
    if measure.name != "mixed" or np.any((scale < SMALLEST_RANGE) | (scale > LARGEST_RANGE)):
        return None
    weights = np.where(there, measure.column_weights / scale**measure.power, 0.0)
    return Measure("manhattan" if measure.power == 1 else "euclidean", column_weights=weights)


def _floats(column: Column) -> Array:
    """Numbers or codes, NaN where one is missing."""
    return np.where(column.missing, np.nan, column.values).astype(np.float64, copy=False)


def _inverse_covariance(table: Table, weights: Array | None) -> Array:
    x: Any = np.array(table, dtype=np.float64) if table.schema.all_numeric else None
    if x is None or np.isnan(x).any():
        raise InputError("The metric 'mahalanobis' needs numbers without gaps. Take metric='auto' or fill the gaps.")
    w = np.ones(len(x)) if weights is None else weights
    center = np.average(x, axis=0, weights=w)
    spread = (x - center) * np.sqrt(w / w.sum())[:, None]
    # The pseudo-inverse, so that columns which depend on each other count once.
    return np.asarray(np.linalg.pinv(spread.T @ spread, hermitian=True))


def with_value_tables(measure: Measure, tables: dict[str, Array], names: tuple[str, ...]) -> Measure:
    """The same with distances of labels."""
    return replace(measure, value_tables=tables, names=names)
