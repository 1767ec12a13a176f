"""The three nouns of every plan: a batch of rows, a pass over it, and the statistic it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from learnt.data.table import Table

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some consecutive rows: their columns, and where they have them, targets and weights.

    `first_row` is the global number of the first row, so that whatever hashes row numbers gives
    the same answer however the rows are cut.
    """

    table: Table
    first_row: int = 0
    target: Array | None = None  # float64 values, or int32 class codes
    weights: Array | None = None  # float64

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    def rows(self, start: int, stop: int) -> Batch:
        cut = slice(start, stop)
        return Batch(
            self.table.rows(start, stop),
            self.first_row + start,
            None if self.target is None else self.target[cut],
            None if self.weights is None else self.weights[cut],
        )


class Statistic(ABC):
    """Something that adds: `a + b` holds what `a` and `b` saw, for any two of a kind.

    A statistic is falsy while it has seen no rows; adding such a one changes nothing. Subclasses
    write `_merge`, which may rely on both sides having seen rows and being of equal shape.
    """

    rows: int

    @property
    def exact(self) -> bool:
        """Whether adding in any grouping, in the same order, gives the same bits: nothing is rounded."""
        return False

    def __bool__(self) -> bool:
        return self.rows > 0

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            raise TypeError(f"Cannot add {type(other).__name__} to {type(self).__name__}.")
        if not other:
            return self
        if not self:
            return other
        if self._shape() != other._shape():
            raise ValueError(f"{type(self).__name__} of shapes {self._shape()} and {other._shape()} do not add.")
        return self._merge(other)

    def _shape(self) -> tuple[int, ...]:
        return ()

    @abstractmethod
    def _merge(self, other: Self) -> Self: ...


class Parts:
    """State in named parts. On disk, each is read when it is first asked for, and written only when it was replaced."""

    def __init__(self, parts: Mapping[str, Any], load: Callable[[str], Any] | None = None):
        self.fresh = dict(parts)
        self._load, self._loaded = load, dict[str, Any]()

    def __getitem__(self, name: str) -> Any:
        if name in self.fresh:
            return self.fresh[name]
        if name not in self._loaded:
            if self._load is None:
                raise KeyError(name)
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def replaced(self, **parts: Any) -> Parts:
        """The same state but for these parts."""
        new = Parts(self.fresh | parts, self._load)
        new._loaded = self._loaded
        return new


class Pass:
    """One look at every row. Called with a batch and that batch's state, returns a statistic and the new state.

    Passes are small and picklable: they carry settings and parameters, never rows.

    `whole`   True: the kernel threads inside, so a table in memory is one batch.
              False: the table is cut into fixed blocks that run side by side.
    `state`   "none": there is none.
              "cache": the state can be made again from the rows; an engine may forget it.
              "required": later passes depend on it; an engine keeps it, on disk if it must.
    `reads`   True: it looks at the rows.
              False: at their state alone. A stream then reads no file again, and the batch has rows but no columns.
    `gathers` True: its statistic holds the rows, which a cluster brings to the client as long as they are few.
    `reads_left` How many passes after it read the rows; None where that is not known. A cluster keeps rows in memory
              unless they are read but once more: then memory costs as much as reading.
    """

    whole: ClassVar[bool] = True
    reads: ClassVar[bool] = True
    state: ClassVar[Literal["none", "cache", "required"]] = "none"
    gathers: ClassVar[bool] = False
    reads_left: int | None = None

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        return self.summarize(batch), state

    def summarize(self, batch: Batch) -> Statistic:
        raise NotImplementedError
