"""Which candidates are tried on which folds, and who is given up on the way.

A strategy is a generator: it yields a round of trials with the number of rows they use, and finds on the board what
came out when it goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.folds import Fold, folds
from learnt.evaluate.problem import Problem
from learnt.evaluate.significance import corrected_t_test, friedman_test
from learnt.evaluate.significance.ranks import ranks_by_row
from learnt.evaluate.splits.strata import quantile_bins
from learnt.evaluate.tuning.board import Board
from learnt.evaluate.tuning.trials import Trial, trials

Rounds = Iterator[tuple[list[Trial], int]]

#: One in so many goes on to the next round of halving, on so many times the rows.
FACTOR = 3
FEWEST_ROWS = 50  # of a round
#: Rounds before the last: on less than a ninth of the rows other settings are best than on all of them.
MOST_CUTS = 2
#: Folds before the first test of a race: fewer say little.
BURN_IN = 3
ALPHA = 0.05


def all_folds(board: Board, problem: Problem, cv: Any, random_state: int) -> Rounds:
    """Every candidate on every fold."""
    yield trials(board.alive, list(folds(problem, cv, 1, random_state))), problem.n_rows


# Halving


def halving(board: Board, problem: Problem, cv: Any, random_state: int) -> Rounds:
    """All candidates on few rows, the best third of them on three times as many, and so on up to all rows.

    Reference: K. Jamieson, A. Talwalkar, Non-stochastic best arm identification and hyperparameter optimization, 2016.
    """
    sizes = round_sizes(len(board.alive), problem, cv)
    if len(sizes) == 1:
        board.notices.append(f"{problem.n_rows} rows are too few for halving, so every candidate had all of them.")
    order = spread_rows(problem, np.random.default_rng(random_state))
    for size in sizes:
        rows = np.sort(order(size))
        cut = [_of_rows(fold, rows) for fold in folds(part_of(problem, rows), cv, 1, random_state)]
        yield trials(board.alive, cut), len(rows)
        if size != sizes[-1]:
            board.alive = sorted(board.ranked()[: math.ceil(len(board.alive) / FACTOR)])


def round_sizes(n_candidates: int, problem: Problem, cv: Any) -> list[int]:
    """Rows of each round, the last having all; fewer rounds where the first would have too few rows."""
    parts = cv if isinstance(cv, int) else 5
    fewest = max(FEWEST_ROWS, 4 * parts, 2 * parts * problem.n_classes)
    rounds = min(MOST_CUTS, _logarithm(n_candidates), _logarithm(problem.n_rows / fewest))
    return [round(problem.n_rows / FACTOR**left) for left in range(rounds, -1, -1)]


def _logarithm(x: float) -> int:
    """The whole part of the logarithm to the base `FACTOR`, 0 at least."""
    count = 0
    while x >= FACTOR:
        x, count = x / FACTOR, count + 1
    return count


def spread_rows(problem: Problem, rng: np.random.Generator) -> Callable[[int], Array]:
    """A function that gives so many rows, each stratum in its share; fewer rows are a part of more. Groups are taken
    whole, so that the number is met roughly."""
    shuffled = rng.permutation(problem.n_rows)
    if problem.groups is not None:
        turn = rng.permutation(int(problem.groups.max()) + 1)
        grouped = np.argsort(turn[problem.groups], kind="stable")
        turns = turn[problem.groups[grouped]]
        return lambda size: grouped[turns <= turns[size - 1]]
    strata = problem.target if problem.classes is not None else quantile_bins(problem.target, 2)
    place = np.empty(problem.n_rows)
    for stratum in np.unique(strata):
        rows = shuffled[strata[shuffled] == stratum]
        place[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    order = shuffled[np.argsort(place[shuffled], kind="stable")]
    return lambda size: order[:size]


def part_of(problem: Problem, rows: Array) -> Problem:
    """The same problem with some of its rows."""
    groups = None if problem.groups is None else np.unique(problem.groups[rows], return_inverse=True)[1]
    return replace(
        problem,
        table=problem.table.take(rows),
        target=problem.target[rows],
        weights=None if problem.weights is None else problem.weights[rows],
        groups=groups,
        declared=None,
    )


def _of_rows(fold: Fold, rows: Array) -> Fold:
    return replace(fold, train=rows[fold.train], test=rows[fold.test])


# Racing


def racing(board: Board, problem: Problem, cv: Any, random_state: int) -> Rounds:
    """All candidates fold by fold; those that rank significantly behind the best drop out.

    Reference: M. Birattari, T. Stützle, L. Paquete, K. Varrentrapp, A racing algorithm for configuring metaheuristics,
    GECCO 2002 (F-race).
    """
    for done, fold in enumerate(folds(problem, cv, 1, random_state), start=1):
        yield trials(board.alive, [fold]), problem.n_rows
        if done >= BURN_IN and len(board.alive) > 1:
            behind = losers(board.matrix(), board.metric.higher_is_better, len(fold.train), len(fold.test))
            board.alive = [i for i, lost in zip(board.alive, behind, strict=True) if not lost]
        if len(board.alive) < 2:
            return


def losers(scores: Array, higher_is_better: bool, n_train: int, n_test: int) -> Array:
    """Which columns of folds × candidates are significantly behind the best.

    Friedman's test says whether any differ, Conover's differences of rank sums R which:

        R_j − R_best > t · √(2n(1 − χ²/(n(k−1))) · (Σr² − nk(k+1)²/4) / ((k−1)(n−1)))

    The last two are told apart by the corrected t-test.
    """
    from scipy.special import stdtrit

    n, k = scores.shape
    nobody: Array = np.zeros(k, bool)
    if n < BURN_IN:
        return nobody
    if k == 2:
        if not corrected_t_test(scores[:, 0], scores[:, 1], n_train, n_test, alpha=ALPHA).significant:
            return nobody
        means = scores.mean(axis=0) if higher_is_better else -scores.mean(axis=0)
        worse: Array = means < means.max()
        return worse
    test = friedman_test(scores, higher_is_better=higher_is_better, alpha=ALPHA)
    if not test.significant:
        return nobody
    ranks = ranks_by_row(scores, higher_is_better)
    sums = ranks.sum(axis=0)
    agreement = min(test.statistic / (n * (k - 1)), 1.0)
    spread = float((ranks**2).sum()) - n * k * (k + 1) ** 2 / 4
    t = float(stdtrit((n - 1) * (k - 1), 1 - ALPHA / 2))
    reach = t * math.sqrt(2 * n * (1 - agreement) * spread / ((k - 1) * (n - 1)))
    behind: Array = sums - sums.min() > reach + 1e-9
    return behind


STRATEGIES: Mapping[str, Callable[[Board, Problem, Any, int], Rounds]] = {
    "grid": all_folds,
    "random": all_folds,
    "halving": halving,
    "racing": racing,
}
