"""What is sent to workers: packed once, and sent once to each however often it is used there."""

from __future__ import annotations

from typing import Any

from learnt.data.dask.frames import Key, noting_needs

#: Larger ones are data of the cluster, which workers fetch from each other.
LARGE = 1 << 16


def packed(value: Any) -> bytes:
    """By pickle; functions and classes of scripts and notebooks too."""
    from distributed.protocol import pickle

    data: bytes = pickle.dumps(value, protocol=5)  # type: ignore[no-untyped-call]
    return data


def unpacked(data: bytes) -> Any:
    from distributed.protocol import pickle

    return pickle.loads(data)  # type: ignore[no-untyped-call]


def packed_with_frames(value: Any, client: Any) -> tuple[bytes, list[Key], list[Any]]:
    """Packed, with the partitions it needs where it is unpacked: their keys, and they as data of the cluster."""
    with noting_needs() as needs:
        data = packed(value)
    return data, list(needs), [frames.futures(client)[number] for (_, number), frames in needs.items()]


def as_it_is(data: bytes) -> bytes:
    return data
