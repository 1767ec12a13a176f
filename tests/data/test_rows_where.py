"""Some rows, in the container they came in."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import learnt
from learnt.data.rows_where import rows_where

CELLS = {"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}
MASK = np.array([True, False, True])


@pytest.mark.parametrize("made", [learnt.Table, pd.DataFrame, pa.table, dict], ids=lambda f: f.__name__)
def test_the_rows_where_the_mask_says_so(made):
    given = made(CELLS)
    kept = rows_where(given, MASK)
    assert type(kept) is type(given)
    assert learnt.Table(kept).to_dict() == {"a": [1.0, 3.0], "b": ["x", "z"]}


def test_arrays_and_lists():
    assert rows_where(np.arange(3), MASK).tolist() == [0, 2]
    assert rows_where(["x", "y", "z"], MASK) == ["x", "z"]
