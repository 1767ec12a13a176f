"""What rounding leaves of a sum that is zero is shown as 0."""

import numpy as np
import pytest

import learnt
from learnt.explain import Evidence, Explanation
from learnt.show.numbers import number, signed


def around_zero(n=100):
    """Numbers whose mean is zero but for rounding."""
    x = np.random.default_rng(0).normal(size=n)
    x = np.concatenate([x, -x]) * 0.3 + 7
    return x - x.mean()


@pytest.mark.parametrize(("x", "scale", "text"), [(1.776e-15, 1, "0"), (-4e-14, 1, "0"), (1e-9, 1, "1e-09")])
def test_a_number_is_dust_beside_what_it_is_made_of(x, scale, text):
    assert number(x, scale) == text
    assert number(x, 0) != "0"
    assert signed(0.0, 1) == "+0"


def test_a_description_says_that_the_mean_is_zero():
    said = learnt.describe({"x": around_zero(), "y": around_zero()})
    assert "e-1" not in str(said)
    assert "e-1" not in said._repr_html_()


def test_clusters_say_that_the_mean_is_zero():
    x = np.stack([around_zero(), np.repeat([0.0, 5.0], 100)], axis=1)
    assert "e-1" not in str(learnt.KMeans(2, random_state=0).fit(x).summary())
    assert "e-1" not in str(learnt.GaussianMixture(2, random_state=0).fit(x))
    assert "e-1" not in str(learnt.profile_clusters(x, np.repeat([0, 1], 100)))


def test_an_explanation_says_that_the_total_is_zero():
    told = Explanation(0.0, "sum", 0.3, "average", (Evidence("a", 1, -0.1), Evidence("b", 1, -0.2)), 2.8e-17, "price")
    assert str(told).startswith("price 0 = 0.3 (average)")


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("unit", [1.0, 1e-20, 1e20])
def test_a_regression_says_that_a_coefficient_is_zero(fit_intercept, unit):
    x = np.arange(10.0)
    model = learnt.LinearRegression(fit_intercept=fit_intercept).fit({"x": x, "z": x**2}, 3 * unit * x)
    assert "1 of 2 coefficients are 0" in str(model)
    line = next(line for line in str(model.summary()).splitlines() if line.startswith("z"))
    assert line.split()[1:3] == ["0", "0"]


def test_a_small_coefficient_that_the_rows_determine_is_written():
    x = np.arange(10.0)
    text = str(learnt.LinearRegression().fit({"x": x, "z": 1e9 * (x % 3)}, 3 * x + 2e-9 * 1e9 * (x % 3)))
    assert "2e-09 · z" in text
