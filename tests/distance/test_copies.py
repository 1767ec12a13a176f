"""Rows with missing cells that stand there more than once."""

import numpy as np
import pytest
import scipy.sparse

from learnt import Table
from learnt.distance.copies import groups_of_copies

NAN = float("nan")


def groups(table):
    return sorted(rows.tolist() for rows in groups_of_copies(table))


def test_only_copies_with_missing_cells_are_groups():
    matrix = np.array([[1, NAN], [1, 2], [1, NAN], [1, 2], [2, NAN], [NAN, 1], [1, NAN], [NAN, 1]])
    assert groups(Table(matrix)) == [[0, 2, 6], [5, 7]]


def test_labels_tell_rows_apart_too():
    table = Table({"x": [1.0, None, None, None, 1.0], "c": ["a", "b", "b", "a", None]})
    assert groups(table) == [[1, 2]]


@pytest.mark.parametrize(
    "table",
    [
        Table([[1.0, 2.0]] * 3),
        Table([[NAN, 2.0]]),
        Table([[NAN, 2.0], [2.0, NAN]]),
        Table(scipy.sparse.csr_array(np.eye(3))),
    ],
    ids=["complete", "one row", "no copy", "sparse"],
)
def test_tables_without_any(table):
    assert groups(table) == []
