"""moments_by_class and gaussian_evidence against NumPy's definitions."""

import numpy as np
import pytest
from tests.kernels.layouts import SHAPES, layouts, normal, read_only, same_for_any_threads

from learnt import _core


def moments(x, codes, weights=None, k=4, into=None):
    out = into or [np.zeros((k, x.shape[1])) for _ in range(3)] + [np.zeros(x.shape[1], np.int64)]
    _core.moments_by_class(x, codes, weights, *out)
    return out


def expected(x, codes, weights=None, k=4):
    x = x.astype(np.float64)
    w = np.ones(len(x)) if weights is None else weights
    weight, mean, deviation = np.zeros((3, k, x.shape[1]))
    for c in range(k):
        for j in range(x.shape[1]):
            here = (codes == c) & np.isfinite(x[:, j])
            cells, cw = x[here, j], w[here]
            weight[c, j] = cw.sum()
            mean[c, j] = np.average(cells, weights=cw) if cw.sum() > 0 else 0.0
            deviation[c, j] = (cw * (cells - mean[c, j]) ** 2).sum()
    return weight, mean, deviation, np.isinf(x).sum(axis=0)


def classes(n, k=4, seed=5):
    return np.random.default_rng(seed).integers(k, size=n).astype(np.int32)


def check(x, codes, weights=None, k=4):
    for found, wanted in zip(moments(x, codes, weights, k), expected(x, codes, weights, k), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES)
def test_moments_by_class_are_numpys_for_every_shape_and_layout(shape, dtype, level):
    for x in layouts(normal(shape, dtype)).values():
        check(x, classes(shape[0]))
        check(x, classes(shape[0], 2), np.random.default_rng(1).random(shape[0]))  # two classes stay empty


@pytest.mark.parametrize("shape", [(50, 3), (1001, 23), (40, 300)])
def test_missing_cells_are_left_out_and_infinite_ones_counted(shape, dtype, level):
    rng = np.random.default_rng(2)
    x = normal(shape, dtype)
    x[rng.random(shape) < 0.2] = np.nan
    x[rng.random(shape) < 0.05] = np.inf
    x[:, 0] = np.nan
    weights = rng.random(shape[0]) * (rng.random(shape[0]) < 0.7)
    for y in layouts(x).values():
        check(y, classes(shape[0]))
        check(y, classes(shape[0]), weights)


def test_chunks_are_added_to_what_is_there(dtype, level):
    x, codes, w = normal((999, 5), dtype, shift=1e3), classes(999), np.random.default_rng(3).random(999)
    out = moments(x[:100], codes[:100], w[:100])
    for cut in (slice(100, 100), slice(100, 101), slice(101, 999)):
        moments(x[cut], codes[cut], w[cut], into=out)
    for found, wanted in zip(out, expected(x, codes, w), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_deviations_by_class_stay_accurate_far_from_zero(level):
    x, codes = normal((20_000, 9), shift=1e9), classes(20_000)
    exact = expected(x - 1e9, codes)[2]
    np.testing.assert_allclose(moments(x, codes)[2], exact, rtol=1e-6)


def test_many_classes_are_told_apart(level):
    codes = classes(5000, 700)
    check(normal((5000, 4)), codes, None, 700)


def test_bits_of_moments_by_class_do_not_depend_on_threads(dtype, level):
    x, codes = normal((100_000, 11), dtype), classes(100_000)
    x[::777, 3] = np.nan
    same_for_any_threads(lambda: moments(x, codes))
    same_for_any_threads(lambda: moments(np.asfortranarray(x), codes, np.random.default_rng(0).random(100_000)))


def test_a_class_out_of_range_is_refused_with_its_row():
    for bad in (-1, 4, 2**31 - 1, -(2**31)):
        codes = classes(100)
        codes[63] = bad
        with pytest.raises(ValueError, match=rf"row 63 is {bad}\. Expected 0 to 3"):
            moments(np.ones((100, 2)), codes)


def evidence(x, mean, variance, start=0.0):
    out = np.full((len(mean), len(x)), start)
    _core.gaussian_evidence(x, mean, variance, out)
    return out


def curves(k, p, seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(k, p)), rng.random((k, p)) + 0.1


def plain_evidence(x, mean, variance):
    x = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        terms = -0.5 * (np.log(2 * np.pi * variance[:, None]) + (x - mean[:, None]) ** 2 / variance[:, None])
    return np.where(np.isnan(x), 0.0, terms).sum(axis=2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 11])
def test_the_evidence_is_numpys_for_every_shape_and_layout(shape, k, dtype, level):
    mean, variance = curves(k, shape[1])
    x = normal(shape, dtype)
    for gaps in (0.0, 0.3):
        x[np.random.default_rng(6).random(shape) < gaps] = np.nan
        for y in layouts(x).values():
            np.testing.assert_allclose(
                evidence(y, mean, variance, 2.0), 2 + plain_evidence(y, mean, variance), rtol=1e-12, atol=1e-12
            )


def test_a_rows_evidence_does_not_depend_on_its_neighbours(dtype, level):
    mean, variance = curves(5, 9)
    x = normal((64, 9), dtype)
    x[::5, 2] = np.nan
    whole = evidence(x, mean, variance)
    for i in range(64):
        np.testing.assert_array_equal(evidence(x[i : i + 1], mean, variance)[:, 0], whole[:, i])


def test_far_away_rows_have_evidence_minus_infinity_or_very_low(level):
    found = evidence(np.array([[1e200], [np.inf], [1.0]]), np.zeros((2, 1)), np.ones((2, 1)))
    assert np.isneginf(found[:, :2]).all()
    assert np.isfinite(found[:, 2]).all()


def test_bits_of_the_evidence_do_not_depend_on_threads(dtype, level):
    mean, variance = curves(5, 30)
    same_for_any_threads(lambda: [evidence(normal((20_000, 30), dtype), mean, variance)])


def test_wrong_shapes_and_types_are_refused_by_name():
    x, codes = read_only(normal((5, 2))), classes(5)
    moments(x, codes)
    with pytest.raises(ValueError, match=r"'codes' has the length 4. Expected 5"):
        moments(x, codes[:4])
    with pytest.raises(ValueError, match=r"'mean' is 3 × 2. Expected 4 × 2"):
        moments(x, codes, into=[np.zeros((4, 2)), np.zeros((3, 2)), np.zeros((4, 2)), np.zeros(2, np.int64)])
    with pytest.raises(TypeError):
        moments(x, codes.astype(np.int64))
    with pytest.raises(ValueError, match=r"'out' is 5 × 1. Expected 1 × 5"):
        _core.gaussian_evidence(x, np.zeros((1, 2)), np.ones((1, 2)), np.zeros((5, 1)))


@pytest.mark.parametrize("shape", [(45, 1), (1001, 23)])
def test_a_column_that_is_constant_in_a_class_has_no_deviation_there(shape, level):
    codes = classes(shape[0])
    values = np.array([0.1, 1 / 3, -7e14 / 3, 1e-8])
    x = np.repeat(values[codes][:, None], shape[1], axis=1)
    for y in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        for weights in (None, np.random.default_rng(3).integers(1, 4, shape[0]).astype(float)):
            _, mean, deviation, _ = moments(y, codes, weights)
            np.testing.assert_array_equal(deviation, 0.0)
            np.testing.assert_array_equal(mean, np.repeat(values[:, None], shape[1], axis=1))
