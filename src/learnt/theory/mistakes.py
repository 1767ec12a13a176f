"""Mistake bounds: how often a learner may err before it has learnt, however the rows come."""

from __future__ import annotations

import math

from learnt.errors import ParameterError
from learnt.show.words import spell


def find_s_mistakes(n: int) -> int:
    """Find-S on conjunctions of n booleans errs n + 1 times at most: the first mistake leaves n literals, each
    further one drops at least one.

    >>> find_s_mistakes(6)
    7
    """
    return _whole("n", n) + 1


def halving_mistakes(hypotheses: int | None = None, *, log_hypotheses: float | None = None) -> int:
    """Halving errs ⌊log₂ |H|⌋ times at most: each mistake removes half of the hypotheses or more.

    >>> halving_mistakes(973)
    9
    """
    if (hypotheses is None) == (log_hypotheses is None):
        raise ParameterError("Give hypotheses=, or their logarithm as log_hypotheses=.")
    if hypotheses is not None:
        return _whole("hypotheses", hypotheses).bit_length() - 1  # exact for integers of any size
    return math.floor(_positive("log_hypotheses", log_hypotheses, zero=True) / math.log(2) + 1e-9)


def perceptron_mistakes(radius: float, margin: float) -> float:
    """Novikoff's bound: (R/γ)² mistakes, R the length of the longest row, γ the margin of some separating plane.

    >>> perceptron_mistakes(2.0, 0.5)
    16.0
    """
    return (_positive("radius", radius) / _positive("margin", margin)) ** 2


def winnow_mistakes(n: int, relevant: int, *, alpha: float = 2.0, threshold: float | None = None) -> float:
    """Winnow learning a disjunction of `relevant` out of n booleans: α r (log_α θ + 1) + n/θ mistakes at most.

    The threshold θ is n/α unless it is given. The bound grows with the logarithm of irrelevant columns.

    >>> winnow_mistakes(1024, 3)
    62.0

    Reference: N. Littlestone, Learning quickly when irrelevant attributes abound, 1988.
    """
    n, relevant = _whole("n", n), _whole("relevant", relevant)
    if not alpha > 1:
        raise ParameterError(f"alpha is {spell(alpha)}. Expected a number above 1.")
    theta = n / alpha if threshold is None else _positive("threshold", threshold)
    if theta < 1 / alpha:
        raise ParameterError(f"threshold is {spell(threshold)}. Expected 1/alpha or more.")
    return alpha * relevant * (math.log(theta, alpha) + 1) + n / theta


def weighted_majority_mistakes(n_experts: int, best: int, *, beta: float = 0.5, randomised: bool = False) -> float:
    """Weighted majority over n experts of which the best makes `best` mistakes.

        deterministic: (k ln 1/β + ln n) / ln(2/(1 + β))        randomised, expected: (k ln 1/β + ln n) / (1 − β)

    >>> round(weighted_majority_mistakes(10, 20), 1), round(weighted_majority_mistakes(10, 20, randomised=True), 1)
    (56.2, 32.3)

    Reference: N. Littlestone and M. Warmuth, The weighted majority algorithm, 1994.
    """
    if not 0 < beta < 1:
        raise ParameterError(f"beta is {spell(beta)}. Expected a number between 0 and 1.")
    start = math.log(_whole("n_experts", n_experts))
    loss = _whole("best", best, least=0) * -math.log(beta) + start
    return loss / ((1 - beta) if randomised else math.log(2 / (1 + beta)))


def _whole(name: str, value: object, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} is {spell(value)}. Expected a whole number of {least} or more.")
    return value


def _positive(name: str, value: float | None, *, zero: bool = False) -> float:
    if value is None or not math.isfinite(value) or value < 0 or (value == 0 and not zero):
        raise ParameterError(f"{name} is {spell(value)}. Expected a number {'of 0 or more' if zero else 'above 0'}.")
    return float(value)
