"""What is sent to workers: packed once, and sent once to each however often it is used there."""

from __future__ import annotations

from typing import Any

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


def as_it_is(data: bytes) -> bytes:
    return data
