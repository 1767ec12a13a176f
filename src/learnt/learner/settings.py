"""Settings: a constructor's arguments, read, changed, copied and shown."""

from __future__ import annotations

import copy
import inspect
from functools import cache
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from learnt.errors import ParameterError
from learnt.learner.fields import attribute, declare, setting
from learnt.learner.parameters import Domain, check_parameters
from learnt.show.html import Ready, escaped, html_table
from learnt.show.words import short_repr

T = TypeVar("T")


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(setting, attribute))
class Settings:
    """Anything whose constructor takes settings and only stores them, under their own names.

    Declared as fields (`learner.fields`), the constructor is made from them; one written by hand stays.
    """

    #: What each setting may be; checked when work begins, never in the constructor.
    domains: ClassVar[dict[str, Domain]] = {}

    def __init__(self) -> None:
        """A learner without settings needs no constructor of its own."""

    __init__.only_stores = True  # type: ignore[attr-defined]  # a mark on a function

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declare(cls)

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        owner: Any = cls  # mypy takes a class's __hash__ for its instances'
        return _constructor_defaults(owner)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; with `deep`, also those of learners inside, as `outer__inner`."""
        params: dict[str, Any] = {}
        for name in self._defaults():
            value = getattr(self, name)
            params[name] = value
            if deep and _has_settings(value):
                params.update((f"{name}__{inner}", v) for inner, v in value.get_params().items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings by name; `outer__inner=` reaches into a learner inside."""
        own: dict[str, Any] = {}
        inside: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, inner = key.partition("__")
            _require(name, self._defaults(), self)
            if inner:
                inside.setdefault(name, {})[inner] = value
            else:
                own[name] = value
        holders = {name: own.get(name, getattr(self, name)) for name in inside}
        for name, holder in holders.items():  # all names are checked before the first change
            for inner in inside[name]:
                _require(inner.partition("__")[0], holder.get_params() if _has_settings(holder) else {}, holder)
        for name, value in own.items():
            setattr(self, name, value)
        for name, holder in holders.items():
            holder.set_params(**inside[name])
        return self

    def _check_parameters(self) -> None:
        check_parameters(type(self).__name__, self.domains, {name: getattr(self, name) for name in self.domains})

    def __repr__(self) -> str:
        changed = [
            f"{name}={_short(getattr(self, name))}"
            for name, default in self._defaults().items()
            if not _same(getattr(self, name), default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        rows = [
            (Ready(f"<code>{escaped(name)}</code>"), Ready(f"<code>{escaped(_short(getattr(self, name)))}</code>"))
            for name in self._defaults()
        ]
        state = "fitted" if getattr(self, "__sklearn_is_fitted__", lambda: False)() else "not fitted"
        return (
            f"<details><summary><b>{escaped(type(self).__name__)}</b> "
            f"<span style='opacity:.6'>{state}</span></summary>{html_table((), rows, left=(0, 1))}</details>"
        )


@cache
def _constructor_defaults(cls: Any) -> dict[str, Any]:
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise TypeError(f"{cls.__name__}.__init__ must name its settings, not take *{p.name}.")
    return {p.name: p.default for p in parameters}


def _has_settings(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _require(name: str, known: dict[str, Any], owner: Any) -> None:
    if name not in known:
        raise ParameterError(
            f"Invalid parameter {name!r} for estimator {owner!r}. Valid parameters are: {sorted(known)!r}."
        )


def _short(value: Any) -> str:
    return short_repr(value, 50)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)


def clone(learner: T) -> T:
    """A new learner with the same settings and nothing learnt; learners inside are cloned too."""
    params = {
        name: clone(value) if _has_settings(value) else copy.deepcopy(value)
        for name, value in learner.get_params(deep=False).items()  # type: ignore[attr-defined]
    }
    twin = type(learner)(**params)
    if hasattr(learner, "_sklearn_output_config"):
        twin._sklearn_output_config = dict(learner._sklearn_output_config)  # type: ignore[attr-defined]
    if hasattr(learner, "_metadata_request") and hasattr(learner._metadata_request, "__sklearn_clone__"):
        twin._metadata_request = learner._metadata_request.__sklearn_clone__()  # type: ignore[attr-defined]
    return twin
