"""The sketch of a table, against sorting and counting all of its rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.statistics.cuts import CUTS, N, added

from learnt import Table
from learnt.statistics import sketch as module
from learnt.statistics.sample import hash_rows, smallest_keys
from learnt.statistics.sketch import MOST_VALUES, sketch

RNG = np.random.default_rng(6)
FEW = RNG.integers(0, 5, N).astype(float)
FEW[::11] = np.nan
TOWN = RNG.integers(0, 3, N)
TIMES = RNG.integers(0, 4, N)


def _table(rows=slice(None)) -> Table:
    names = np.array(["Bern", "Basel", None], object)
    whole = Table({"few": FEW, "town": names[TOWN].tolist()})
    return whole.take(np.arange(N)[rows])  # the categories are those of all rows


def _distinct(found) -> dict[float, float]:
    return {value: weight for value, weight in found.distinct[0].tolist() if weight}


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_sketches_of_parts_count_the_repeated_rows(cuts, from_right):
    w = TIMES.astype(float)
    found = added(lambda rows: sketch(_table(rows), w[rows], rows.start), cuts, from_right=from_right)
    values, times = np.unique(np.repeat(FEW, TIMES)[~np.isnan(np.repeat(FEW, TIMES))], return_counts=True)
    assert _distinct(found) == dict(zip(values.tolist(), times.tolist(), strict=True))
    labels = _table()["town"]
    assert_array_equal(found.categories[0], [w[labels.values == c].sum() for c in range(len(labels.categories))])
    assert not found.many.any()
    assert found.rows == N


def test_more_distinct_numbers_than_are_kept_are_known_to_be_many_however_the_rows_are_cut():
    n = MOST_VALUES + 1
    whole, first, second = (sketch(Table({"x": np.arange(a, b)})) for a, b in ((0, n), (0, 200), (200, n)))
    assert whole.many.tolist() == (first + second).many.tolist() == [True]
    assert len((first + second).distinct[0]) == 0
    assert sketch(Table({"x": np.arange(MOST_VALUES)})).many.tolist() == [False]


@pytest.mark.parametrize("cuts", CUTS)
def test_the_sample_is_that_of_the_smallest_keys_however_the_rows_are_cut(cuts, monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 20)
    numbers = np.arange(N) / 7
    found = added(lambda rows: sketch(Table({"x": numbers[rows]}), None, rows.start), cuts)
    kept = smallest_keys(hash_rows(module._SEED, 0, N), 20)
    assert_array_equal(np.sort(found.sample.taken[0][:, 0]), np.sort(numbers[kept]))
