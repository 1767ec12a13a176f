"""A learner from what is typed: its name, and settings as key=value."""

from __future__ import annotations

import ast
import contextlib
import difflib
import inspect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from learnt.errors import ParameterError
from learnt.learner.other_names import suggestion
from learnt.learner.parameters import Domain
from learnt.learner.registry import find, learners
from learnt.show.words import shorten_text, spell

_WORDS = {"none": None, "null": None, "true": True, "yes": True, "false": False, "no": False}


def learner_named(name: str) -> Any:
    """The class of a learner; small and capital letters are one."""
    names = {entry.name.lower(): entry.name for entry in learners(own=True)}
    cls = find(names.get(name.lower(), name))
    if cls is None:
        hint = suggestion(name, names.values()) or "'learnt learners' lists them."
        raise ParameterError(f"There is no learner {shorten_text(name, 80)!r}. {hint}")
    return cls


def learner_from(name: str, settings: Iterable[str]) -> Any:
    """A learner with the settings that were given, each a text such as max_depth=3.

    >>> learner_from("decisiontreeclassifier", ["max_depth=3", "criterion=entropy"])
    DecisionTreeClassifier(criterion='entropy', max_depth=3)
    """
    cls = learner_named(name)
    given: dict[str, str] = {}
    for text in settings:
        key, sign, value = text.partition("=")
        key = key.strip()
        if not sign or not key:
            raise ParameterError(f"The setting is {shorten_text(text, 80)!r}. Expected KEY=VALUE, such as max_depth=3.")
        if key in given:
            raise ParameterError(f"The setting {key!r} is given twice. Give it once.")
        given[key] = value.strip()
    own = {key: value for key, value in given.items() if "__" not in key}
    for key in own:
        _check_name(cls.__name__, key, list(cls._defaults()))
    made = _make(cls, {key: parsed(cls, key, value) for key, value in own.items()})
    for key in sorted(given.keys() - own.keys(), key=lambda key: key.count("__")):
        _set_inside(made, key, given[key])
    made._check_parameters()
    return made


def parsed(cls: Any, key: str, text: str) -> Any:
    """A typed text as the first value it can mean that the setting allows."""
    domain: Domain | None = cls.domains.get(key)
    for value in _meanings(text):
        if domain is None or value in domain:
            return value
    assert domain is not None
    raise ParameterError(f"{cls.__name__}: {key}={shorten_text(text, 60)} is not allowed. Expected {domain.words}.")


def _meanings(text: str) -> Iterator[Any]:
    """As Python writes values; as it stands; a word for none or a boolean; the name of a learner with its defaults."""
    with contextlib.suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        yield ast.literal_eval(text)
    yield text
    if text.lower() in _WORDS:
        yield _WORDS[text.lower()]
    cls: Any = find(text)
    if cls is not None and not _required_settings(cls):
        yield cls()


def _required_settings(cls: Any) -> list[str]:
    """Settings without a default, which the class cannot be made without."""
    return [name for name, default in cls._defaults().items() if default is inspect.Parameter.empty]


def _make(cls: Any, settings: dict[str, Any]) -> Any:
    lacking = [name for name in _required_settings(cls) if name not in settings]
    if lacking:
        raise ParameterError(
            f"{cls.__name__} needs the setting {spell(lacking[0])}. Give -p {lacking[0]}=VALUE, or use learnt in "
            "Python."
        )
    return cls(**settings)


def _set_inside(learner: Any, key: str, text: str) -> None:
    """`outer__inner=value`: a setting of a learner inside."""
    *way, last = key.split("__")
    for name in way:
        _check_name(type(learner).__name__, name, list(learner.get_params(deep=False)))
        learner = getattr(learner, name)
        if not hasattr(learner, "get_params"):
            raise ParameterError(
                f"The setting {name!r} holds no learner, so {key!r} cannot be set. Name one as well: -p {name}=NAME."
            )
    _check_name(type(learner).__name__, last, list(learner.get_params(deep=False)))
    learner.set_params(**{last: parsed(type(learner), last, text)})


def _check_name(owner: str, key: str, known: Sequence[str]) -> None:
    if key not in known:
        near = difflib.get_close_matches(key, known, 1)
        hint = f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(known) or 'none'}."
        raise ParameterError(f"{owner} has no setting {shorten_text(key, 80)!r}. {hint}")
