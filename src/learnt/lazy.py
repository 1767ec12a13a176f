"""What is worked out on first use: names that import their module, and properties that are kept."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


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


def is_cached(cls: type, name: str) -> bool:
    """Whether an attribute is what a `cached_property` keeps: made again when needed, so not state."""
    return isinstance(inspect.getattr_static(cls, name, None), functools.cached_property)


def attach(
    package: str, homes: Mapping[str, str], public: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package whose names live in the modules of `homes`.

    Not for a name that is also its module's name (`read` in `data/read.py`): importing the module
    would put it in the name's place. Such modules are light and imported at once.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted(public)
