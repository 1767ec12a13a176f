"""What is worked out on first use and kept."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, Self, TypeVar, overload

from learnt.errors import MissingPackageError

T = TypeVar("T")


def optional_package(name: str) -> Any:
    """A package that learnt does without, such as pandas, where it is asked for; in words if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"A {name} frame was asked for, and {name} is not installed. Install it: pip install {name}."
        ) from error


class cached_property(functools.cached_property[T]):
    """functools' own, without the lock that it has until Python 3.12: a fork while another thread computes a
    property would leave the child waiting for that lock for ever. Two threads may compute the same value."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        assert self.attrname is not None
        if self.attrname not in instance.__dict__:
            instance.__dict__[self.attrname] = self.func(instance)
        return instance.__dict__[self.attrname]


def is_cached(cls: Any, name: str) -> bool:
    """Whether an attribute of a class is what a `cached_property` keeps: made again when needed, so not state."""
    return _is_cached(cls, name)


@functools.lru_cache(maxsize=8192)  # every fit and save asks for every attribute
def _is_cached(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), functools.cached_property)
