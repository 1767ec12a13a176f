"""Gradient boosting of rows that are not in memory: the same trees as of a table, by passes.

Few rows are read into memory. Of more, the rows are read twice, to look at their targets and cells, and to put them
into bins; where columns have many categories once more between the two, to count these. From then on all passes look at
state alone: codes of a byte or two for each cell, scores, and the rows of each node. The trees of a round grow side by
side.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.ensemble.boosting.bins import bin_edges
from learnt.ensemble.boosting.course import Rounds, Task
from learnt.ensemble.boosting.few_rows import GatherRows, are_few
from learnt.ensemble.boosting.growth_passes import Grow, MeasureGradients, SumLeaves
from learnt.ensemble.boosting.histogram_growth import GrowingTree, refit
from learnt.ensemble.boosting.losses import HUBER_LEVEL
from learnt.ensemble.boosting.passes import AddLeaves, Encode, LookAtTargets, StatisticTuple, WeighDigits
from learnt.ensemble.boosting.quantile_search import Search
from learnt.ensemble.boosting.rounds import boost, leaf_steps, start_of, steep_limit, total_weight
from learnt.ensemble.boosting.stream_growth import StreamedTree
from learnt.ensemble.boosting.stream_statistics import count_categories
from learnt.ensemble.boosting.target_statistics import OutputBins
from learnt.statistics.sample import HashedSample
from learnt.tree import TreeArrays

Passes = Generator[Pass, Any, Any]


def boost_stream(task: Task) -> Passes:
    """All rounds, as a plan of passes; returns what was found."""
    seen: StatisticTuple = yield LookAtTargets(task)
    if are_few(seen.rows):
        gathered: HashedSample = yield GatherRows()
        return boost(task, *gathered.taken)
    task = task.of_rows(seen.rows)
    factors = task.factors(seen.parts[1]) if task.class_weight is not None else None
    edges = bin_edges(seen.parts[0], task.max_bins)
    bins: OutputBins = yield from count_categories(task, edges, seen, factors)
    encoded: StatisticTuple = yield Encode(task, bins, factors)
    if task.stopping is not None and 0 in encoded.parts[:2]:  # too few rows to hold some out
        task = replace(task, stopping=None)
        bins = yield from count_categories(task, edges, seen, factors)
        encoded = yield Encode(task, bins, factors)
    n_train, _, *totals = encoded.parts
    task = task.of_weight(total_weight(task, totals))
    task, start = yield from _begin(task, seen.rows, totals)
    rounds, growth = Rounds.of(task, start), _Growth(task, bins, seen.rows, n_train)
    added: StatisticTuple = yield AddLeaves(task, seen.rows, rounds.done, start, None)
    _note(rounds, added)
    while not rounds.over:
        trees, values = yield from growth.round(rounds.done, added)
        rounds.trees.extend(bins.with_categories(trees))
        added = yield AddLeaves(task, seen.rows, rounds.done, None, values)
        _note(rounds, added)
    return rounds.result()


def _begin(task: Task, n_rows: int, totals: list[int]) -> Passes:
    """The task with all parameters of its loss known, and the scores without any tree."""
    center: float | None = None
    if task.loss.starts_at is not None:
        center = yield from _quantile(task, n_rows, task.loss.starts_at)
    if task.loss.name == "huber" and task.loss.parameter <= 0:
        width = yield from _quantile(task, n_rows, HUBER_LEVEL, center)
        task = replace(task, loss=replace(task.loss, parameter=max(width, float(np.finfo(np.float32).tiny))))
    if task.before is not None:
        return task, task.before.start
    return task, start_of(task, totals) if center is None else task.loss.start(center)


def _quantile(task: Task, n_rows: int, level: float, center: float | None = None) -> Passes:
    """A quantile of the target, or of its distance from a centre."""
    search = Search.of(level, 1)
    while not search.is_finished:
        search = search.narrowed((yield WeighDigits(task, n_rows, search, center)))
    return float(search.values()[0])


def _note(rounds: Rounds, added: StatisticTuple) -> None:
    train, valid = added.parts[:2]
    rounds.note(float(train[0] / train[1]), None if valid is None else float(valid[0] / valid[1]))


@dataclass
class _Growth:
    """Grows the trees of a round."""

    task: Task
    bins: OutputBins
    n_rows: int
    n_train: int

    def round(self, number: int, added: StatisticTuple) -> Passes:
        """The trees, and by tree the values of its nodes as rows stand at them."""
        task, steepness, sizes = self.task, added.parts[2], added.parts[3:]
        limit = None
        if steepness is not None:
            limit = steep_limit(task, steepness, self.n_train)
            sizes = (yield MeasureGradients(task, self.n_rows, number, limit)).parts
        scales = [size.scale() for size in sizes]
        trees = [self._tree(scale, number * len(scales) + c, c) for c, scale in enumerate(scales)]
        about = (task, self.n_rows, number, limit, self.bins, scales)
        tests: Any = None
        while tests is None or any(tree.wanted for tree in trees):
            found: StatisticTuple = yield Grow(*about, tests, [tree.slots() for tree in trees])
            tests = [tree.look(histograms) for tree, histograms in zip(trees, found.parts, strict=True)]
        sums: StatisticTuple = yield SumLeaves(*about, tests)
        ends = [tree.finish(found) for tree, found in zip(trees, sums.parts, strict=True)]
        if task.loss.level is not None:
            ends = [((yield from self._refitted_tree(*ends[0])), ends[0][1])]
        return [tree for tree, _ in ends], [tree.value[:, 0][place] for tree, place in ends]

    def _tree(self, scale: Any, number: int, output: int) -> StreamedTree:
        options, edges = self.task.options, self.bins.of_output(output).edges
        return StreamedTree(GrowingTree(edges, options, scale, number, self.n_rows), options)

    def _refitted_tree(self, tree: TreeArrays, place: Array) -> Passes:
        """The tree with the quantiles of its leaves' residuals as values."""
        assert self.task.loss.level is not None
        search = Search.of(self.task.loss.level, tree.node_count)
        while not search.is_finished:
            search = search.narrowed((yield WeighDigits(self.task, self.n_rows, search, leaf_of=place)))
        return refit(tree, leaf_steps(self.task, tree, search.values()))
