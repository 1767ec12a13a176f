"""Three rows looked at closely: the worst mistake, a typical row and a borderline one.

Everything about a row is asked of the model of the fold in which it was held out, which is the one that made the
mistake; a model fitted to all rows has seen the row and may know better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.foreign import features_for
from learnt.explain import Explanation
from learnt.report.attempt import Failed, attempt
from learnt.report.comparison.insights.cells import variants
from learnt.report.comparison.insights.distance import MOST_CELLS, Distance, nearest
from learnt.report.comparison.insights.flips import Flip, Search, largest_moves, smallest_flip
from learnt.report.comparison.insights.subject import Subject

NEIGHBOURS = 3
MOST_TRIED = 20_000  # training rows whose values are tried in place of a row's own
WORST, TYPICAL, BORDERLINE = "the worst mistake", "a typical row", "a borderline row"


@dataclass(frozen=True, eq=False)
class Case:
    """A row, why it was chosen, and what there is to say of it; a part that failed says why."""

    row: int
    why: str
    answer: float  # a code, or a number
    sure: float  # probability of the answer; NaN where there is none
    support: float  # probability of the true class
    explanation: Explanation | Failed
    neighbours: tuple[Array, Array] | Failed
    flip: Search | Failed | None  # for classes
    moves: list[Flip] | Failed  # for numbers


def cases(subject: Subject) -> list[Case]:
    problem = subject.problem
    fold_of = np.full(problem.n_rows, -1)
    for place, fold in enumerate(subject.folds):
        fold_of[fold.test] = place
    chosen = chosen_numbers(subject, fold_of >= 0) if problem.classes is None else chosen_classes(subject, fold_of >= 0)
    subject.affordable(len({int(fold_of[row]) for row, _ in chosen}))
    distance = attempt(lambda: _distance(subject))
    return [_case(subject, distance, row, why, int(fold_of[row])) for row, why in chosen]


def chosen_classes(subject: Subject, asked: Array) -> list[tuple[int, str]]:
    """The wrong row whose class seemed least likely (else the least sure right one); of the others the one with the
    smallest margin between two classes; of the right ones that of median sureness."""
    target = subject.problem.target
    answer, probabilities = subject.held_out
    rows = np.flatnonzero(asked & (answer >= 0))
    if not len(rows):
        return []
    if probabilities is None:
        support = np.where(answer == target, 1.0, 0.0)
        margin = np.full(len(target), np.inf)
    else:
        support = probabilities[np.arange(len(target)), target]
        ordered = np.sort(probabilities, axis=1)
        margin = ordered[:, -1] - ordered[:, -2] if ordered.shape[1] > 1 else np.full(len(target), np.inf)
    wrong = rows[answer[rows] != target[rows]]
    pool = wrong if len(wrong) else rows
    worst = int(pool[np.argmin(support[pool])])
    found = [(worst, WORST if len(wrong) else "the least sure of the rows, all of which were right")]
    right = rows[(answer[rows] == target[rows]) & (rows != worst)]
    if len(right):
        order = right[np.argsort(support[right], kind="stable")]
        found.append((int(order[len(order) // 2]), f"{TYPICAL}, answered rightly"))
    left = rows[np.isfinite(margin[rows]) & ~np.isin(rows, [row for row, _ in found])]
    if len(left):
        found.append((int(left[np.argmin(margin[left])]), BORDERLINE))
    return found


def chosen_numbers(subject: Subject, asked: Array) -> list[tuple[int, str]]:
    """The largest residual, the median one, and the largest on the other side."""
    residual = subject.problem.target - subject.held_out[0]
    rows = np.flatnonzero(asked & np.isfinite(residual))
    if not len(rows):
        return []
    order = rows[np.argsort(-np.abs(residual[rows]), kind="stable")]
    worst = int(order[0])
    side = "too low" if residual[worst] > 0 else "too high"
    found = [(worst, f"{WORST}, {side}")]
    if len(order) > 2:
        found.append((int(order[len(order) // 2]), f"{TYPICAL}: half of all rows were missed by less"))
    other = order[(residual[order] * residual[worst] < 0) & ~np.isin(order, [row for row, _ in found])]
    if len(other):
        far = "too high" if side == "too low" else "too low"
        found.append((int(other[0]), f"{WORST} on the other side, {far}"))
    return found


def _distance(subject: Subject) -> Distance:
    table = subject.problem.table
    if table.sparse is not None and table.n_rows * table.n_columns > MOST_CELLS:
        raise InputError("the table is a sparse matrix too large to compare its rows cell by cell")
    return Distance(table)


def _case(subject: Subject, distance: Distance | Failed, row: int, why: str, place: int) -> Case:
    problem = subject.problem
    answer, probabilities = subject.held_out
    train = subject.folds[place].train
    model = attempt(lambda: subject.model(place))
    explanation = model if isinstance(model, Failed) else attempt(lambda: explain_case(model, subject, row))
    order = _columns(subject, explanation)
    lost = next((part for part in (model, distance) if isinstance(part, Failed)), None)
    neighbours: tuple[Array, Array] | Failed
    flip: Search | Failed | None = lost
    moves: list[Flip] | Failed = [] if lost is None else lost
    if isinstance(distance, Failed):
        neighbours = distance
    else:
        seed = [subject.comparison.random_state, 9, row]
        neighbours = attempt(lambda: nearest(distance, row, train, NEIGHBOURS, seed))
        if lost is None:

            def ask(changes: Sequence[dict[int, float]]) -> tuple[Array, Array]:
                return _ask_variants(subject, model, row, changes)

            some = train
            if len(train) > MOST_TRIED:
                some = np.sort(np.random.default_rng(seed).choice(train, MOST_TRIED, replace=False))
            if problem.classes is None:
                moves = attempt(lambda: largest_moves(distance, row, order, some, ask))
            else:
                flip = attempt(lambda: smallest_flip(distance, row, order, some, ask))
    said = None if probabilities is None else probabilities[row]
    return Case(
        row,
        why,
        float(answer[row]),
        float("nan") if said is None else float(said[answer[row]]),
        float("nan") if said is None else float(said[problem.target[row]]),
        explanation,
        neighbours,
        flip,
        moves,
    )


def explain_case(model: Any, subject: Subject, row: int) -> Explanation:
    if not hasattr(model, "explain"):
        raise InputError(f"{type(model).__name__} explains nothing")
    found: Explanation = model.explain(features_for(model, subject.problem.table.take([row])))[0]
    return found


def _ask_variants(subject: Subject, model: Any, row: int, changes: Sequence[dict[int, float]]) -> tuple[Array, Array]:
    problem = subject.problem
    table = variants(problem.table, row, changes)
    result = subject.answers(model, table, np.full(len(changes), problem.target[row]))
    if problem.classes is None or result.probabilities is None:
        return result.answer, np.zeros(len(changes))
    now = int(subject.held_out[0][row])
    return result.answer, result.probabilities[:, now]


def _columns(subject: Subject, explanation: Explanation | Failed) -> list[int]:
    """Places of the columns, those that said most about the row first."""
    table = subject.problem.table
    place = {name: j for j, name in enumerate(table.names)}
    told = [] if isinstance(explanation, Failed) else [e.column for e in explanation.by_size()]
    order = list(dict.fromkeys(place[name] for name in told if name in place))
    first = set(order)
    return [*order, *(j for j in range(table.n_columns) if j not in first)]
