"""A learner on its way to workers: one key of a graph, on which all partitions hang."""

from __future__ import annotations

import copy
import threading
from typing import Any
from uuid import uuid4

from learnt.engine.cluster.payload import packed, unpacked


class Sent:
    """A learner that is packed when it is sent, and unpacked where it is first used, once for all partitions there.

    It travels as plain bytes: arrays that came in messages of their own need not lie where kernels can read them.
    """

    def __init__(self, learner: Any) -> None:
        self._learner, self._data = learner, b""
        self._lock = threading.Lock()

    @property
    def learner(self) -> Any:
        with self._lock:
            if self._learner is None:
                self._learner, self._data = unpacked(self._data), b""
            return self._learner

    def __getstate__(self) -> bytes:
        with self._lock:
            return self._data or packed(self._learner)

    def __setstate__(self, data: bytes) -> None:
        self._learner, self._data, self._lock = None, data, threading.Lock()


def as_delayed(learner: Any) -> Any:
    """A learner as one key of a graph."""
    from dask.delayed import delayed

    return delayed(Sent(learner), name=f"{type(learner).__name__}-{uuid4().hex}", pure=False, traverse=False)


def frozen(learner: Any, output: str | None = None) -> Any:
    """A copy that a later fit does not change; `output` is the frame that it gives, "default" for none."""
    same = copy.copy(learner)
    if output is not None:
        same._sklearn_output_config = {"transform": output}
    return same
