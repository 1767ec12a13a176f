"""The passes of gradient boosting over rows that are not in memory.

    LookAtTargets    rows: what bins and starts are made from
    CountCategories  rows, where categories are many: see stream_statistics
    Encode           rows, for the last time: bins, targets, weights and masks become state
    AddLeaves        state: add the last trees to the scores; losses, and how large the next gradients are
    MeasureGradients state: the same once it is known which rows are drawn by their gradients
    Grow             state: part the rows of the nodes that were split, histograms of the new nodes
    SumLeaves        state: exact sums of the gradients at the leaves
    WeighDigits      state: a look for quantiles of targets or residuals

Those within a round stand in growth_passes.

State has the parts `codes` (by kind of bins), `target`, `weights`, `train` (which rows are learnt from), `valid` (which
are held out) and `scores` (outputs × rows); during a round `kept` (which rows it learns from), by output `fine`
(gradients as whole numbers, where entries of rows hold none) and `rows` (those kept, by node; see batch_rows); from the
end of its trees on `node` (where each row stands). Scores and entries are changed in place: state of a pass that was
stopped is of no use any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Batch, Parts, Pass, Statistic
from learnt.ensemble.boosting.course import Task
from learnt.ensemble.boosting.histogram_growth import (
    gradient_size,
    gradients,
    total_loss,
)
from learnt.ensemble.boosting.quantile_search import DigitWeights, Search
from learnt.ensemble.boosting.rounds import (
    count_sizes,
    counts_categories,
    gradient_type,
    subsampled_rows,
    target_totals,
    training_rows,
    with_factors,
)
from learnt.ensemble.boosting.target_statistics import OutputBins, reach
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sketch import sketch
from learnt.statistics.sums import Sums

State = Literal["none", "cache", "required"]


@dataclass(frozen=True)
class StatisticTuple(Sums):
    """Statistics of different kinds, each added to the one in its place; None adds nothing."""

    rows: int
    parts: tuple[Any, ...]


class LookAtTargets(Pass):
    """The sketch of the columns, the weight of each class, and how large sums of targets may become."""

    reads_left = 1

    def __init__(self, task: Task):
        self.task = task

    def summarize(self, batch: Batch) -> StatisticTuple:
        target, counts = batch.target, None
        assert target is not None
        if self.task.classes is not None:
            counts = weigh_codes(target, len(self.task.classes), batch.weights)
        else:
            self.task.loss.check(target, batch.first_row)
        many = counts_categories(batch.table.schema)
        reached = reach(target, batch.weights, self.task.loss.n_outputs) if many else None
        return StatisticTuple(batch.n_rows, (sketch(batch.table, batch.weights, batch.first_row), counts, reached))


class Encode(Pass):
    """Bins, targets, weights and masks of each batch. How many rows are learnt from and held out; exact totals."""

    state: ClassVar[State] = "required"
    reads_left = 0

    def __init__(self, task: Task, bins: OutputBins, factors: Array | None):
        self.task, self.bins, self.factors = task, bins, factors

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        task, target = self.task, batch.target
        assert target is not None
        weights = with_factors(batch.weights, self.factors, target)
        train, valid = training_rows(task, weights, batch.n_rows, batch.first_row)
        scores = None
        if task.before is not None:
            raw = task.before.trees.sums(batch.table, base=task.before.start, group=task.loss.n_outputs)
            scores = np.ascontiguousarray(raw.T)
        codes = self.bins.encode(batch.table, train)
        parts = {"codes": codes, "target": target, "weights": weights, "train": train, "valid": valid, "scores": scores}
        totals = target_totals(task, target[train], None if weights is None else weights[train])
        held = 0 if valid is None else int(valid.sum())
        return StatisticTuple(batch.n_rows, (int(train.sum()), held, *totals)), Parts(parts)


class OverState(Pass):
    """A pass that looks at state alone. `n_rows` are those of all batches."""

    state: ClassVar[State] = "required"
    reads: ClassVar[bool] = False

    def __init__(self, task: Task, n_rows: int):
        self.task, self.n_rows = task, n_rows

    def derivatives(self, state: Parts) -> tuple[Array, Array]:
        """First and second derivatives, outputs × rows."""
        scores, loss = state["scores"], self.task.loss
        kind = gradient_type(self.n_rows, state["weights"] is not None)
        g, h = np.empty(scores.shape, kind), np.empty(scores.shape, kind)
        gradients(loss.name, scores, state["target"], state["weights"], loss.parameter, g, h)
        return g, h

    def gradient_sizes(self, state: Parts, g: Array, h: Array, kept: Array) -> list[Any]:
        """How large the gradients are, by output."""
        second = self.second(state, h)
        return [gradient_size(one, two, kept, state["weights"]) for one, two in zip(g, second, strict=True)]

    def second(self, state: Parts, h: Array) -> list[Array | None]:
        """Second derivatives by output; None where all are 1."""
        even = self.task.loss.flat and state["weights"] is None and not self.task.by_gradient
        return [None if even else one for one in h]


class AddLeaves(OverState):
    """Scores with the leaves of the last trees added; losses, and what is needed to begin the round `number`.

    `start` sets the scores before the first trees; `values` are those of all nodes of each growing tree.
    """

    def __init__(self, task: Task, n_rows: int, number: int, start: Array | None, values: list[Array] | None):
        super().__init__(task, n_rows)
        self.number, self.start, self.values = number, start, values

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        task, scores = self.task, state["scores"]
        if scores is None:
            assert self.start is not None
            scores = np.repeat(self.start[:, None], batch.n_rows, axis=1)
        if self.values is not None:
            for score, value, node in zip(scores, self.values, state["node"], strict=True):
                score += value[node]  # in place: a new array costs as much as all the rest
        state = state.replaced(scores=scores)
        losses = [self._loss(state, state[name]) for name in ("train", "valid")]
        g, h = self.derivatives(state)
        train = state["train"]
        if task.by_gradient:
            return StatisticTuple(batch.n_rows, (*losses, count_sizes(g, train))), state
        kept = subsampled_rows(task, g, h, train, self.number, None, batch.first_row)
        assert kept is not None
        return StatisticTuple(batch.n_rows, (*losses, None, *self.gradient_sizes(state, g, h, kept))), state

    def _loss(self, state: Parts, rows: Array | None) -> Array | None:
        """The sums of the losses and of the weights of some rows."""
        if rows is None:
            return None
        loss = self.task.loss
        return np.array(total_loss(loss.name, state["scores"], state["target"], state["weights"], loss.parameter, rows))


class WeighDigits(OverState):
    """A look for quantiles: of the target, of its distance from `center`, or of residuals by leaf.

    `leaf_of` gives the leaf of each node where rows stand.
    """

    def __init__(
        self, task: Task, n_rows: int, search: Search, center: float | None = None, leaf_of: Array | None = None
    ):
        super().__init__(task, n_rows)
        self.search, self.center, self.leaf_of = search, center, leaf_of

    def __call__(self, batch: Batch, state: Any) -> tuple[DigitWeights, Any]:
        values, groups = state["target"], np.where(state["train"], 0, -1)
        if self.leaf_of is not None:
            values = values - state["scores"][0]
            groups = np.where(state["kept"], self.leaf_of[state["node"][0]], -1)
        elif self.center is not None:
            values = np.abs(values - self.center)
        return self.search.weigh(values, groups, state["weights"]), state
