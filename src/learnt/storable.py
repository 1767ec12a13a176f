"""Which dataclasses may live inside a saved model.

Loading never looks a class up by its import path; it asks this list, and the list holds only what
was decorated in the source. A storable is written as its init fields and rebuilt by its constructor,
so `__post_init__` is the place to refuse fields that contradict each other.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, TypeVar

import numpy as np

T = TypeVar("T", bound=type)

_classes: dict[str, type] = {}


@dataclasses.dataclass(frozen=True)
class ArrayOf:
    """What an annotation says of the cells of an array, beside that it is one; checked when a model is loaded."""

    dtype: type
    finite: bool = False
    shares: bool = False  # parts of a whole: rows can be drawn by them

    def __contains__(self, array: Any) -> bool:
        if array.dtype != self.dtype or (self.finite and not np.isfinite(array).all()):
            return False
        return not self.shares or are_shares(array)


@dataclasses.dataclass(frozen=True)
class PlainLabel:
    """That a value is one that stands for itself, so that it can be looked up."""

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, tuple):
            return all(part in self for part in value)
        return value is None or isinstance(value, (str, bytes, bool, int, float, np.generic))


def are_rising(edges: np.ndarray[Any, Any]) -> bool:
    """Whether these are finite numbers in their order."""
    if edges.ndim != 1 or edges.dtype != np.float64 or not np.isfinite(edges).all():
        return False
    return bool((edges[1:] >= edges[:-1]).all())


def are_shares(values: np.ndarray[Any, Any]) -> bool:
    """Whether numbers, divided by their sum, are probabilities."""
    with np.errstate(over="ignore"):
        total = float(values.sum())
    return bool((values >= 0).all()) and 0 < total < float("inf")


#: Arrays of stored classes, by the type of their cells: kernels take no other.
Numbers = Annotated[np.ndarray[Any, Any], ArrayOf(np.float64)]
FiniteNumbers = Annotated[np.ndarray[Any, Any], ArrayOf(np.float64, finite=True)]
Shares = Annotated[np.ndarray[Any, Any], ArrayOf(np.float64, shares=True)]
Counts = Annotated[np.ndarray[Any, Any], ArrayOf(np.int64)]
Codes = Annotated[np.ndarray[Any, Any], ArrayOf(np.int32)]
Flags = Annotated[np.ndarray[Any, Any], ArrayOf(np.bool_)]


def storable(cls: T) -> T:
    """Allow instances of a dataclass inside saved models. Goes above `@dataclass`.

    Values are checked against the fields' annotations when a model is loaded: annotate narrowly.
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"{cls.__name__} is not a dataclass. Put @storable above @dataclass.")
    known = _classes.get(cls.__name__)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise TypeError(f"{cls.__module__} and {known.__module__} both have a storable {cls.__name__}. Rename one.")
    _classes[cls.__name__] = cls
    return cls


def is_storable(cls: type) -> bool:
    """Whether exactly this class was decorated; a subclass of a storable is not one by itself."""
    return _classes.get(cls.__name__) is cls


def find_storable(name: str) -> type | None:
    return _classes.get(name)
