"""McNemar's test: of the rows that one of two classifiers gets wrong, whose are more?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.significance.rank_tests import sign_test
from learnt.evaluate.significance.result import SignificanceTest, difference_words
from learnt.evaluate.significance.scores import check_test
from learnt.show.words import spell

#: From so many disagreements on, χ² is close enough to the exact binomial distribution.
EXACT_BELOW = 25


def mcnemar_test(
    truth: Any,
    first: Any,
    second: Any,
    *,
    exact: bool | None = None,
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """Whether two classifiers err differently often, from their answers to the same rows.

        χ² = (|n₁ − n₂| − 1)² / (n₁ + n₂),  1 degree of freedom

    n₁ rows only the first gets right, n₂ only the second. With fewer than 25 such rows the test is the exact binomial
    one, unless `exact` says otherwise.

    >>> mcnemar_test(list("aabbab"), list("aabbab"), list("aabbba")).p_value
    0.5

    It compares two fitted classifiers on test rows; that another training set would turn out alike is not tested.

    Reference: T. G. Dietterich, Approximate statistical tests for comparing supervised classification learning
    algorithms, Neural Computation 10, 1998.
    """
    y, a, b = (_labels(values, what) for values, what in ((truth, "truth"), (first, "first"), (second, "second")))
    if not len(y) == len(a) == len(b):
        raise InputError(
            f"There are {len(y)} true labels and {len(a)} and {len(b)} answers. Expected one each per row."
        )
    return mcnemar_counts(
        int(((a == y) & (b != y)).sum()), int(((a != y) & (b == y)).sum()), exact=exact, alpha=alpha, names=names
    )


def mcnemar_counts(
    only_first: int,
    only_second: int,
    *,
    exact: bool | None = None,
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """McNemar's test from the number of rows only the first, and only the second, gets right.

    >>> round(mcnemar_counts(150, 86).statistic, 2)
    16.82
    """
    from scipy.special import chdtrc, chdtri

    check_test("mcnemar_test", alpha=alpha)
    for count in (only_first, only_second):
        if not isinstance(count, int | np.integer) or count < 0:
            raise InputError(f"{spell(count)} is not a number of rows. Expected whole numbers from 0.")
    n = int(only_first) + int(only_second)
    if exact or (exact is None and n < EXACT_BELOW) or n == 0:
        return _exact(int(only_first), int(only_second), alpha, names)
    chi2 = max(0, abs(only_first - only_second) - 1) ** 2 / n
    p = float(chdtrc(1, chi2))
    region = ((float(chdtri(1, alpha)), math.inf),)
    words = _words(only_first, only_second, p, alpha, names)
    return SignificanceTest("McNemar's test", "χ²", chi2, 1.0, p, "two", alpha, region, words, n=n)


def _exact(one: int, other: int, alpha: float, names: tuple[str, str]) -> SignificanceTest:
    """A fair coin decides who is right where only one is: the sign test of the disagreements."""
    test = sign_test(np.repeat([1, 0], [one, other]), np.repeat([0, 1], [one, other]), alpha=alpha)
    return SignificanceTest(
        name="McNemar's test (exact)",
        symbol="rows only the first gets right",
        statistic=float(one),
        degrees_of_freedom=None,
        p_value=test.p_value,
        tail="two",
        alpha=alpha,
        critical_region=test.critical_region,
        words=_words(one, other, test.p_value, alpha, names),
        n=one + other,
    )


def _words(one: int, other: int, p: float, alpha: float, names: tuple[str, str]) -> str:
    if one + other == 0:
        return "The two are right and wrong on the same rows, so that nothing tells them apart."
    accuracy = f"the accuracy of {names[0]}", f"that of {names[1]}"
    return difference_words(one - other, p, "two", alpha, accuracy)


def _labels(values: Any, what: str) -> Array:
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise InputError(f"The {what} labels have shape {labels.shape}. Expected one label per row.")
    return labels
