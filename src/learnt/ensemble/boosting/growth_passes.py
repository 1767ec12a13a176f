"""The passes of a round of gradient boosting over rows that are not in memory; see passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Batch, Parts, Statistic
from learnt.ensemble.boosting.course import Task
from learnt.ensemble.boosting.histogram_growth import BatchRows, NodeSums, Scale, Tests, leaf_sums, quantise
from learnt.ensemble.boosting.passes import OverState, StatisticTuple
from learnt.ensemble.boosting.rounds import subsampled_rows
from learnt.ensemble.boosting.target_statistics import OutputBins


class OfRound(OverState):
    """A pass within round `number`; `limit` is where sampling by gradient calls a gradient large."""

    def __init__(self, task: Task, n_rows: int, number: int, limit: int | None):
        super().__init__(task, n_rows)
        self.number, self.limit = number, limit

    def round_gradients(self, batch: Batch, state: Parts) -> tuple[Array, Array, Array]:
        """Gradients as this round sees them, and which rows it learns from."""
        g, h = self.derivatives(state)
        kept = subsampled_rows(self.task, g, h, state["train"], self.number, self.limit, batch.first_row)
        assert kept is not None
        return g, h, kept


class MeasureGradients(OfRound):
    """How large the gradients are, those of drawn rows enlarged."""

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        sizes = self.gradient_sizes(state, *self.round_gradients(batch, state))
        return StatisticTuple(batch.n_rows, tuple(sizes)), state


class Grow(OfRound):
    """Histograms of the nodes that are wanted, of each tree of the round, after its rows were parted.

    `tests` are those of each tree so far, None before the first; `slots` say which place in the histograms each node
    has, −1 for none.
    """

    def __init__(
        self,
        task: Task,
        n_rows: int,
        number: int,
        limit: int | None,
        bins: OutputBins,
        scales: list[Scale],
        tests: list[Tests] | None,
        slots: list[Array],
    ):
        super().__init__(task, n_rows, number, limit)
        self.bins, self.scales, self.tests, self.slots = bins, scales, tests, slots
        self._sums: list[NodeSums | None] | None = None
        self._rows = 0

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        if self.tests is None:
            state = self._begun_state(batch, state)
        else:
            state = state.replaced(rows=parted_rows(self.bins, state, self.tests))
        sums = self._node_sums() if self._sums is None else self._sums
        for c, one in enumerate(sums):
            if one is not None:
                one.add(state["rows"][c], state["codes"][self.bins.kind_of[c]], state["fine"][c])
        if self._sums is not None:
            self._rows += batch.n_rows
            return StatisticTuple(0, ()), state
        return _found(batch.n_rows, sums), state

    def begin(self) -> None:
        """From now on histograms are summed over all batches until `found` is asked, not returned for each."""
        self._sums, self._rows = self._node_sums(), 0

    def found(self) -> StatisticTuple | None:
        """The sums since then; None if there was no batch. They are of whole numbers, which add in any order."""
        sums, self._sums = self._sums, None
        return None if sums is None or self._rows == 0 else _found(self._rows, sums)

    def _node_sums(self) -> list[NodeSums | None]:
        return [
            NodeSums(self.bins.of_output(c).edges, slots, self.scales[c].fine) if slots.max(initial=-1) >= 0 else None
            for c, slots in enumerate(self.slots)
        ]

    def _begun_state(self, batch: Batch, state: Parts) -> Parts:
        """The rows that are learnt from at the root."""
        g, h, kept = self.round_gradients(batch, state)
        seed, k = self.task.options.seed, len(self.scales)
        packed = [
            quantise(one, two, scale, seed, self.number * k + c, batch.first_row, state["weights"])
            for c, (one, two, scale) in enumerate(zip(g, self.second(state, h), self.scales, strict=True))
        ]
        fine = [one if one.ndim == 2 else None for one in packed]
        return state.replaced(kept=kept, fine=fine, rows=[BatchRows.at_root(one, kept) for one in packed])


def _found(n_rows: int, sums: list[NodeSums | None]) -> StatisticTuple:
    return StatisticTuple(n_rows, tuple(None if one is None else one.found() for one in sums))


def parted_rows(bins: OutputBins, state: Parts, tests: list[Tests]) -> list[BatchRows]:
    """The rows of each tree at the nodes below its tests."""
    return [
        rows.parted(bins.of_output(c).edges, state["codes"][bins.kind_of[c]], new)
        if len(new.left) > len(rows.ranges)
        else rows
        for c, (rows, new) in enumerate(zip(state["rows"], tests, strict=True))
    ]


class SumLeaves(OfRound):
    """Where each row ends; exact sums of gradients and weights at the leaves of each tree, all `tests` being known."""

    def __init__(
        self,
        task: Task,
        n_rows: int,
        number: int,
        limit: int | None,
        bins: OutputBins,
        scales: list[Scale],
        tests: list[Tests],
    ):
        super().__init__(task, n_rows, number, limit)
        self.bins, self.scales, self.tests = bins, scales, tests

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        ends = [
            rows.leaves(self.bins.of_output(c).edges, state["codes"][self.bins.kind_of[c]], tests)
            for c, (rows, tests) in enumerate(zip(parted_rows(self.bins, state, self.tests), self.tests, strict=True))
        ]
        state = state.replaced(node=ends, rows=None, fine=None)
        g, h, kept = self.round_gradients(batch, state)
        second, weights, every = self.second(state, h), state["weights"], bool(kept.all())
        sums = []
        for c, (tests, scale) in enumerate(zip(self.tests, self.scales, strict=True)):
            node = ends[c] if every else np.where(kept, ends[c], np.int32(-1))
            sums.append(leaf_sums(g[c], second[c], weights, node, len(tests.left), scale))
        return StatisticTuple(batch.n_rows, tuple(sums)), state
