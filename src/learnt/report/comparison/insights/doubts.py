"""Rows that look as if their target were wrong: most learners, none of which had seen the row, contradict it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.insights.disputes import voters

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

LOW = 0.1  # a probability of the given class that counts as very low
MOST = 2 / 3  # share of the learners that must agree
FAR = 4.0  # usual residuals
MOST_ROWS = 10
LEAST_ROWS = 20  # below, learners know too little to accuse a row


@dataclass(frozen=True, eq=False)
class Doubts:
    """`rows` in order of doubt; `given` and `expected` are codes, or numbers; `support` is the mean probability of
    the given class, or the distance in usual residuals. `count` says how many rows there are in all, `right` for
    classes how many of those the learners themselves would expect to be right."""

    rows: Array
    given: Array
    expected: Array
    support: Array
    count: int
    right: float
    learners: int


def doubts(comparison: Comparison) -> Doubts | None:
    """None with fewer than two learners to ask, or hardly any rows."""
    if comparison.problem.n_rows < LEAST_ROWS:
        return None
    return _of_classes(comparison) if comparison.problem.classes is not None else _of_numbers(comparison)


def _of_classes(comparison: Comparison) -> Doubts | None:
    """A learner contradicts a row if it gives its class a very low probability and another class one as high as rows
    of that other class have on average, which allows for rare classes.

    Reference: C. Northcutt, L. Jiang, I. Chuang, Confident learning: estimating uncertainty in dataset labels, 2021.
    """
    target, k = comparison.problem.target, comparison.problem.n_classes
    known = [p for o in voters(comparison) if (p := comparison.out_of_fold(o.name)[1]) is not None]
    if len(known) < 2 or k < 2:
        return None
    asked = np.all([np.isfinite(p).all(axis=1) for p in known], axis=0)
    each = np.arange(len(target))
    against = np.zeros(len(target))
    for p in known:
        usual = np.array([p[asked & (target == c), c].mean() if (asked & (target == c)).any() else 2 for c in range(k)])
        sure = p >= usual
        sure[each, target] = False
        against += (p[each, target] <= LOW) & sure.any(axis=1)
    mean = np.mean(known, axis=0)
    support = mean[each, target]
    rows = np.flatnonzero(asked & (against >= MOST * len(known)))
    rows = rows[np.lexsort((rows, support[rows]))]
    other = mean.copy()
    other[each, target] = -1.0
    top = rows[:MOST_ROWS]
    expected = other[top].argmax(axis=1)
    return Doubts(top, target[top], expected, support[top], len(rows), float(support[rows].sum()), len(known))


def _of_numbers(comparison: Comparison) -> Doubts | None:
    """A row that every learner misses, on the same side, by several times its usual residual."""
    target = comparison.problem.target
    learners = voters(comparison)
    if len(learners) < 2:
        return None
    answers = np.column_stack([comparison.out_of_fold(o.name)[0] for o in learners])
    asked = np.flatnonzero(np.isfinite(answers).all(axis=1))
    residual = target[asked, None] - answers[asked]
    far = residual / usual_residual(residual)
    least = np.abs(far).min(axis=1) * ((far > 0).all(axis=1) | (far < 0).all(axis=1))
    order = np.argsort(-least, kind="stable")
    order = order[least[order] >= FAR]
    top = asked[order[:MOST_ROWS]]
    return Doubts(
        top, target[top], np.median(answers[top], axis=1) if len(top) else np.empty(0), least[order[:MOST_ROWS]],
        len(order), float("nan"), len(learners),
    )  # fmt: skip


def usual_residual(residual: Array) -> Array:
    """By column the median distance from 0, scaled to a standard deviation where residuals are Gaussian; the
    root mean square where more than half of them are 0."""
    middle = 1.4826 * np.median(np.abs(residual), axis=0)
    mean = np.sqrt((residual**2).mean(axis=0))
    usual: Array = np.where(middle > 0, middle, np.where(mean > 0, mean, np.inf))
    return usual
