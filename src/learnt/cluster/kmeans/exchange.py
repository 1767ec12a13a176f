"""Exchange of single rows: what is left to gain after Lloyd's rounds have ended."""

from __future__ import annotations

import numpy as np

from learnt.cluster.kmeans.lloyd import Lloyd
from learnt.cluster.kmeans.rows import Rows
from learnt.data.table import Array
from learnt.watch import report, watching


def exchange(rows: Rows, found: Lloyd, *, max_iter: int) -> Lloyd:
    """Go on from where Lloyd's rounds ended: move one row at a time to the cluster that lowers the inertia most.

    Means move with every row. A row leaves its cluster of weight W for one of weight V when that pays although both
    means give way: W/(W − w)·d² against V/(V + w)·d². So a row may leave even the nearest mean, and where no row
    does, Lloyd's rounds would not move either.
    """
    assert found.labels is not None
    labels, k = found.labels.copy(), len(found.centers)
    centers, weight, n_iter, moves = found.centers, found.weight, found.n_iter, 1
    while moves and n_iter < max_iter:
        sums, weight, inertia = _sums(rows, centers, labels, k)
        moves = rows.exchange(sums, weight, labels)
        n_iter += 1
        if watching():
            report("exchange", learner="KMeans", iteration=n_iter, total=max_iter, objective=inertia, moved=moves)
    sums, weight, _ = _sums(rows, centers, labels, k)
    full = weight > 0
    centers = np.where(full[:, None], sums / np.where(full, weight, 1)[:, None], centers)
    inertia = rows.assign(centers, labels, None, None)
    return Lloyd(centers, inertia, labels, n_iter, moves == 0, weight)


def _sums(rows: Rows, centers: Array, labels: Array, k: int) -> tuple[Array, Array, float]:
    sums, weight = np.zeros((k, rows.x.shape[1])), np.zeros(k)
    inertia = rows.sum_labelled(centers, labels, sums, weight)
    return sums, weight, inertia
