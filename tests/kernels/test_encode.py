"""encode_dense and encode_csr against a cell-by-cell definition in Python."""

import numpy as np
import pytest
from scipy import sparse
from tests.kernels.layouts import same_for_any_threads

from learnt import _core


def plan(columns, widths, fill=None, center=None, scale=None, dropped=None):
    m = len(columns)
    widths = np.array(widths, np.int64)
    starts = np.concatenate([[0], np.cumsum(np.maximum(widths, 1))]).astype(np.int64)[:m]
    return (
        columns,
        starts,
        widths,
        np.array([-1.0] * m if fill is None else fill),
        np.array([0.0] * m if center is None else center),
        np.array([1.0] * m if scale is None else scale),
        np.array([-1] * m if dropped is None else dropped, np.int32),
    )


def expected(columns, starts, widths, fill, center, scale, dropped):
    n = len(columns[0])
    out = np.zeros((n, int(np.maximum(widths, 1).sum())))
    for cells, start, width, f, c, s, drop in zip(columns, starts, widths, fill, center, scale, dropped, strict=True):
        for i, cell in enumerate(cells):
            missing = cell < 0 if cells.dtype == np.int32 else np.isnan(cell)
            value = f if missing else cell
            if width == 0:
                out[i, start] = (value - c) * s
            else:
                kept = [code for code in range(int(width) + (drop >= 0)) if code != drop]
                if value in kept:
                    out[i, start + kept.index(value)] = s
    return out


def dense(args, dtype):
    out = np.full((len(args[0][0]), int(np.maximum(args[2], 1).sum())), 9, dtype)
    _core.encode_dense(*args, out)
    return out


def csr(args, dtype):
    indptr = np.full(len(args[0][0]) + 1, 9, np.int64)
    _core.count_csr(*args, indptr)
    indices, data = np.full(indptr[-1], -9, np.int32), np.full(indptr[-1], np.nan, dtype)
    _core.encode_csr(*args, indptr, indices, data)
    return sparse.csr_array((data, indices, indptr), (len(indptr) - 1, int(np.maximum(args[2], 1).sum())))


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=n)
    numbers[rng.random(n) < 0.2] = np.nan
    numbers[rng.random(n) < 0.2] = 0
    return plan(
        [
            numbers,
            rng.integers(-1, 4, n).astype(np.int32),  # four categories, all kept
            numbers.astype(np.float32)[::-1],
            rng.integers(-1, 5, n).astype(np.int32),  # five, the third dropped
            rng.integers(-1, 3, n).astype(np.int32),  # an ordinal column, as numbers
            rng.integers(-1, 9, 2 * n).astype(np.int32)[::2],  # codes beyond the last column
        ],
        widths=[0, 4, 0, 4, 0, 3],
        fill=[1.5, -1, 0.25, 3, 1, 2],
        center=[0.5, 0, 0, 0, 1, 0],
        scale=[2, 1, 1, 0.5, 3, 1],
        dropped=[-1, -1, -1, 2, -1, 0],
    )


@pytest.mark.parametrize("n", [0, 1, 17, 1000])
def test_every_cell_follows_the_definition(n, dtype):
    args = mixed(n)
    np.testing.assert_allclose(dense(args, dtype), expected(*args).astype(dtype), rtol=1e-6)
    found = csr(args, dtype)
    np.testing.assert_allclose(found.toarray(), expected(*args).astype(dtype), rtol=1e-6)
    assert found.has_sorted_indices
    assert (found.data != 0).all()


def test_columns_may_come_in_any_order(dtype):
    columns, starts, *rest = mixed(200)
    order = [3, 0, 5, 1, 4, 2]
    shuffled = ([columns[i] for i in order], starts[order], *(part[order] for part in rest))
    np.testing.assert_array_equal(dense(shuffled, dtype), dense((columns, starts, *rest), dtype))
    assert csr(shuffled, dtype).has_sorted_indices


def test_a_fill_of_nan_leaves_missing_numbers_missing(dtype):
    args = plan([np.array([1.0, np.nan]), np.array([0, -1], np.int32)], [0, 0], fill=[np.nan, np.nan])
    for out in (dense(args, dtype), csr(args, dtype).toarray()):
        np.testing.assert_array_equal(out, [[1, 0], [np.nan, np.nan]])


def test_ten_thousand_categories_are_encoded_without_a_dense_matrix(dtype):
    codes = np.random.default_rng(0).integers(-1, 10_000, 5000).astype(np.int32)
    found = csr(plan([codes], [10_000]), dtype)
    assert found.nnz == (codes >= 0).sum()
    np.testing.assert_array_equal(found.indices, codes[codes >= 0])


def test_bits_do_not_depend_on_threads(dtype):
    args = mixed(30_000)
    same_for_any_threads(lambda: [dense(args, dtype)])
    same_for_any_threads(lambda: [csr(args, dtype).data, csr(args, dtype).indices])


def test_columns_that_do_not_fit_are_refused():
    number, code = np.ones(3), np.zeros(3, np.int32)
    columns, _, *rest = plan([number, number], [0, 0])
    with pytest.raises(ValueError, match="gap or overlap at output column 1"):
        _core.encode_dense(columns, np.array([0, 2]), *rest, np.empty((3, 3)))
    with pytest.raises(ValueError, match=r"fill 2 output columns. Expected 3"):
        _core.encode_dense(*plan([number, number], [0, 0]), np.empty((3, 3)))
    with pytest.raises(TypeError, match=r"Column 0 holds numbers. Expected int32"):
        _core.encode_dense(*plan([number], [2]), np.empty((3, 2)))
    with pytest.raises(TypeError, match="Column 0 has another type"):
        _core.encode_dense(*plan([code.astype(np.int64)], [2]), np.empty((3, 2)))
    with pytest.raises(ValueError, match=r"'columns\[1\]' has the length 2. Expected 3"):
        _core.encode_dense(*plan([number, number[:2]], [0, 0]), np.empty((3, 2)))
    with pytest.raises(TypeError, match="Column 0 is not a one-dimensional array"):
        _core.encode_dense(*plan(["abc"], [0]), np.empty((3, 1)))


def test_offsets_of_other_columns_are_refused_before_anything_is_written_outside():
    args = plan([np.ones(3)], [0])
    for indptr in ([0, 1, 2, 2], [0, 0, 1, 3], [0, 2, 2, 3], [-1, 1, 2, 3]):
        offsets = np.array(indptr, np.int64)
        with pytest.raises(ValueError, match="indptr does not count"):
            _core.encode_csr(*args, offsets, np.empty(offsets[-1], np.int32), np.empty(offsets[-1]))
