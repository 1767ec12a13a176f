"""What is worth knowing about one column."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.schema import Kind, KindName, Label, kind_name
from learnt.data.table import Column
from learnt.describe.identifiers import SURELY_MANY, is_identifier
from learnt.describe.sample import fences, limits_of_mean
from learnt.statistics.moments import Moments
from learnt.statistics.quantiles import frequency_quantiles

Array = np.ndarray[Any, Any]

BARS = 12  # of a histogram
EXAMPLES = 3  # of outliers


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts between successive edges; the last bar holds its right edge too."""

    edges: Array
    counts: Array


@dataclass(frozen=True, slots=True)
class Outliers:
    """Values outside Tukey's fences `low` and `high`; `far` of them more than twice as far out.

    Twice is three interquartile ranges, and a little more in tables of over a thousand rows, where
    chance alone reaches as far. `examples` are (row, value), the farthest first.
    """

    count: float
    far: float
    low: float
    high: float
    examples: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class NumericSummary:
    """A numeric column. Counts are sums of weights; statistics are over its finite cells."""

    name: str
    rows: float
    missing: float
    infinite: float
    distinct: int
    mean: float
    variance: float
    confidence: tuple[float, float]
    skewness: float
    minimum: float
    q1: float
    median: float
    q3: float
    maximum: float
    commonest: tuple[float, float]
    outliers: Outliers
    histogram: Histogram
    identifier_like: bool
    kind: Kind = "numeric"
    form: Form | None = None

    @property
    def kind_name(self) -> KindName:
        """The kind as users know it."""
        return kind_name(self.kind, self.form)

    @property
    def count(self) -> float:
        """How many cells are finite numbers."""
        return self.rows - self.missing - self.infinite

    @property
    def sd(self) -> float:
        return math.sqrt(self.variance)

    @property
    def missing_share(self) -> float:
        return self.missing / self.rows if self.rows else 0.0

    @property
    def constant(self) -> bool:
        return self.distinct == 1 and not self.infinite


@dataclass(frozen=True, slots=True, eq=False)
class CategorySummary:
    """A nominal, ordinal or boolean column; `tally` counts its cells per category, in code order."""

    name: str
    kind: Kind
    rows: float
    missing: float
    categories: tuple[Label, ...]
    tally: Array
    identifier_like: bool
    form: Form | None = None

    @property
    def kind_name(self) -> KindName:
        """The kind as users know it."""
        return kind_name(self.kind, self.form)

    @property
    def count(self) -> float:
        """How many cells are not missing."""
        return self.rows - self.missing

    @property
    def distinct(self) -> int:
        """How many categories have rows."""
        return int(np.count_nonzero(self.tally))

    @property
    def missing_share(self) -> float:
        return self.missing / self.rows if self.rows else 0.0

    @property
    def constant(self) -> bool:
        return self.distinct == 1

    @property
    def counts(self) -> dict[Label, float]:
        return dict(zip(self.categories, map(whole, self.tally.tolist()), strict=True))

    @property
    def commonest(self) -> tuple[Label, float]:
        """The category with most rows (the first of several), and how many; (None, 0) if there is none."""
        if not self.tally.any():
            return None, 0
        place = int(self.tally.argmax())
        return self.categories[place], whole(float(self.tally[place]))

    def top(self, k: int) -> list[tuple[Label, float]]:
        """The k commonest categories that have rows; an ordinal column's in order, if these are all."""
        seen = np.flatnonzero(self.tally)
        if self.kind != "ordinal" or len(seen) > k:
            seen = seen[np.argsort(-self.tally[seen], kind="stable")][:k]
        return [(self.categories[code], whole(float(self.tally[code]))) for code in seen.tolist()]


Summary = NumericSummary | CategorySummary


def summarize_column(column: Column, weights: Array | None = None, level: float = 0.95) -> Summary:
    """The summary of one column; `weights` are frequencies, all above 0."""
    if column.kind == "numeric":
        found: Summary = replace(_numeric(column.name, column.values, weights, level), form=column.form)
    else:
        found = _categories(column, weights)
    once = weights is None or bool(weights.max(initial=0) <= 1)
    return replace(found, identifier_like=once and is_identifier(column))


