"""What is a Dask collection of rows, told without importing Dask."""

from __future__ import annotations

import sys
from typing import Any, Literal

from learnt.data.convert import is_a
from learnt.errors import KindError

CollectionKind = Literal["frame", "array", "delayed", "frames"]

CALLED: dict[CollectionKind, str] = {
    "frame": "frame of dask.dataframe",
    "array": "dask.array",
    "delayed": "delayed frame",
    "frames": "list of delayed frames",
}


def collection_kind(X: Any) -> CollectionKind | None:
    """Which collection of rows `X` is: a frame or series of `dask.dataframe`, an array of `dask.array`, one delayed
    frame or the future of one, or a list of those; None for all else."""
    if "dask" not in sys.modules:
        return None
    if isinstance(X, list | tuple):
        return "frames" if X and all(map(_is_delayed, X)) else None
    if is_a(X, "dask.dataframe", "DataFrame") or is_a(X, "dask.dataframe", "Series"):
        return "frame"
    if is_a(X, "dask.array", "Array"):
        return "array"
    return "delayed" if _is_delayed(X) else None


def _is_delayed(X: Any) -> bool:
    return is_a(X, "dask.delayed", "Delayed") or is_a(X, "distributed", "Future")


def is_dask(X: Any) -> bool:
    """Whether the rows of `X` are spread over the partitions of a Dask collection."""
    return collection_kind(X) is not None


def refuse_collection(X: Any) -> None:
    """Where all rows are needed at once, they are not gathered behind the user's back."""
    kind = collection_kind(X)
    if kind is not None:
        raise KindError(
            f"A {CALLED[kind]} is spread over partitions, and this needs all of its rows in one table. "
            "Call .compute() on it, or on a sample of it, if that fits in memory."
        )
