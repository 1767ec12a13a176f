"""How wide prediction intervals made of residuals must be, and whether they hold what they promise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.intervals import proportion_interval
from learnt.report.comparison.insights.subject import Subject

LEVELS = (0.5, 0.8, 0.9, 0.95)
LEAST_ROWS = 20
PARTS = ("low", "middle", "high")


@dataclass(frozen=True)
class IntervalCoverage:
    """Of intervals prediction ± `half`: the share of rows inside, with its 95 % interval, and the shares among the
    rows with low, middle and high predictions."""

    level: float
    half: float
    share: float
    low: float
    high: float
    parts: tuple[float, ...]


def coverage(subject: Subject) -> list[IntervalCoverage]:
    """A row's interval is as wide as the residuals of the other folds ask for: none sees its own."""
    problem, (answer, _) = subject.problem, subject.held_out
    rows = np.flatnonzero(np.isfinite(answer))
    if len(rows) < LEAST_ROWS:
        return []
    size = np.abs(problem.target - answer)
    fold = np.full(problem.n_rows, -1)
    for r in subject.outcome.results:
        if r.repeat == 0:
            fold[r.test] = r.number
    third = np.searchsorted(np.quantile(answer[rows], [1 / 3, 2 / 3]), answer[rows])
    found = []
    for level in LEVELS:
        inside = np.zeros(problem.n_rows, bool)
        for number in np.unique(fold[rows]):
            others = rows[fold[rows] != number]
            own = rows[fold[rows] == number]
            inside[own] = size[own] <= reach(size[others], level)
        held = inside[rows]
        low, high = proportion_interval(float(held.sum()), len(held))
        parts = tuple(float(held[third == i].mean()) if (third == i).any() else float("nan") for i in range(3))
        found.append(IntervalCoverage(level, reach(size[rows], level), float(held.mean()), low, high, parts))
    return found


def reach(sizes: Array, level: float) -> float:
    """The smallest of these that is at least as large as a share `level` of them and one unseen (conformal)."""
    if not len(sizes):
        return float("inf")
    place = int(np.ceil(level * (len(sizes) + 1))) - 1
    return float(np.sort(sizes)[place]) if place < len(sizes) else float("inf")
