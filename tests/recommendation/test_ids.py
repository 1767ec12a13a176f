"""Ids by number, batch by batch."""

import numpy as np
import pytest

from learnt import Table
from learnt.recommendation.ids import IdCounts


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
