"""Intervals of skewed means against Hall's polynomial, solved by bisection, and against means that are known."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import skew, t

from learnt.statistics.skewness import skewed_interval


@pytest.mark.parametrize("n", [5, 30, 400])
def test_the_ends_are_where_halls_polynomial_is_students_t(n):
    values = np.random.default_rng(n).exponential(size=n)
    spread = values.std(ddof=1)
    a = skew(values) * ((n - 1) / n) ** 1.5  # of deviations by the spread of n − 1

    def end(side):
        y = side * t.ppf(0.975, n - 1) / math.sqrt(n)
        w = brentq(lambda w: w + a * w**2 / 3 + a**2 * w**3 / 27 + a / (6 * n) - y, -50, 50, xtol=1e-13)
        return values.mean() - spread * w

    assert skewed_interval(values, 0.95) == pytest.approx((end(1), end(-1)), rel=1e-8)


def test_without_skewness_it_is_students_interval():
    values = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    error = values.std(ddof=1) / math.sqrt(5)
    assert skewed_interval(values, 0.9) == pytest.approx(t.interval(0.9, 4, 0, error))
    assert skewed_interval(values, 0.9, error=error / 3) == pytest.approx(t.interval(0.9, 4, 0, error / 3))


def test_equal_weights_change_nothing_and_equal_values_leave_no_doubt():
    values = np.random.default_rng(0).exponential(size=20)
    assert skewed_interval(values, 0.95, weights=np.full(20, 3.0)) == pytest.approx(skewed_interval(values, 0.95))
    assert skewed_interval(np.full(9, 2.5), 0.95) == (2.5, 2.5)


def test_the_mean_of_thirty_skewed_numbers_is_held_as_often_as_promised():
    rng = np.random.default_rng(1)
    samples = [rng.chisquare(1, size=30) for _ in range(1500)]
    held = np.mean([low <= 1 <= high for low, high in (skewed_interval(s, 0.95) for s in samples)])
    plain = np.mean([abs(s.mean() - 1) <= t.ppf(0.975, 29) * s.std(ddof=1) / math.sqrt(30) for s in samples])
    assert plain + 0.01 < held
    assert 0.93 < held < 0.965
