"""Weighted medians and quantiles, against the values themselves repeated."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from learnt.statistics.quantiles import frequency_quantiles, middle_places, weighted_median, weighted_quantile


@pytest.mark.parametrize("seed", range(5))
def test_weighted_quantiles_are_those_of_the_repeated_sample(seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        x = np.sort(rng.integers(0, 9, 12)).astype(float)
        times = rng.integers(1, 5, 12)
        shares = (*rng.random(5), 0.0, 1.0)
        found = frequency_quantiles(x, shares, times.astype(float))
        assert_allclose(found, np.quantile(np.repeat(x, times), shares))


@pytest.mark.parametrize("seed", range(20))
def test_weighted_medians_are_those_of_the_repeated_sample(seed):
    rng = np.random.default_rng(seed)
    x, times = rng.normal(size=11), rng.integers(0, 4, 11)
    times[0] += 1
    middle = np.median(np.repeat(x, times))
    assert_allclose(weighted_median(x, times.astype(float)), middle)
    assert_allclose(weighted_quantile(x, times.astype(float), 0.5), middle)


def test_weights_that_sum_to_a_half_but_for_rounding_have_two_middles():
    assert middle_places(np.array([0.1, 0.2, 0.3, 0.1, 0.5])) == (2, 3)
    assert middle_places(np.array([1.0, 3.0, 1.0])) == (1, 1)


def test_the_median_of_nothing_is_not_a_number():
    assert np.isnan(weighted_median(np.empty(0), None))
    assert np.isnan(weighted_quantile(np.ones(2), np.zeros(2), 0.5))
    assert np.isnan(frequency_quantiles(np.empty(0), (0.5,))).all()
