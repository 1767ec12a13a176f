"""Tables brought to the columns of a fit: by name, or by position where there are no names."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt.data.matching import match_columns
from learnt.data.table import Table
from learnt.errors import InputError


def test_columns_are_found_by_name_in_any_order_and_others_left():
    fitted = Table({"a": [1.0], "b": ["u"]})
    found = match_columns(Table({"c": [0.0], "b": ["u"], "a": [2.0]}), fitted.schema)
    assert found.to_dict() == {"a": [2.0], "b": ["u"]}


def test_labels_take_the_codes_they_had_when_the_learner_was_fitted():
    fitted = Table({"b": ["u", "v", "w"]})
    found = match_columns(Table({"b": ["w", "x", "u", None]}), fitted.schema)
    assert found["b"].categories == fitted["b"].categories
    assert found["b"].values.tolist() == [2, -1, 0, -1]  # one that was not there is missing


def test_a_matrix_of_numbers_stays_one():
    fitted = Table(np.zeros((2, 3)))
    x = np.arange(6.0).reshape(2, 3)
    assert match_columns(Table(x), fitted.schema).matrix is not None
    sparse = match_columns(Table(csr_matrix(x)), fitted.schema)
    np.testing.assert_array_equal(sparse.sparse.toarray(), x)


def test_without_names_on_one_side_positions_count():
    named = Table({"p": [1.0, 2.0], "q": [3.0, 4.0]})
    by_position = match_columns(Table(np.array([[5.0, 6.0]])), named.schema)
    assert by_position.matrix.tolist() == [[5.0, 6.0]]
    mixed = Table({"p": [1.0, 2.0], "q": ["u", "v"]})
    with pytest.raises(InputError, match="The table has 3 columns, but 2 were expected"):
        match_columns(Table(np.zeros((1, 3))), mixed.schema)


def test_absent_columns_are_named_a_few_of_many():
    fitted = Table({name: [1.0] for name in "abcdef"})
    with pytest.raises(InputError, match=r"Column 'a' is missing from the table \(and 4 more: \['b', 'c', 'd'\]\)"):
        match_columns(Table({"f": [1.0]}), fitted.schema)
    with pytest.raises(InputError, match=r"Column 'a' is missing from the table\. It was there"):
        match_columns(Table({name: [1.0] for name in "bcdef"}), fitted.schema)


def test_an_empty_table_keeps_its_rows():
    fitted = Table({"a": [1.0], "b": ["u"]})
    assert match_columns(fitted.rows(0, 0), fitted.schema).n_rows == 0
