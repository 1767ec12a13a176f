"""Where learners disagree about rows that all of them were asked while the rows were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome

MOST_LEARNERS = 12
MOST_ROWS = 8
FEWEST = 3  # of the best, where nobody is tied with the best


@dataclass(frozen=True, eq=False)
class Disputes:
    """`group` are the learners whose disputes count; `agreement` is of all in `names`, pair by pair: the share of
    rows with the same answer, or the correlation of numbers.

    `disputed` is the share of rows on which the group disagrees (classes); `gaps` the median and the ninth tenth of
    the distance between its smallest and largest prediction (numbers). `rows` are the most disputed ones.
    """

    group: tuple[str, ...]
    tied: bool
    names: tuple[str, ...]
    agreement: Array
    disputed: float
    gaps: tuple[float, float]
    rows: Array
    answers: Array  # of those rows: rows × learners of the group
    truth: Array


def disputes(comparison: Comparison) -> Disputes | None:
    """None with fewer than two learners that look at columns."""
    learners = [o for o in comparison.done if not o.baseline][:MOST_LEARNERS]
    if len(learners) < 2:
        return None
    tied = [o for o in learners if o in comparison.tied]
    group = tied if len(tied) > 1 else learners[:FEWEST]
    asked = {o.name: comparison.out_of_fold(o.name) for o in learners}
    answers = np.column_stack([asked[o.name][0] for o in learners])
    classes = comparison.problem.classes is not None
    whole = np.flatnonzero((answers >= 0).all(axis=1) if classes else np.isfinite(answers).all(axis=1))
    answers = answers[whole]
    own = answers[:, [learners.index(o) for o in group]]
    if classes:
        order, disputed = _by_votes(own, [asked[o.name][1] for o in group], whole)
        gaps = (float("nan"), float("nan"))
    else:
        gap = own.max(axis=1) - own.min(axis=1) if len(own) else np.empty(0)
        order, disputed = np.argsort(-gap, kind="stable"), float("nan")
        order = order[gap[order] > 0]
        gaps = (float(np.quantile(gap, 0.5)), float(np.quantile(gap, 0.9))) if len(gap) else (0.0, 0.0)
    order = order[:MOST_ROWS]
    return Disputes(
        tuple(o.name for o in group),
        len(tied) > 1,
        tuple(o.name for o in learners),
        _same(answers) if classes else _correlations(answers),
        disputed,
        gaps,
        whole[order],
        own[order],
        comparison.problem.target[whole[order]],
    )


def _by_votes(votes: Array, probabilities: Sequence[Array | None], rows: Array) -> tuple[Array, float]:
    """Disputed rows, those with the smallest majority first, of equal ones the least sure; and their share."""
    if not len(votes):
        return np.empty(0, np.int64), float("nan")
    most = np.max([(votes == votes[:, [j]]).sum(axis=1) for j in range(votes.shape[1])], axis=0)
    known = [p[rows] for p in probabilities if p is not None]
    sure = np.sort(np.mean(known, axis=0), axis=1) if known else np.zeros((len(votes), 2))
    margin = sure[:, -1] - sure[:, -2] if sure.shape[1] > 1 else np.zeros(len(votes))
    order = np.lexsort((np.arange(len(votes)), margin, most))
    torn = most < votes.shape[1]
    return order[torn[order]], float(torn.mean())


def _same(answers: Array) -> Array:
    k = answers.shape[1]
    return np.array([[(answers[:, i] == answers[:, j]).mean() for j in range(k)] for i in range(k)])


def _correlations(answers: Array) -> Array:
    """Pearson's r; NaN for predictions that never change."""
    centred = answers - answers.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    safe = np.where(length > 0, length, np.nan)
    r: Array = np.clip((centred / safe).T @ (centred / safe), -1, 1)
    return r


def voters(comparison: Comparison) -> list[Outcome]:
    """The finished learners whose word counts about a row: those that look at columns."""
    return [o for o in comparison.done if not o.baseline]
