"""`learnt show`: what is in a saved model."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from learnt.cli.arguments.inputs import load_model
from learnt.cli.arguments.options import Json, Quiet
from learnt.cli.terminal.console import name, print_json, say, width
from learnt.data.schema import ColumnSchema
from learnt.show.text_table import aligned_lines
from learnt.show.words import few_of, label, shorten_text

MOST_COLUMNS = 30
MOST_LABELS = 8
MOST_LINES = 200

EXAMPLES = """\b
Examples:
  learnt show labor.learnt
  learnt show labor.learnt --json
"""


def show(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that learnt train, or learnt.save, wrote.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a saved model: what it is, its settings, the columns it wants, and the model itself where it can be read."""
    fitted = load_model(model)
    facts = _facts(fitted, Path(model))
    if as_json:
        print_json(facts)
        return
    say(f"{facts['learner']}, {facts['task']}", "bold")
    say(facts["description"] + "\n")
    _settings(fitted)
    if facts["classes"]:
        say(f"classes   {_listed_labels(facts['classes'])}")
    if words := _promise_words(facts["promise"]):
        say(f"promised  {words}")
    say(f"saved     by learnt {facts['learnt_version']}, format {facts['format_version']}, {facts['bytes']:,} bytes\n")
    _columns(list(fitted._given_schema()))
    if fitted.readable:
        lines = str(fitted).splitlines()
        say("\nthe model", "bold")
        say("\n".join(shorten_text(line, 4 * width()) for line in lines[:MOST_LINES]))
        if len(lines) > MOST_LINES:
            say(f"… and {len(lines) - MOST_LINES:,} more lines", "dim")


def _facts(model: Any, path: Path) -> dict[str, Any]:
    from learnt.saving.container import Container
    from learnt.saving.model import MAX_BYTES

    with path.open("rb") as file:
        document = Container(file, MAX_BYTES).document
    classes, notes = getattr(model, "classes_", None), document.get("notes", {})
    return {
        "learner": type(model).__name__,
        "task": model.task,
        "description": first_sentence(type(model)),
        "settings": {key: json_ready(value) for key, value in model.get_params(deep=False).items()},
        "classes": None if classes is None else classes.tolist(),
        "columns": [
            {"name": c.name, "kind": c.kind_name, "categories": list(c.categories)} for c in model._given_schema()
        ],
        "named_columns": model._given_schema().named,
        "model": str(model) if model.readable else None,
        "target": notes.get("target"),
        "promise": notes.get("promise"),
        "learnt_version": document["learnt_version"],
        "format_version": document["format_version"],
        "bytes": path.stat().st_size,
    }


def _promise_words(facts: Any) -> str:
    """What a comparison promised of the model, if its file says so; imported only then."""
    if facts is None:
        return ""
    from learnt.evaluate.comparison.promise import Promise
    from learnt.evaluate.metrics.scoring import METRICS
    from learnt.show.numbers import number

    promise = Promise.from_dict(facts)
    if promise is None:
        return ""
    score = f"{number(promise.score)} (95 % interval {number(promise.low)} to {number(promise.high)})"
    return f"{METRICS[promise.metric].title} {score} on new rows, by {promise.splitting}"


def first_sentence(cls: type) -> str:
    """The first line of a docstring, which says what the learner does."""
    return (inspect.getdoc(cls) or "").partition("\n")[0]


def json_ready(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


def _settings(model: Any) -> None:
    """Settings that differ from their defaults first, the others in one line."""
    defaults = model._defaults()
    given = model.get_params(deep=False)
    changed = [key for key, value in given.items() if repr(value) != repr(defaults[key])]
    shown = [f"{key}={shorten_text(repr(given[key]), 60)}" for key in changed]
    others = [f"{key}={shorten_text(repr(value), 60)}" for key, value in given.items() if key not in changed]
    say(f"settings  {', '.join(shown) or 'all at their defaults'}")
    if others:
        say(f"          default: {', '.join(others)}", "dim")


def _columns(columns: list[ColumnSchema]) -> None:
    say(f"{len(columns):,} columns", "bold")
    some = columns[:MOST_COLUMNS]
    rows = [
        (name(c.name), c.kind_name, _listed_labels(list(c.categories)) if c.kind != "boolean" else "") for c in some
    ]
    for line in aligned_lines(rows, left=range(3)):
        say(line)
    if len(columns) > len(some):
        say(f"… and {len(columns) - len(some):,} more", "dim")


def _listed_labels(labels: list[Any]) -> str:
    return few_of([shorten_text(label(value), 40) for value in labels], MOST_LABELS)
