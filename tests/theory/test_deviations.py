"""Deviations: bounds that hold of exact binomial tails, and agree with each other's formulas."""

import numpy as np
import pytest
from scipy.stats import binom

from learnt.errors import ParameterError
from learnt.theory import chebyshev, chebyshev_mean, chernoff, hoeffding, hoeffding_interval


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("m", [5, 60, 700])
def test_no_binomial_tail_is_above_its_bounds(m, p):
    for epsilon in (0.01, 0.05, 0.2):
        above = binom.sf(np.ceil(m * (p + epsilon) - 1e-9) - 1, m, p)
        below = binom.cdf(np.floor(m * (p - epsilon) + 1e-9), m, p)
        assert above <= hoeffding(m, epsilon) + 1e-12
        assert above + below <= hoeffding(m, epsilon, sides=2) + 1e-12
        assert above + below <= chebyshev_mean(m, epsilon, variance=p * (1 - p)) + 1e-12
        assert above <= chernoff(m, p, epsilon / p) + 1e-12
        if epsilon < p:
            assert below <= chernoff(m, p, epsilon / p, side="below") + 1e-12


def test_chebyshev_is_met_by_the_distribution_that_meets_it():
    """±k with chance 1/(2k²) each, else 0: as far out as can be."""
    for k in (1.5, 2.0, 3.0):
        assert chebyshev(k) == pytest.approx(1 / k**2)
    assert chebyshev(0.5) == 1


def test_the_interval_solves_the_inequality():
    half = hoeffding_interval(500, 0.05)
    assert hoeffding(500, half, sides=2) == pytest.approx(0.05)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: chebyshev(0),
        lambda: hoeffding(0, 0.1),
        lambda: hoeffding(10, 0.1, sides=3),
        lambda: hoeffding_interval(10, 1.0),
        lambda: chernoff(10, 0, 1),
        lambda: chernoff(10, 0.5, 1, side="left"),
    ],
)
def test_numbers_that_cannot_be_are_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()
