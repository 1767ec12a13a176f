"""Which parts of learners and storable dataclasses are state, and of what type: shared by both ways."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence
from functools import cache
from typing import Any

from learnt.errors import SavedModelError
from learnt.learner import registry
from learnt.saving.typecheck import conforms, spelled


def is_learner(value: Any) -> bool:
    """Whether a value is an instance of exactly a registered class: loading would find the same."""
    return hasattr(type(value), "get_params") and registry.find(type(value).__name__) is type(value)


@cache
def field_hints(cls: Any) -> dict[str, Any]:
    """The init fields of a storable dataclass, with their types."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


@cache
def _unneeded_fields(cls: Any) -> frozenset[str]:
    return frozenset(field.name for field in dataclasses.fields(cls) if field.init and field.default is None)


def written_fields(cls: Any, items: Sequence[Any]) -> list[str]:
    """The fields to store: one that is None in all items, and by default, was perhaps not there in an older version."""
    unneeded = _unneeded_fields(cls)
    return [
        name for name in field_hints(cls) if name not in unneeded or any(getattr(i, name) is not None for i in items)
    ]


@cache
def _attribute_hints(cls: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:  # a user's class may annotate with names imported for type checkers only
        return {}


def check_attribute(cls: type, name: str, value: Any) -> None:
    """Fitted state is `name_` or `_name`, hides nothing of the class, and is what its annotation says."""
    fitted = name.endswith("_") or name.startswith("_")
    if not (name.isidentifier() and fitted and not name.startswith("__")) or hasattr(cls, name):
        raise SavedModelError(f"{cls.__name__} cannot have the fitted attribute {name[:80]!r}")
    hint = _attribute_hints(cls).get(name, Any)
    if not conforms(value, hint):
        raise SavedModelError(f"{cls.__name__}.{name} is a {type(value).__name__}, not a {spelled(hint)}")
