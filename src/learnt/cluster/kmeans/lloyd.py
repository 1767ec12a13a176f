"""Lloyd's iteration as passes: assign every row to its nearest centre, move centres to the means."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.cluster.kmeans.rows import Rows, first_of_each
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.watch import report, watching


class OverRows(Pass):
    """A pass over encoded rows, which are kept as state where memory allows."""

    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, design: Design, shift: Array):
        self.design, self.shift = design, shift

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        x = self.design.encode(batch.table) if state is None else state
        return self.look(Rows(x, batch.weights, self.shift), batch.first_row), x

    def look(self, rows: Rows, first_row: int) -> Statistic:
        raise NotImplementedError


@dataclass(frozen=True)
class Assigned(Statistic):
    """Per centre the weight and the sum of its rows; the inertia Σ w·d²; labels if they were asked for."""

    rows: int
    sums: Array
    weight: Array
    inertia: float
    labels: Array | None = None

    def _shape(self) -> tuple[int, ...]:
        k, p = self.sums.shape
        return k, p

    def _merge(self, other: Assigned) -> Assigned:
        return Assigned(
            self.rows + other.rows, self.sums + other.sums, self.weight + other.weight, self.inertia + other.inertia
        )


class AssignAndSum(OverRows):
    def __init__(self, design: Design, shift: Array, centers: Array, *, labels: bool = False):
        super().__init__(design, shift)
        self.centers, self.labels = centers, labels

    def look(self, rows: Rows, first_row: int) -> Assigned:
        sums, weight = np.zeros(self.centers.shape), np.zeros(len(self.centers))
        labels = np.empty(rows.n_rows, np.int32) if self.labels else None
        inertia = rows.assign(self.centers, labels, None if self.labels else sums, None if self.labels else weight)
        return Assigned(rows.n_rows, sums, weight, inertia, labels)


#: Cells that a search for outliers may spread out at a time.
_OUTLIER_CELLS = 16_000_000


@dataclass(frozen=True)
class Outliers(Statistic):
    """The `count` different rows farthest from their centres: distance², the row's number, and the row itself.

    Copies of a row count once and rows without weight not at all, so that weights stand for copies.
    """

    rows: int
    count: int
    distance: Array
    number: Array
    points: Array

    def _merge(self, other: Outliers) -> Outliers:
        return Outliers(
            self.rows + other.rows,
            self.count,
            np.concatenate([self.distance, other.distance]),
            np.concatenate([self.number, other.number]),
            np.concatenate([self.points, other.points]),
        ).cut()

    def cut(self) -> Outliers:
        order = np.lexsort((self.number, -self.distance))
        keep = order[first_of_each(self.points[order])[: self.count]]
        return Outliers(self.rows, self.count, self.distance[keep], self.number[keep], self.points[keep])


class FindOutliers(OverRows):
    def __init__(self, design: Design, shift: Array, centers: Array, count: int):
        super().__init__(design, shift)
        self.centers, self.count = centers, count

    def look(self, rows: Rows, first_row: int) -> Outliers:
        labels = np.empty(rows.n_rows, np.int32)
        rows.assign(self.centers, labels, None, None)
        most = min(rows.n_rows, max(self.count, _OUTLIER_CELLS // max(1, self.centers.shape[1])))
        asked = min(self.count, most)
        while True:
            number, distance = rows.farthest(self.centers, labels, asked)
            use = distance > 0 if rows.weights is None else (distance > 0) & (rows.weights[number] > 0)
            points = rows.take(number[use]).astype(np.float64)
            found = Outliers(rows.n_rows, self.count, distance[use], number[use] + first_row, points).cut()
            if len(found.number) == self.count or asked == most:
                return found
            asked = min(4 * asked, most)


@dataclass(frozen=True)
class Lloyd:
    """Where Lloyd's iteration ended."""

    centers: Array
    inertia: float
    labels: Array | None
    n_iter: int
    converged: bool
    weight: Array  # of the rows of each centre, as they were when centres moved last

    @property
    def empty(self) -> int:
        """Centres that no row is nearest to."""
        return int((self.weight <= 0).sum())


Means = Callable[[Array, Array, Array], Array]


def means(sums: Array, weight: Array, centers: Array) -> Array:
    """The mean of each centre's rows; a centre without rows stays where it is."""
    full = weight > 0
    if full.all():
        return np.divide(sums, weight[:, None])
    return np.where(full[:, None], sums / np.where(full, weight, 1)[:, None], centers)


class Assign:
    """How the rounds assign rows to centres: by passes over them, whichever engine drives these."""

    def __init__(self, design: Design, shift: Array):
        self.design, self.shift = design, shift

    def sums(self, centers: Array) -> Generator[Pass, Any, Assigned]:
        found: Assigned = yield AssignAndSum(self.design, self.shift, centers)
        return found

    def labels(self, centers: Array, wanted: bool) -> Generator[Pass, Any, Assigned]:
        found: Assigned = yield AssignAndSum(self.design, self.shift, centers, labels=wanted)
        return found


def lloyd(
    assign: Assign, centers: Array, *, max_iter: int, tolerance: float, labels: bool, means: Means = means
) -> Generator[Pass, Any, Lloyd]:
    """Iterate until the centres move by no more than `tolerance` (summed squares), then assign once more."""
    converged = False
    iteration = 0
    for iteration in range(1, max_iter + 1):
        found = yield from assign.sums(centers)
        if not np.all(found.weight > 0):
            found = yield from _refill(assign, centers, found)
        moved_to = means(found.sums, found.weight, centers)
        step = (moved_to - centers).ravel()
        with np.errstate(over="ignore"):  # what is beyond all numbers is beyond the tolerance
            moved = float(step @ step)
        centers = moved_to
        if watching():
            report("lloyd", learner="KMeans", iteration=iteration, total=max_iter, objective=found.inertia, moved=moved)
        if moved <= tolerance:
            converged = True
            break
    last = yield from assign.labels(centers, labels)
    return Lloyd(centers, last.inertia, last.labels, iteration, converged, found.weight)


def _refill(assign: Assign, centers: Array, found: Assigned) -> Generator[Pass, Any, Assigned]:
    """Move each centre without rows to the row that is farthest from its own centre, while such rows are left."""
    empty = np.flatnonzero(found.weight <= 0)
    far: Outliers = yield FindOutliers(assign.design, assign.shift, centers, len(empty))
    sums, weight = found.sums.copy(), found.weight.copy()
    for c, point in zip(empty, far.points, strict=False):
        sums[c], weight[c] = point, 1.0
    return Assigned(found.rows, sums, weight, found.inertia)
