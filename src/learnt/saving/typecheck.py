"""Whether a value is what an annotation says: for values that come from files."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeVar, Union

import numpy as np

from learnt.storable import ArrayOf, PlainLabel


def conforms(value: Any, hint: Any) -> bool:
    """True if `value` fits `hint`; looks into tuples, lists, dicts, unions and literals.

    A float may be given as a whole number; a bool is not a number. What an annotation does not say (a bound of a
    number, the type of cells but for `ArrayOf`, of labels but for `PlainLabel`) is the business of whoever uses the
    value.
    """
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if hint is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, (float, int, np.floating, np.integer)) and not isinstance(value, bool)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(conforms(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is typing.Annotated:
        return conforms(value, parts[0]) and all(
            value in told for told in parts[1:] if isinstance(told, ArrayOf | PlainLabel)
        )
    if origin in (ClassVar, typing.Final):
        return conforms(value, parts[0]) if parts else True
    if origin is tuple:
        return isinstance(value, tuple) and _tuple_conforms(value, parts)
    if origin in (list, Sequence):
        kinds = (list,) if origin is list else (list, tuple)
        return isinstance(value, kinds) and all(conforms(item, parts[0]) for item in value)
    if origin in (dict, Mapping):
        return isinstance(value, dict) and all(
            conforms(key, parts[0]) and conforms(item, parts[1]) for key, item in value.items()
        )
    cls = origin or hint
    return isinstance(value, cls) if isinstance(cls, type) else True


def _tuple_conforms(value: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return parts[0] is Any or all(conforms(item, parts[0]) for item in value)
    return len(value) == len(parts) and all(conforms(v, p) for v, p in zip(value, parts, strict=True))


def spelled(hint: Any) -> str:
    """What an annotation asks for, to people: `array of finite float64`, `tuple of …`."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Annotated:
        told = next((told for told in parts[1:] if isinstance(told, ArrayOf)), None)
        return spelled(parts[0]) if told is None else f"array of {'finite ' * told.finite}{told.dtype.__name__}"
    if typing.get_origin(hint) is tuple and parts[-1:] == (Ellipsis,):
        return f"tuple of {spelled(parts[0])}"
    return hint.__name__ if isinstance(hint, type) and not parts else str(hint)
