"""Which axioms of a metric hold, found out by trying."""

import math

import numpy as np
import pytest

from learnt import Table
from learnt.distance import check_metric, pairwise
from learnt.errors import InputError, ParameterError

LINE = [[0.0], [1.0], [3.0], [7.0]]


def away(a, b):
    return abs(float(a[0]) - float(b[0]))


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev", "hamming", "mahalanobis"])
def test_the_metrics_of_numbers_hold_all_axioms(name):
    x = np.random.default_rng(0).normal(size=(40, 3)).round(1)
    assert check_metric(name, x).failures == ()


@pytest.mark.parametrize("p", [1, 1.5, 4])
def test_minkowskis_distances_hold_all_axioms(p):
    assert check_metric("minkowski", np.random.default_rng(0).normal(size=(30, 3)), p=p).holds


def test_squares_break_the_triangle_and_the_worst_detour_is_shown():
    found = check_metric(lambda a, b: away(a, b) ** 2, LINE)
    assert [f.axiom for f in found.failures] == ["triangle"]
    failure = found["triangle"]
    i, j, k = failure.rows
    assert failure.distances == (away(LINE[i], LINE[k]) ** 2, away(LINE[i], LINE[j]) ** 2, away(LINE[j], LINE[k]) ** 2)
    assert failure.distances[0] > failure.distances[1] + failure.distances[2]
    by_hand = [
        (a, b, c)
        for a in range(4)
        for b in range(4)
        for c in range(4)
        if away(LINE[a], LINE[c]) ** 2 > away(LINE[a], LINE[b]) ** 2 + away(LINE[b], LINE[c]) ** 2
    ]
    assert failure.count == len(by_hand)
    assert (i, j, k) in by_hand
    assert found["symmetry"] is None
    assert f"d({i}, {k})" in str(found)


@pytest.mark.parametrize(
    ("metric", "axiom", "rows", "distances"),
    [
        (lambda a, b: away(a, b) - 2 * (a[0] == 0 and b[0] == 1), "non-negativity", (0, 1), (-1.0,)),
        (lambda a, b: math.nan if a[0] == 3 and b[0] == 7 else away(a, b), "non-negativity", (2, 3), None),
        (lambda a, b: away(a, b) + (a[0] == b[0] == 3), "identity", (2,), (1.0,)),
        (lambda a, b: abs(a[0] // 2 - b[0] // 2), "separation", (0, 1), (0.0,)),
        (lambda a, b: away(a, b) * (1.1 if a[0] == 7 and b[0] == 3 else 1), "symmetry", (2, 3), (4.0, 4.4)),
    ],
)
def test_each_axiom_that_fails_is_named_with_rows_and_numbers(metric, axiom, rows, distances):
    failure = check_metric(metric, LINE)[axiom]
    assert failure.rows == rows
    if distances is not None:
        assert failure.distances == pytest.approx(distances)


def test_a_missing_cell_breaks_identity_alone():
    table = Table({"x": [1.0, None, 3.0, 2.0], "c": ["a", "b", "a", None]})
    found = check_metric("mixed", table)
    assert [f.axiom for f in found.failures] == ["identity"]
    assert found["identity"].count == 2


def test_cosine_distances_break_the_triangle():
    found = check_metric("cosine", np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    assert found["triangle"].rows == (0, 1, 2)
    assert found["separation"] is None
    scaled = check_metric("cosine", np.array([[1.0, 0.0], [2.0, 0.0]]))
    assert scaled["separation"].rows == (0, 1)  # the same direction


def test_a_large_table_is_tried_on_a_hashed_sample_of_its_rows():
    x = np.arange(5000.0)[:, None]
    found = check_metric(lambda a, b: away(a, b) ** 2, x, max_rows=20)
    assert (found.n_rows, found.n_tested) == (5000, 20)
    i, j, k = found["triangle"].rows
    assert found["triangle"].distances == tuple(float(v) for v in ((i - k) ** 2, (i - j) ** 2, (j - k) ** 2))
    again = check_metric(lambda a, b: away(a, b) ** 2, x, max_rows=20)
    other = check_metric(lambda a, b: away(a, b) ** 2, x, max_rows=20, random_state=1)
    assert again == found
    assert other["triangle"].rows != found["triangle"].rows
    assert "drawn by chance" in str(found)


def test_ranges_are_those_of_all_rows_even_if_few_are_tried():
    table = Table({"x": np.arange(1000.0)})
    assert check_metric("mixed", table, max_rows=5).holds
    everything = pairwise(table, metric="mixed")
    assert everything.max() == 1


def test_infinite_distances_may_be_those_of_a_metric():
    assert check_metric(lambda a, b: 0.0 if a[0] == b[0] else math.inf, LINE).holds


def test_rounding_is_no_failure_and_a_strict_check_may_say_so():
    x = [[0.1 * i] for i in range(30)]
    assert check_metric(away, x).holds
    assert check_metric(away, x, tolerance=0)["triangle"] is not None


def test_nothing_to_try_and_wrong_settings_are_refused():
    with pytest.raises(InputError, match="no rows"):
        check_metric("euclidean", np.empty((0, 2)))
    with pytest.raises(ParameterError, match="tolerance is 2"):
        check_metric("euclidean", LINE, tolerance=2)
    with pytest.raises(ParameterError, match="max_rows is 0"):
        check_metric("euclidean", LINE, max_rows=0)
    with pytest.raises(KeyError, match="no axiom 'beauty'"):
        check_metric("euclidean", LINE)["beauty"]


def test_rows_that_are_there_twice_are_no_failure():
    x = np.array([[0.0, 1.0], [2.0, 1.0], [0.0, 1.0], [2.0, 1.0]])
    assert check_metric("euclidean", x).holds
    assert check_metric("levenshtein", ["ab", "b", "ab"]).holds
    assert check_metric("mixed", {"town": ["Bern", "Basel", "Bern"], "age": [1.0, 2.0, 1.0]}).holds
    told = check_metric(lambda a, b: abs(a[0] - b[0]), np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 2.0]]))
    assert [failure.axiom for failure in told.failures] == ["separation"]
    assert told["separation"].rows == (0, 2)
    assert told["separation"].count == 2
