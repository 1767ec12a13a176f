"""Several learners over several data sets: Friedman's test of their ranks, and Nemenyi's differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.significance.letters import cliques, letters
from learnt.evaluate.significance.ranks import ranks_by_row
from learnt.evaluate.significance.result import SignificanceTest, left_out
from learnt.evaluate.significance.scores import ALPHA, check_test, score_matrix
from learnt.learner.parameters import Whole, check_parameters
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import printable

FEW = "It takes at least three learners and two data sets to test ranks, so that nothing is tested."


@dataclass(frozen=True, repr=False)
class FriedmanTest(SignificanceTest):
    """Friedman's χ² with the mean rank of each learner (1 is best) and Iman and Davenport's less cautious F."""

    ranks: dict[str, float] = field(default_factory=dict)
    iman_davenport: SignificanceTest | None = None

    def _lines(self) -> list[str]:
        lines = super()._lines()
        shown = ", ".join(f"{printable(name)} {number(rank)}" for name, rank in _best_first(self.ranks))
        lines.insert(2, f"mean ranks: {shown}")
        return [*lines, "", *self.iman_davenport._lines()] if self.iman_davenport else lines


@dataclass(frozen=True, eq=False)
class Nemenyi:
    """Mean ranks, and how far two must lie apart to differ significantly, all pairs taken together.

    | field | meaning |
    |---|---|
    | `ranks` | the mean rank of each learner, 1 is best |
    | `critical_difference` | mean ranks at least so far apart differ |
    | `p_values` | of each pair, in the order of `ranks` |
    | `groups` | learners within a critical difference of each other |
    """

    ranks: dict[str, float]
    critical_difference: float
    p_values: Array
    groups: tuple[tuple[str, ...], ...]
    n: int
    alpha: float
    caveat: str = ""

    def __str__(self) -> str:
        names = [name for name, _ in _best_first(self.ranks)]
        groups = [[names.index(name) for name in group] for group in self.groups]
        apart = [i for i in range(len(names)) if not any(i in group for group in groups)]
        signs = letters(sorted([*groups, *([i] for i in apart)]), len(names))
        rows = [["learner", "mean rank", "tied"]]
        rows += [[printable(name), number(self.ranks[name]), sign] for name, sign in zip(names, signs, strict=True)]
        words = (
            f"Over {self.n} data sets, mean ranks that differ by {number(self.critical_difference)} or more differ "
            f"significantly (Nemenyi, α = {number(self.alpha)}); those that share a letter are not told apart."
        )
        return "\n".join([aligned(rows, left=(0,)), words, *filter(None, [self.caveat])])

    def __repr__(self) -> str:
        return f"<Nemenyi: {len(self.ranks)} learners, critical difference {number(self.critical_difference)}>"

    def plot(self) -> Any:
        """The critical-difference diagram; see `rank_diagram`."""
        from learnt.evaluate.significance.rank_picture import rank_diagram

        return rank_diagram(self.ranks, self.groups, self.critical_difference)

    def _repr_svg_(self) -> str:
        return str(self.plot().svg)


def friedman_test(scores: Any, *, higher_is_better: bool = True, alpha: float = 0.05) -> FriedmanTest:
    """Whether any of several learners ranks differently from the others over data sets.

        χ² = 12N / (k(k+1)) · Σ_j (R_j − (k+1)/2)²,  k − 1 degrees of freedom
        F  = (N−1)χ² / (N(k−1) − χ²),  k − 1 and (k−1)(N−1) degrees of freedom

    R_j is the mean rank of learner j over N data sets; equal scores share their ranks, and χ² is divided by
    1 − Σ(t³−t) / (Nk(k²−1)) over the sizes t of such ties.

    `scores` is a dict with a list per learner (one score for each data set), a frame, or data sets × learners. Data
    sets on which a score is missing are left out.

    >>> test = friedman_test({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.8], "c": [0.7, 0.75, 0.5, 0.6]})
    >>> test.ranks, test.statistic
    ({'a': 1.0, 'b': 2.25, 'c': 2.75}, 6.5)

    Reference: R. L. Iman, J. M. Davenport 1980; J. Demšar, JMLR 7, 2006.
    """
    from scipy.special import chdtrc, chdtri, fdtrc, fdtri

    check_test("friedman_test", alpha=alpha)
    names, matrix, dropped = score_matrix(scores, "friedman_test")
    caveat = left_out(dropped, "data set")
    n, k = matrix.shape
    ranks = ranks_by_row(matrix, higher_is_better)
    means = dict(zip(names, ranks.mean(axis=0).tolist() if n else [math.nan] * k, strict=True))
    if k < 3 or n < 2:
        return FriedmanTest("Friedman test", "χ²", math.nan, None, 1.0, "two", alpha, (), FEW, caveat, n=n, ranks=means)
    shared = sum(float((t**3 - t).sum()) for t in (np.unique(row, return_counts=True)[1] for row in ranks))
    spread = 12 * n / (k * (k + 1)) * float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    untied = 1 - shared / (n * k * (k * k - 1))
    chi2 = spread / untied if untied > 0 else 0.0  # all scores of every data set equal: no ranks to tell apart
    room = n * (k - 1) - chi2
    f = (n - 1) * chi2 / room if room > 1e-9 * n else math.inf
    df = float(k - 1), float((k - 1) * (n - 1))
    p, p_f = float(chdtrc(df[0], chi2)), 0.0 if math.isinf(f) else float(fdtrc(*df, f))
    small = "χ² is a rough guide with so few data sets and learners." if n <= 10 and k <= 5 else ""
    return FriedmanTest(
        *("Friedman test", "χ²", chi2, df[0], p, "two", alpha, ((float(chdtri(df[0], alpha)), math.inf),)),
        words=_words(p <= alpha),
        caveat=" ".join(filter(None, [small, caveat])),
        n=n,
        ranks=means,
        iman_davenport=SignificanceTest(
            *("Iman–Davenport test", "F", f, df, p_f, "two", alpha, ((float(fdtri(*df, 1 - alpha)), math.inf),)),
            words=_words(p_f <= alpha),
            n=n,
        ),
    )


def nemenyi(scores: Any, *, higher_is_better: bool = True, alpha: float = 0.05) -> Nemenyi:
    """Which learners rank differently over data sets, all pairs taken together; made for after `friedman_test`.

        CD = q_α · √(k(k+1) / 6N)

    q_α is the upper quantile of the studentized range over √2.

    >>> print(nemenyi({"a": [3, 4, 5, 6, 7, 8], "b": [2, 3, 4, 5, 6, 7], "c": [1, 2, 3, 4, 5, 6]}))
    learner  mean rank  tied
    a                1     a
    b                2    ab
    c                3     b
    Over 6 data sets, mean ranks that differ by 1.353 or more differ significantly (Nemenyi, α = 0.05); those that
    share a letter are not told apart.
    """
    from scipy.stats import studentized_range

    check_test("nemenyi", alpha=alpha)
    names, matrix, dropped = score_matrix(scores, "nemenyi")
    n, k = matrix.shape
    if k < 2 or n < 1:
        raise InputError(
            f"nemenyi: {k} learners on {n} data sets with all scores. Expected at least two learners and one data set."
        )
    means = ranks_by_row(matrix, higher_is_better).mean(axis=0)
    gap = np.abs(means[:, None] - means)
    p = studentized_range.sf(gap * math.sqrt(12 * n / (k * (k + 1))), k, np.inf)
    np.fill_diagonal(p, 1.0)
    ranks = dict(zip(names, means.tolist(), strict=True))
    reach = critical_difference(k, n, alpha)
    return Nemenyi(ranks, reach, p, within(ranks, reach), n, alpha, left_out(dropped, "data set"))


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """How far mean ranks of k learners over n data sets must lie apart to differ (Nemenyi).

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    from scipy.stats import studentized_range

    domains = {"k": Whole(2), "n": Whole(1), "alpha": ALPHA}
    check_parameters("critical_difference", domains, {"k": k, "n": n, "alpha": alpha})
    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * n))


def within(ranks: dict[str, float], reach: float) -> tuple[tuple[str, ...], ...]:
    """The groups of names whose ranks lie less than `reach` apart, two at least, the best first."""
    names = [name for name, _ in _best_first(ranks)]
    values = np.array([ranks[name] for name in names])
    groups = cliques(np.abs(values[:, None] - values) < reach)
    return tuple(tuple(names[i] for i in group) for group in groups if len(group) > 1)


def _best_first(ranks: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(ranks.items(), key=lambda item: item[1])


def _words(significant: bool) -> str:
    if significant:
        return (
            "The learners do not all rank alike: chance alone rarely spreads mean ranks so far. Which of them differ, "
            "a test of pairs must say (nemenyi)."
        )
    return "It cannot be concluded that any learner ranks differently. That all are equal is not shown either."
