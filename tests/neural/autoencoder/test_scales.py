"""Scales of numbers, there and back."""

import numpy as np
import pytest

from learnt import Table
from learnt.neural.autoencoder.scales import MiddleAndEnds, scales_of


def test_a_gaussian_has_unit_spread_and_an_outlier_is_pulled_in():
    x = np.append(np.random.default_rng(0).normal(50, 7, 900), 1e5)
    scales = scales_of(Table(x[:, None]), [0], None, "robust")
    z = scales.scaled(x[:, None])[:, 0]
    assert np.std(z[:-1]) == pytest.approx(1, abs=0.1)
    assert z[-1] == pytest.approx(4)
    assert scales.unscaled(np.array([[99.0], [-99.0]]))[:, 0].tolist() == [x.max(), x.min()]


@pytest.mark.parametrize("scaling", ["robust", True, False])
@pytest.mark.parametrize("size", [1.0, 1e-300, 1e300])
def test_numbers_come_back(scaling, size):
    x = np.random.default_rng(0).normal(size=(50, 2)) * size
    scales = scales_of(Table(x), [0, 1], None, scaling)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(scales.unscaled(scales.scaled(x)), x, rtol=1e-7, atol=1e-9 * size)


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one middle"):
        MiddleAndEnds(np.zeros(2), np.ones(3), 0.0, np.zeros(2), np.zeros(2))
