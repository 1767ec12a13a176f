"""Settings declared once, as fields of a class: they make its constructor, its domains and the table of its docstring.

class Ridge(Regressor):
    \"\"\"… one line `{settings}` where the table is to stand …\"\"\"

    alpha: float = setting(Real(0), "how much large coefficients cost", default=1.0)

    coef_: Array = attribute()
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, Literal, TypeVar, overload

from learnt.learner.parameters import Domain

T = TypeVar("T")

MARKER = "{settings}"
_NONE: Any = inspect.Parameter.empty


@dataclass(frozen=True, eq=False)
class Setting:
    """What a class says about one setting; what it leaves out, it inherits."""

    domain: Domain | None = None
    meaning: str = ""
    default: Any = _NONE
    kw_only: bool = True
    bounds: str = ""
    before: str | None = None
    annotation: Any = _NONE

    def over(self, inherited: Setting) -> Setting:
        """This one, completed by the one it replaces."""
        return replace(
            self,
            domain=self.domain or inherited.domain,
            meaning=self.meaning or inherited.meaning,
            default=inherited.default if self.default is _NONE else self.default,
            bounds=self.bounds or inherited.bounds,
        )


@overload
def setting(
    domain: Domain | None = None,
    meaning: str = "",
    *,
    default: T,
    kw_only: bool = True,
    bounds: str = "",
    before: str | None = None,
) -> T: ...
@overload
def setting(
    domain: Domain | None = None,
    meaning: str = "",
    *,
    kw_only: bool = True,
    bounds: str = "",
    before: str | None = None,
) -> Any: ...
def setting(
    domain: Domain | None = None,
    meaning: str = "",
    *,
    default: Any = _NONE,
    kw_only: bool = True,
    bounds: str = "",
    before: str | None = None,
) -> Any:
    """A setting of the class: `name: type = setting(domain, meaning, default=…)`; without a default it is required.

    `kw_only=False` lets it be given by position. `bounds` are for the table, where the domain has none to show.
    Inherited settings come first, but for those that a new one is to stand `before`; declaring one again changes it
    where it stands, or moves it `before` another: what is left out then stays as it was.
    """
    return Setting(domain, meaning, default, kw_only, bounds, before)


class _Attribute:
    """Stands for an attribute while its class is made."""


_ATTRIBUTE: Any = _Attribute()


def attribute(*, init: Literal[False] = False) -> Any:
    """No setting: `coef_: Array = attribute()` is there once fitting, or a member of the family, has given it.

    An annotation alone would be the same when running, but type checkers take it for an argument of the constructor.
    """
    return _ATTRIBUTE


def declare(cls: Any) -> None:
    """Give a new class what its fields say: a constructor, `domains`, a table. A constructor written by hand stays."""
    own = _take_own_fields(cls)
    cls._own_settings = own
    fields: dict[str, Setting] = {}
    for base in reversed(cls.__mro__):
        fields = _added_fields(fields, vars(base).get("_own_settings", {}), cls)
    inherited: Mapping[str, Setting] = getattr(cls, "_settings", {})
    if own or fields.keys() != inherited.keys():
        if "__init__" not in vars(cls):
            cls.__init__ = _constructor(cls, fields)
        if "domains" not in vars(cls):
            cls.domains = {name: field.domain for name, field in fields.items() if field.domain is not None}
        cls._settings = fields
    if fields and cls.__dict__.get("__doc__"):
        cls.__doc__ = _documented_text(cls.__doc__, fields, bool(own))


def _take_own_fields(cls: Any) -> dict[str, Setting]:
    """The fields of the class's own body, which are no longer attributes of it."""
    own: dict[str, Setting] = {}
    annotations = inspect.get_annotations(cls)
    for name, value in list(vars(cls).items()):
        if isinstance(value, Setting):
            if name not in annotations:
                raise TypeError(f"{cls.__name__}.{name} is a setting without a type. Write `{name}: Any = setting(…)`.")
            own[name] = replace(value, annotation=annotations[name])
            delattr(cls, name)
        elif value is _ATTRIBUTE:
            delattr(cls, name)
    return own


def _added_fields(fields: dict[str, Setting], more: Mapping[str, Setting], cls: Any) -> dict[str, Setting]:
    for name, new in more.items():
        whole = new.over(fields[name]) if name in fields else new
        if new.before is None:
            fields[name] = whole
        elif new.before in fields:
            items = [(other, field) for other, field in fields.items() if other != name]
            place = [other for other, _ in items].index(new.before)
            fields = dict([*items[:place], (name, whole), *items[place:]])
        else:
            raise TypeError(
                f"{cls.__name__}.{name} is to stand before {new.before!r}, which is not an inherited setting."
            )
    return fields


def _constructor(cls: Any, fields: Mapping[str, Setting]) -> FunctionType:
    """An `__init__` that stores its arguments: written out, as by hand, since learners are made often."""
    if not getattr(cls.__init__, "only_stores", False):
        raise TypeError(
            f"{cls.__name__} declares settings, but inherits a constructor written by hand. Write one for it too."
        )
    leading = [name for name, field in fields.items() if not field.kw_only]
    named = [name for name, field in fields.items() if field.kw_only]
    arguments = [name if fields[name].default is _NONE else f"{name}=None" for name in [*leading, *named]]
    if named:
        arguments.insert(len(leading), "*")
    stores = "".join(f"\n    self.{name} = {name}" for name in [*leading, *named])
    made: dict[str, Any] = {}
    exec(f"def __init__({', '.join(['self', *arguments])}):{stores}", vars(sys.modules[cls.__module__]), made)
    init: FunctionType = made["__init__"]
    init.__defaults__ = tuple(fields[name].default for name in leading if fields[name].default is not _NONE)
    init.__kwdefaults__ = {name: fields[name].default for name in named if fields[name].default is not _NONE}
    init.__annotations__ = {name: fields[name].annotation for name in [*leading, *named]}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.only_stores = True  # type: ignore[attr-defined]  # a mark on a function
    return init


def _documented_text(text: str, fields: Mapping[str, Setting], own: bool) -> str:
    """The docstring with the table in the line of the marker; without a marker at the end of a class with new ones."""
    lines = text.splitlines()
    place = next((i for i, line in enumerate(lines) if line.strip() == MARKER), None)
    if place is not None:
        indent = lines[place][: -len(lines[place].lstrip())] if lines[place][:1].isspace() else ""
        lines[place : place + 1] = [indent + row for row in tabulate(fields)]
        return "\n".join(lines)
    if not own:
        return text
    indent = lines[-1] if len(lines) > 1 and not lines[-1].strip() else "    "
    return "\n".join([text.rstrip(), "", *(indent + row for row in tabulate(fields)), indent])


def tabulate(fields: Mapping[str, Setting]) -> list[str]:
    """A Markdown table of settings, line by line."""
    rows = [
        (
            f"`{name}`",
            _default_text(field.default),
            field.meaning,
            field.bounds or (field.domain.bounds if field.domain else ""),
        )
        for name, field in fields.items()
    ]
    heads = (
        ("setting", "default", "meaning", "range") if any(row[3] for row in rows) else ("setting", "default", "meaning")
    )
    cells = [heads, ("---",) * len(heads), *(row[: len(heads)] for row in rows)]
    escaped = [[cell.replace("|", r"\|") for cell in row] for row in cells]
    return ["|" + "|".join(row) + "|" if row[0] == "---" else "| " + " | ".join(row) + " |" for row in escaped]


def _default_text(default: Any) -> str:
    if default is _NONE:
        return ""
    return f'"{default}"' if isinstance(default, str) else repr(default)
