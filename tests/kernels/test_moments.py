"""column_moments against NumPy's definitions."""

import numpy as np
import pytest
from tests.kernels.layouts import SHAPES, layouts, normal, read_only, same_for_any_threads

from learnt import _core

NAMES = ("weight", "mean", "deviation", "minimum", "maximum", "missing", "infinite")


def moments(x, weights=None):
    p = x.shape[1]
    outputs = [np.full(p, 7.0) for _ in range(5)] + [np.full(p, 7, np.int64) for _ in range(2)]
    _core.column_moments(x, weights, *outputs)
    return dict(zip(NAMES, outputs, strict=True))


def expected(x, weights=None):
    x = x.astype(np.float64)
    w = np.ones(len(x)) if weights is None else weights
    rows = []
    for column in x.T:
        finite = np.isfinite(column)
        c, cw = column[finite], w[finite]
        mean = np.average(c, weights=cw) if cw.sum() > 0 else 0.0
        low, high = (c.min(), c.max()) if len(c) else (np.nan, np.nan)
        deviation = (cw * (c - mean) ** 2).sum()
        rows.append((cw.sum(), mean, deviation, low, high, np.isnan(column).sum(), np.isinf(column).sum()))
    return dict(zip(NAMES, np.array(rows).reshape(-1, 7).T, strict=True))


def check(x, weights=None):
    found, wanted = moments(x, weights), expected(x, weights)
    for name in NAMES:
        exact = name in ("minimum", "maximum", "missing", "infinite")
        np.testing.assert_allclose(
            found[name], wanted[name], rtol=0 if exact else 1e-11, atol=0 if exact else 1e-11, err_msg=name
        )


@pytest.mark.parametrize("shape", SHAPES)
def test_moments_are_numpys_for_every_shape_and_layout(shape, dtype, level):
    for x in layouts(normal(shape, dtype)).values():
        check(x)
        check(x, np.random.default_rng(1).random(shape[0]))


@pytest.mark.parametrize("shape", [(50, 3), (1001, 23), (40, 300)])
def test_missing_and_infinite_cells_are_counted_and_left_out(shape, dtype, level):
    rng = np.random.default_rng(2)
    x = normal(shape, dtype)
    x[rng.random(shape) < 0.2] = np.nan
    x[rng.random(shape) < 0.05] = np.inf
    x[rng.random(shape) < 0.05] = -np.inf
    x[:, 0] = np.nan
    x[:, 1] = -np.inf
    weights = rng.random(shape[0]) * (rng.random(shape[0]) < 0.7)
    for y in layouts(x).values():
        check(y)
        check(y, weights)


def test_a_single_missing_cell_is_found_wherever_it_stands(dtype, level):
    for row in (0, 1, 15, 16, 63, 64, 500, 998, 999):
        x = normal((1000, 3), dtype)
        x[row, 1] = np.nan
        assert list(moments(x)["missing"]) == [0, 1, 0]
        assert moments(x)["weight"][1] == 999


def test_rows_of_weight_zero_count_for_the_range_and_the_missing_cells_only(dtype):
    x = np.array([[1, np.nan], [100, 5], [3, np.inf]], dtype)
    found = moments(x, np.array([1.0, 0.0, 1.0]))
    assert found["mean"][0] == 2
    assert found["deviation"][0] == 2
    assert (found["maximum"][0], found["maximum"][1]) == (100, 5)
    assert (found["missing"][1], found["infinite"][1]) == (1, 1)
    assert (found["weight"][1], found["mean"][1], found["deviation"][1]) == (0, 0, 0)


def test_deviations_stay_accurate_far_from_zero(level):
    x = normal((20000, 4), shift=1e9)
    exact = x - 1e9
    np.testing.assert_allclose(moments(x)["deviation"], exact.var(0) * len(x), rtol=1e-6)


def test_columns_of_huge_numbers_have_a_finite_mean(level):
    x = np.full((1000, 2), 1.5e308)
    x[::2, 1] *= -1
    found = moments(x)
    np.testing.assert_allclose(found["mean"], [1.5e308, 0], rtol=1e-12, atol=1e294)
    assert list(found["infinite"]) == [0, 0]


def test_integers_are_summed_without_error(dtype, level):
    x = np.arange(4096, dtype=dtype).reshape(-1, 1)
    found = moments(x)
    assert found["mean"][0] == 2047.5
    assert found["weight"][0] == 4096


def test_bits_do_not_depend_on_threads(dtype, level):
    x = normal((100_000, 7), dtype)
    x[::1000, 2] = np.nan
    weights = np.random.default_rng(3).random(len(x))
    same_for_any_threads(lambda: moments(x).values())
    same_for_any_threads(lambda: moments(np.asfortranarray(x), weights).values())


def test_a_read_only_table_is_accepted():
    assert moments(read_only(normal((5, 2))))["weight"][0] == 5


def test_outputs_of_the_wrong_length_are_refused_by_name():
    outputs = [np.empty(2) for _ in range(5)] + [np.empty(2, np.int64) for _ in range(2)]
    with pytest.raises(ValueError, match=r"'weight' has the length 2. Expected 3"):
        _core.column_moments(np.ones((4, 3)), None, *outputs)
    with pytest.raises(ValueError, match=r"'weights' has the length 5. Expected 4"):
        _core.column_moments(np.ones((4, 2)), np.ones(5), *outputs)


@pytest.mark.parametrize("bad", [np.ones((4, 2), int), np.ones(4), [[1.0, 2.0]], np.ones((4, 2), np.float16), None])
def test_tables_of_another_type_are_refused(bad):
    outputs = [np.empty(2) for _ in range(5)] + [np.empty(2, np.int64) for _ in range(2)]
    with pytest.raises(TypeError):
        _core.column_moments(bad, None, *outputs)


def test_an_output_is_never_copied_silently():
    outputs = [np.empty(2) for _ in range(5)] + [np.empty(2, np.int32) for _ in range(2)]
    with pytest.raises(TypeError):
        _core.column_moments(np.ones((4, 2)), None, *outputs)
    outputs = [read_only(np.empty(2)), *(np.empty(2) for _ in range(4)), *(np.empty(2, np.int64) for _ in range(2))]
    with pytest.raises(TypeError):
        _core.column_moments(np.ones((4, 2)), None, *outputs)


@pytest.mark.parametrize("shape", [(45, 1), (45, 3), (1001, 23), (5000, 2)])
def test_a_constant_column_has_no_deviation_at_all(shape, level):
    weights = np.random.default_rng(3).integers(0, 4, shape[0]).astype(float)
    for value in (0.1, 1 / 3, -1e15 / 7, 1e-160 / 3):
        for x in layouts(np.full(shape, value)).values():
            for w in (None, weights):
                found = moments(x, w)
                np.testing.assert_array_equal(found["deviation"], 0.0)
                np.testing.assert_array_equal(found["mean"], value)


@pytest.mark.parametrize("shape", [(45, 1), (1001, 23), (5000, 2)])
def test_deviations_far_from_zero_are_those_of_exact_arithmetic(shape, level):
    from fractions import Fraction

    x = 1e14 + np.random.default_rng(4).normal(size=shape)
    exact = [Fraction(v) for v in x[:, 0].tolist()]
    mean = sum(exact) / len(exact)
    deviation = float(sum((v - mean) ** 2 for v in exact))
    for y in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        np.testing.assert_allclose(moments(y)["deviation"][0], deviation, rtol=1e-3)  # cells are 1/64 apart
