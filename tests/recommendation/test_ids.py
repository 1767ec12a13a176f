"""Ids by number, batch by batch."""

import numpy as np
import pytest

from learnt import Table
from learnt.errors import InputError
from learnt.recommendation.ids import IdCounts, as_known, find_id


@pytest.mark.parametrize(
    "cells", [[5, 3, 5, 9], [1e9, 2.5, 1e9, -3.0], ["b", "a", "b", "ü"], [True, False, True, True]]
)
@pytest.mark.parametrize("cut", [0, 1, 3, 4])
def test_batches_count_what_the_whole_does(cells, cut):
    column, weights = Table({"id": cells})["id"], np.array([1.0, 2.0, 3.0, 4.0])
    counts = IdCounts(column.schema)
    for part in (slice(0, cut), slice(cut, 4)):
        counts.add(type(column).like(column, column.values[part]), weights[part])
    ids = counts.finish()
    labels = sorted(set(cells))
    assert list(ids.schema.categories) == labels
    assert ids.codes(column).tolist() == [labels.index(cell) for cell in cells]
    assert ids.counts.tolist() == [cells.count(label) for label in labels]
    assert ids.weights.tolist() == [sum(w for w, c in zip(weights, cells, strict=True) if c == one) for one in labels]


def test_labels_without_rows_are_not_known():
    column = Table({"id": ["a", "b", "c"]})["id"]
    counts = IdCounts(column.schema)
    counts.add(type(column).like(column, column.values[[0, 2]]), None)
    assert counts.finish().schema.categories == ("a", "c")
    assert counts.finish().codes(column).tolist() == [0, -1, 1]


def test_an_id_is_found_as_number_or_text():
    numbers, texts = {1: 0, 2.5: 1}, {"1": 0, "a": 1}
    assert [find_id(numbers, given) for given in (1, 1.0, "1", np.int64(1), "2.5", "a", None)] == [
        0,
        0,
        0,
        0,
        1,
        -1,
        -1,
    ]
    assert [find_id(texts, given) for given in ("1", 1, np.int64(1), "a", "b", 2)] == [0, 0, 0, 1, -1, -1]
    with pytest.raises(InputError, match=r"\[1, 2\] is no id"):
        find_id(numbers, [1, 2])


@pytest.mark.parametrize("known", [{1: 0, 2: 1}, {"1": 0, "2": 1, "a": 2}], ids=["numbers", "texts"])
@pytest.mark.parametrize("cells", [[2, 1, None, 7], ["2", "1", None, "7"], ["2", "1", None, "b"]], ids=str)
def test_ids_are_written_as_those_that_are_known(known, cells):
    found = as_known(Table({"id": cells}, kinds={"id": "nominal"} if "b" in cells else None)["id"], known).labels()
    assert found[:3] == [*reversed(list(known)[:2]), None]
    assert str(found[3]).removesuffix(".0") == str(cells[3])
