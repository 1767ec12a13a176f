"""Every index finds exactly what comparing all rows finds, ties and all."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from tests.neighbors import plainly

import learnt
from learnt import _core
from learnt.data.table import Table
from learnt.errors import InputError, ParameterError
from learnt.neighbors import build_index
from learnt.neighbors.index import choosing

METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "hamming")
TREES = ("kd_tree", "vp_tree")


def pairs():
    return [(m, i) for m in METRICS for i in ("brute", *TREES) if (m, i) != ("hamming", "kd_tree")]


def built(x, metric, index, **facts):
    return build_index(x, plainly.named(metric, p=3.0, **facts), index=index)


def check(x, q, metric, index, k, exact=True, **facts):
    d = plainly.distances(x, q, metric, weights=facts.get("column_weights"))
    found = built(x, metric, index, **facts)
    wanted = plainly.nearest(d, k)
    got = found.query(q, k)
    if exact and metric != "minkowski":
        np.testing.assert_array_equal(got[0], wanted[0])
        np.testing.assert_array_equal(got[1], wanted[1])
    else:  # powers differ in the last digit between libraries
        np.testing.assert_allclose(got[0], wanted[0], rtol=1e-12)
    for r in (0.0, float(np.median(d))):
        start, rows, far = found.radius(q, r)
        if metric != "minkowski" or r == 0:
            for mine, theirs in zip((start, rows), plainly.within(d, r), strict=True):
                np.testing.assert_array_equal(mine, theirs)
        assert np.all(far <= r)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("metric", "index"), pairs())
def test_neighbours_are_those_of_the_definition(metric, index, dtype):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((400, 5)).astype(dtype)
    q = np.vstack([rng.standard_normal((20, 5)), x[:10]]).astype(dtype)
    check(x, q, metric, index, 7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("metric", "index"), pairs())
def test_ties_go_to_the_smaller_row(metric, index, dtype):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 3, (400, 3)).astype(dtype)  # 27 different rows
    check(x, x[:40], metric, index, 50)


@pytest.mark.parametrize(("metric", "index"), pairs())
def test_columns_are_weighted(metric, index):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 4, (300, 4)).astype(float)
    check(x, x[:20], metric, index, 9, column_weights=np.array([2.0, 0.0, 0.3, 1.0]))


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("scale", [1e-160, 1e-150, 1e150, 1e160])
def test_squares_neither_overflow_nor_vanish(index, scale):
    rng = np.random.default_rng(4)
    x, q = rng.standard_normal((200, 3)), rng.standard_normal((20, 3))
    near, rows = build_index(x * scale, index=index).query(q * scale, 5)
    wanted, expected = plainly.nearest(plainly.distances(x, q, "euclidean"), 5)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(near / scale, wanted, rtol=1e-12)


@pytest.mark.parametrize("index", ["brute", *TREES])
def test_queries_far_beyond_the_rows_are_answered(index):
    x = np.array([[1.0], [2.0], [-3e-5]])
    near, rows = build_index(x, index=index).query(np.array([[1e200], [0.0], [-1e60], [1e-200]]), 2)
    np.testing.assert_array_equal(rows[[1, 3]], [[2, 0], [2, 0]])
    np.testing.assert_array_equal(near[0], [1e200, 1e200])
    np.testing.assert_array_equal(rows[2], [0, 1])  # equally far in float64
    start, rows, _ = build_index(x, index=index).radius(np.array([[1e200], [0.5], [-1e190]]), [1e201, 1.0, 1.0])
    np.testing.assert_array_equal(start, [0, 3, 5, 5])
    np.testing.assert_array_equal(rows, [0, 1, 2, 0, 2])


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize(("unit", "asked"), [(1e-8, 1e300), (1e-139, 1e100), (1e-139, 1e-120)])
def test_columns_of_a_tiny_range_are_weighed_up_however_far_a_query_is(index, unit, asked):
    """As the mixed metric weighs them: by one over the square of their range."""
    x, q = np.linspace(0, 1, 100)[:, None] * unit, np.array([[asked], [0.5 * unit]])
    near, rows = built(x, "euclidean", index, column_weights=np.array([unit**-2])).query(q, 3)
    with np.errstate(over="ignore"):
        whole = np.abs(q - x.T) / unit
    wanted, expected = plainly.nearest(whole, 3)
    np.testing.assert_array_equal(rows[0], expected[0])
    assert sorted(rows[1]) == sorted(expected[1])
    np.testing.assert_allclose(near[1], wanted[1], rtol=1e-12)
    assert np.all((near[0] == np.inf) | np.isclose(near[0], wanted[0], rtol=1e-12))  # its square may be none


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_clusters_far_from_the_origin_and_tight_are_told_apart(dtype):
    rng = np.random.default_rng(5)
    x = (rng.integers(0, 4, (900, 1)) * 1e4 + 3e4 + rng.integers(0, 5, (900, 6)) / 64).astype(dtype)
    check(x, x[:100], "euclidean", "brute", 10)


def test_one_row_far_away_spoils_nothing():
    rng = np.random.default_rng(6)
    x = rng.standard_normal((500, 8)).astype(np.float32)
    x[17] = 1e12
    check(x, x[:60], "euclidean", "brute", 4)


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 1), (33, 2), (100, 40)])
def test_all_rows_may_be_asked_for(index, shape):
    x = np.random.default_rng(7).standard_normal(shape)
    check(x, x, "euclidean", index, shape[0])


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree"])
def test_equal_rows_come_in_order(index):
    x = np.full((300, 2), 0.1)
    near, rows = build_index(x, index=index).query(x[:2], 300)
    np.testing.assert_array_equal(rows, np.tile(np.arange(300), (2, 1)))
    assert np.all(near == 0)


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree"])
def test_a_row_is_no_neighbour_of_itself_when_told(index):
    rng = np.random.default_rng(8)
    x = rng.integers(0, 3, (200, 2)).astype(float)
    d = plainly.distances(x, x, "euclidean")
    found = build_index(x, index=index)
    for mine, wanted in zip(found.query(x, 199, True), plainly.nearest(d, 199, np.arange(200)), strict=True):
        np.testing.assert_array_equal(mine, wanted)
    start, rows, _ = found.radius(x, 1.0, exclude_self=True)
    for i in range(200):
        assert sorted(rows[start[i] : start[i + 1]]) == [r for r in np.flatnonzero(d[i] <= 1) if r != i]
    half = np.where(np.arange(10) % 2, np.arange(10), -1)
    got = found.query(x[:10], 3, exclude_self=half)[1]
    assert all((i in got[i]) or i % 2 or d[i, got[i]].max() == 0 for i in range(10))
    assert not any(i in got[i] for i in range(1, 10, 2))


cells = st.floats(-8, 8, width=16)


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 40), st.just(3)), elements=cells),
    arrays(np.float64, (4, 3), elements=cells),
    st.sampled_from(pairs()),
    st.data(),
)
def test_any_rows_give_the_neighbours_of_the_definition(x, q, pair, data):
    check(x, q, *pair, data.draw(st.integers(1, len(x))))


@pytest.mark.parametrize(
    ("metric", "p"), [("manhattan", 1), ("euclidean", 2), ("chebyshev", np.inf), ("minkowski", 2.5)]
)
@pytest.mark.parametrize("index", ["brute", "kd_tree"])
def test_scipy_finds_the_same(metric, p, index):
    rng = np.random.default_rng(9)
    x, q = rng.random((3000, 3)), rng.random((200, 3))
    near, rows = cKDTree(x).query(q, 6, p=p)
    mine = build_index(x, plainly.named(metric, p=2.5), index=index).query(q, 6)
    np.testing.assert_array_equal(mine[1], rows)
    np.testing.assert_allclose(mine[0], near, rtol=1e-12)


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree"])
def test_cosine_and_mahalanobis_are_scikit_learns(index):
    from sklearn.neighbors import NearestNeighbors

    rng = np.random.default_rng(10)
    x, q = rng.standard_normal((400, 6)), rng.standard_normal((50, 6))
    inverse = np.linalg.inv(np.cov(x.T * np.arange(1, 7)[:, None]))
    theirs = NearestNeighbors(metric="mahalanobis", metric_params={"VI": inverse}, algorithm="brute").fit(x)
    near, rows = theirs.kneighbors(q, 5)
    mine = build_index(x, plainly.named("mahalanobis", inverse_covariance=inverse), index=index).query(q, 5)
    np.testing.assert_array_equal(mine[1], rows)
    np.testing.assert_allclose(mine[0], near, rtol=1e-10)
    near, rows = NearestNeighbors(metric="cosine", algorithm="brute").fit(x).kneighbors(q, 5)
    found = build_index(x, "cosine", index=index)
    mine = found.query(q, 5)
    np.testing.assert_array_equal(mine[1], rows)
    np.testing.assert_allclose(mine[0], near, rtol=1e-9)
    start, _, far = found.radius(q, near[0, 2])
    assert start[1] in (2, 3)
    assert np.all(far <= near[0, 2])
    # The fifth neighbour is within its own distance, in spite of the root taken in between.
    start, rows, _ = found.radius(q, mine[0][:, 4])
    for i in range(50):
        np.testing.assert_array_equal(rows[start[i] : start[i + 1]], mine[1][i])


@pytest.mark.parametrize("metric", METRICS)
def test_threads_and_instruction_sets_give_the_same_bits(metric):
    rng = np.random.default_rng(11)
    x, q = rng.standard_normal((3000, 7)).astype(np.float32), rng.standard_normal((300, 7))
    results = []
    level = _core.simd_level()
    for name in ("baseline", "avx2", "avx512"):
        try:
            _core.set_simd_level(name)
        except ValueError:  # this processor has it not
            continue
        for n in (1, 2):
            with learnt.threads(n):
                kinds = ("brute",) if metric == "hamming" else ("brute", "kd_tree")
                results += [built(x, metric, kind).query(q, 12) for kind in kinds]
    _core.set_simd_level(level)
    for near, rows in results:
        np.testing.assert_array_equal(near, results[0][0])
        np.testing.assert_array_equal(rows, results[0][1])


def test_many_columns_and_a_copy_through_pickle():
    rng = np.random.default_rng(12)
    x = rng.standard_normal((500, 70))
    for index in ("brute", "kd_tree"):
        found = pickle.loads(pickle.dumps(build_index(x, index=index)))
        wanted = plainly.nearest(plainly.distances(x, x[:30], "euclidean"), 3)
        np.testing.assert_array_equal(found.query(x[:30], 3)[1], wanted[1])


def test_auto_takes_a_tree_for_few_columns_and_says_why():
    rng = np.random.default_rng(13)
    low = build_index(rng.random((20_000, 3)))
    high = build_index(rng.random((2000, 60)))
    once = build_index(rng.random((20_000, 3)), n_queries=1)
    assert (low.kind, high.kind, once.kind) == ("kd_tree", "brute", "brute")
    assert "20000 rows × 3 columns" in low.why
    assert "evenly spread" in low.why
    assert low.nbytes >= 20_000 * 3 * 8
    assert high.nbytes == 0


def test_auto_sees_that_rows_lie_near_a_surface_of_few_dimensions():
    rng = np.random.default_rng(16)
    flat = np.tanh(rng.standard_normal((20_000, 2)) @ rng.standard_normal((2, 30)))
    even = rng.random((20_000, 30))
    found, plain = build_index(flat), build_index(even)
    assert found.kind in ("kd_tree", "vp_tree")
    assert plain.kind == "brute"
    assert "by a trial on some of the rows" in found.why
    assert build_index(flat, n_queries=3).kind == "brute"
    for mine, wanted in zip(found.query(flat[:9], 4), build_index(flat, index="brute").query(flat[:9], 4), strict=True):
        np.testing.assert_array_equal(mine, wanted)
    labels = rng.integers(0, 2, (20_000, 40)).astype(float)
    assert build_index(labels, "hamming").kind == "brute"
    flat[17, 3] = np.nan  # told by its own row, not by that of a sample
    with pytest.raises(InputError, match="Row 17 has nan in column 3"):
        build_index(flat)


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("p", [1.0, 1.3, 2.0, 2.5, 3.0, 7.0, 16.0, 17.0, 40.5])
def test_any_power_finds_the_neighbours_of_scipy(p, index):
    rng = np.random.default_rng(17)
    x, q = rng.standard_normal((700, 4)), rng.standard_normal((30, 4))
    d = cdist(q, x, "minkowski", p=p)
    mine = build_index(x, plainly.named("minkowski", p=p), index=index).query(q, 8)
    np.testing.assert_array_equal(mine[1], np.argsort(d, axis=1, kind="stable")[:, :8])
    np.testing.assert_allclose(mine[0], np.sort(d, axis=1)[:, :8], rtol=1e-12)
    start, _, far = build_index(x, plainly.named("minkowski", p=p), index=index).radius(q, 1.0)
    assert start[-1] == np.sum(d <= 1.0)
    assert np.all(far <= 1.0)


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_clusters_as_tight_as_the_rounding_of_float32_lose_no_neighbour(metric, index):
    rng = np.random.default_rng(23)
    x = rng.choice([-1.0, 1.0], (600, 1)) + 1e-7 * rng.random((600, 8))
    check(x, x[:60], metric, index, 5)


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("p", [1.3, 2.5, 3.0])
def test_ties_of_any_power_go_to_the_smaller_row(p, index):
    x = np.random.default_rng(22).integers(0, 3, (400, 3)) * 1.55  # of which a guess of powers is too large
    d = np.empty((60, 400))
    _core.pairwise_distances(x[:60], x, "lp", p, None, d)
    found = build_index(x, plainly.named("minkowski", p=p), index=index).query(x[:60], 45)
    for mine, wanted in zip(found, plainly.nearest(d, 45), strict=True):
        np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_near_duplicates_far_from_the_origin_are_told_apart(metric, index):
    # A hundred million away from the origin, float32 has steps of 8: rows that look the same are, others are not.
    rng = np.random.default_rng(18)
    x = (1e8 + 8.0 * rng.integers(0, 4, (500, 3))).astype(np.float32)
    check(x, x[:40], metric, index, 60)
    fine = x.astype(np.float64) + rng.integers(0, 2, (500, 3)) * 2.0**-20
    for k in (3, 60):  # three are so near that a guess of them by float32 is all error
        check(fine, fine[:40], metric, index, k)


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "minkowski"])
def test_rows_on_a_line_where_every_bound_is_tight_are_all_found(metric, index):
    x = np.random.default_rng(20).permutation(np.repeat(np.arange(300) * 0.1, 2))[:, None]
    check(x, x[:80], metric, index, 11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("metric", "index"), pairs())
def test_columns_past_whole_vectors_count(metric, index, dtype):
    x = np.zeros((500, 19), dtype)
    x[:, 16:] = np.random.default_rng(21).integers(0, 30, (500, 3))
    check(x, x[:30], metric, index, 6)


def test_what_a_trial_expects_of_all_rows_follows_how_leaves_grow():
    assert choosing._at(10**6, 8192, 32, lambda size: 5.0) == 5.0
    assert choosing._at(10**6, 8192, 32, lambda size: size / 32) == pytest.approx(10**6 / 32)
    assert choosing._at(64 * 8192, 8192, 32, lambda size: np.sqrt(size)) == pytest.approx(np.sqrt(64 * 8192))


@pytest.mark.parametrize("index", ["brute", *TREES])
@pytest.mark.parametrize("metric", ["euclidean", "minkowski"])
def test_differences_whose_powers_vanish_lose_no_row(metric, index):
    steps = np.array([0.0, 1e-170, 1.4e-154, 2e-154, 1e-100, 1e-20, 1.0])
    x = np.random.default_rng(19).choice(steps, (300, 2))
    near, rows = built(x, metric, index).query(x[:40], 30)
    d = np.empty((40, 300))
    _core.pairwise_distances(x[:40], x, "l2" if metric == "euclidean" else "lp", 3.0, None, d)
    assert np.any((d == 0) & (x[:40, None] != x[None]).any(axis=2))
    for mine, wanted in zip((near, rows), plainly.nearest(d, 30), strict=True):
        np.testing.assert_array_equal(mine, wanted)


def test_a_table_of_numbers_is_taken_and_strides_do_not_matter():
    x = np.random.default_rng(14).random((60, 4))
    wanted = build_index(x).query(x, 3)
    for rows in (Table(x), np.asfortranarray(x), x[:, ::-1][:, ::-1]):
        for mine, theirs in zip(build_index(rows).query(rows, 3), wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree"])
def test_wrong_questions_are_refused_in_words(index):
    x = np.random.default_rng(15).random((30, 3))
    found = build_index(x, index=index)
    holed = x.copy()
    holed[4, 1] = np.nan
    with pytest.raises(InputError, match="Row 4 has nan in column 1"):
        build_index(holed, index=index)
    with pytest.raises(InputError, match="Row 4 has nan"):
        found.query(holed, 1)
    with pytest.raises(InputError, match="2 columns"):
        found.query(x[:, :2], 1)
    with pytest.raises(ParameterError, match="k is 31"):
        found.query(x, 31)
    with pytest.raises(ParameterError, match="one is left out"):
        found.query(x, 30, exclude_self=True)
    with pytest.raises(ParameterError, match="radius of row 0 is -1"):
        found.radius(x, -1.0)
    with pytest.raises(InputError, match="needs the index's own 30 rows"):
        found.query(x[:3], 1, exclude_self=True)
    for wrong in (np.full(30, -2), np.full(30, 30), np.zeros(29, np.int64)):
        with pytest.raises(InputError, match="one row number from −1 to 29"):
            found.query(x, 1, exclude_self=wrong)
    with pytest.raises(ParameterError, match="radius of row 2 is nan"):
        found.radius(x, np.where(np.arange(30) == 2, np.nan, 1.0))
    with pytest.raises(InputError, match="no rows"):
        build_index(x[:0], index=index)


def test_wrong_settings_are_refused_in_words():
    x = np.eye(3)
    with pytest.raises(ParameterError, match="index is 'octree'"):
        build_index(x, index="octree")
    with pytest.raises(ParameterError, match="no metric 'euclidian'"):
        build_index(x, "euclidian")
    with pytest.raises(ParameterError, match="how far a box is"):
        build_index(x, "hamming", index="kd_tree")
    with pytest.raises(ParameterError, match="leaf_size is 0"):
        build_index(x, leaf_size=0)
    with pytest.raises(ParameterError, match=r"p is 0\.5"):
        build_index(x, plainly.named("minkowski", p=0.5))


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree", "auto", "sparse"])
def test_rows_of_zeros_have_neighbours_by_cosine_in_every_index(index):
    from scipy.sparse import csr_array

    rng = np.random.default_rng(7)
    x, q = rng.normal(size=(90, 4)), rng.normal(size=(12, 4))
    x[[3, 40, 41]], q[[0, 5]] = 0.0, 0.0
    found = build_index(csr_array(x), "cosine") if index == "sparse" else build_index(x, "cosine", index=index)
    asked = csr_array(q) if index == "sparse" else q
    d = learnt.distance.pairwise(q, x, "cosine")
    order = np.lexsort((np.broadcast_to(np.arange(90), d.shape), d), axis=-1)
    for k in (1, 50, 90):
        distances, rows = found.query(asked, k)
        np.testing.assert_array_equal(rows, order[:, :k])
        np.testing.assert_array_equal(distances, np.take_along_axis(d, order[:, :k], 1))
    for r in (0.3, 1.0, 1.5):
        start, rows, distances = found.radius(asked, r)
        for i in range(12):
            near = order[i][d[i][order[i]] <= r]
            np.testing.assert_array_equal(rows[start[i] : start[i + 1]], near)
            np.testing.assert_array_equal(distances[start[i] : start[i + 1]], d[i][near])
    own = found.query(csr_array(x) if index == "sparse" else x, 4, exclude_self=True)[1]
    assert own[[3, 40, 41]].tolist() == [[0, 1, 2, 4], [0, 1, 2, 3], [0, 1, 2, 3]]
    with pytest.raises(InputError, match="5 columns, those of the index 4"):
        found.query(np.ones((1, 5)), 1)
