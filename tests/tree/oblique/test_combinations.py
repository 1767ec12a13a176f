"""Sums of columns: their values, their words, and files that contradict themselves."""

from __future__ import annotations

import numpy as np
import pytest

from learnt import Table
from learnt.errors import SavedModelError
from learnt.tree.oblique.combinations import Combinations, Term


@pytest.fixture
def sums():
    return Combinations.of(
        [
            ((Term(0, -1, 2.0, 1.0), 1.0), (Term(1, 1, 0.25, 0.4), -0.5)),
            ((Term(0, -1, 2.0, 1.0), -1.0), (Term(2, -1, 0.0, 3.0), 2.5)),
        ]
    )


@pytest.fixture
def table():
    return Table({"a": [1.0, None, 4.0, None], "town": ["Basel", "Bern", None, None], "b": [0.0, 1.0, 2.0, None]})


def test_values_are_sums_with_means_for_gaps(sums, table):
    wide = sums.spread(table, sums.schema_behind(table.schema))
    assert wide.names[3:] == ("a − 0.5 · [town is Bern]", "−a + 2.5 · b")
    np.testing.assert_allclose(wide.columns[3].values, [1.0, 1.5, 4 - 0.125, np.nan])
    np.testing.assert_allclose(wide.columns[4].values, [-1.0, 0.5, 1.0, np.nan])


def test_shares_go_by_the_size_of_the_terms(sums, table):
    np.testing.assert_allclose(sums.shares(table.rows(0, 1)), [[1 / 1.125, 0.125 / 1.125, 0], [1, 0, 0]])
    np.testing.assert_allclose(sums.shares(table.rows(3, 4)), [[0.5, 0.5, 0], [0.5, 0, 0.5]])
    np.testing.assert_allclose(sums.scale_shares(3), [[1 / 1.2, 0.2 / 1.2, 0], [1 / 8.5, 0, 7.5 / 8.5]])


def test_a_formula_that_is_a_column_already_gets_a_mark(sums):
    odd = Table({"a": [1.0], "town": ["Bern"], "b": [1.0], "−a + 2.5 · b": [0.0]})
    odd = Table({**{n: odd[n].labels() for n in odd.names}, "town": ["Bern"]})
    names = Combinations.of([sums.sums[1]]).schema_behind(odd.schema).names
    assert names[-1] == "−a + 2.5 · b′"


def test_contradictions_are_refused(sums, table):
    with pytest.raises(ValueError, match="fit together"):
        Combinations(sums.start[:-1], sums.column, sums.code, sums.coef, sums.fill, sums.scale)
    with pytest.raises(SavedModelError, match="columns"):
        sums.check_columns(Table({"a": [1.0], "town": [2.0], "b": [3.0]}).schema)
    with pytest.raises(SavedModelError, match="not there"):
        sums.check_columns(Table({"a": [1.0]}).schema)
    sums.check_columns(table.schema)
