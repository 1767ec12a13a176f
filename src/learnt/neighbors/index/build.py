"""`build_index`: the right index for rows, metric and number of questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.distance.own import AllPairs
from learnt.distance.space import NORMS, Space, space_of
from learnt.distance.sparse_rows import is_sparse
from learnt.errors import ParameterError
from learnt.neighbors.index import choosing
from learnt.neighbors.index.dense import BruteIndex, KdTreeIndex, VpTreeIndex
from learnt.neighbors.index.mixed_scan import ScanIndex
from learnt.neighbors.index.questions import Index as Index
from learnt.neighbors.index.sparse import SparseIndex
from learnt.neighbors.index.vp_tree import Distances, PairIndex, PairTreeIndex
from learnt.show.words import spell

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
    if name == "mixed":
        return _of_mixed(rows, metric, wanted, leaf_size, n_queries)
    if isinstance(metric, str):
        raise ParameterError(f"There is no metric {metric!r}. Expected one of {', '.join(sorted(NORMS))}, mixed.")
    distances = getattr(metric, "distances", None)
    if distances is None and not callable(metric):
        raise ParameterError(f"The metric is {metric!r}. Expected a name, a metric, or a function of two rows.")
    return _of_pairs(rows, metric, distances or AllPairs(metric), wanted, leaf_size, f"the metric {name!r}")


def _of_mixed(rows: Any, metric: Any, wanted: str, leaf_size: int | None, n_queries: int | None) -> Index:
    table = rows if isinstance(rows, Table) else Table(rows)
    scan = ScanIndex(table, metric, "it was asked for")
    if wanted == "auto":
        wanted, scan.why = choosing.of_mixed(scan, table, table.n_rows if n_queries is None else n_queries)
    if wanted == "scan":
        return scan
    if wanted in ("brute", "kd_tree"):
        return _of_pairs(table, scan.settings, scan.settings.distances, wanted, leaf_size, "the mixed metric")
    if not scan.settings.is_metric:
        raise ParameterError(
            "A 'vp_tree' needs the triangle inequality, which the distances of labels do not obey. Take index='scan'."
        )
    return ScanIndex(table, metric, scan.why, tree=True)


def _why(wanted: str, reason: str) -> str:
    return reason if wanted == "auto" else "it was asked for"


def _of_numbers(rows: Any, space: Space, wanted: str, leaf_size: int | None, n_queries: int | None) -> Index:
    if is_sparse(rows):
        if wanted not in ("auto", "brute"):
            raise ParameterError(
                f"A {spell(wanted)} needs all cells of the rows, but these are sparse. Take index='brute'."
            )
        return SparseIndex(rows, space, _why(wanted, "sparse rows are compared by the cells they store"))
    if wanted == "scan":
        raise ParameterError(f"A 'scan' is for metric='mixed', not {space.name!r}. Take index='auto' or 'brute'.")
    if wanted == "kd_tree" and not space.has_boxes:
        raise ParameterError(f"A 'kd_tree' cannot tell how far a box is by {space.name!r}. Take index='brute'.")
    why = "it was asked for"
    if wanted == "auto":
        wanted, why = choosing.of_numbers(rows, space, len(rows) if n_queries is None else n_queries)
    if wanted == "brute":
        return BruteIndex(rows, space, why)
    return (KdTreeIndex if wanted == "kd_tree" else VpTreeIndex)(rows, space, why, leaf_size)


def _of_pairs(rows: Any, metric: Any, distances: Distances, wanted: str, leaf_size: int | None, name: str) -> Index:
    """By a metric known only by its distances; its `is_metric` says whether the triangle inequality holds."""
    known = getattr(metric, "distances", None) is not None
    true = getattr(metric, "is_metric", False if known else None)  # None: unknown
    if wanted in ("kd_tree", "scan"):
        raise ParameterError(f"A {spell(wanted)} knows nothing of {name}. Take index='auto', 'vp_tree' or 'brute'.")
    if wanted == "vp_tree" and true is False:
        raise ParameterError(
            f"A 'vp_tree' needs the triangle inequality, which does not hold for {name}. Take index='brute'."
        )
    if wanted == "auto" and getattr(metric, "takes_text", False):
        # Measured: 20,000 words, five nearest, 0.8 ms a question; by a tree, which asks about few at a time, 60 ms.
        return PairIndex(rows, distances, "texts are compared a hundred at a time, faster than a tree rules them out")
    if wanted == "vp_tree" or (wanted == "auto" and true and len(rows) > 200):
        why = f"{name} obeys the triangle inequality, which spares most comparisons"
        return PairTreeIndex(rows, distances, _why(wanted, why), leaf_size)
    why = f"{name} is not known to obey the triangle inequality" if not true else f"{len(rows)} rows are few"
    return PairIndex(rows, distances, _why(wanted, why))
