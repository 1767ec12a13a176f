"""Tests that ask only which score is larger, and by which rank: the sign test and Wilcoxon's signed ranks."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.significance.ranks import mean_ranks
from learnt.evaluate.significance.result import SignificanceTest, Tail, difference_words, left_out
from learnt.evaluate.significance.scores import ROUNDING, check_test, pair_differences, score_array
from learnt.learner.parameters import OneOf
from learnt.show.words import count_of

#: Up to so many differences the distribution of signed ranks is counted out; beyond, the Gaussian is as good.
EXACT_UP_TO = 50
NONE = "There are no differences, so that nothing tells the two apart."


def sign_test(
    first: Any,
    second: Any,
    *,
    tail: Tail = "two",
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """Whether one wins more often than the other: wins against a fair coin, ties left out.

    >>> test = sign_test([0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.8, 0.7, 0.7, 0.8, 0.7, 0.5])
    >>> test.statistic, test.p_value
    (5.0, 0.0625)

    The statistic is the number of wins of the first. Infinite scores are allowed: only their order counts.
    """
    from scipy.special import bdtr

    check_test("sign_test", alpha=alpha, tail=tail)
    a, b = score_array(first, "The first scores"), score_array(second, "The second scores")
    if a.shape != b.shape:
        raise InputError(f"There are {len(a)} first and {len(b)} second scores. Expected pairs.")
    known = ~(np.isnan(a) | np.isnan(b))
    a, b = a[known], b[known]
    finite = np.isfinite(a) & np.isfinite(b)
    scale = float(max(np.abs(a[finite]).max(initial=0), np.abs(b[finite]).max(initial=0)))
    same = (a == b) | (finite & (np.abs(np.where(finite, a, 0) - np.where(finite, b, 0)) <= ROUNDING * scale))
    wins, n = int((a[~same] > b[~same]).sum()), int((~same).sum())
    values = np.arange(n + 1)
    p, region = _discrete(wins, values, np.asarray(bdtr(values, n, 0.5)) if n else np.ones(1), tail, alpha)
    tied = int(same.sum())
    notes = [f"{count_of(tied, 'tie')} left out." if tied else "", left_out(int((~known).sum()))]
    words = difference_words(wins - n / 2, p, tail, alpha, names) if n else NONE
    caveat = " ".join(filter(None, notes))
    return SignificanceTest("Sign test", "wins", float(wins), None, p, tail, alpha, region, words, caveat, n=n)


def wilcoxon_test(
    first: Any,
    second: Any,
    *,
    tail: Tail = "two",
    alpha: float = 0.05,
    zeros: Literal["drop", "split"] = "drop",
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """Whether differences lie evenly around 0: the ranks of their sizes, summed over those above 0.

        W = Σ_{d_i > 0} rank|d_i|

    >>> test = wilcoxon_test([0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.8, 0.78, 0.73, 0.85, 0.74, 0.52])
    >>> test.statistic, test.p_value
    (19.0, 0.09375)

    Up to 50 differences the p-value is exact, with ties among them too; beyond, it is Gaussian. Pairs without a
    difference are left out (`zeros="drop"`), or take part and give half their ranks to each side (`"split"`), as is
    usual when learners are compared over data sets.

    Reference: J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.
    """
    check_test("wilcoxon_test", alpha=alpha, tail=tail, zeros=(OneOf("drop", "split"), zeros))
    d, dropped = pair_differences(first, second)
    equal = int((d == 0).sum())
    if zeros == "drop":
        d = d[d != 0]
    size = np.round(np.abs(d), 12 - _magnitude(d))  # differences equal but for rounding share their rank
    ranks = mean_ranks(size)
    w = float(ranks[d > 0].sum() + ranks[d == 0].sum() / 2)
    if len(ranks) <= EXACT_UP_TO:
        p, region = _discrete(w, *_signed_rank_sums(ranks), tail, alpha)
    else:
        p, region = _normal(w, ranks, tail, alpha)
    words = difference_words(w - ranks.sum() / 2, p, tail, alpha, names) if d.any() else NONE
    ties = f"{count_of(equal, 'pair')} without a difference {_DONE[zeros]}." if equal else ""
    return SignificanceTest(
        "Wilcoxon signed-rank test",
        "W",
        w,
        None,
        p,
        tail,
        alpha,
        region,
        words,
        " ".join(filter(None, [ties, left_out(dropped)])),
        n=len(d),
    )


_DONE = {"drop": "left out", "split": "counted half for each"}


def _magnitude(d: Array) -> int:
    largest = float(np.abs(d).max(initial=0))
    return math.floor(math.log10(largest)) if largest > 0 else 0


def _signed_rank_sums(ranks: Array) -> tuple[Array, Array]:
    """All sums a part of the ranks can have, and the chance of each or less when every sign is a fair coin."""
    doubled = np.rint(2 * ranks).astype(np.int64)  # shared ranks are halves
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for r in doubled.tolist():
        moved = np.zeros_like(chances)
        moved[r:] = chances[: len(chances) - r]
        chances = (chances + moved) / 2
    possible = np.flatnonzero(chances > 0)
    return possible / 2, np.cumsum(chances)[possible]


def _discrete(
    value: float, values: Array, upto: Array, tail: Tail, alpha: float
) -> tuple[float, tuple[tuple[float, float], ...]]:
    """The p-value of a symmetric statistic whose `values` have these chances or less, and its critical region."""
    onwards = upto[::-1]
    # Halved ranks may lie between the possible values.
    at_most, at_least = np.searchsorted(values, value, side="right") - 1, np.searchsorted(values, value)
    level = (alpha / 2 if tail == "two" else alpha) * (1 + 1e-12)
    low, high = np.flatnonzero(upto <= level), np.flatnonzero(onwards <= level)
    region: tuple[tuple[float, float], ...] = ()
    if tail != "greater" and len(low):
        region += ((-math.inf, float(values[low[-1]])),)
    if tail != "less" and len(high):
        region += ((float(values[high[0]]), math.inf),)
    less, greater = float(upto[at_most]), float(onwards[at_least])
    p = {"less": less, "greater": greater, "two": min(1.0, 2 * min(less, greater))}[tail]
    return p, region


def _normal(w: float, ranks: Array, tail: Tail, alpha: float) -> tuple[float, tuple[tuple[float, float], ...]]:
    """The same for many ranks, by the Gaussian with their mean and variance (ties are in the ranks already)."""
    from scipy.special import ndtr, ndtri

    mean, error = float(ranks.sum()) / 2, math.sqrt(float((ranks**2).sum()) / 4)
    z = (w - mean) / error
    if tail == "two":
        edge = -float(ndtri(alpha / 2)) * error
        return min(1.0, 2 * float(ndtr(-abs(z)))), ((-math.inf, mean - edge), (mean + edge, math.inf))
    edge = -float(ndtri(alpha)) * error
    if tail == "greater":
        return float(ndtr(-z)), ((mean + edge, math.inf),)
    return float(ndtr(z)), ((-math.inf, mean - edge),)
