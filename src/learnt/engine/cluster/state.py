"""The state of a piece at a worker: arrays stay in memory as they are, as long as there is room."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from learnt.engine.engines import StreamEngine


class PieceEngine(StreamEngine):
    """A stream's engine that copies no state of arrays in memory: a pass of few looks at each row would spend as long
    on copies as on the rows."""

    def _write(self, value: Any, number: int, part: str = "") -> None:
        size = size_of(value)
        if size is not None:
            self.room.give_back(self.memory.pop((number, part), (0, None))[0])
            if self.room.take(size):
                self.memory[number, part] = size, value
                return
        super()._write(value, number, part)


def size_of(value: Any) -> int | None:
    """The bytes of arrays, also in lists and data classes; None if there is anything else, or a part of a larger array,
    which would be held with it."""
    if value is None:
        return 0
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None and value.dtype != object else None
    if isinstance(value, list):
        parts = value
    elif is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
    else:
        return None
    sizes = [size_of(part) for part in parts]
    return None if None in sizes else sum(size for size in sizes if size is not None)
