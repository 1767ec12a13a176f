"""Rows that conditions cover: those of all conditions asked one by one of the whole table."""

import numpy as np
import pytest

from learnt import Table
from learnt.tree import covered_rows
from learnt.tree.covered_rows import RowsByCode, TestedCells
from learnt.tree.show.conditions import Among, Between

RNG = np.random.default_rng(0)
TABLE = Table(
    {
        "size": np.where(RNG.random(200) < 0.1, np.nan, RNG.normal(size=200)),
        "town": [None if i % 9 == 0 else f"town {i % 5}" for i in range(200)],
        "old": [None if i % 11 == 0 else i % 3 == 0 for i in range(200)],
    }
)
CONDITIONS = [
    Between("size", -0.5, None),
    Between("size", None, 0.7, missing=True),
    Among("town", ("town 1",)),
    Among("town", ("town 0", "town 4", "elsewhere"), missing=True),
    Among("town", ("town 2",), negated=True),
    Among("town", (), negated=True),
    Among("old", (True,)),
    Among("town", ("elsewhere",)),
]


@pytest.mark.parametrize("most_kept", [covered_rows.MOST_KEPT, 0])
def test_covered_rows_are_those_that_fulfil_every_condition(monkeypatch, most_kept):
    monkeypatch.setattr(covered_rows, "MOST_KEPT", most_kept)
    cells = TestedCells(TABLE)
    for _ in range(100):
        chosen = [CONDITIONS[i] for i in RNG.permutation(len(CONDITIONS))[: RNG.integers(0, 4)]]
        expected = np.ones(200, dtype=bool)
        for condition in chosen:
            expected &= condition.test(TABLE)
        np.testing.assert_array_equal(cells.covered(chosen), np.flatnonzero(expected))
        for condition in chosen:
            np.testing.assert_array_equal(cells.test(condition), condition.test(TABLE))


def test_rows_of_categories_are_found_in_their_order():
    rows = RowsByCode(TABLE["town"])
    names = np.array([f"town {i % 5}" for i in range(200)])
    known = np.arange(200) % 9 != 0
    assert (
        rows.rows(("town 3", "town 1"), False).tolist()
        == np.flatnonzero(known & np.isin(names, ["town 1", "town 3"])).tolist()
    )
    assert rows.rows((), True).tolist() == np.flatnonzero(~known).tolist()
    assert rows.rows(("nowhere",), False).tolist() == []