def _numeric(name: str, values: Array, weights: Array | None, level: float) -> NumericSummary:
    values = np.ascontiguousarray(values)  # a column of a row-major matrix is slow to walk thrice
    m = Moments.of(values, weights)
    ordered, w = _finite_ascending(values, weights)
    # Runs of equal values: how many there are, and the longest.
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))[: len(ordered)]
    repeats = np.diff(starts, append=len(ordered)) if w is None else np.add.reduceat(w, starts)
    most = int(repeats.argmax()) if len(starts) else None
    q1, median, q3 = frequency_quantiles(ordered, (0.25, 0.5, 0.75), w)
    return NumericSummary(
        name=name,
        rows=whole(m.weight + m.missing + m.infinite),
        missing=whole(m.missing),
        infinite=whole(m.infinite),
        distinct=len(starts),
        mean=m.mean,
        variance=m.variance,
        confidence=limits_of_mean(m.mean, m.variance, m.weight, level),
        skewness=m.skewness,
        minimum=m.minimum,
        q1=q1,
        median=median,
        q3=q3,
        maximum=m.maximum,
        commonest=(math.nan, 0) if most is None else (float(ordered[starts[most]]), whole(float(repeats[most]))),
        outliers=_outliers(values, weights, (m.minimum, q1, q3, m.maximum)),
        histogram=histogram(ordered, w),
        identifier_like=False,
    )


def _finite_ascending(values: Array, weights: Array | None) -> tuple[Array, Array | None]:
    """Finite values in ascending order, and their weights. NaN sorts last, infinities to the ends."""
    if weights is None:
        ordered, w = np.sort(values), None
    else:
        order = np.argsort(values, kind="stable")
        ordered, w = values[order], weights[order]
    start = int(np.searchsorted(ordered, -np.inf, side="right"))
    stop = int(np.searchsorted(ordered, np.inf, side="left"))
    return ordered[start:stop].astype(np.float64, copy=False), None if w is None else w[start:stop]


def numbers_rows(values: Array, n_rows: float) -> bool:
    """Whether distinct values look like numbers given to `n_rows` rows: integers with few gaps.

    Measured integers may all differ in a small table, but then they are spread out.
    """
    return n_rows >= SURELY_MANY and bool(values.max() - values.min() < 2 * n_rows) and _integers(values)


def _integers(values: Array) -> bool:
    return bool((values[:100] % 1 == 0).all() and (values % 1 == 0).all())


def _outliers(values: Array, weights: Array | None, quantiles: tuple[float, float, float, float]) -> Outliers:
    minimum, q1, q3, maximum = quantiles
    low, high = fences(q1, q3)
    if not (minimum < low or maximum > high):
        return Outliers(0, 0, low, high, ())
    rows = np.flatnonzero((values < low) | (values > high))
    rows = rows[np.isfinite(values[rows])]
    x = values[rows].astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        distance = np.maximum(q1 - x, x - q3)
        far = distance > (3 + max(0.0, math.log10(len(values)) - 3) / 2) * (q3 - q1)
    w = np.ones(len(rows)) if weights is None else weights[rows]
    farthest = np.argsort(-distance, kind="stable")[:EXAMPLES]
    examples = tuple(zip(rows[farthest].tolist(), x[farthest].tolist(), strict=True))
    return Outliers(whole(float(w.sum())), whole(float(w[far].sum())), low, high, examples)


def histogram(ordered: Array, weights: Array | None = None) -> Histogram:
    """Bars of equal width over an ascending sample; one bar a number where there are few integers."""
    if len(ordered) == 0:
        return Histogram(np.empty(0), np.empty(0))
    low, high = float(ordered[0]), float(ordered[-1])
    if low == high or (high - low < BARS and _integers(ordered)):
        edges = np.arange(low - 0.5, high + 1) if abs(low) < 1e15 else np.array([low, high])
    else:  # halves, because high − low of huge numbers overflows
        edges = 2 * np.linspace(low / 2, high / 2, BARS + 1)
    places = np.searchsorted(ordered, edges[1:-1], side="left")
    bounds = np.concatenate(([0], places, [len(ordered)]))
    if weights is not None:
        bounds = np.concatenate(([0], np.cumsum(weights)))[bounds]
    return Histogram(edges, np.diff(bounds))


def _categories(column: Column, weights: Array | None) -> CategorySummary:
    codes, n = column.values, len(column.categories)
    # One place to the right: missing, −1, is counted in place 0.
    tally = np.bincount(codes + 1, weights, minlength=n + 1)
    seen = tally[1:]
    return CategorySummary(
        name=column.name,
        kind=column.kind,
        rows=whole(float(tally.sum())),
        missing=whole(float(tally[0])),
        categories=column.categories,
        tally=seen,
        identifier_like=False,
        form=column.form,
    )


def renumber_examples(summary: Summary, rows: Array) -> Summary:
    """A summary of some rows of a table, its examples told by their row numbers in the whole."""
    if not isinstance(summary, NumericSummary) or not summary.outliers.examples:
        return summary
    examples = tuple((int(rows[row]), value) for row, value in summary.outliers.examples)
    return replace(summary, outliers=replace(summary.outliers, examples=examples))


def whole(count: float) -> float:
    """A count as an int where it is one; weights may be fractions."""
    return int(count) if count == int(count) else count
