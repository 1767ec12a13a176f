"""The test of five times two folds: differences from halves that share no training rows."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.significance.result import SignificanceTest, Tail, difference_words
from learnt.evaluate.significance.scores import ROUNDING, check_test, without_rounding
from learnt.learner.parameters import OneOf

NO_SPREAD = "The differences have no spread, so that the test is more certain than ten numbers can be."


def five_by_two_test(
    first: Any,
    second: Any,
    *,
    statistic: Literal["t", "f"] = "t",
    tail: Tail = "two",
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """Whether two learners differ, from five repeats of two-fold cross-validation.

        t = d₁₁ / √(Σ_i s_i² / 5),  5 degrees of freedom
        f = Σ_ij d_ij² / (2 Σ_i s_i²),  10 and 5 degrees of freedom

    d_ij is the difference in fold j of repeat i, s_i² the variance of a repeat's two differences. The scores are ten in
    the order of folds, or 5 × 2. Dietterich's `"t"` takes its numerator from the first fold alone; Alpaydın's `"f"`
    combines all ten, does not depend on their order, and is two-tailed only.

    >>> a = [0.80, 0.82, 0.81, 0.79, 0.83, 0.80, 0.78, 0.82, 0.81, 0.80]
    >>> b = [0.75, 0.78, 0.77, 0.74, 0.77, 0.76, 0.74, 0.75, 0.78, 0.76]
    >>> test = five_by_two_test(a, b, statistic="f")
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (14.0, 0.0047)

    Reference: T. G. Dietterich, Neural Computation 10, 1998; E. Alpaydın, Combined 5 × 2 cv F test, 1999.
    """
    check_test("five_by_two_test", alpha=alpha, tail=tail, statistic=(OneOf("t", "f"), statistic))
    if statistic == "f" and tail != "two":
        raise InputError(f"statistic='f' came with tail={tail!r}. Squares have no direction: use 'two', or 't'.")
    a, b = _folds(first, "first"), _folds(second, "second")
    d = without_rounding(a, b)
    s2 = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    s2[s2 <= (ROUNDING * max(np.abs(a).max(), np.abs(b).max())) ** 2] = 0.0
    if statistic == "t":
        value, p, df, region = _t(float(d[0, 0]), float(s2.sum()), tail, alpha)
        leading = float(d[0, 0])
    else:
        value, p, df, region = _f(float((d**2).sum()), float(s2.sum()), alpha)
        leading = float(d.mean())
    return SignificanceTest(
        name="5 × 2 cv t-test" if statistic == "t" else "Combined 5 × 2 cv F-test",
        symbol=statistic,
        statistic=value,
        degrees_of_freedom=df,
        p_value=p,
        tail=tail,
        alpha=alpha,
        critical_region=region,
        words=difference_words(leading, p, tail, alpha, names),
        caveat=NO_SPREAD if s2.sum() == 0 and d.any() else "",
        n=10,
    )


_Answer = tuple[float, float, float | tuple[float, float], tuple[tuple[float, float], ...]]


def _t(d: float, s2: float, tail: Tail, alpha: float) -> _Answer:
    from scipy.special import stdtr, stdtrit

    t = d / math.sqrt(s2 / 5) if s2 > 0 else math.copysign(math.inf, d) if d != 0 else 0.0
    if tail == "two":
        edge = -float(stdtrit(5, alpha / 2))
        return t, min(1.0, 2 * float(stdtr(5, -abs(t)))), 5.0, ((-math.inf, -edge), (edge, math.inf))
    edge = -float(stdtrit(5, alpha))
    if tail == "greater":
        return t, float(stdtr(5, -t)), 5.0, ((edge, math.inf),)
    return t, float(stdtr(5, t)), 5.0, ((-math.inf, -edge),)


def _f(d2: float, s2: float, alpha: float) -> _Answer:
    from scipy.special import fdtrc, fdtri

    f = d2 / (2 * s2) if s2 > 0 else math.inf if d2 > 0 else 0.0
    p = 0.0 if math.isinf(f) else float(fdtrc(10, 5, f))
    return f, p, (10.0, 5.0), ((float(fdtri(10, 5, 1 - alpha)), math.inf),)


def _folds(scores: Any, what: str) -> Array:
    values = np.asarray(scores, dtype=np.float64)
    if values.shape not in ((10,), (5, 2)):
        raise InputError(
            f"The {what} scores have shape {values.shape}. Expected ten: five repeats of two folds. "
            "Use corrected_t_test for other numbers of folds."
        )
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values.ravel()))[0])
        raise InputError(
            f"Score {place} of the {what} is {values.ravel()[place]}. This test needs all ten. Use corrected_t_test, "
            "which leaves folds out."
        )
    return values.reshape(5, 2)
