"""What is told to be a collection of rows, and what is not."""

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.data.dask.kinds import collection_kind, is_dask
from learnt.errors import KindError

FRAME = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0]}), npartitions=2)
DELAYED = dask.delayed(pd.DataFrame)({"a": [1.0]})


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (FRAME, "frame"),
        (FRAME["a"], "frame"),
        (da.zeros((4, 2), chunks=2), "array"),
        (DELAYED, "delayed"),
        ([DELAYED, DELAYED], "frames"),
        ((DELAYED,), "frames"),
    ],
)
def test_collections_are_told_apart_and_refused_where_all_rows_are_needed(rows, kind):
    assert collection_kind(rows) == kind
    with pytest.raises(KindError, match="spread over partitions"):
        learnt.Table(rows)


@pytest.mark.parametrize(
    "rows", [np.zeros((2, 2)), [[1, 2]], [], {"a": [1]}, [DELAYED, 1], dask.bag.from_sequence([1]), "dask", None]
)
def test_all_else_is_none(rows):
    assert not is_dask(rows)
