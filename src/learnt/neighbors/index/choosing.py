"""index="auto": which index is cheapest for these rows, and in words why."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.space import Space
from learnt.neighbors.index.cost import brute_cost, even_leaves, mixed_tree_cost, scan_cost, tree_cost
from learnt.neighbors.index.dense import KdTreeIndex, VpTreeIndex
from learnt.neighbors.index.mixed_scan import ScanIndex

#: Rows, and questions about them, on which trees are tried; the trial takes from 0.5 to 20 ms.
TRIED, QUESTIONS, K = 8192, 32, 10

#: Nanoseconds of comparing all below which no trial is worth its time: of numbers, and of mixed tables.
WORTH, WORTH_MIXED = 2e6, 2e8

#: What coordinates are measured by that were turned or brought to length 1 already.
NORMED = {"l2": "euclidean"}

NAMES = {"kd_tree": "a k-d tree", "vp_tree": "a vantage-point tree", "brute": "comparing all pairs"}


def of_numbers(rows: Any, space: Space, queries: int) -> tuple[str, str]:
    """The cheapest kind of index for rows of numbers, and why.

    Evenly spread rows are the worst there are. If a formula for those does not settle it, trees are grown on few of the
    rows: those of real tables lie near surfaces of far fewer dimensions than they have columns.
    """
    n, p = np.shape(rows)
    if n < 2 or p < 1:
        return "brute", f"no tree helps {space.name!r} on {n} rows"
    # Powers: whole ones by products, others by logarithms.
    slower = (1.0, 1.0) if space.norm != "lp" else (2.0, 1.4) if space.power == int(space.power) <= 16 else (7.0, 5.0)
    costs = {"brute": slower[0] * brute_cost(n, p, K, queries)}
    if space.has_boxes:
        costs["kd_tree"] = slower[1] * tree_cost(n, p, even_leaves(n, p, K), queries)
    how = "for evenly spread rows"
    if costs["brute"] > WORTH and 1.5 * min(costs.values()) > costs["brute"]:
        leaves = _tried_leaves(rows, space)
        if leaves:
            # On its way to a leaf a query is measured against vantage points.
            share = {"kd_tree": slower[1], "vp_tree": 1.2 * slower[1]}
            costs |= {kind: share[kind] * tree_cost(n, p, some, queries) for kind, some in leaves.items()}
            how = "by a trial on some of the rows"
    best = min(costs, key=lambda kind: (costs[kind], kind))
    said = ", ".join(f"{NAMES[kind]} at {costs[kind] / 1e6:.3g} ms" for kind in sorted(costs, key=costs.__getitem__))
    return best, f"{n} rows × {p} columns and {queries} questions, estimated {how}: {said}"


def _tried_leaves(rows: Any, space: Space) -> dict[str, float]:
    """Leaves a question looks into, by kind of tree; nothing if even a trial takes too much memory."""
    n, p = np.shape(rows)
    m = min(TRIED, n - QUESTIONS, (32 << 20) // (8 * p))
    if m < 512:
        return {}
    x = space.rows(rows)  # all of them: a wrong cell is told by its own row
    x = x[_drawn_places(n, m)]
    plain = Space(NORMED.get(space.norm, space.name), space.norm, space.power, space.weights)
    q = x[:QUESTIONS].astype(np.float64)

    def looked(kind: type[KdTreeIndex] | type[VpTreeIndex]) -> Callable[[int], float]:
        def ask(size: int) -> float:
            tree = kind(x[QUESTIONS : QUESTIONS + size], plain, "")
            out = np.empty((QUESTIONS, K)), np.empty((QUESTIONS, K), np.int64)
            return tree._ask(q * tree._scale, None, *out) / QUESTIONS

        return ask

    kinds = (KdTreeIndex, VpTreeIndex) if space.has_boxes else (VpTreeIndex,)
    return {kind.kind: _at(n, m, 32, looked(kind)) for kind in kinds}


def of_mixed(scan: ScanIndex, table: Table, queries: int) -> tuple[str, str]:
    """Whether a mixed table is better read in turn or by a tree, and why."""
    n, p = table.shape
    cost = scan_cost(n, p, queries)
    m = min(2 * TRIED, n - QUESTIONS)
    if cost < WORTH_MIXED or m < 2048 or not scan.settings.is_metric:
        return "scan", "a scan that gives rows up early suits mixed columns"
    sample = table.take(_drawn_places(n, m))
    asked = scan._encoded(sample.rows(0, QUESTIONS))[0]

    def ask(size: int) -> float:
        tree = ScanIndex(sample.rows(QUESTIONS, QUESTIONS + size), scan.settings, "", tree=True)
        out = np.empty((QUESTIONS, K)), np.empty((QUESTIONS, K), np.int64)
        return tree._scan.nearest(*asked, None, *out) / QUESTIONS

    other = mixed_tree_cost(n, p, _at(n, m, 64, ask), queries)
    said = f"a scan at {cost / 1e6:.3g} ms, a vantage-point tree at {other / 1e6:.3g} ms"
    why = f"{n} rows × {p} columns and {queries} questions, estimated by a trial on some of the rows: {said}"
    return ("vp_tree" if other < cost else "scan"), why


def _at(n: int, m: int, width: int, looked: Callable[[int], float]) -> float:
    """Leaves looked into of a tree of n rows, by how they grow from a tree of m/8 rows to one of m."""
    many = looked(m)
    if n < 2 * m:
        return many * n / m
    growth = math.log(many / looked(m // 8)) / math.log(8)
    return float(min(n / width, many * (n / m) ** min(1.0, max(0.0, growth))))


def _drawn_places(n: int, m: int) -> Array:
    """Places of the questions and of m other rows, by chance, the same every time."""
    drawn: Array = np.random.default_rng(0).choice(n, QUESTIONS + m, replace=False)
    return drawn
