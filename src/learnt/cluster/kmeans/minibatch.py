"""k-means by mini-batches: centres that move a little with every handful of rows."""

from __future__ import annotations

import numpy as np

from learnt.cluster.kmeans.lloyd import Assigned, Lloyd
from learnt.cluster.kmeans.rows import Rows
from learnt.cluster.kmeans.start import any_rows
from learnt.data.table import Array
from learnt.watch import report, watching

#: A centre that has seen less than this share of what the busiest has seen starves, and begins anew elsewhere.
STARVED = 0.01

#: Batches without a lower smoothed inertia after which to stop.
PATIENCE = 10


class MiniBatches:
    """Centres and how much weight each has seen. A centre is the mean of all rows it was nearest to so far, each
    taken in when its batch came: rates of 1/weight, which decay.

    Reference: D. Sculley, Web-scale k-means clustering, 2010.
    """

    def __init__(self, centers: Array, seen: Array):
        self.centers, self.seen = centers.astype(np.float64), seen.astype(np.float64)
        self.since = 0  # rows since starving centres were looked for

    def step(self, rows: Rows, rng: np.random.Generator) -> float:
        """Learn from one batch; returns its inertia before."""
        k = len(self.centers)
        sums, weight = np.zeros(self.centers.shape), np.zeros(k)
        inertia = rows.assign(self.centers, None, sums, weight)
        self.seen += weight
        met = weight > 0
        self.centers[met] += (sums[met] - weight[met, None] * self.centers[met]) / self.seen[met, None]
        self.since += rows.n_rows
        if self.since >= 10 * k or not self.seen.all():
            self.since = 0
            self._feed(rows, rng)
        return inertia

    def _feed(self, rows: Rows, rng: np.random.Generator) -> None:
        """Centres that starve move to rows of this batch, at most to half of them, and count as the least seen."""
        starved = np.flatnonzero(self.seen < STARVED * self.seen.max())
        starved = starved[np.argsort(self.seen[starved], kind="stable")][: max(rows.n_rows // 2, 1)]
        if len(starved) == 0 or len(starved) == len(self.seen):
            return
        self.centers[starved] = any_rows(rows, len(starved), rng)
        self.seen[starved] = np.delete(self.seen, starved).min()


def by_minibatches(
    rows: Rows, centers: Array, rng: np.random.Generator, *, batch_size: int, max_iter: int
) -> tuple[MiniBatches, int, bool]:
    """Draw batches until the inertia per row, smoothed over about as many batches as make up the table, has not
    fallen for ten of them; `max_iter` counts passes over the table. Returns batches, steps and whether it settled."""
    n = rows.n_rows
    size = min(batch_size, n)
    state = MiniBatches(centers, np.zeros(len(centers)))
    rate = min(1.0, 2 * size / (n + 1))
    smooth, least, waited, steps = np.inf, np.inf, 0, 0
    limit = max_iter * -(-n // size)
    while steps < limit and waited < PATIENCE:
        part = rows.some(rng.integers(n, size=size))
        weight = part.n_rows if part.weights is None else part.weights.sum()
        inertia = state.step(part, rng) / weight if weight > 0 else smooth
        steps += 1
        smooth = inertia if not np.isfinite(smooth) else smooth + rate * (inertia - smooth)
        waited = 0 if smooth < least else waited + 1
        least = min(least, smooth)
        if watching():
            report("minibatch", learner="KMeans", iteration=steps, total=limit, objective=smooth)
    return state, steps, waited >= PATIENCE


def ended_rounds(state: MiniBatches, steps: int, settled: bool, last: Assigned) -> Lloyd:
    """As rounds end, with the weights of the last assignment."""
    weight = last.weight if last.labels is None else np.bincount(last.labels, minlength=len(state.centers))
    return Lloyd(state.centers, last.inertia, last.labels, steps, settled, weight.astype(np.float64))
