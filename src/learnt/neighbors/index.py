"""`build_index`: the right index for rows, metric and number of questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.own import AllPairs
from learnt.distance.space import NORMS, Space, space_of
from learnt.errors import ParameterError
from learnt.neighbors.cost import brute_cost, kd_tree_cost
from learnt.neighbors.dense import BruteIndex, DenseIndex, KdTreeIndex
from learnt.neighbors.mixed_scan import ScanIndex
from learnt.neighbors.questions import Index as Index
from learnt.neighbors.vp_tree import Distances, PairIndex, VpTreeIndex

KINDS = ("auto", "brute", "kd_tree", "vp_tree", "ball_tree", "scan")


def build_index(
    rows: Any,
    metric: Any = "euclidean",
    *,
    index: str = "auto",
    leaf_size: int | None = None,
    n_queries: int | None = None,
) -> Index:
    """An index of rows: an array, or a table.

    >>> near = build_index(np.array([[0.0], [1.0], [3.0]]))
    >>> near.query(np.array([[0.9]]), 2)[1]
    array([[1, 0]])

    | setting | default | meaning |
    |---|---|---|
    | `metric` | "euclidean" | a name, a metric of `learnt.distance`, or a function of two rows |
    | `index` | "auto" | "brute", "kd_tree", "vp_tree", "scan" (mixed tables); "auto": the cheapest, and `why` |
    | `leaf_size` | 32, or 16 | rows of a leaf of a k-d tree, or of a vantage-point tree |
    | `n_queries` | as many as rows | how many rows will be asked about, as far as known |
    """
    if index not in KINDS:
        raise ParameterError(f"index is {index!r}. Expected one of {', '.join(map(repr, KINDS))}.")
    if leaf_size is not None and not (isinstance(leaf_size, (int, np.integer)) and leaf_size >= 1):
        raise ParameterError(f"leaf_size is {leaf_size!r}. Expected a whole number of at least 1.")
    wanted = "vp_tree" if index == "ball_tree" else index
    name = metric if isinstance(metric, str) else getattr(metric, "name", getattr(metric, "__name__", "?"))
    space = space_of(metric)
    if space is not None:
        return _of_numbers(rows, space, wanted, leaf_size, n_queries)
    if name == "mixed" and wanted in ("auto", "scan"):
        return ScanIndex(rows, metric, _why(wanted, "a scan that gives rows up early suits mixed columns"))
    if name == "mixed" and wanted != "kd_tree":
        table = rows if isinstance(rows, Table) else Table(rows)
        pairs = _MixedPairs(ScanIndex(table, metric, ""))
        return _of_pairs(table, pairs, wanted, leaf_size, "the mixed metric", True)
    if isinstance(metric, str):
        raise ParameterError(f"There is no metric {metric!r}. Expected one of {', '.join(sorted(NORMS))}, mixed.")
    distances = getattr(metric, "distances", None)
    if distances is None and not callable(metric):
        raise ParameterError(f"The metric is {metric!r}. Expected a name, a metric, or a function of two rows.")
    true = getattr(metric, "is_metric", None if distances is None else False)
    return _of_pairs(rows, distances or AllPairs(metric), wanted, leaf_size, f"the metric {name!r}", true)


class _MixedPairs:
    """All distances between rows of tables, by the settings of a scan."""

    name = "mixed"

    def __init__(self, scan: ScanIndex):
        self.ranges, self.column_weights, self.power = scan.ranges, scan.weights, scan.power
        tables = zip(scan.schema.names, scan.tables, strict=True)
        self.value_tables = {name: table for name, table in tables if table is not None}

    def __call__(self, a: Any, b: Any) -> Array:
        return ScanIndex(b, self, "").distances(a)


def _why(wanted: str, reason: str) -> str:
    return reason if wanted == "auto" else "it was asked for"


def _of_numbers(rows: Any, space: Space, wanted: str, leaf_size: int | None, n_queries: int | None) -> Index:
    if wanted == "scan":
        raise ParameterError(f"A 'scan' is for metric='mixed', not {space.name!r}. Take index='auto' or 'brute'.")
    if wanted == "kd_tree" and not space.has_boxes:
        raise ParameterError(f"A 'kd_tree' cannot tell how far a box is by {space.name!r}. Take index='brute'.")
    if wanted == "vp_tree":
        return _OfCoordinates(rows, space, leaf_size)
    if wanted == "auto":
        n, p = np.shape(rows)
        wanted, why = _cheapest(n, p, space, n if n_queries is None else n_queries)
    else:
        why = "it was asked for"
    return KdTreeIndex(rows, space, why, leaf_size) if wanted == "kd_tree" else BruteIndex(rows, space, why)


def _cheapest(n: int, p: int, space: Space, queries: int) -> tuple[str, str]:
    if not space.has_boxes or n < 2 or p < 1:
        return "brute", f"no tree helps {space.name!r} on {n} rows"
    brute, tree = brute_cost(n, p, 10, queries), kd_tree_cost(n, p, 10, queries)
    if space.norm == "lp":  # powers by hand, one pair at a time, unless they are whole
        brute *= 2 if space.power == int(space.power) <= 16 else 50
    best = "kd_tree" if tree < brute else "brute"
    return best, (
        f"for {n} rows × {p} columns and {queries} questions a k-d tree is estimated at "
        f"{tree / 1e6:.3g} ms, comparing all pairs at {brute / 1e6:.3g} ms"
    )


class _OfCoordinates(VpTreeIndex):
    """A vantage-point tree over a metric on numbers."""

    def __init__(self, rows: Any, space: Space, leaf_size: int | None):
        self._dense = DenseIndex(rows, space, "")
        super().__init__(self._dense._x, space.distances, "it was asked for", leaf_size)

    def _encoded(self, X: Any) -> tuple[Any, int]:
        return self._dense._encoded(X)

    def _nearest(self, queries: Any, k: int, skip: Any) -> Any:
        if self._dense._too_far(queries) is not None:
            return self._brute()._nearest(queries, k, skip)
        d, rows = super()._nearest(queries * self._dense._scale, k, skip)
        return self._dense.space.shown(d / self._dense._scale), rows

    def _within(self, queries: Any, radii: Any, skip: Any) -> Any:
        if self._dense._too_far(queries) is not None:
            return self._brute()._within(queries, radii, skip)
        asked = self._dense.space.asked(radii) * self._dense._scale
        start, rows, d = super()._within(queries * self._dense._scale, asked, skip)
        return self._dense.space.shown_within((start, rows, d / self._dense._scale), radii)

    def _brute(self) -> BruteIndex:
        return BruteIndex(None, self._dense.space, self.why, (self._dense._x, self._dense._scale))


def _of_pairs(
    rows: Any, distances: Distances, wanted: str, leaf_size: int | None, name: str, true: bool | None
) -> Index:
    """By a metric known only by its distances; `true` says whether the triangle inequality holds, None: unknown."""
    if wanted in ("kd_tree", "scan"):
        raise ParameterError(f"A {wanted!r} knows nothing of {name}. Take index='auto', 'vp_tree' or 'brute'.")
    if wanted == "vp_tree" and true is False:
        raise ParameterError(
            f"A 'vp_tree' needs the triangle inequality, which does not hold for {name}. Take index='brute'."
        )
    if wanted == "vp_tree" or (wanted == "auto" and true and len(rows) > 200):
        why = f"{name} obeys the triangle inequality, which spares most comparisons"
        return VpTreeIndex(rows, distances, _why(wanted, why), leaf_size)
    why = f"{name} is not known to obey the triangle inequality" if not true else f"{len(rows)} rows are few"
    return PairIndex(rows, distances, _why(wanted, why))
