"""Silhouettes: how much nearer each row is to its own cluster than to the nearest other one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster.medoids.nearest_medoid import distances_between
from learnt.data.convert import to_vector
from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.precomputed import check_distances, metric_for
from learnt.distance.space import Space, safe_scale, space_of
from learnt.engine.target import class_codes
from learnt.engine.training import checked_weights
from learnt.errors import InputError, ParameterError
from learnt.learner.parameters import Real, Seed, Whole, seed_from
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import short_name, spell
from learnt.statistics.sample import sample_places
from learnt.statistics.skewness import skewed_interval

#: Distances that are held at a time by metrics without a kernel of their own.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class Silhouette:
    """What `silhouette` found, one entry for each row that was measured.

    | field | meaning |
    |---|---|
    | `rows` | numbers of the rows measured: all but noise, or those drawn |
    | `labels` | their clusters |
    | `widths` | s = (b − a)/max(a, b), from −1 to 1; 0 for a cluster of one row |
    | `within`, `between` | a and b: mean distances to the rest of the own cluster, to the nearest other one |
    | `neighbour` | that nearest other cluster |
    | `clusters`, `sizes` | the labels of all clusters and how many rows (or how much weight) each has |
    | `n_rows` | rows that might have been measured |
    | `weights` | of the rows measured; None if there were none |
    """

    rows: Array
    labels: Array
    widths: Array
    within: Array
    between: Array
    neighbour: Array
    clusters: Array
    sizes: Array
    n_rows: int
    weights: Array | None = None

    @property
    def mean(self) -> float:
        """The mean width of all rows; estimated if only some were measured."""
        return float(np.average(self.widths, weights=self.weights))

    @property
    def standard_error(self) -> float:
        """How far `mean` may be from that of all rows: 0 if all were measured."""
        m = len(self.widths)
        if m == self.n_rows:
            return 0.0
        if m < 2:
            return math.inf
        w = np.ones(m) if self.weights is None else self.weights
        spread = float(((w * (self.widths - self.mean)) ** 2).sum()) * m / (m - 1)
        return math.sqrt(spread * (1 - m / self.n_rows)) / float(w.sum())

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where the mean width of all rows lies, if only some were measured: `mean` alone if all were.

        A few rows between clusters make widths skewed, so it is Student's t after Hall's transformation.
        """
        if level not in Real(above=0, below=1):
            raise ParameterError(
                f"level={spell(level)} is not allowed. Expected a number between 0 and 1, such as 0.95."
            )
        error = self.standard_error
        if not 0 < error < math.inf:
            return (-1.0, 1.0) if error else (self.mean, self.mean)
        low, high = skewed_interval(self.widths, level, error=error, weights=self.weights)
        return max(low, -1.0), min(high, 1.0)

    @property
    def places(self) -> Array:
        """The place of each row's cluster among `clusters`."""
        order = np.argsort(self.clusters, kind="stable")
        found: Array = order[np.searchsorted(self.clusters[order], self.labels)]
        return found

    @property
    def cluster_means(self) -> Array:
        """The mean width in each cluster, in the order of `clusters`; NaN where no row was measured."""
        place = self.places
        weight = np.bincount(place, self.weights, len(self.clusters))
        total = np.bincount(place, self.widths if self.weights is None else self.weights * self.widths, len(weight))
        means: Array = np.divide(total, weight, out=np.full(len(weight), np.nan), where=weight > 0)
        return means

    def __repr__(self) -> str:
        return f"<Silhouette of {len(self.widths)} rows in {len(self.clusters)} clusters: mean {number(self.mean)}>"

    def __str__(self) -> str:
        return _text(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the widths as bars, cluster by cluster, the widest on top; returns the matplotlib axes."""
        from learnt.plot.clusters import plot_silhouette

        return plot_silhouette(self, ax)


def silhouette(
    X: Any,
    labels: Any,
    metric: Any = "auto",
    *,
    sample: int | None = None,
    random_state: Any = 0,
    sample_weight: Any = None,
    noise: Any = -1,
    **settings: Any,
) -> Silhouette:
    """How well each row fits its cluster: 1 at best, 0 between two clusters, below 0 nearer to another one.

        s = (b − a) / max(a, b)      a: mean distance to the other rows of its cluster
                                     b: the least mean distance to the rows of another cluster

    >>> result = silhouette([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1])
    >>> result.widths.round(3).tolist(), round(result.mean, 3)
    ([0.882, 0.867, 0.867, 0.882], 0.875)

    | argument | default | meaning |
    |---|---|---|
    | `X` | | the rows: a table, an array, texts; with "precomputed" their distances |
    | `labels` | | the cluster of each row: whole numbers or text |
    | `metric` | "auto" | Euclidean for complete numbers, else "mixed"; any metric, a function, or "precomputed" |
    | `sample` | None | measure so many rows, drawn, against all rows; the mean then has an `interval()` |
    | `random_state` | 0 | seed of that draw |
    | `sample_weight` | None | a row of weight 2 stands there twice |
    | `noise` | −1 | rows of this label are left out altogether; None: they are a cluster like others |

    `settings` are those of `learnt.distance.resolve`. Time grows with rows × rows measured; the distances are added
    up as they are measured, never kept.

    Reference: P. Rousseeuw, Silhouettes, Journal of Computational and Applied Mathematics 20, 1987.
    """
    if not (sample is None or sample in Whole(1)) or random_state not in Seed():
        raise ParameterError(
            f"sample is {sample!r} and random_state {spell(random_state)}. Expected {Whole(1).words}, a seed."
        )
    given, n, found = _rows_of(X, metric, settings)
    codes, names = cluster_codes(labels, "labels", n)
    weights = None if sample_weight is None else checked_weights(sample_weight, n)
    stays = np.ones(n, bool) if weights is None else weights > 0
    if noise is not None:
        stays &= ~np.isin(codes, np.flatnonzero(names == noise))
    kept = np.flatnonzero(stays)
    present, codes = np.unique(codes[kept], return_inverse=True)
    if len(present) < 2:
        left = "" if len(kept) == n else f" after {n - len(kept)} rows of noise or without weight were left out"
        raise InputError(
            f"There are {len(present)} clusters{left}. A silhouette compares clusters: expected at least 2."
        )
    w = None if weights is None else weights[kept]
    picked = np.arange(len(kept))
    if sample is not None and sample < len(kept):
        picked = sample_places(len(kept), sample, seed_from(random_state))
    order = np.argsort(codes, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    question = _Question(kept, order, picked, codes[picked], start, w)
    within, between, neighbour = _measure_rows(given, found, question)
    return _result(question, names[present], within, between, neighbour)


@dataclass(frozen=True)
class _Question:
    """Rows by their place among those kept: `order` sorts them by cluster, `picked` are to be measured."""

    kept: Array
    order: Array
    picked: Array
    own: Array
    start: Array
    weights: Array | None

    @property
    def others(self) -> Array:
        return self.kept[self.order]

    @property
    def asked_rows(self) -> Array:
        return self.kept[self.picked]

    @property
    def sorted_weights(self) -> Array | None:
        return None if self.weights is None else self.weights[self.order]

    @property
    def sizes(self) -> Array:
        if self.weights is None:
            return np.diff(self.start)
        return np.add.reduceat(self.weights[self.order], self.start[:-1])


def _rows_of(X: Any, metric: Any, settings: dict[str, Any]) -> tuple[Any, int, Metric | OwnMetric | None]:
    """A table and its metric; the square of given distances and None."""
    if isinstance(metric, str) and metric == "precomputed":
        square = check_distances(X, "X")
        return square, len(square), None
    texts = isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(text, str) for text in X)
    table = X if isinstance(X, Table) else Table({"text": list(X)} if texts else X)
    table = table if table.target is None else table.drop(table.target)
    return table, table.n_rows, metric_for(table, metric, **settings)


def cluster_codes(labels: Any, name: str, n: int | None = None) -> tuple[Array, Array]:
    """The cluster of each row as a code from 0, and the labels these stand for."""
    plain = isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype != object
    column = labels if plain else to_vector(labels, name)
    if n is not None and len(column) != n:
        raise InputError(f"X has {n} rows, {name} has {len(column)}. Give one cluster per row.")
    return class_codes(column)


def _measure_rows(given: Any, metric: Metric | OwnMetric | None, q: _Question) -> tuple[Array, Array, Array]:
    """Of each row asked about: the sum to its own cluster, the least mean to another, and which that is."""
    space = None if metric is None else space_of(metric)
    if space is not None and space.norm in ("l1", "l2", "max") and space.name != "cosine":
        return _by_kernel(given, space, q)
    sums = np.empty((len(q.asked_rows), len(q.start) - 1))
    others: Any = None if metric is None else given.take(q.others)
    place = np.empty(len(q.order), np.intp)
    place[q.order] = np.arange(len(q.order))
    step = max(1, _CELLS // len(q.order))
    for first in range(0, len(q.asked_rows), step):
        some = slice(first, first + step)
        rows = q.asked_rows[some]
        d = given[rows[:, None], q.others] if metric is None else distances_between(metric, given.take(rows), others)
        # A row is at distance 0 from itself, even if the mixed metric puts one with missing cells far from its copies.
        d[np.arange(len(d)), place[q.picked[some]]] = 0.0
        d = d if q.sorted_weights is None else d * q.sorted_weights
        sums[some] = np.add.reduceat(d, q.start[:-1], axis=1)
    rows = np.arange(len(sums))
    within = sums[rows, q.own].copy()
    means = sums / q.sizes
    means[rows, q.own] = np.inf
    neighbour = means.argmin(axis=1)
    return within, means[rows, neighbour], neighbour


def _by_kernel(table: Table, space: Space, q: _Question) -> tuple[Array, Array, Array]:
    x = space.rows(table).astype(np.float64, copy=False)
    if space.weights is not None:
        x = x * (np.sqrt(space.weights) if space.norm == "l2" else space.weights)
    scale = safe_scale(x, space)
    x = x if scale == 1 else x * scale
    m = len(q.picked)
    within, between, neighbour = np.empty(m), np.empty(m), np.empty(m, np.int64)
    y, own = np.ascontiguousarray(x[q.others]), q.own.astype(np.int64)
    asked = np.ascontiguousarray(x[q.asked_rows])
    _core.silhouette_sums(space.norm, asked, own, y, q.start, q.sorted_weights, within, between, neighbour)
    return within / scale, between / scale, neighbour


def _result(q: _Question, names: Array, within: Array, between: Array, neighbour: Array) -> Silhouette:
    # Copies of a row, which a weight stands for, are others of its cluster: at no distance, but counted.
    others = q.sizes[q.own] - 1
    alone = others <= 0
    a = np.divide(within, others, out=np.zeros(len(within)), where=~alone)
    larger = np.maximum(a, between)
    widths = np.divide(between - a, larger, out=np.zeros(len(a)), where=(larger > 0) & ~alone)
    weights = None if q.weights is None else q.weights[q.picked]
    return Silhouette(
        q.asked_rows, names[q.own], widths, a, between, names[neighbour], names, q.sizes, len(q.kept), weights
    )


def _text(found: Silhouette) -> str:
    drawn = ""
    if len(found.widths) < found.n_rows:
        low, high = found.interval()
        drawn = f"  [{number(low)}, {number(high)}]  (95 %), from {len(found.widths)} of {found.n_rows} rows drawn"
    place, below = found.places, found.widths < 0
    cells = [["cluster", "rows", "silhouette", "below 0", "nearest other"]]
    for c, (name, mean) in enumerate(zip(found.clusters.tolist(), found.cluster_means, strict=True)):
        own = found.neighbour[place == c]
        other = "" if not len(own) else _most_frequent(own)
        share = f"{percent(np.mean(below[place == c]), 0)}" if len(own) else ""
        cells.append([short_name(name, 30), number(found.sizes[c]), number(mean), share, other])
    return f"mean silhouette {number(found.mean)}{drawn}\n" + aligned(cells, left=(0, 4))


def _most_frequent(names: Array) -> str:
    values, counts = np.unique(names, return_counts=True)
    return short_name(values[counts.argmax()], 30)
