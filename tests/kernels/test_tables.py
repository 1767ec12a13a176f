"""predict_linear, finiteness and row hashes against NumPy."""

import numpy as np
import pytest
from scipy import sparse
from tests.kernels.layouts import SHAPES, layouts, normal, same_for_any_threads

from learnt import _core


@pytest.mark.parametrize("shape", [*SHAPES, (4, 0), (3, 5000)])
def test_linear_predictions_are_the_product(shape, dtype, level):
    coef, out = normal(shape[1], seed=1), np.empty(shape[0])
    for x in layouts(normal(shape, dtype)).values():
        _core.predict_linear(x, coef, 0.5, out)
        np.testing.assert_allclose(out, x.astype(np.float64) @ coef + 0.5, rtol=1e-11, atol=1e-11)
    x = (
        sparse.random(*shape, 0.3, "csr", dtype, np.random.default_rng(0))
        if shape[1]
        else sparse.csr_array(shape, dtype=dtype)
    )
    _core.predict_linear_csr(x.data, x.indices, x.indptr, shape[1], coef, 0.5, out)
    np.testing.assert_allclose(out, x.toarray().astype(np.float64) @ coef + 0.5, rtol=1e-11, atol=1e-11)


def test_a_rows_prediction_does_not_depend_on_the_rows_around_it(dtype, level):
    x, coef = normal((101, 37), dtype), normal(37, seed=1)
    whole, one = np.empty(101), np.empty(1)
    _core.predict_linear(x, coef, 0.1, whole)
    for i in range(101):
        _core.predict_linear(x[i : i + 1], coef, 0.1, one)
        assert one[0] == whole[i]


def test_bits_of_predictions_do_not_depend_on_threads(dtype, level):
    x, coef, out = normal((20_000, 11), dtype), normal(11, seed=1), np.empty(20_000)

    def predict():
        _core.predict_linear(x, coef, 0.1, out)
        return [out]

    same_for_any_threads(predict)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s[0]])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_cell_that_is_not_finite_is_found_in_every_layout(shape, bad, dtype, level):
    rng = np.random.default_rng(0)
    for name in layouts(normal(shape, dtype)):
        x = layouts(normal(shape, dtype))[name]  # afresh: some share memory
        assert _core.all_finite(x)
        assert _core.first_nonfinite(x) == (-1, -1)
        i, j = int(rng.integers(shape[0])), int(rng.integers(shape[1]))
        if not (x.strides[0] and x.strides[1]) or not x.flags.writeable:
            continue
        x[i, j] = bad
        assert not _core.all_finite(x)
        assert _core.first_nonfinite(x) == (i, j)
        assert _core.first_nonfinite(x, True) == ((-1, -1) if np.isnan(bad) else (i, j))


def test_the_first_of_many_bad_cells_is_told_whatever_the_threads(dtype):
    x = np.zeros((300_000, 2), dtype)
    x[100_000:, 1] = np.inf
    x[5:, 0] = np.nan
    for threads in (1, 2, 5):
        _core.set_threads(threads)
        assert _core.first_nonfinite(x) == (5, 0)
        assert _core.first_nonfinite(x, infinite_only=True) == (100_000, 1)
        assert not _core.all_finite(x)


def test_the_last_cell_of_a_large_table_is_looked_at(dtype, level):
    x = np.zeros((1_000_003, 1), dtype)
    assert _core.all_finite(x)
    x[-1] = np.nan
    assert not _core.all_finite(x)
    assert not _core.all_finite(x.T)


def test_huge_and_tiny_numbers_are_finite(dtype, level):
    info = np.finfo(dtype)
    assert _core.all_finite(np.array([[info.max, info.min, info.tiny, info.smallest_subnormal, -0.0] * 20], dtype))


def test_an_empty_table_is_finite():
    for shape in ((0, 3), (3, 0), (0, 0)):
        assert _core.all_finite(np.empty(shape))
        assert _core.first_nonfinite(np.empty(shape)) == (-1, -1)


def uniform(seed, first, n):
    out = np.empty(n)
    _core.hash_uniform(seed, first, out)
    return out


def test_row_hashes_do_not_depend_on_how_rows_are_cut():
    whole = uniform(42, 1000, 50_000)
    pieces = np.concatenate([uniform(42, 1000 + start, min(777, 50_000 - start)) for start in range(0, 50_000, 777)])
    np.testing.assert_array_equal(whole, pieces)
    same_for_any_threads(lambda: [uniform(42, 1000, 50_000)])


def test_row_hashes_follow_their_stated_formula():
    def mix(z):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> shift)) * factor % 2**64
        return z ^ (z >> 31)

    golden = 0x9E3779B97F4A7C15
    for seed, row in ((0, 0), (1, 5), (2**64 - 1, 2**40)):
        bits = mix(mix((row + 1) * golden % 2**64) ^ mix((seed + golden) % 2**64))
        assert uniform(seed, row, 1)[0] == ((bits >> 12) + 0.5) / 2**52


@pytest.mark.parametrize("seed", [0, 1, 2, 12345])
def test_row_hashes_look_uniform_and_independent(seed):
    from scipy import stats

    u, other = uniform(seed, 0, 200_000), uniform(seed + 1, 0, 200_000)
    assert 0 < u.min() < u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > 1e-4
    bound = 5 / np.sqrt(len(u))
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < bound
    assert abs(np.corrcoef(u, other)[0, 1]) < bound
    assert len(np.unique(u)) == len(u)
