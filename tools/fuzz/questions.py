"""Everything a fitted learner can be asked: its methods and attributes, each of which may refuse in our words."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from learnt.errors import LearntError

_PLOTS = {"plot", "plot_descent", "biplot", "dendrogram", "shepard", "position", "draw"}
_QUIET = {"get_metadata_routing", "check", "solve", "summarize", "fit", "fit_predict", "fit_transform", "fit_resample",
          "with_loss", "source_of", "matrix_of", "table"}  # fmt: skip
_ROWS = {"X", "rows", "table", "data", "texts", "points"}


def ask_everything(model: Any, rows: Any, targets: dict[str, Any]) -> None:
    """Call all that can be called with these rows; an error that is not ours, or not one line, is let through."""
    for name, question in questions(model, rows, targets):
        try:
            answer = question()
            if hasattr(answer, "__next__"):
                for _ in answer:
                    pass
        except LearntError as error:
            if "\n" in str(error).strip():
                raise AssertionError(f"{name}: an error of several lines: {error}") from error


def questions(model: Any, rows: Any, targets: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each method that rows and a target suffice for, as a call without arguments; each attribute likewise."""
    target = targets.get(getattr(model, "needs", None))
    yield "repr", lambda: (repr(model), model._repr_html_())
    for name in sorted(dir(type(model))):
        if name.startswith(("_", "set_")) or name in _PLOTS | _QUIET:
            continue
        found = inspect.getattr_static(type(model), name)
        if isinstance(found, property) or not callable(found):
            yield name, lambda name=name: getattr(model, name)
            continue
        if isinstance(found, classmethod | staticmethod):
            continue
        arguments = _arguments(found, rows, target)
        if arguments is not None:
            yield name, lambda name=name, arguments=arguments: getattr(model, name)(*arguments)


def _arguments(method: Any, rows: Any, target: Any) -> list[Any] | None:
    """What a method is called with; None if that is not known."""
    given: list[Any] = []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in _ROWS:
            given.append(rows)
        elif parameter.name == "y" and target is not None:
            given.append(target)
        elif parameter.default is parameter.empty:
            return None
        else:
            break
    return given
