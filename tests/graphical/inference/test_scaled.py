"""Products against sums of logarithms."""

import numpy as np

from learnt.graphical.inference.scaled import scaled_product


def test_what_fits_is_the_plain_product():
    np.testing.assert_array_equal(scaled_product([np.array([2.0, 3.0]), np.array([0.5, 0.0])]), [1.0, 0.0])


def test_what_does_not_fit_keeps_its_ratios():
    low, high = np.array([1e-3, 1.0]), np.array([1.0, 2e-3])
    found = scaled_product([low] * 200 + [high] * 200)  # 1e-600 and 2^200 · 1e-600
    np.testing.assert_allclose(found, [2.0**-200, 1.0], rtol=1e-10)
    found = scaled_product([np.array([1e200, 3e200, 0.0])] * 3)
    np.testing.assert_allclose(found, [1 / 27, 1.0, 0.0], rtol=1e-12)


def test_nothing_possible_is_all_zeros():
    np.testing.assert_array_equal(scaled_product([np.array([0.0, 1.0]), np.array([1.0, 0.0])]), [0.0, 0.0])
