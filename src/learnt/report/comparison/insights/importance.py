"""Which columns a learner needs: how much worse it gets, on rows it has not seen, when one of them is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from learnt.data.convert.out import join_tables
from learnt.data.table import Array, Column, Table
from learnt.describe.pairs import correlation_ratio, cramers_v
from learnt.evaluate.comparison.standings import mean_interval
from learnt.evaluate.scores import score_of
from learnt.report.comparison.insights.cells import reorder_columns
from learnt.report.comparison.insights.subject import Subject

SHUFFLES = 5
MOST_FOLDS = 10
MOST_COLUMNS = 40  # shuffled one by one
MOST_ROWS = 2000  # of a fold
MOST_CELLS = 4_000_000  # asked about at once
FEWEST = 20  # rows; fewer tell nothing about two columns
ALIKE = 0.7  # correlation, correlation ratio or Cramér's V from which on columns can stand in for each other


@dataclass(frozen=True)
class Importance:
    """By how much the metric got worse without these columns, on average over folds, and a 95 % interval of it."""

    columns: tuple[str, ...]
    drop: float
    low: float
    high: float

    @property
    def matters(self) -> bool:
        return self.low > 0


@dataclass(frozen=True)
class Importances:
    """`columns` one by one, most important first; `groups` are columns alike, shuffled together; `rest` all those not
    looked at one by one."""

    columns: tuple[Importance, ...]
    groups: tuple[Importance, ...]
    rest: Importance | None
    folds: int
    score: float


def importances(subject: Subject) -> Importances:
    problem, metric = subject.problem, subject.comparison.metric
    table, folds = problem.table, subject.folds[:MOST_FOLDS]
    names = table.names
    tested = _columns_to_shuffle(subject)
    alike = groups_alike([table[names[j]] for j in tested])
    alone = [(j,) for j in tested]
    together = [tuple(tested[i] for i in group) for group in alike]
    left = tuple(sorted(set(range(table.n_columns)) - set(tested)))
    every = [*alone, *together, *([left] if left else [])]
    subject.affordable(len(folds), len(folds) * len(every) * SHUFFLES)
    drops = np.empty((len(every), len(folds)))
    before = np.empty(len(folds))
    for f, _ in enumerate(folds):
        before[f], drops[:, f] = _of_fold(subject, f, every)
    known = np.isfinite(drops).all(axis=0)
    n_train = float(np.mean([len(fold.train) for fold in folds]))
    n_test = float(np.mean([min(len(fold.test), MOST_ROWS) for fold in folds]))
    free = replace(metric, low=-np.inf, high=np.inf)
    found = []
    for places, row in zip(every, drops[:, known], strict=True):
        low, high = mean_interval(row, n_train, n_test, free)
        mean = float(row.mean()) if len(row) else float("nan")
        found.append(Importance(tuple(names[j] for j in places), mean, low, high))
    n = len(alone)
    ordered = sorted(found[:n], key=lambda i: -i.drop if i.drop == i.drop else np.inf)
    rest = found[-1] if left else None
    mean = float(before[known].mean()) if known.any() else float("nan")
    return Importances(tuple(ordered), tuple(found[n : n + len(together)]), rest, int(known.sum()), mean)


def _columns_to_shuffle(subject: Subject) -> list[int]:
    """Places of the columns to shuffle one by one: all, or those most closely related to the target."""
    table = subject.problem.table
    if table.n_columns <= MOST_COLUMNS:
        return list(range(table.n_columns))
    place = {name: j for j, name in enumerate(table.names)}
    order = [place[r.column] for r in subject.understood.description.relations]
    order += sorted(set(range(table.n_columns)) - set(order))
    return order[:MOST_COLUMNS]


def _of_fold(subject: Subject, f: int, every: Sequence[tuple[int, ...]]) -> tuple[float, Array]:
    """The score of a fold's model on its test rows, and how much worse each shuffling makes it."""
    problem, fold = subject.problem, subject.folds[f]
    rng = np.random.default_rng([subject.comparison.random_state, 11, f])
    rows = fold.test if len(fold.test) <= MOST_ROWS else np.sort(rng.choice(fold.test, MOST_ROWS, replace=False))
    model, n = subject.model(f), len(rows)
    table = problem.table.take(rows)
    target = problem.target[rows]
    weights = None if problem.weights is None else problem.weights[rows]
    before = subject.score(model, table, target, weights)
    orders = [rng.permutation(n) for _ in range(SHUFFLES)]
    cells = max(1, n * table.n_columns)
    at_once = max(1, min(SHUFFLES, MOST_CELLS // cells))
    drops = np.zeros(len(every))
    for first in range(0, SHUFFLES, at_once):
        some = orders[first : first + at_once]
        stacked = table.take(np.tile(np.arange(n), len(some)))
        order = np.concatenate([o + i * n for i, o in enumerate(some)])
        step = max(1, MOST_CELLS // (cells * len(some)))
        for e in range(0, len(every), step):
            asked = join_tables([reorder_columns(stacked, places, order) for places in every[e : e + step]])
            scores = _scores(subject, model, asked, target, weights)
            drops[e : e + step] += scores.reshape(-1, len(some)).sum(axis=1)
    sign = 1.0 if subject.comparison.metric.higher_is_better else -1.0
    return before, sign * (before - drops / SHUFFLES)


def _scores(subject: Subject, model: Any, table: Table, target: Array, weights: Array | None) -> Array:
    """Of a table that holds the same rows several times: the score of each part, all asked about at once."""
    n = len(target)
    parts = table.n_rows // n
    answers = subject.answers(model, table, np.tile(target, parts))
    problem = replace(subject.problem, target=target, weights=weights, groups=None, declared=None)
    scores = []
    for i in range(parts):
        rows = slice(i * n, (i + 1) * n)
        said = None if answers.probabilities is None else answers.probabilities[rows]
        part = replace(answers, test=np.arange(n), answer=answers.answer[rows], probabilities=said)
        scores.append(score_of(subject.comparison.metric, problem, part))
    return np.array(scores)


def groups_alike(columns: Sequence[Column]) -> list[tuple[int, ...]]:
    """Sets of at least two columns, each closely related to another of its set; by their places."""
    parent = list(range(len(columns)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i, j in combinations(range(len(columns)), 2):
        if root(i) != root(j) and relation(columns[i], columns[j]) >= ALIKE:
            parent[root(j)] = root(i)
    sets: dict[int, list[int]] = {}
    for i in range(len(columns)):
        sets.setdefault(root(i), []).append(i)
    return [tuple(group) for group in sets.values() if len(group) > 1]


def relation(a: Column, b: Column) -> float:
    """How closely two columns go together, from 0 to 1, over the rows where neither is missing."""
    rows = np.flatnonzero(~(a.missing | b.missing))
    rows = rows[:: max(1, len(rows) // 20_000)]
    if len(rows) < FEWEST:
        return 0.0
    x, y, ones = a.values[rows], b.values[rows], np.ones(len(rows))
    if a.kind == "numeric" and b.kind == "numeric":
        x, y = x.astype(np.float64) - x.mean(), y.astype(np.float64) - y.mean()
        scale = float(np.sqrt((x @ x) * (y @ y)))
        return abs(float(x @ y)) / scale if scale > 0 and np.isfinite(scale) else 0.0
    if a.kind != "numeric" and b.kind != "numeric":
        found = cramers_v(x, y, ones)
    else:
        codes, numbers = (y, x) if a.kind == "numeric" else (x, y)
        found = correlation_ratio(codes, numbers.astype(np.float64), ones)
    return float(found) if found == found else 0.0
