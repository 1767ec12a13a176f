"""Statistics that are nothing but sums: their fields add one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Statistic


@dataclass(frozen=True)
class Sums(Statistic):
    """The base of those that name their sums: a field is a number, an array, a statistic, or a tuple of these.

    A field that was not asked for is None, on both sides.
    """

    rows: int

    def _shape(self) -> tuple[int, ...]:
        return tuple(size for field in fields(self) for size in _sizes(getattr(self, field.name)))

    def _merge(self, other: Self) -> Self:
        return type(self)(*(_added(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)))


@dataclass(frozen=True)
class ArraySums(Sums):
    """Some arrays that need no names."""

    arrays: tuple[Array, ...]


def _sizes(value: Any) -> Iterator[int]:
    if isinstance(value, tuple):
        yield len(value)
        yield from (size for part in value for size in _sizes(part))
    elif isinstance(value, np.ndarray):
        yield from value.shape
    elif value is None:
        yield -1


def _added(one: Any, two: Any) -> Any:
    if one is None:
        return None
    if isinstance(one, tuple):
        return tuple(_added(a, b) for a, b in zip(one, two, strict=True))
    return one + two
