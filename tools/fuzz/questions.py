"""Everything a fitted learner can be asked: its methods and attributes, each of which may refuse in our words."""

from __future__ import annotations

import inspect
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from learnt.errors import LearntError

_PLOTS = {"plot", "plot_descent", "biplot", "dendrogram", "shepard", "position", "draw"}
_QUIET = {"get_metadata_routing", "check", "solve", "summarize", "fit", "fit_predict", "fit_transform", "fit_resample",
          "with_loss", "source_of", "matrix_of", "table"}  # fmt: skip
PLOTS = 16  # a drawing takes 30 ms, all other answers together a few: one case of so many is asked for some
_ROWS = {"X", "rows", "table", "data", "texts", "points"}
#: What else methods ask for, by the name of the argument.
_GIVEN: dict[str, Any] = {
    "user": "Anna", "item": "tea", "users": ["Anna", "nobody"], "term": "apple", "text": "red apple", "k": 1,
    "class_": "yes", "a": "no", "b": "yes", "name": "town", "query": "town", "evidence": {"member": True},
}  # fmt: skip


def ask_everything(model: Any, rows: Any, targets: dict[str, Any], *, plots: bool = True) -> dict[str, Any]:
    """Call all that can be called with these rows; an error that is not ours, or not one line, is let through.

    The answers by name; for a refusal, its words.
    """
    answers: dict[str, Any] = {}
    for name, question in questions(model, rows, targets):
        if name.startswith("plot") and not plots:
            continue
        try:
            answer = answers[name] = question()
            if hasattr(answer, "__next__"):
                for _ in answer:
                    pass
        except LearntError as error:
            if "\n" in str(error).strip():
                raise AssertionError(f"{name}: an error of several lines: {error}") from error
            answers[name] = str(error)
        finally:
            if name.startswith("plot") and "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")
    return answers


def one_of(n: int, content: bytes) -> bool:
    """True for one case of n, whatever it holds: what takes long is not asked each time."""
    return zlib.crc32(content) % n == 0


def questions(model: Any, rows: Any, targets: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each method that rows and a target suffice for, as a call without arguments; each attribute likewise."""
    target = targets.get(getattr(model, "needs", None))
    yield "repr", lambda: (repr(model), model._repr_html_() if hasattr(model, "_repr_html_") else None)
    for name, places in _askable(type(model), target is not None):
        if places is None:
            yield name, lambda name=name: getattr(model, name)
        else:
            arguments = [rows if p == "rows" else target if p == "target" else _GIVEN[p] for p in places]
            yield name, lambda name=name, arguments=arguments: getattr(model, name)(*arguments)


@cache  # looking at a class takes as long as asking a small model
def _askable(cls: type, with_target: bool) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    """Names of attributes, without arguments, and of methods, with what each is given."""
    found: list[tuple[str, tuple[str, ...] | None]] = []
    for name in sorted(dir(cls)):
        if name.startswith(("_", "set_")) or name in _PLOTS | _QUIET:
            continue
        member = inspect.getattr_static(cls, name)
        if isinstance(member, property) or not callable(member):
            found.append((name, None))
        elif not isinstance(member, classmethod | staticmethod):
            arguments = _arguments(member, with_target)
            if arguments is not None:
                found.append((name, arguments))
    return tuple(found)


def _arguments(method: Any, with_target: bool) -> tuple[str, ...] | None:
    """What a method is called with; None if that is not known."""
    given: list[str] = []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in _ROWS:
            given.append("rows")
        elif parameter.name == "y" and with_target:
            given.append("target")
        elif parameter.default is parameter.empty:
            if parameter.name not in _GIVEN or method.__name__ == "add":
                return None
            given.append(parameter.name)
        else:
            break
    return tuple(given)
