"""Comparing on some of the rows: which, and how many.

Where a time budget is given and the table is large, all learners are compared on the same stratified sample of rows.
How many those are follows from the table and the budget alone, never from how fast this machine was, so that the
numbers of a learner that finished are the same on every run:

    rows = cells / ((columns + 10) · folds),   cells = 180,000 · seconds of the budget,   in whole thousands

and at least 5,000; a search of settings in every fold counts as twenty folds. A table with no more rows than that, or
with a quarter more, is compared whole, and `max_rows` overrides the rule. At this rate boosting and forests finish on
two cores, with time to spare for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.folds import Fold, folds
from learnt.evaluate.problem import Problem
from learnt.evaluate.splits.strata import quantile_bins
from learnt.learner.parameters import Whole

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

CELLS_A_SECOND = 180_000
LEAST_ROWS = 5_000
FOLDS_OF_A_SEARCH = 20


def rows_for_budget(problem: Problem, cv: Any, n_folds: int, seconds: float | None, tuned: bool = False) -> int:
    """How many rows to compare on; all of them without a budget, and with a splitter, which knows whole tables only."""
    if seconds is None or cv not in Whole():
        return problem.n_rows
    table = problem.table
    columns = table.n_columns if table.sparse is None else table.sparse.nnz / max(table.n_rows, 1)
    work = (columns + 10) * n_folds * (FOLDS_OF_A_SEARCH if tuned else 1)
    affordable = min(CELLS_A_SECOND * seconds / work, problem.n_rows)
    sample = max(LEAST_ROWS, int(affordable) // 1000 * 1000)
    return sample if 1.25 * sample < problem.n_rows else problem.n_rows


def rows_asked_for(problem: Problem, cv: Any, most: int) -> int:
    """As many rows as were asked for, or all; an error where they cannot be cut into folds."""
    if cv not in Whole():
        raise ParameterError(
            f"max_rows={most} needs cv to be a number; a splitter decides by itself which rows it takes."
        )
    if most < cv:
        raise ParameterError(f"max_rows={most} is fewer than the {cv} folds. Expected at least a row for each.")
    return min(most, problem.n_rows)


def rows_compared(comparison: Comparison) -> int:
    """How many rows a comparison was made on: those that were tested, in the first repeat."""
    results = comparison.done[0].results if comparison.done else []
    return sum(len(r.test) for r in results if r.repeat == 0)


def sample_notice(n: int, problem: Problem, why: str) -> str:
    """What is said of a sample."""
    return f"The learners were compared on {n:,} of {problem.n_rows:,} rows, drawn by strata, {why}."


def stratified_rows(problem: Problem, n: int, seed: int) -> Array:
    """The numbers of `n` rows in order: of every class, or of every tenth of a numeric target, its share."""
    strata = problem.target if problem.classes is not None else quantile_bins(problem.target, 10)
    shuffled = np.random.default_rng(seed).permutation(problem.n_rows)
    by_stratum = shuffled[np.argsort(strata[shuffled], kind="stable")]
    return np.sort(by_stratum[np.arange(n) * problem.n_rows // n])


def folds_of_sample(problem: Problem, n: int, cv: Any, repeats: int, seed: int) -> Iterator[Fold]:
    """The folds of a stratified sample, as row numbers of the whole table; those of the table if it is no larger."""
    if n >= problem.n_rows:
        yield from folds(problem, cv, repeats, seed)
        return
    rows = stratified_rows(problem, n, seed)
    for fold in folds(_part(problem, rows), cv, repeats, seed):
        yield replace(fold, train=rows[fold.train], test=rows[fold.test])


def _part(problem: Problem, rows: Array) -> Problem:
    groups = None if problem.groups is None else np.unique(problem.groups[rows], return_inverse=True)[1]
    return replace(problem, table=problem.table.take(rows), target=problem.target[rows], groups=groups)
