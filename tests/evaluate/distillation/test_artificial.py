"""Artificial rows: cells of a row or its neighbour, numbers between what was seen."""

import numpy as np
from scipy.spatial.distance import cdist

from learnt.data.table import Table
from learnt.evaluate.distillation.artificial import artificial_rows, nearest_rows

RNG = np.random.default_rng(0)


def test_the_nearest_row_is_that_of_all_distances():
    x = RNG.normal(size=(40, 3))
    shares = x / np.ptp(x, axis=0)  # differences count by the range of their column
    apart = cdist(shares, shares, "cityblock")
    np.fill_diagonal(apart, np.inf)
    np.testing.assert_array_equal(nearest_rows(Table.of_matrix(x)), apart.argmin(axis=1))
    assert nearest_rows(Table({"a": [1.0]})).tolist() == [0]


def test_cells_come_from_the_table_and_gaps_stay():
    table = Table({"whole": [1.0, 2.0, 5.0, 9.0] * 5, "town": ["u", "v", None, "w"] * 5, "flag": [True, False] * 10})
    found = artificial_rows(table, 500, np.random.default_rng(1))
    assert found.n_rows == 500
    assert found.schema == table.schema
    whole = found["whole"].values
    assert (whole == np.round(whole)).all()
    assert whole.min() >= 1
    assert whole.max() <= 9
    assert set(found["town"].labels()) == {"u", "v", "w", None}
    assert abs(found["town"].missing.mean() - 0.25) < 0.1  # each row is drawn from as often


def test_the_same_seed_draws_the_same_rows_and_a_lone_row_is_copied():
    table = Table({"a": RNG.normal(size=30)})
    one, other = (artificial_rows(table, 50, np.random.default_rng(3))["a"].values for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert artificial_rows(Table({"a": [2.5]}), 3, np.random.default_rng(0))["a"].values.tolist() == [2.5] * 3


def test_numbers_are_drawn_with_the_decimals_that_the_column_has():
    price, fine = np.round(RNG.uniform(0.5, 9, 60), 2), RNG.normal(size=60)
    found = artificial_rows(Table({"price": price, "fine": fine}), 400, np.random.default_rng(2))
    drawn = found["price"].values
    assert [float(f"{x:.2f}") for x in drawn] == drawn.tolist()
    assert len(set(drawn.tolist()) - set(price.tolist())) > 50  # not those of the table alone
    assert len(set(found["fine"].values.tolist())) > 150
