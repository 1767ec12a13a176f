"""Rows as a graph of neighbours, and labels that spread along its edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array

#: A solution is good enough when what is left over is this part of what was given.
TOLERANCE = 1e-8
MOST_STEPS = 1_000
#: Up to here the step of label spreading is repeated; above, conjugate gradients need far fewer.
REPEATED_BELOW = 0.9


def neighbor_weights(distances: Array, scale: Array, others: Array) -> Array:
    """exp(−d²/(s·s')): near rows weigh most, near being relative to how dense the rows lie around both.

    `distances` are rows × neighbours, `scale` of the rows, `others` of each neighbour. Copies, at no distance, weigh 1.
    """
    with np.errstate(all="ignore"):
        across = scale[:, None] * others
        ratio = np.divide(distances**2, across, out=np.full(distances.shape, np.inf), where=across > 0)
        far = np.isinf(across)  # squares beyond all numbers: the same ratio, in another order
        ratio = np.where(far, (distances / scale[:, None]) * (distances / others), ratio)
    return np.exp(-np.where(distances == 0, 0.0, ratio))


def symmetric_graph(neighbors: Array, distances: Array) -> Any:
    """A sparse matrix of weights, rows × rows: an edge where either is a neighbour of the other."""
    from scipy.sparse import csr_matrix

    n, k = neighbors.shape
    scale = distances[:, -1]
    weights = neighbor_weights(distances, scale, scale[neighbors])
    start = np.arange(0, n * k + 1, k)
    graph = csr_matrix((weights.ravel(), neighbors.ravel(), start), shape=(n, n))
    return graph.maximum(graph.T).tocsr()


def spread(graph: Any, given: Array, alpha: float) -> Array:
    """The F of F = α S F + (1 − α) Y, S = D^−½ W D^−½: labels that their neighbours may correct."""
    degree = np.asarray(graph.sum(axis=1)).ravel()
    root = np.sqrt(np.where(degree > 0, degree, 1.0))[:, None]

    def flow(values: Array) -> Array:
        return np.asarray(alpha * ((graph @ (values / root)) / root))

    if alpha >= REPEATED_BELOW:
        return conjugate_gradients(lambda values: values - flow(values), (1 - alpha) * given, np.ones((len(given), 1)))
    # A label loses a factor α at each edge, and far from all labels only ratios are left: sums of positive numbers keep
    # them, differences would not.
    found = (1 - alpha) * given
    for _ in range(MOST_STEPS):
        after = flow(found) + (1 - alpha) * given
        still = np.abs(after - found) <= TOLERANCE * after
        found = after
        if still.all():
            break
    return found


def propagate(graph: Any, given: Array, labelled: Array) -> Array:
    """The harmonic function: an unlabelled row is the weighted mean of its neighbours, labelled rows keep their class.

    Rows that no path joins to a labelled one get no label: zeros.
    """
    from scipy.sparse.csgraph import connected_components

    _, part = connected_components(graph, directed=False)
    reached = np.isin(part, np.unique(part[labelled]))
    is_given = np.zeros(len(given), bool)
    is_given[labelled] = True
    inner = np.flatnonzero(reached & ~is_given)
    found = np.where(is_given[:, None], given, 0.0)
    if not len(inner):
        return found
    within = graph[inner][:, inner]
    degree = np.asarray(graph[inner].sum(axis=1)).ravel()[:, None]

    def left(values: Array) -> Array:
        return np.asarray(degree * values - within @ values)

    found[inner] = conjugate_gradients(left, np.asarray(graph[inner][:, labelled] @ given[labelled]), degree)
    return found


def conjugate_gradients(left: Any, right: Array, diagonal: Array) -> Array:
    """Solve a symmetric positive definite system for several right sides at once, each divided by `diagonal` first.

    Repeating F ← αSF + (1−α)Y loses a factor α in each round; this one needs the square root of as many.
    """
    found = right / diagonal
    rest = right - left(found)
    wanted = TOLERANCE * np.maximum(np.abs(right).max(axis=0), np.finfo(float).tiny)
    direction = rest / diagonal
    size = (rest * direction).sum(axis=0)
    for _ in range(MOST_STEPS):
        if (np.abs(rest).max(axis=0) <= wanted).all():
            break
        image = left(direction)
        curve = (direction * image).sum(axis=0)
        step = np.divide(size, curve, out=np.zeros_like(size), where=curve > 0)
        found = found + step * direction
        rest = rest - step * image
        scaled = rest / diagonal
        after = (rest * scaled).sum(axis=0)
        direction = scaled + np.divide(after, size, out=np.zeros_like(size), where=size > 0) * direction
        size = after
    return found
