"""Sparse rows: the neighbours, ties and bits that the same rows have with all their zeros."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.neighbors import plainly

import learnt
from learnt import _core
from learnt.data.table import Table
from learnt.distance import pairwise
from learnt.errors import InputError, ParameterError
from learnt.neighbors import build_index

METRICS = ("euclidean", "cosine", "minkowski")


def texts(n, p, seed, dtype=np.float64, share=0.1):
    """Counts of few words, many rows twice, no row empty."""
    rng = np.random.default_rng(seed)
    x = np.where(rng.random((n, p)) < share, rng.integers(1, 4, (n, p)), 0).astype(dtype)
    x[:, 0] += np.where(x.any(axis=1), 0, 1).astype(dtype)
    x[n // 2 : n // 2 + n // 8] = x[: n // 8]
    return x


def same(mine, wanted):
    for one, other in zip(mine, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", METRICS)
def test_sparse_rows_have_the_bits_of_dense_ones(metric, dtype):
    x, q = texts(700, 40, 1, dtype), texts(90, 40, 2, dtype)
    dense, found = build_index(x, metric, index="brute"), build_index(sparse.csr_array(x), metric)
    assert (found.kind, "sparse" in found.why) == ("brute", True)
    for k in (1, 17, 700):
        same(found.query(sparse.csr_matrix(q), k), dense.query(q, k))
    r = float(np.median(dense.query(q, 30)[0]))
    for radius in (0.0, r):
        same(found.radius(sparse.csr_array(q), radius), dense.radius(q, radius))
    same(found.query(sparse.csr_array(x), 5, exclude_self=True), dense.query(x, 5, exclude_self=True))


def test_neighbours_are_those_of_the_definition():
    x, q = texts(300, 20, 3), texts(40, 20, 4)
    weights = np.random.default_rng(5).random(20)
    d = plainly.distances(x, q, "euclidean", weights=weights)
    metric = plainly.named("euclidean", column_weights=weights)
    got = build_index(sparse.csr_array(x), metric).query(sparse.csr_array(q), 60)
    same(got, plainly.nearest(d, 60))
    start, rows, far = build_index(sparse.csr_array(x), metric).radius(q, 2.0)
    same((start, rows), plainly.within(d, 2.0))
    assert np.all(far <= 2.0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_scikit_learn_finds_the_same(metric):
    from sklearn.neighbors import NearestNeighbors

    rng = np.random.default_rng(6)
    x = sparse.random_array((500, 3000), density=0.02, rng=rng, format="csr")
    q = sparse.random_array((60, 3000), density=0.02, rng=rng, format="csr")
    near, rows = NearestNeighbors(metric=metric, algorithm="brute").fit(x).kneighbors(q, 7)
    mine = build_index(x, metric).query(q, 7)
    np.testing.assert_array_equal(mine[1], rows)
    np.testing.assert_allclose(mine[0], near, rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 10_000), st.sampled_from([0.0, 1e-8, 1e4]), st.data())
def test_any_sparse_rows_give_the_neighbours_of_the_definition(n, p, seed, offset, data):
    x, q = texts(n, p, seed, share=0.4) + offset, texts(3, p, seed + 1, share=0.4)
    q[1], x[-1] = 0, 0  # rows without a cell
    k = data.draw(st.integers(1, n))
    got = build_index(sparse.csc_array(x)).query(sparse.coo_array(q), k)
    same(got, plainly.nearest(plainly.distances(x, q, "euclidean"), k))


@pytest.mark.parametrize("scale", [2.0**-530, 2.0**-500, 2.0**500, 2.0**530])
def test_squares_neither_overflow_nor_vanish(scale):
    x, q = texts(120, 12, 7), texts(20, 12, 8)
    d, rows = build_index(sparse.csr_array(x * scale)).query(sparse.csr_array(q * scale), 9)
    wanted = plainly.nearest(plainly.distances(x, q, "euclidean"), 9)
    same((d / scale, rows), wanted)


def test_queries_far_beyond_the_rows_and_rows_far_apart_are_answered():
    x = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    d, rows = build_index(x).query(np.array([[1e200, 0.0], [0.0, 0.0], [1e-200, 0.0], [1e60, 0.0]]), 3)
    np.testing.assert_array_equal(rows[1:3], [[2, 0, 1], [2, 0, 1]])
    np.testing.assert_array_equal(rows[3], [0, 1, 2])  # equally far in float64
    np.testing.assert_array_equal(d[0], [1e200] * 3)
    tiny = build_index(x * 2.0**-530)
    d, rows = tiny.query(np.array([[3.0, 0.0], [2.0**-530, 0.0]]), 2)
    np.testing.assert_array_equal(d, [[3.0, 3.0], [0.0, 2.0**-530]])
    np.testing.assert_array_equal(rows, [[0, 1], [0, 2]])
    # A guess in float32 cannot tell these apart: a part in 1e8.
    rng = np.random.default_rng(9)
    y = 1e4 + rng.integers(0, 3, (400, 5)) / 1024
    same(build_index(sparse.csr_array(y)).query(y[:50], 20), build_index(y, index="brute").query(y[:50], 20))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_threads_instruction_sets_and_pickles_give_the_same_bits(metric):
    x, q = sparse.csr_array(texts(9000, 60, 10, np.float32)), sparse.csr_array(texts(70, 60, 11))
    wanted = build_index(x, metric).query(q, 12)
    level = _core.simd_level()
    try:
        for name in ("baseline", "avx2", "avx512"):
            try:
                _core.set_simd_level(name)
            except ValueError:  # this processor has it not
                continue
            for n in (1, 2):
                with learnt.threads(n):
                    same(pickle.loads(pickle.dumps(build_index(x, metric))).query(q, 12), wanted)
    finally:
        _core.set_simd_level(level)


def test_a_table_of_sparse_rows_duplicate_cells_and_unsorted_columns_are_taken():
    x = texts(80, 10, 12)
    coo = sparse.coo_array(x)
    places = np.r_[coo.row, coo.row], np.r_[coo.col, coo.col]
    twice = sparse.coo_array((np.r_[coo.data, coo.data] / 2, places), (80, 10))
    unsorted = sparse.csr_matrix(x)
    unsorted.indices, unsorted.data = unsorted.indices.copy(), unsorted.data.copy()
    for i in range(80):
        some = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
        unsorted.indices[some], unsorted.data[some] = unsorted.indices[some][::-1], unsorted.data[some][::-1]
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    before = unsorted.indices.copy()
    wanted = build_index(x, index="brute").query(x, 8)
    for rows in (Table(sparse.csr_array(x)), twice, unsorted):
        same(build_index(rows).query(rows, 8), wanted)
    np.testing.assert_array_equal(unsorted.indices, before)


def test_memory_is_that_of_the_cells_not_of_the_zeros():
    x = sparse.random_array((200, 1_000_000), density=1e-5, rng=np.random.default_rng(13), format="csr")
    found = build_index(x)
    assert found.nbytes < 100_000
    assert np.all(found.query(x[:3], 1)[1][:, 0] == np.arange(3))


def test_all_distances_of_sparse_rows_are_those_of_dense_ones():
    x, y = texts(30, 15, 14), texts(20, 15, 15)
    for metric in ("euclidean", "cosine"):
        wanted = pairwise(x, y, metric)
        np.testing.assert_array_equal(pairwise(sparse.csr_array(x), sparse.csr_array(y), metric), wanted)
        np.testing.assert_array_equal(pairwise(sparse.csr_array(x), y, metric), wanted)
        np.testing.assert_array_equal(pairwise(sparse.csr_array(x), metric=metric), pairwise(x, metric=metric))
    for scale in (2.0**-530, 2.0**530):
        far = pairwise(sparse.csr_array(x * scale), sparse.csr_array(y * scale))
        np.testing.assert_array_equal(far / scale, pairwise(x, y))
    with pytest.raises(ParameterError, match="'manhattan' compares all cells"):
        pairwise(sparse.csr_array(x), metric="manhattan")


def test_what_sparse_rows_cannot_have_is_refused_in_words():
    x = sparse.csr_array(texts(30, 5, 16))
    with pytest.raises(ParameterError, match="'chebyshev' compares all cells, also the zeros"):
        build_index(x, "chebyshev")
    with pytest.raises(ParameterError, match="'kd_tree' needs all cells"):
        build_index(x, index="kd_tree")
    holed = x.copy()
    holed.data[int(holed.indptr[4])] = np.nan
    with pytest.raises(InputError, match="Row 4 has nan in column"):
        build_index(holed)
    with pytest.raises(InputError, match="Row 4 has nan"):
        build_index(x).query(holed, 1)
    with pytest.raises(InputError, match="4 columns, those of the index 5"):
        build_index(x).query(x[:, :4], 1)
    with pytest.raises(ParameterError, match="k is 31"):
        build_index(x).query(x, 31)
    with pytest.raises(InputError, match="no rows"):
        build_index(x[:0])


def test_the_kernel_refuses_cells_outside_and_columns_that_do_not_ascend():
    one, columns, starts = np.ones(2), np.array([0, 1], np.int32), np.array([0, 2])
    rows = _core.SparseRows64(one, columns, starts, 2, None)
    for indices, ends, words in (
        ([0, 2], [0, 2], "outside"),
        ([1, 0], [0, 2], "ascend"),
        ([1, 1], [0, 2], "ascend"),
        ([0, 1], [0, 3], "outside"),
        ([0, -1], [0, 2], "outside"),
    ):
        cells = one, np.array(indices, np.int32), np.array(ends)
        with pytest.raises(ValueError, match=words):
            _core.SparseRows64(*cells, 2, None)
        with pytest.raises(ValueError, match=words):
            rows.within(*cells, None, np.ones(1))
