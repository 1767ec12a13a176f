"""Bisecting k-means: the loosest cluster is divided in two, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt.cluster.hierarchy.hierarchy import Hierarchy
from learnt.cluster.kmeans.learner import KMeans
from learnt.cluster.row_space import EUCLID
from learnt.data.table import Array
from learnt.watch import report

#: Rounds of power iteration: the direction is a start for k-means, no more.
_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class _Part:
    rows: Array
    error: float


def bisect(x: Array, weights: Array | None, k: int, max_iter: int, owner: str) -> Hierarchy:
    """The tree of at most k − 1 divisions; its leaves are groups of rows, its heights roots of squared errors.

    Always the cluster with the largest squared error is divided, so that cutting the tree takes divisions back in
    order. There are fewer than k leaves if there are fewer different rows.
    """
    w = np.ones(len(x)) if weights is None else weights
    everyone = np.arange(len(x))
    nodes = [_Part(everyone, _error(x, w))]
    loose, splits = [0], []
    while len(loose) < k:
        worst = max(loose, key=lambda node: (nodes[node].error, -node))
        if not nodes[worst].error > 0:
            break
        rows = nodes[worst].rows
        second = _in_two(x[rows], w[rows], max_iter)
        loose.remove(worst)
        for half in (rows[~second], rows[second]):
            loose.append(len(nodes))
            nodes.append(_Part(half, min(_error(x[half], w[half]), nodes[worst].error)))
        splits.append(worst)
        report(
            "divided", learner=owner, iteration=len(splits), total=k - 1, objective=sum(nodes[i].error for i in loose)
        )
    return _tree(nodes, splits, loose, len(x))


def _tree(nodes: list[_Part], splits: list[int], loose: list[int], n: int) -> Hierarchy:
    """Divisions turned round: the last one is the first merge."""
    leaf_of = np.empty(n, np.int64)
    leaves = sorted(loose, key=lambda node: int(nodes[node].rows[0]))  # rows of a part are in order
    number = {node: i for i, node in enumerate(leaves)}
    for node, i in number.items():
        leaf_of[nodes[node].rows] = i
    children, counts, held = [], [], dict.fromkeys(leaves, 1)
    for made, at in enumerate(range(len(splits) - 1, -1, -1)):
        one, other = 2 * at + 1, 2 * at + 2  # what division `at` made
        children.append(sorted((number[one], number[other])))
        held[splits[at]] = held[one] + held[other]
        counts.append(held[splits[at]])
        number[splits[at]] = len(leaves) + made
    heights = np.sqrt(np.array([nodes[node].error for node in reversed(splits)], dtype=np.float64))
    return Hierarchy(
        np.array(children, dtype=np.int64).reshape(-1, 2), heights, np.array(counts, dtype=np.int64), leaf_of
    )


def _mean(x: Array, w: Array) -> Array:
    mean: Array = x[0] + np.einsum("i,ij->j", w, x - x[0]) / w.sum()
    return mean


def _error(x: Array, w: Array) -> float:
    gap = x - _mean(x, w)
    return float(np.einsum("i,ij,ij->", w, gap, gap))


def _in_two(x: Array, w: Array, max_iter: int) -> Array:
    """Which rows go into the second of two clusters: the best k-means from a few ways to part them.

    Nothing is drawn: the same rows are divided in the same way.
    """
    best, least = None, np.inf
    for side in _sides(x - _mean(x, w), w):
        starts = np.stack([_mean(x[~side], w[~side]), _mean(x[side], w[side])])
        model = KMeans(2, init=starts, max_iter=max_iter, standardize=False).fit(x, sample_weight=w)
        # By distances that do not depend on how rows are laid out: copies of a row stay together.
        away = EUCLID.distances(x, np.ascontiguousarray(model.cluster_centers_, dtype=np.float64))
        second: Array = away[:, 1] < away[:, 0]
        if second.all() or not second.any():
            second = side
        error = _error(x[second], w[second]) + _error(x[~second], w[~second])
        if best is None or error < least * (1 - 1e-12):
            best, least = second, error
    assert best is not None
    return best


def _sides(gap: Array, w: Array) -> Iterator[Array]:
    """Ways to part rows in two: by the row farthest from the mean and the one farthest from that, and by the sides
    of the mean along the two widest directions."""
    squares = np.einsum("ij,ij->i", gap, gap)
    far = gap[int(squares.argmax())]
    other = gap[int(((gap - far) ** 2).sum(axis=1).argmax())]
    yield ((gap - far) ** 2).sum(axis=1) < ((gap - other) ** 2).sum(axis=1)
    for _ in range(2):
        direction = far
        for _ in range(_ROUNDS):
            longer = (w * (gap @ direction)) @ gap
            size = float(np.sqrt(longer @ longer))
            if not size > 0:
                return
            direction = longer / size
        side = gap @ direction > 0
        if side.any() and not side.all():
            yield side
        gap = gap - np.outer(gap @ direction, direction)
        far = gap[int(np.einsum("ij,ij->i", gap, gap).argmax())]
