"""What Dask calls collections: frames and arrays cut into partitions, and lists of delayed frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learnt.data.dask.frames import Frames
from learnt.data.dask.kinds import is_dask
from learnt.data.dask.partition import Look, PartitionPart, Roles
from learnt.data.files.scan import Scan
from learnt.data.workers import Workers, each
from learnt.errors import InputError, KindError
from learnt.show.words import spell

#: Rows of a batch within a partition.
BATCH_ROWS = 65_536


def scan_of(
    X: Any, y: Any = None, sample_weight: Any = None, workers: Workers | None = None
) -> tuple[Scan, str | None, str | None]:
    """A collection as a scan, with the names of the columns of target and weights: those of `X` that are named, or
    columns of their own for other collections, which are cut as `X` is."""
    rows = _partitions(X, None)
    beside: list[list[Any]] = [rows]
    names: dict[str, str] = {}
    taken = set() if _is_single(X) else set(map(str, getattr(X, "columns", ())))
    for role, what, values in (("target", "y", y), ("weight", "sample_weight", sample_weight)):
        if values is None or isinstance(values, str):
            continue
        if not is_dask(values):
            raise KindError(
                f"{what} is {spell(type(values).__name__)}, while X is of Dask. Expected the name of a column of X, or "
                "a collection of Dask cut as X is. dask.array.from_array makes one."
            )
        found = _partitions(values, None if _is_single(X) else getattr(X, "chunks", None))
        if len(found) != len(rows):
            raise InputError(
                f"X has {len(rows)} partitions, {what} {len(found)}. Expected collections that are cut alike. "
                "Take both from the same one, or repartition them."
            )
        name = role
        while name in taken:
            name += "_"
        names[role] = name
        beside.append(found)
    frames = Frames([_together(row) for row in zip(*beside, strict=True)])
    roles = Roles(names.get("target"), names.get("weight"))
    parts = [PartitionPart(frames, number, roles) for number in range(len(rows))]
    if not parts:
        raise InputError("The list of delayed frames is empty. Give at least one.")
    looks = each(workers, PartitionPart.look, parts)
    for part, look in zip(parts, looks, strict=True):
        part.looked_at(look)
    _check_alike(looks)
    scan = Scan(parts, None, {}, {}, BATCH_ROWS, workers=workers, named=looks[0].named)
    weight = sample_weight if isinstance(sample_weight, str) else roles.weight
    return scan, y if isinstance(y, str) else roles.target, weight


def _together(row: Sequence[Any]) -> Any:
    """One task for what belongs to the same rows."""
    from dask.delayed import delayed

    return delayed(_as_tuple, pure=False)(*row)


def _as_tuple(*partitions: Any) -> tuple[Any, ...]:
    return partitions


def _partitions(data: Any, chunks: Any) -> list[Any]:
    """Each partition as a task. An array is cut by rows alone, and as another one is where that is told."""
    if _is_single(data):
        data = [data]
    if isinstance(data, (list, tuple)):
        return [_delayed(one) for one in data]
    if hasattr(data, "chunks"):
        if data.ndim == 2 and data.numblocks[1] > 1:
            data = data.rechunk({1: -1})
        if data.ndim > 2:
            raise InputError(f"X has {data.ndim} dimensions. Expected 2: rows and columns.")
        return [_delayed(one) for one in cut_as(data, chunks).to_delayed().ravel()]
    if hasattr(data, "to_delayed"):
        return list(data.to_delayed())
    raise KindError(
        f"A {type(data).__module__}.{type(data).__name__} has no rows and columns. Expected a dask.dataframe, a "
        "dask.array or a list of delayed frames."
    )


def cut_as(values: Any, chunks: Any) -> Any:
    """An array with its rows in the chunks of another one that has as many; chunks of unknown length (NaN) stay."""
    if chunks is None or values.chunks[0] == chunks[0] or sum(values.chunks[0]) != sum(chunks[0]):
        return values
    return values.rechunk({0: chunks[0]})


def _is_single(data: Any) -> bool:
    """Whether it is one delayed frame, or a future of one; these claim to have any attribute."""
    return type(data).__name__ in ("Delayed", "DelayedLeaf", "DelayedAttr", "Future")


def _delayed(one: Any) -> Any:
    if hasattr(one, "__dask_graph__"):
        return one
    from dask.delayed import delayed

    return delayed(one)  # a future, which is where it is


def _check_alike(looks: Sequence[Look]) -> None:
    """All partitions have the columns of the first, in any order."""
    first = looks[0]
    for number, look in enumerate(looks):
        odd = set(look.names) ^ set(first.names)
        if odd:
            name = next(name for name in (*first.names, *look.names) if name in odd)
            has, lacks = (0, number) if name in first.names else (number, 0)
            raise InputError(
                f"Column {spell(name)} is missing from partition {lacks}. Partition {has} has it, and all have the "
                "same columns. Make them alike."
            )
