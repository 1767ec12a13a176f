"""Target statistics of rows that are not in memory: one more look at them, before they become bins."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.ensemble.boosting.bins import BinEdges
from learnt.ensemble.boosting.course import Task
from learnt.ensemble.boosting.passes import StatisticTuple
from learnt.ensemble.boosting.rounds import training_rows, with_factors
from learnt.ensemble.boosting.target_statistics import (
    Counter,
    OutputBins,
    PlaceTotals,
    bins_by_output,
    counter_of,
)


class CountCategories(Pass):
    """The totals of each category at each place."""

    reads_left = 1

    def __init__(self, task: Task, counter: Counter, factors: Array | None):
        self.task, self.counter, self.factors = task, counter, factors

    def summarize(self, batch: Batch) -> PlaceTotals:
        assert batch.target is not None
        weights = with_factors(batch.weights, self.factors, batch.target)
        train, _ = training_rows(self.task, weights, batch.n_rows, batch.first_row)
        return self.counter.count(batch.table, batch.target, weights, train)


def count_categories(
    task: Task, edges: BinEdges, seen: StatisticTuple, factors: Array | None
) -> Generator[Pass, Any, OutputBins]:
    """The bins with the statistics of columns of many categories, if there are any."""
    sketched, _, reached = seen.parts
    n = task.loss.n_outputs
    counter = None if reached is None else counter_of(sketched, edges, reached, factors, task.seed, n)
    if counter is None:
        return OutputBins.alike(edges, n)
    return bins_by_output(counter, (yield CountCategories(task, counter, factors)), task.max_bins)
