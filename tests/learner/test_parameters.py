"""Domains say what they allow, and allow nothing else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import learnt
from learnt import Table
from learnt.errors import ParameterError
from learnt.learner.parameters import Flag, OneOf, Real, Rows, Seed, Whole, check_parameters, seed_from

CASES = [
    (Whole(), [0, -5, 2**62, np.int8(3), np.uint64(7)], [10**30, 1.0, "1", None, True, np.bool_(False), np.nan, [1]]),
    (Whole(1, 3), [1, 2, 3], [0, 4, -1, 2.0]),
    (Real(), [0, -1.5, np.float32(2), Fraction(1, 3), 10**30], [np.nan, np.inf, -np.inf, "1", True, None, 1j, 10**400]),
    (Real(0, 1), [0, 1, 0.5], [-1e-300, 1.0000001]),
    (Real(above=0, below=1), [1e-300, 0.5], [0, 0.0, -0.0, 1, 1.0]),
    (OneOf("a", 1, None), ["a", 1, None], ["b", True, 1.0, "A", 0, np.zeros(2)]),
    (Flag(), [True, False, np.bool_(True)], [0, 1, "True", None]),
    (
        Rows(),
        [np.ones((2, 3)), [[1, 2], [3, 4]], {"a": [1]}, Table({"a": [1]})],
        [None, "xy", 3, [1, 2], np.ones(3), [[1], [2, 3]]],
    ),
    (Seed(), [None, 0, 2**32 - 1, np.random.default_rng(0), np.random.RandomState(0)], [-1, 2**32, 1.5, "0", True]),
    (OneOf("auto") | Whole(1), ["auto", 1], ["no", 0, None, 1.5]),
]


@pytest.mark.parametrize(("domain", "allowed", "refused"), CASES, ids=lambda v: getattr(v, "words", ""))
def test_a_domain_allows_what_it_says(domain, allowed, refused) -> None:
    for value in allowed:
        assert value in domain, repr(value)
    for value in refused:
        assert value not in domain, repr(value)


def test_rows_accept_every_container() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from scipy.sparse import csr_matrix

    for build in (pd.DataFrame, pl.DataFrame, pa.table):
        assert build({"a": [1.0], "b": [2.0]}) in Rows()
    assert csr_matrix(np.eye(2)) in Rows()


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (Whole(1), "a whole number ≥ 1"),
        (Real(0, 1), "a number ≥ 0 and ≤ 1"),
        (Real(above=0), "a number > 0"),
        (OneOf("a", "b"), "one of 'a', 'b'"),
        (OneOf("auto") | Flag(), "'auto' or True or False"),
        (Whole(), "a whole number"),
    ],
)
def test_a_domain_has_words(domain, words) -> None:
    assert domain.words == words


def test_the_error_says_what_came_and_what_was_expected() -> None:
    with pytest.raises(ParameterError, match=r"^It: k=0 is not allowed\. Expected a whole number ≥ 1\.$"):
        check_parameters("It", {"k": Whole(1)}, {"k": 0})


def test_long_values_are_cut_short_in_errors() -> None:
    with pytest.raises(ParameterError) as raised:
        check_parameters("It", {"k": Whole(1)}, {"k": "x" * 10_000})
    assert len(str(raised.value)) < 150


def test_equal_seeds_give_equal_numbers_and_others_do_not() -> None:
    assert seed_from(3) == seed_from(3) == seed_from(np.int64(3))
    assert len({seed_from(s) for s in range(100)}) == 100
    assert seed_from(None) != seed_from(None)
    assert seed_from(np.random.default_rng(1)) == seed_from(np.random.default_rng(1))
    assert seed_from(np.random.RandomState(1)) == seed_from(np.random.RandomState(1))


def test_seeds_fit_the_kernels() -> None:
    for state in (0, 2**32 - 1, None, np.random.default_rng(0), np.random.RandomState(0)):
        assert 0 <= seed_from(state) < 2**64


def test_a_grid_search_over_arrays_of_settings_is_one_over_lists():
    x, y = np.repeat([0.0, 1.0, 2.0], 10)[:, None], np.repeat(list("abc"), 10)
    lists = {"weights": ["uniform", "distance"], "n_neighbors": [1, 3]}
    arrays = {name: np.array(values) for name, values in lists.items()}
    found = [GridSearchCV(learnt.KNeighborsClassifier(), grid, cv=2).fit(x, y) for grid in (lists, arrays)]
    assert found[1].best_params_ == found[0].best_params_
    assert found[1].best_score_ == found[0].best_score_ > 0


def test_an_array_of_one_string_is_no_string():
    assert np.str_("a") in OneOf("a", "b")
    assert np.array("a") not in OneOf("a", "b")
    assert np.int64(1) not in OneOf(True, "a")
    assert np.bool_(True) not in OneOf(1, "a")
