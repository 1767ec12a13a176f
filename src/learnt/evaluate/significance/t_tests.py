"""Student's t-tests of scores: against a number, between two learners, and corrected for overlapping training sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.significance.result import SignificanceTest, Tail, difference_words, left_out
from learnt.evaluate.significance.scores import check_test, deviation, pair_differences, score_array, test_to_train
from learnt.learner.parameters import Real
from learnt.show.numbers import number

FEW = "Fewer than two scores have no spread, so that nothing can be tested."
SAME = (
    "All differences are equal, so that their estimated variance is 0 and the test more certain than so few numbers "
    "can be."
)
OPTIMISM = (
    "Training sets of cross-validation overlap, so that fold scores are not independent and this test finds "
    "differences too easily. Use corrected_t_test on folds."
)


@dataclass(frozen=True)
class MeanTest:
    """Whether a mean is 0: the statistic, its critical region, and a confidence interval of the mean."""

    mean: float
    low: float
    high: float
    statistic: float
    p_value: float
    region: tuple[tuple[float, float], ...]
    note: str


def mean_test(values: Array, factor: float, s: float, tail: Tail, alpha: float) -> MeanTest:
    """t = mean / √(factor · s²) against Student's distribution with n − 1 degrees of freedom."""
    from scipy.special import stdtr, stdtrit

    df = len(values) - 1
    mean = float(values.mean()) if len(values) else 0.0
    if df < 1:
        return MeanTest(mean, -math.inf, math.inf, math.nan, 1.0, (), FEW)
    error = math.sqrt(factor) * s
    t = mean / error if error > 0 else math.copysign(math.inf, mean) if mean != 0 else 0.0
    if tail == "two":
        p = min(1.0, 2 * float(stdtr(df, -abs(t))))
        edge = -float(stdtrit(df, alpha / 2))
        region: tuple[tuple[float, float], ...] = ((-math.inf, -edge), (edge, math.inf))
        low, high = mean - edge * error, mean + edge * error
    else:
        edge = -float(stdtrit(df, alpha))
        p = float(stdtr(df, -t if tail == "greater" else t))
        region = ((edge, math.inf),) if tail == "greater" else ((-math.inf, -edge),)
        low = mean - edge * error if tail == "greater" else -math.inf
        high = mean + edge * error if tail == "less" else math.inf
    return MeanTest(mean, low, high, t, p, region, SAME if error == 0 and mean != 0 else "")


def one_sample_t_test(scores: Any, mean: float = 0.0, *, tail: Tail = "two", alpha: float = 0.05) -> SignificanceTest:
    """Whether scores come from a distribution with this mean.

        t = (x̄ − mean) / √(s² / k),  k − 1 degrees of freedom

    >>> test = one_sample_t_test([0.81, 0.79, 0.84, 0.80, 0.86], mean=0.75, tail="greater")
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (5.369, 0.0029)

    `tail` is "two", or "greater" or "less" when only a mean above or below is asked for. NaN scores are left out.
    """
    check_test("one_sample_t_test", alpha=alpha, tail=tail, mean=(Real(), mean))
    x, dropped = pair_differences(score_array(scores), np.full(np.shape(scores), float(mean)))
    scale = max(float(np.abs(x).max(initial=0)), abs(float(mean)))
    names = ("the mean of the scores", number(mean))
    return _test_result("One-sample t-test", x, 1 / max(len(x), 1), scale, tail, alpha, names, dropped, "")


def paired_t_test(
    first: Any,
    second: Any,
    *,
    tail: Tail = "two",
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """Whether two learners scored on the same samples differ in the mean, as textbooks have it.

        t = d̄ / √(Σ(d_i − d̄)² / (k(k − 1))),  k − 1 degrees of freedom

    >>> test = paired_t_test([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79])
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (3.873, 0.03)

    Right for scores on independent samples. Folds of one table share most of their training rows; there the test is
    too optimistic (it says so when printed) and `corrected_t_test` is the one to use.
    """
    check_test("paired_t_test", alpha=alpha, tail=tail)
    d, dropped = pair_differences(first, second)
    return _test_result(
        "Paired t-test", d, 1 / max(len(d), 1), _scale(first, second), tail, alpha, names, dropped, OPTIMISM
    )


def corrected_t_test(
    first: Any,
    second: Any,
    n_train: Any,
    n_test: Any,
    *,
    tail: Tail = "two",
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first", "the second"),
) -> SignificanceTest:
    """Whether two learners differ, from scores on folds or resamples of one table.

        t = d̄ / √((1/k + n_test/n_train) · s²),  k − 1 degrees of freedom

    The second term makes up for the rows that training sets share. `n_train` and `n_test` are the rows of a fold's two
    parts, numbers or one per fold.

    >>> test = corrected_t_test([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79], n_train=75, n_test=25)
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (2.535, 0.085)

    Reference: C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    check_test("corrected_t_test", alpha=alpha, tail=tail)
    d, dropped = pair_differences(first, second)
    factor = 1 / max(len(d), 1) + test_to_train(n_train, n_test)
    return _test_result("Corrected resampled t-test", d, factor, _scale(first, second), tail, alpha, names, dropped, "")


def _scale(first: Any, second: Any) -> float:
    both = np.abs(np.concatenate([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)]))
    return float(np.nanmax(both, initial=0))


def _test_result(
    name: str,
    d: Array,
    factor: float,
    scale: float,
    tail: Tail,
    alpha: float,
    names: tuple[str, str],
    dropped: int,
    caveat: str,
) -> SignificanceTest:
    t = mean_test(d, factor, deviation(d, scale), tail, alpha)
    return SignificanceTest(
        name=name,
        symbol="t",
        statistic=t.statistic,
        degrees_of_freedom=float(max(len(d) - 1, 0)),
        p_value=t.p_value,
        tail=tail,
        alpha=alpha,
        critical_region=t.region,
        words=FEW if len(d) < 2 else difference_words(t.mean, t.p_value, tail, alpha, names),
        caveat=" ".join(filter(None, [t.note if len(d) > 1 else "", left_out(dropped), caveat])),
        difference=t.mean,
        interval=(t.low, t.high),
        n=len(d),
    )
