"""What all rows together must have, which no batch can tell alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from learnt.engine.passes import Batch
from learnt.engine.sizes import check_large_span, check_target


@dataclass(frozen=True)
class RowsSeen:
    """How many rows, whether any has weight, and the ends of their targets where differences will be squared."""

    rows: int = 0
    weighted: bool = False
    low: float = np.inf
    high: float = -np.inf

    @classmethod
    def of(cls, batch: Batch, *, ends: bool) -> RowsSeen:
        low, high = np.inf, -np.inf
        if ends and batch.target is not None:
            low, high = check_target(batch.target, batch.weights)
        return cls(batch.n_rows, batch.n_rows > 0 and (batch.weights is None or bool(batch.weights.any())), low, high)

    def __add__(self, other: RowsSeen) -> RowsSeen:
        low, high = min(self.low, other.low), max(self.high, other.high)
        check_large_span(low, high)
        return RowsSeen(self.rows + other.rows, self.weighted or other.weighted, low, high)


class Watched(Protocol):
    """Rows in batches of which all together must have something."""

    def rows(self) -> Iterator[Batch]: ...
    def seen(self, batch: Batch) -> RowsSeen: ...
    def check(self, seen: RowsSeen) -> None: ...


def checked_batches(source: Watched) -> Iterator[Batch]:
    """The batches; after the last one an error, if all together lack something."""
    seen = RowsSeen()
    for batch in source.rows():
        seen += source.seen(batch)
        yield batch
    source.check(seen)
