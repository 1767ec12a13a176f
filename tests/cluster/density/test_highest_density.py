"""Highest density regions: exact ones of known densities, several intervals, draws."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import expon, gamma, norm, uniform
from sklearn.mixture import GaussianMixture

from learnt import KernelDensity, highest_density_region
from learnt.errors import InputError, ParameterError

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.95, 0.999])
def test_the_normal_region_is_symmetric_with_its_quantiles(probability):
    found = highest_density_region(norm(10, 2), probability)
    half = norm.ppf((1 + probability) / 2)
    assert len(found.intervals) == 1
    np.testing.assert_allclose(found.intervals[0], (10 - 2 * half, 10 + 2 * half), rtol=1e-9)
    assert found.threshold == pytest.approx(norm.pdf(half) / 2, rel=1e-8)
    assert found.length == pytest.approx(4 * half)
    assert "10" not in repr(found)


def test_two_peaks_give_two_intervals():
    def density(x):
        return 0.5 * norm.pdf(x, -3) + 0.5 * norm.pdf(x, 3)

    found = highest_density_region(density, 0.9, bounds=(-15, 15))
    (a, b), (c, d) = found.intervals
    np.testing.assert_allclose([a, b], [-d, -c], atol=1e-8)
    np.testing.assert_allclose(density(np.array([a, b, c, d])), found.threshold, rtol=1e-8)

    def mass(low, high):
        return sum(0.5 * (norm.cdf(high, m) - norm.cdf(low, m)) for m in (-3, 3))

    assert mass(a, b) + mass(c, d) == pytest.approx(0.9, abs=1e-9)
    assert len(highest_density_region(density, 0.9995, bounds=(-15, 15)).intervals) == 1
    assert found.contains([-3, 0, 3.0, 20]).tolist() == [True, False, True, False]


def test_a_skewed_density_has_equal_heights_at_its_ends():
    found = highest_density_region(gamma(3), 0.95)
    low, high = found.intervals[0]
    assert gamma(3).pdf(low) == pytest.approx(gamma(3).pdf(high), rel=1e-8)
    assert gamma(3).cdf(high) - gamma(3).cdf(low) == pytest.approx(0.95, abs=1e-9)
    falling = highest_density_region(expon(), 0.95)
    assert falling.intervals[0][1] == pytest.approx(expon.ppf(0.95), abs=1e-8)


def test_no_interval_of_the_probability_is_shorter():
    found = highest_density_region(gamma(2), 0.8)
    best = min(
        brentq(lambda u, a=a: gamma(2).cdf(u) - gamma(2).cdf(a) - 0.8, a, 60) - a for a in np.linspace(0.001, 0.6, 13)
    )
    assert found.length <= best + 1e-6


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_a_kernel_density_of_one_column_has_exact_intervals(kernel):
    x = np.concatenate([RNG.normal(-3, 1, 200), RNG.normal(4, 1, 100)])
    model = KernelDensity(bandwidth=0.4, kernel=kernel).fit({"x": x})
    found = highest_density_region(model, 0.8)
    grid = np.linspace(-15, 15, 300_001)
    heights = np.exp(model.score_samples({"x": grid}))
    inside = found.contains(grid)
    assert heights[inside].sum() * (grid[1] - grid[0]) == pytest.approx(0.8, abs=1e-4)
    assert heights[inside].min() >= heights[~inside].max() - 1e-4
    np.testing.assert_array_equal(found.contains({"x": grid[::1000]}), inside[::1000])


def test_numbers_drawn_are_smoothed_first():
    found = highest_density_region(RNG.normal(5, 1, 4000), 0.9)
    np.testing.assert_allclose(found.intervals[0], (5 - 1.645, 5 + 1.645), atol=0.25)


def test_more_columns_have_a_threshold_with_its_error():
    x = RNG.normal(size=(500, 2))
    model = KernelDensity(rtol=1e-4).fit(x)
    found = highest_density_region(model, 0.9, n_draws=2000, random_state=1)
    assert found.intervals is None
    assert found.standard_error > 0
    fresh = model.sample(2000, random_state=7)
    assert found.contains(fresh).mean() == pytest.approx(0.9, abs=0.03)
    peer = GaussianMixture(1, random_state=0).fit(x)  # any model with score_samples and sample will do
    region = highest_density_region(peer, 0.9)
    # Of two standard normal columns: f ≥ exp(−χ²/2)/(2π), χ² the 90 % quantile, −2 log 0.1.
    assert region.threshold == pytest.approx(0.1 / (2 * np.pi), rel=0.25)
    with pytest.raises(InputError, match="intervals"):
        region.length
    with pytest.raises(InputError, match="more than one column"):
        region.plot()


def test_a_flat_top_is_taken_as_a_whole():
    assert highest_density_region(uniform(2, 3), 0.5).intervals[0] == pytest.approx((2, 5), abs=1e-8)


def test_the_picture_fills_each_interval():
    found = highest_density_region(lambda x: (norm.pdf(x, -3) + norm.pdf(x, 3)) / 2, 0.9, bounds=(-12, 12))
    assert len(found.plot().collections) == 2


def test_what_makes_no_sense_is_refused():
    for probability in (0, 1, 1.5, "most"):
        with pytest.raises(ParameterError, match="probability"):
            highest_density_region(norm(), probability)
    with pytest.raises(ParameterError, match="needs bounds"):
        highest_density_region(norm.pdf)
    with pytest.raises(ParameterError, match="bounds"):
        highest_density_region(norm.pdf, bounds=(3, 1))
    with pytest.raises(InputError, match="Widen bounds"):
        highest_density_region(norm.pdf, bounds=(-1, 1))
    with pytest.raises(InputError, match="no more than 1"):
        highest_density_region(lambda x: 3 * norm.pdf(x), bounds=(-9, 9))
    with pytest.raises(InputError, match="shape"):
        highest_density_region(np.zeros((3, 2)))
