"""Distances of two rows and of all rows, beside SciPy's."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial import distance as scipy_distance

import learnt
from learnt import Table, distance
from learnt.errors import InputError, KindError, ParameterError

SHARED = {
    "manhattan": "cityblock",
    "cityblock": "cityblock",
    "l1": "cityblock",
    "euclidean": "euclidean",
    "l2": "euclidean",
    "chebyshev": "chebyshev",
    "hamming": "hamming",
    "cosine": "cosine",
}


def rows(n, p, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p)).round(1)


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 131, 3), (67, 64, 9), (130, 2, 33)])
@pytest.mark.parametrize("name", SHARED)
def test_all_pairs_are_as_far_as_scipy_says(name, shape):
    n, m, p = shape
    x, y = rows(n, p) + 0.05, rows(m, p, 1) + 0.05
    np.testing.assert_allclose(
        distance.pairwise(x, y, name), scipy_distance.cdist(x, y, SHARED[name]), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("name", ["manhattan", "euclidean", "hamming"])
def test_columns_may_count_more_or_less_as_in_scipy(name):
    x, y, w = rows(20, 4), rows(30, 4, 1), np.array([1.0, 0.0, 2.5, 0.1])
    ours = distance.pairwise(x, y, name, column_weights=w)
    np.testing.assert_allclose(ours, scipy_distance.cdist(x, y, SHARED[name], w=w), rtol=1e-12)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, math.inf])
def test_minkowskis_distance_is_scipys_for_every_power(p):
    x, y = rows(20, 4), rows(30, 4, 1)
    theirs = scipy_distance.cdist(x, y, "chebyshev") if math.isinf(p) else scipy_distance.cdist(x, y, "minkowski", p=p)
    np.testing.assert_allclose(distance.pairwise(x, y, "minkowski", p=p), theirs, rtol=1e-12)
    assert distance.minkowski(x[0], y[0], p) == pytest.approx(theirs[0, 0], rel=1e-12)


def test_mahalanobis_takes_the_covariance_of_all_rows():
    x, y = rows(40, 3) @ np.array([[1, 0.5, 0], [0, 1, 3], [0, 0, 2]]), rows(10, 3, 1)
    inverse = np.linalg.inv(np.cov(np.vstack([x, y]).T, bias=True))
    theirs = scipy_distance.cdist(x, y, "mahalanobis", VI=inverse)
    np.testing.assert_allclose(distance.pairwise(x, y, "mahalanobis"), theirs, rtol=1e-9)
    given = distance.pairwise(x, y, "mahalanobis", inverse_covariance=inverse)
    np.testing.assert_allclose(given, theirs, rtol=1e-9)
    assert distance.mahalanobis(x[0], y[0], inverse) == pytest.approx(theirs[0, 0])


def test_mahalanobis_counts_a_column_given_twice_once():
    x = rows(30, 2)
    twice = np.column_stack([x, x[:, 0]])
    np.testing.assert_allclose(
        distance.pairwise(twice, metric="mahalanobis"), distance.pairwise(x, metric="mahalanobis")
    )


@pytest.mark.parametrize("name", ["manhattan", "euclidean", "chebyshev", "hamming", "cosine"])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_two_rows_are_as_far_as_all_pairs_say(name, data):
    cells = st.floats(-1e100, 1e100, allow_subnormal=False).map(lambda v: v if abs(v) > 1e-100 else 1.0)
    a, b = data.draw(arrays.arrays(np.float64, (2, 4), elements=cells))
    together = distance.pairwise(a[None], b[None], name)[0, 0]
    assert getattr(distance, name)(a, b) == pytest.approx(together, rel=1e-9, abs=1e-15)


def test_no_distance_overflows_or_vanishes_on_the_way():
    far, near = np.array([[3e300, 4e300], [0, 0]]), np.array([[3e-300, 4e-300], [0, 0]])
    assert distance.pairwise(far)[0, 1] == pytest.approx(5e300)
    assert distance.pairwise(near)[0, 1] == pytest.approx(5e-300)
    assert distance.pairwise(far, near)[0, 0] == pytest.approx(5e300)
    assert distance.pairwise(near, np.array([[0.0, 1.0]]))[0, 0] == 1
    assert distance.euclidean(far[0], far[1]) == pytest.approx(5e300)
    assert distance.minkowski(far[0], far[1], 3) == pytest.approx(91 ** (1 / 3) * 1e300)
    assert distance.cosine([1e300, 0], [1e-300, 1e-300]) == pytest.approx(1 - math.sqrt(0.5))


def test_euclids_distance_is_the_plain_sum_to_the_last_bit_on_any_instruction_set():
    x, y = rows(9, 7) * 1e3, rows(70, 7, 1) / 3
    total = np.zeros((9, 70))
    for j in range(7):
        total += (x[:, None, j] - y[None, :, j]) ** 2
    for level in ("baseline", "avx2", "avx512"):
        before = learnt._core.simd_level()
        try:
            learnt._core.set_simd_level(level)
        except ValueError:  # this machine has no such level
            continue
        try:
            np.testing.assert_array_equal(distance.pairwise(x, y), np.sqrt(total))
        finally:
            learnt._core.set_simd_level(before)


def test_float32_rows_are_compared_in_float64():
    x = rows(12, 5).astype(np.float32) + np.float32(1000)
    np.testing.assert_array_equal(distance.pairwise(x), distance.pairwise(x.astype(np.float64)))


def test_the_number_of_threads_changes_no_bit():
    x = rows(300, 6) * 1.1
    found = []
    for n in (1, 2, 3):
        with learnt.threads(n):
            found.append(distance.pairwise(x, metric="manhattan"))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_no_rows_have_no_distances_and_rows_without_columns_are_refused(shape):
    if shape[0] == 0:
        assert distance.pairwise(np.empty((0, 3)), np.ones((2, 3))).shape == (0, 2)
    else:
        with pytest.raises(InputError, match="at least one"):
            distance.pairwise(np.empty(shape))


# Mixed tables

PEOPLE = {
    "age": [20.0, 30.0, None, 70.0],
    "size": ["S", "L", "M", "S"],
    "town": ["Bern", "Basel", "Bern", None],
    "member": [True, False, True, True],
}


def people():
    return Table(PEOPLE, ordinal={"size": ["S", "M", "L"]})


def test_mixed_rows_are_compared_column_by_column():
    expected = np.array([[0, 0.2 + 1 + 1 + 1], [0.2 + 1 + 1 + 1, 0]])
    np.testing.assert_allclose(distance.pairwise(people(), metric="mixed")[:2, :2], expected)


def test_a_missing_cell_is_as_far_as_can_be_even_from_itself():
    d = distance.pairwise(people(), metric="mixed")
    assert d[2, 2] == 1  # the age
    assert d[3, 3] == 1  # the town
    assert d[2, 3] == pytest.approx(1 + 0.5 + 1 + 0)


def test_the_function_of_two_rows_agrees_with_all_pairs():
    table = people()
    d = distance.pairwise(table, metric="mixed")
    places = {"S": 0, "M": 1, "L": 2}
    cells = [[places.get(c, c) for c in row] for row in zip(*PEOPLE.values(), strict=True)]
    for i in range(4):
        for j in range(4):
            assert distance.mixed(cells[i], cells[j], [50, 2, None, None]) == pytest.approx(d[i, j])


def test_ranges_are_those_of_both_tables_and_unknown_labels_differ_from_all():
    d = distance.pairwise({"x": [0.0, 1.0], "c": ["a", "b"]}, {"x": [4.0], "c": ["z"]}, "mixed")
    np.testing.assert_allclose(d, [[2.0], [1.75]])


def test_the_two_tables_may_have_their_columns_in_any_order():
    x, y = {"x": [0.0, 4.0], "c": ["a", "b"]}, {"c": ["b", "a"], "x": [4.0, 1.0]}
    np.testing.assert_allclose(distance.pairwise(x, y, "mixed"), [[2, 0.25], [0, 1.75]])


def test_power_two_is_the_root_of_the_squares():
    plain = distance.pairwise({"x": [0.0, 1.0, 4.0], "c": list("aba")}, metric="mixed", power=2)
    np.testing.assert_allclose(plain, np.sqrt([[0, 1 / 16 + 1, 1], [1 / 16 + 1, 0, 9 / 16 + 1], [1, 9 / 16 + 1, 0]]))


def test_a_column_of_text_counts_edits_as_a_share_of_the_longer():
    x = {"name": ["Meier", "Meyer", "Huber"], "age": [20.0, 20.0, 70.0]}
    d = distance.pairwise(x, {"name": ["Mayer"], "age": [45.0]}, "mixed", text_columns=["name"])
    np.testing.assert_allclose(d[:, 0], [2 / 5 + 0.5, 1 / 5 + 0.5, 3 / 5 + 0.5])


def test_labels_that_say_the_same_about_the_class_are_near():
    x = {"town": ["a"] * 4 + ["b"] * 4 + ["c"] * 4}
    y = ["+", "+", "+", "-", "+", "+", "+", "-", "-", "-", "-", "-"]
    metric = distance.resolve("mixed", x, y, nominal="value_difference")
    d = distance.pairwise(x, metric=metric)
    assert d[0, 4] == 0
    assert d[0, 8] == pytest.approx(0.75)  # half of |3/4 − 0| + |1/4 − 1|


# A function of one's own


def test_a_function_sees_rows_as_they_came():
    assert distance.pairwise(["ab", "abc"], metric=lambda a, b: abs(len(a) - len(b))).tolist() == [[0, 1], [1, 0]]
    table = Table({"x": [1.0, None], "c": ["u", "v"]})
    seen = []
    distance.pairwise(table, metric=lambda a, b: seen.append((a, b)) or 0.0)
    assert seen[1] == ([1.0, "u"], [None, "v"])


# What is refused


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: distance.euclidean([1, 2], [1]), InputError, "2 and 1 cells"),
        (lambda: distance.euclidean([1, math.nan], [1, 2]), InputError, "first row has nan in column 1"),
        (lambda: distance.manhattan(["a"], [1]), KindError, "Expected numbers"),
        (lambda: distance.manhattan([[1]], [1]), InputError, "one row"),
        (lambda: distance.minkowski([1], [2], 0.5), ParameterError, "triangle"),
        (lambda: distance.minkowski([1], [2], math.nan), ParameterError, "1 or more"),
        (lambda: distance.hamming("", ""), InputError, "at least one"),
        (lambda: distance.mahalanobis([1, 2], [1, 2], [[1]]), InputError, "1 columns, but the rows have 2"),
        (lambda: distance.mahalanobis([1], [2], [[-1]]), ParameterError, "negative root"),
        (lambda: distance.mahalanobis([1], [2], [[math.nan]]), ParameterError, "finite"),
        (lambda: distance.levenshtein("a", 3), KindError, "compares texts"),
        (lambda: distance.mixed([1], [2], [None, 1]), InputError, "2 ranges"),
        (lambda: distance.mixed([1], [2], [math.nan]), ParameterError, "A range is nan"),
        (lambda: distance.pairwise([[1.0]], metric="nearby"), ParameterError, "no metric 'nearby'"),
        (lambda: distance.pairwise([[1.0]], metric=3), ParameterError, "function of two rows"),
        (lambda: distance.pairwise([[1.0, 2]], [[1.0]]), InputError, "columns"),
        (lambda: distance.pairwise(np.array([[1.0, np.nan]])), InputError, "Row 0 has nan in column 1"),
        (lambda: distance.pairwise({"c": ["a"]}), InputError, "'c' is nominal"),
        (lambda: distance.pairwise({"x": [np.inf, 1.0]}, metric="mixed"), InputError, "Row 0 is infinite"),
        (lambda: distance.pairwise({"x": [1.0]}, metric="levenshtein"), InputError, "compares texts"),
        (lambda: distance.pairwise(["a"], [1], "levenshtein"), InputError, "Row 0 of Y is 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_beyond_its_range_a_number_is_as_far_as_any_two_labels():
    assert distance.mixed([0.0, "a"], [5.0, "a"], ranges=[2.0, None]) == 1.0
    assert distance.mixed([0.0, "a"], [1.0, "b"], ranges=[2.0, None]) == 1.5


def test_a_row_of_zeros_is_at_1_from_every_other_as_in_scikit_learn():
    from sklearn.metrics.pairwise import cosine_distances

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    x[[0, 3, 4]], y[[1, 2]] = 0.0, 0.0
    one, both = distance.pairwise(x, metric="cosine"), distance.pairwise(x, y, "cosine")
    np.testing.assert_allclose(one, cosine_distances(x), atol=1e-15)
    np.testing.assert_allclose(both, cosine_distances(x, y), atol=1e-15)
    assert np.all(both[[0, 3, 4]] == 1)
    assert np.all(both[:, [1, 2]] == 1)
    assert np.all(one.diagonal() == 0)
    stored = scipy.sparse.csr_array(x)
    np.testing.assert_array_equal(distance.pairwise(stored, metric="cosine"), one)
    np.testing.assert_array_equal(distance.pairwise(stored, scipy.sparse.csr_array(y), "cosine"), both)
    assert distance.cosine([0, 0], [1, 2]) == distance.cosine([1, 2], [0, 0]) == distance.cosine([0, 0], [0, 0]) == 1
    found = distance.check_metric("cosine", x)
    assert found["identity"].rows == (0,)  # a row of zeros is at 1 from its copy
    assert found["symmetry"] is None


def test_rows_may_lie_anywhere_in_memory():
    x = np.random.default_rng(0).normal(size=(9, 3))
    packed = np.zeros(9, [("flag", np.int8), ("x", np.float64, 3)])
    packed["x"] = x
    for metric in ("euclidean", "manhattan", "cosine", "mahalanobis"):
        np.testing.assert_array_equal(
            distance.pairwise(packed["x"], metric=metric), distance.pairwise(x, metric=metric)
        )
