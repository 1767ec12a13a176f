"""Parts of the table where a learner is wrong significantly more often than elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.intervals import proportion_interval
from learnt.evaluate.significance.correction import adjust
from learnt.report.comparison.insights.bins import Bins, bins

if TYPE_CHECKING:
    from learnt.report.comparison.insights.subject import Subject

LEAST_ROWS, LEAST_SHARE = 10, 0.01  # of a slice
MOST_ROWS, MOST_COLUMNS, MOST_PAIRED = 50_000, 2000, 10
MOST_SHOWN = 10
ALPHA = 0.05


@dataclass(frozen=True)
class Slice:
    """Rows for which all of `conditions` (column, words) hold: how many, their mean error with its 95 % interval, and
    the p-value that they are no worse than other rows, adjusted for all slices tested."""

    conditions: tuple[tuple[str, str], ...]
    n_rows: int
    error: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Slices:
    """`found` are the significant ones, worst first; `worst` is the one with the smallest p-value of all."""

    found: tuple[Slice, ...]
    worst: Slice | None
    count: int
    error: float
    tested: int
    least: int
    n_columns: int
    n_rows: int


def slices(subject: Subject) -> Slices:
    """Errors are 0 or 1 for classes, absolute residuals for numbers; rows count alike, whatever their weight."""
    problem = subject.problem
    answer, _ = subject.held_out
    rows = np.flatnonzero(answer >= 0 if problem.classes is not None else np.isfinite(answer))
    if len(rows) > MOST_ROWS:
        rng = np.random.default_rng([subject.comparison.random_state, 8])
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    truth = problem.target[rows]
    errors = np.abs(truth - answer[rows]) if problem.classes is None else (answer[rows] != truth).astype(np.float64)
    least = max(LEAST_ROWS, int(np.ceil(LEAST_SHARE * len(rows))))
    cut = _cut(subject, rows, least)
    tests = Tests(errors, of_classes=problem.classes is not None)
    found = [*_singles(cut, tests), *_pairs(_columns_to_pair(subject, cut), tests, least)]
    adjusted = adjust([s.p_value for s in found]).tolist() if found else []
    found = [replace(s, p_value=p) for s, p in zip(found, adjusted, strict=True)]
    by_doubt = sorted(found, key=lambda s: (s.p_value, -s.error, len(s.conditions)))
    # Many rows make the smallest difference significant: the interval must keep clear of the error of all rows, too.
    overall = float(errors.mean()) if len(errors) else float("nan")
    significant = [s for s in by_doubt if s.p_value <= ALPHA and s.low > overall]
    return Slices(
        tuple(sorted(significant[:MOST_SHOWN], key=lambda s: -s.error)),
        max(found, key=lambda s: (-s.p_value, s.error)) if found else None,
        len(significant),
        overall,
        len(found),
        least,
        len(cut),
        len(rows),
    )


def _cut(subject: Subject, rows: Array, least: int) -> list[Bins]:
    names = subject.problem.table.names[:MOST_COLUMNS]
    table = subject.problem.table.select(names).take(rows)
    return [b for column in table.columns if len((b := bins(column, least)).words) > 0]


def _columns_to_pair(subject: Subject, cut: list[Bins]) -> list[Bins]:
    """The columns crossed with each other: chosen by the target, not by the errors, which would be looking twice."""
    if len(cut) <= MOST_PAIRED:
        return cut
    order = [r.column for r in subject.understood.description.relations]
    place = {name: i for i, name in enumerate(order)}
    return sorted(cut, key=lambda b: place.get(b.column, len(place)))[:MOST_PAIRED]


class Tests:
    """One-sided tests that a part of the rows has larger errors than the rest."""

    def __init__(self, errors: Array, *, of_classes: bool):
        self.errors, self.of_classes = errors, of_classes

    def slice(self, inside: Array, conditions: tuple[tuple[str, str], ...], p_value: float) -> Slice:
        own = self.errors[inside]
        if self.of_classes:
            low, high = proportion_interval(float(own.sum()), len(own))
        else:
            from scipy.special import stdtrit

            half = float(stdtrit(len(own) - 1, 0.975)) * float(own.std(ddof=1)) / len(own) ** 0.5
            low, high = max(0.0, float(own.mean()) - half), float(own.mean()) + half
        return Slice(conditions, len(own), float(own.mean()), low, high, p_value)

    def p_value(self, inside: Array, among: Array | None = None) -> float:
        """Of the rows inside against the others, or against the others among some."""
        errors = self.errors if among is None else self.errors[among]
        part = inside if among is None else inside[among]
        if part.all():
            return 1.0
        if self.of_classes:
            return hypergeometric_tail(int(errors[part].sum()), int(part.sum()), int(errors.sum()), len(errors))
        return rank_sum_tail(errors, part)


def _singles(cut: list[Bins], tests: Tests) -> Iterator[Slice]:
    for b in cut:
        for code, words in enumerate(b.words):
            inside = b.codes == code
            yield tests.slice(inside, ((b.column, words),), tests.p_value(inside))


def _pairs(cut: list[Bins], tests: Tests, least: int) -> Iterator[Slice]:
    """Two conditions together, tested against all other rows and against the rest of either condition."""
    for a, b in combinations(cut, 2):
        both = a.codes * len(b.words) + b.codes
        both[(a.codes < 0) | (b.codes < 0)] = -1
        sizes = np.bincount(both[both >= 0], minlength=len(a.words) * len(b.words))
        for code in np.flatnonzero(sizes >= least).tolist():
            i, j = divmod(code, len(b.words))
            inside, one, other = both == code, a.codes == i, b.codes == j
            if inside.sum() in (one.sum(), other.sum()):
                continue  # one of the conditions says nothing new
            p = max(tests.p_value(inside), tests.p_value(inside, one), tests.p_value(inside, other))
            yield tests.slice(inside, ((a.column, a.words[i]), (b.column, b.words[j])), p)


def hypergeometric_tail(wrong: int, n: int, all_wrong: int, total: int) -> float:
    """The chance of at least so many wrong rows among n drawn from all (Fisher's exact test, one-sided)."""
    from scipy.special import gammaln

    def log_choose(a: Array | float, b: Array | float) -> Array:
        ways: Array = gammaln(np.add(a, 1.0)) - gammaln(np.add(b, 1.0)) - gammaln(np.subtract(a, b) + 1.0)
        return ways

    k = np.arange(wrong, min(n, all_wrong) + 1, dtype=np.float64)
    logs = log_choose(all_wrong, k) + log_choose(total - all_wrong, n - k) - log_choose(total, n)
    return float(min(1.0, np.exp(logs[n - k <= total - all_wrong]).sum()))


def rank_sum_tail(errors: Array, part: Array) -> float:
    """The chance of ranks as high as those of a part (Wilcoxon's rank-sum test, normal, one-sided, with ties)."""
    from scipy.special import ndtr

    n, m = len(errors), int(part.sum())
    _, group, times = np.unique(errors, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[group]
    mean = m * (n + 1) / 2
    variance = m * (n - m) / 12 * ((n + 1) - float((times.astype(np.float64) ** 3 - times).sum()) / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    return float(ndtr(-(float(ranks[part].sum()) - mean - 0.5) / variance**0.5))
