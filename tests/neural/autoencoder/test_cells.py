"""Cells there and back."""

import numpy as np
import pytest

from learnt import Table
from learnt.neural.autoencoder.cells import TableCells


def test_inputs_stand_in_their_order():
    cells = {
        "town": ["a", "b", None, "c"],
        "x": [1.0, 2.0, None, 3.0],
        "yes": [True, False, None, True],
        "still": [7.0, 7.0, 7.0, 7.0],
        "y": [0.0, 0.0, 1.0, 1.0],
    }
    table = Table(cells)
    found = TableCells.of(table, None, scaling=False, most=16)
    assert (found.n_outputs, found.n_dense, found.group_widths) == (6, 9, (3,))
    x = found.encode(table)
    expected = [[1, 0, 1, 1, 0, 0, 0, 0, 0], [2, 0, -1, 0, 1, 0, 0, 0, 0], [np.nan, 1, 0, 0, 0, 0, 1, 1, 1],
                [3, 1, 1, 0, 0, 1, 0, 0, 0]]  # fmt: skip
    np.testing.assert_array_equal(x, expected)
    assert found.scaled(x)[2, 0] == 0


@pytest.mark.parametrize("scaling", ["robust", True, False])
def test_what_is_encoded_and_decoded_is_the_table(mixed_table, scaling):
    table = mixed_table[0]
    cells = TableCells.of(table, None, scaling=scaling, most=64)
    back = cells.decode(cells.scaled(cells.encode(table))[:, : cells.n_outputs])
    assert back.schema == table.schema
    for column, given in zip(table.columns, back.columns, strict=True):
        there = ~column.missing
        np.testing.assert_allclose(given.values[there], column.values[there], rtol=1e-6)


def test_the_rarest_of_many_categories_share_an_output():
    table = Table({"c": ["a"] * 2 + ["b"] * 5 + ["c"] * 4 + ["d"]})
    cells = TableCells.of(table, None, scaling="robust", most=3)
    x = cells.encode(table)
    assert x.sum(axis=0).tolist() == [5, 4, 3]
    assert cells.decode(x)["c"].labels() == ["a"] * 2 + ["b"] * 5 + ["c"] * 4 + ["a"]
    weighted = TableCells.of(table, np.where(np.arange(12) == 11, 99.0, 1.0), scaling="robust", most=2)
    assert weighted.group_widths == ()
    assert weighted.decode(weighted.encode(table))["c"].labels() == ["b"] * 11 + ["d"]


def test_ordered_categories_come_back_by_the_nearest_rank():
    table = Table({"size": ["S", "M", "L"]}, ordinal={"size": ["S", "M", "L"]})
    cells = TableCells.of(table, None, scaling=False, most=16)
    assert cells.decode(np.array([[-4.0], [0.6], [1.4], [9.0]]))["size"].labels() == ["S", "M", "M", "L"]


def test_a_matrix_of_numbers_is_its_own_input():
    x = np.random.default_rng(0).normal(size=(5, 3))
    table = Table(x)
    assert TableCells.of(table, None, scaling="robust", most=16).encode(table) is table.matrix
    x[0, 1] = np.nan
    x[:, 2] = 4
    cells = TableCells.of(Table(x), None, scaling=False, most=16)
    np.testing.assert_array_equal(cells.encode(Table(x)), np.column_stack([x[:, :2], np.isnan(x[:, 1])]))
    assert np.asarray(cells.decode(np.zeros((1, 2)))).tolist() == [[0.0, 0.0, 4.0]]


def test_parts_that_do_not_fit_are_refused(mixed_table):
    from dataclasses import replace

    cells = TableCells.of(mixed_table[0], None, scaling=False, most=16)
    for wrong in ({"most": 3}, {"stands": cells.stands + 99}, {"varies": ~cells.varies}, {"places": cells.places - 1}):
        with pytest.raises(ValueError, match=r"columns|Categories|scale"):
            replace(cells, **wrong)
