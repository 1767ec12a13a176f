"""Files larger than memory: a look at all rows, then epochs that are passes over them.

Within an epoch, rows come in the order of the files; each batch that is read is shuffled by itself. What is left of it
after whole steps waits for the next one, so that without shuffling the steps are those of a table in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.convert.out import join_tables
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.survey import Survey, survey
from learnt.engine.training import Training
from learnt.engine.whole import WholeTable
from learnt.neural.descent import Course, Descended, Progress
from learnt.neural.inputs import NetInputs
from learnt.neural.losses import row_losses
from learnt.neural.net import Net, NetRows
from learnt.neural.scaling import QUARTILE_ROWS
from learnt.neural.target import TargetSums
from learnt.statistics.sample import HashedSample, hash_rows

#: Cells of a scan that are kept in memory at most.
CELLS_IN_MEMORY = 2**26


@dataclass(frozen=True, eq=False)
class EncodeBatch:
    """Rows as a net takes them, with targets and weights: those of classes multiplied by `factors`, all divided by the
    `typical` one."""

    inputs: NetInputs
    truth: Callable[[Array], Array]
    factors: Array | None
    typical: float

    def __call__(self, batch: Batch) -> tuple[NetRows, Array, Array]:
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        if self.factors is not None:
            w = w * self.factors[batch.target]
        return NetRows(*self.inputs.encode(batch.table)), self.truth(np.asarray(batch.target)), w / self.typical


@dataclass(frozen=True, eq=False)
class FewRows(Statistic):
    """All rows while there are at most `most`, in order (else None); and a sample of them."""

    rows: int
    most: int
    batches: tuple[Batch, ...] | None
    sample: HashedSample

    def _merge(self, other: FewRows) -> FewRows:
        rows, batches = self.rows + other.rows, None
        if self.batches is not None and other.batches is not None and rows <= self.most:
            batches = self.batches + other.batches
        return FewRows(rows, self.most, batches, self.sample + other.sample)

    def whole(self) -> WholeTable | None:
        """All rows as one table, if they were kept."""
        if self.batches is None:
            return None
        there = [b for b in self.batches if b.n_rows] or list(self.batches[:1])
        weights = None if there[0].weights is None else np.concatenate([b.weights for b in there])
        target = None if there[0].target is None else np.concatenate([b.target for b in there])
        return WholeTable.of(Batch(join_tables([b.table for b in there]), 0, target, weights))


class TakeFewRows(Pass):
    def __init__(self, most: int):
        self.most = most

    def summarize(self, batch: Batch) -> FewRows:
        weights = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        keys = np.where(weights > 0, hash_rows(0, batch.first_row, batch.n_rows), 2.0)
        sample = HashedSample.of(QUARTILE_ROWS, keys, batch.table, batch.target, weights)
        kept = (batch,) if batch.n_rows <= self.most else None
        return FewRows(batch.n_rows, self.most, kept, sample)


@dataclass(frozen=True, eq=False)
class RowsLook(Statistic):
    """What inputs, targets and steps need to know of all rows. `ends` are the least and largest cells of each column
    (codes of categories), `held_out` the rows that are kept for watching."""

    rows: int
    survey: Survey
    ends: Array
    target: TargetSums
    held_out: int

    def _merge(self, other: RowsLook) -> RowsLook:
        low, high = np.fmin(self.ends[0], other.ends[0]), np.fmax(self.ends[1], other.ends[1])
        return RowsLook(
            self.rows + other.rows,
            self.survey + other.survey,
            np.stack([low, high]),
            self.target + other.target,
            self.held_out + other.held_out,
        )


class LookAtRows(Pass):
    def __init__(self, n_classes: int, held_out: HoldOut):
        self.n_classes, self.held_out = n_classes, held_out

    def summarize(self, batch: Batch) -> RowsLook:
        assert batch.target is not None
        there = np.ones(batch.n_rows, bool) if batch.weights is None else batch.weights > 0
        return RowsLook(
            batch.n_rows,
            survey(batch.table, batch.weights, batch.first_row),
            _ends(batch.table, there),
            TargetSums.of(batch.target, batch.weights, self.n_classes),
            int(np.count_nonzero(self.held_out.flags(batch) & there)),
        )


def _ends(table: Table, there: Array) -> Array:
    found = np.full((2, table.n_columns), np.nan)
    for j, column in enumerate(table.columns):
        cells = column.values[there & ~column.missing]
        if len(cells):
            found[:, j] = cells.min(), cells.max()
    return found


@dataclass(frozen=True)
class HoldOut:
    """Which rows are held out: a share of them by their numbers."""

    seed: int
    share: float

    def flags(self, batch: Batch) -> Array:
        if self.share == 0:
            return np.zeros(batch.n_rows, bool)
        found: Array = hash_rows(self.seed, batch.first_row, batch.n_rows) < self.share
        return found


@dataclass(frozen=True)
class LossSum(Statistic):
    """Σ w L and Σ w."""

    rows: int
    loss: float
    weight: float

    def _merge(self, other: LossSum) -> LossSum:
        return LossSum(self.rows + other.rows, self.loss + other.loss, self.weight + other.weight)


class TrainOverRows(Pass):
    """One epoch. The net changes from batch to batch, so batches go one after the other, in one process."""

    def __init__(self, course: Course, encode: EncodeBatch, held_out: HoldOut, net: Net, batch: int, rates: Array):
        self.course, self.encode, self.held_out = course, encode, held_out
        self.net, self.batch, self.rates, self.taken = net, batch, rates, 0
        self.rest: tuple[NetRows, Array, Array] | None = None

    def summarize(self, batch: Batch) -> LossSum:
        rows, y, w = self.encode(batch)
        places = np.flatnonzero((w > 0) & ~self.held_out.flags(batch))
        if self.course.shuffle:
            rng = np.random.default_rng([self.course.seed, self.net.epochs, batch.first_row])
            places = rng.permutation(places)
        given = rows.take(places), y[places], w[places]
        if self.rest is not None:
            rest = self.rest
            given = rest[0].below(given[0]), np.concatenate([rest[1], given[1]]), np.concatenate([rest[2], given[2]])
        whole = len(given[0]) // self.batch * self.batch
        left = np.arange(whole, len(given[0]))
        self.rest = given[0].take(left), given[1][left], given[2][left]
        return LossSum(batch.n_rows, self._train(given, whole), float(w[places].sum()))

    def finish(self) -> float:
        """The last step, of fewer rows: its Σ w L."""
        return 0.0 if self.rest is None else self._train(self.rest, len(self.rest[0]))

    def _train(self, given: tuple[NetRows, Array, Array], count: int) -> float:
        if count == 0:
            return 0.0
        steps = -(-count // self.batch)
        rates = self.rates[self.taken : self.taken + steps]
        self.taken += steps
        rows, y, w = given
        loss = self.course.train(self.net, rows, np.arange(count), y, w, min(self.batch, count), rates)
        self.net = replace(self.net, steps=self.net.steps + steps)
        return loss


class LossOfHeldOut(Pass):
    def __init__(self, course: Course, encode: EncodeBatch, held_out: HoldOut, net: Net):
        self.course, self.encode, self.held_out, self.net = course, encode, held_out, net

    def summarize(self, batch: Batch) -> LossSum:
        rows, y, w = self.encode(batch)
        out = np.flatnonzero((w > 0) & self.held_out.flags(batch))
        scores = self.net.scores(self.course.inputs, rows.take(out))
        losses = row_losses(self.course.given or self.net.loss, scores, y[out])
        return LossSum(batch.n_rows, float(losses @ w[out]), float(w[out].sum()))


def gather_or_sample(training: Training) -> Generator[Pass, Any, FewRows]:
    """One pass over a scan: all rows if there is room for them, and a sample."""
    most = max(1, CELLS_IN_MEMORY // max(len(training.schema), 1))
    found: FewRows = yield TakeFewRows(most)
    return found


def descend_over(
    course: Course, encode: EncodeBatch, held_out: HoldOut, n_taking: int, net: Net
) -> Generator[Pass, Any, Descended]:
    """The epochs of a descent over files."""
    batch, per_epoch, epochs = course.lengths(n_taking)
    progress = Progress(course, net, epochs, holds_out=held_out.share > 0)
    for epoch in range(epochs):
        rates = course.schedule.rates(epoch * per_epoch, per_epoch, per_epoch * epochs)
        over = TrainOverRows(course, encode, held_out, net, batch, rates)
        sums: LossSum = yield over
        loss = (sums.loss + over.finish()) / sums.weight
        net = replace(over.net, epochs=net.epochs + 1)
        progress.check(net, loss)
        watched: float | None = None
        if held_out.share > 0:
            out: LossSum = yield LossOfHeldOut(course, encode, held_out, net)
            watched = out.loss / out.weight
        if progress.note(net, loss, watched, float(rates[-1])):
            break
    return progress.result(net)
