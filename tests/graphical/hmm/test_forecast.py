"""Forecasts against mixtures of SciPy's distributions."""

import numpy as np
import pytest
from scipy import optimize, stats

from learnt.errors import InputError
from learnt.graphical import HiddenMarkovModel


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    state = np.repeat(rng.integers(0, 2, 50), 4)
    table = {
        "x": rng.normal(4 * state, 1 + state),
        "n": rng.poisson(2 + 6 * state).astype(float),
        "label": np.array(["a", "b"])[state],
    }
    return HiddenMarkovModel(2, emissions={"n": "poisson"}, smoothing=0.5).fit(table), table


def test_states_ahead_follow_the_chain_from_where_the_rows_end(model):
    model, table = model
    end = model.filter(table)[-1]
    found = model.forecast(4, table)
    for h in range(4):
        exact = end @ np.linalg.matrix_power(model.transition_, h + 1)
        np.testing.assert_allclose(found.state_probabilities[h], exact, atol=1e-12)


def test_means_and_deviations_are_those_of_the_mixture(model):
    model, table = model
    found = model.forecast(3, table)
    for h, share in enumerate(found.state_probabilities):
        mean = share @ model.means_[:, 0]
        second = share @ (model.variances_[:, 0] + model.means_[:, 0] ** 2)
        np.testing.assert_allclose(found.mean["x"][h], mean, rtol=1e-10)
        np.testing.assert_allclose(found.sd["x"][h], np.sqrt(second - mean**2), rtol=1e-8)
    np.testing.assert_allclose(found.probabilities["label"].sum(axis=1), 1)


def test_intervals_cut_off_equal_chances_on_both_sides(model):
    model, table = model
    found = model.forecast(3, table)
    low, high = found.interval("x", 0.8)
    few, many = found.interval("n", 0.8)
    for h, share in enumerate(found.state_probabilities):
        normal = stats.norm(model.means_[:, 0], np.sqrt(model.variances_[:, 0]))
        for q, bound in ((0.1, low[h]), (0.9, high[h])):
            exact = optimize.brentq(lambda v, q=q, s=share, d=normal: s @ d.cdf(v) - q, -50, 50, xtol=1e-12)
            np.testing.assert_allclose(bound, exact, atol=1e-8)
        below = share @ stats.poisson(model.means_[:, 1][:, None]).cdf(np.arange(100))
        assert few[h] == np.argmax(below >= 0.1)
        assert many[h] == np.argmax(below >= 0.9)


def test_a_forecast_is_shown_as_a_table_and_only_numbers_have_intervals(model):
    model, table = model
    found = model.forecast(2, table)
    assert repr(found) == str(found)
    assert str(found).splitlines()[0].split()[:2] == ["step", "state"]
    assert len(str(found).splitlines()) == 3
    with pytest.raises(InputError, match="is not one of numbers"):
        found.interval("label")
