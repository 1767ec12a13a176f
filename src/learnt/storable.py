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

    def __contains__(self, array: Any) -> bool:
        return array.dtype == self.dtype and (not self.finite or bool(np.isfinite(array).all()))


#: Arrays of stored classes, by the type of their cells: kernels take no other.
Numbers = Annotated[np.ndarray[Any, Any], ArrayOf(np.float64)]
FiniteNumbers = Annotated[np.ndarray[Any, Any], ArrayOf(np.float64, finite=True)]
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
