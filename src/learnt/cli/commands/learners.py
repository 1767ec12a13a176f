"""`learnt learners`: what there is, and what each can do."""

from __future__ import annotations

import inspect
import textwrap
from typing import Annotated, Any

import typer

from learnt.cli.arguments.completing import tasks_and_learners
from learnt.cli.arguments.given_settings import learner_named
from learnt.cli.arguments.options import Json, Quiet
from learnt.cli.commands.show import first_sentence, json_ready
from learnt.cli.terminal.console import print_json, say, show_table, width
from learnt.learner.registry import TASKS, Entry
from learnt.learner.registry import learners as registered
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import shorten_text

EXAMPLES = """\b
Examples:
  learnt learners
  learnt learners regression
  learnt learners C45Classifier        its settings, with what each may be
  learnt learners --json
"""
_LEGEND = "\ncost: time of a fit in passes over the table, roughly; learnt learners NAME tells the settings"


def learners(
    which: Annotated[
        str | None,
        typer.Argument(
            metavar="[TASK|NAME]",
            help="classification, regression, clustering or transformation; or one learner.",
            autocompletion=tasks_and_learners,
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the learners: their task, what they can do, what a fit costs, and which settings are worth trying."""
    one = which is not None and which not in TASKS and _is_learner(which)
    entries = [_entry(str(which))] if one else registered(which)
    if as_json:
        print_json([_facts(entry) for entry in entries])
    elif one:
        _show_one(entries[0])
    else:
        _show_all(entries)
        if not quiet:
            say(_LEGEND, "dim")


def _is_learner(text: str) -> bool:
    """Whether a learner is meant: then a wrong name is answered with the nearest one, and otherwise with the tasks."""
    return any(letter.isupper() for letter in text) or any(e.name.lower() == text.lower() for e in registered())


def _entry(name: str) -> Entry:
    cls = learner_named(name)
    return Entry(cls.__name__, cls, cls.task, cls.abilities)


def _facts(entry: Entry) -> dict[str, Any]:
    cls: Any = entry.cls
    return {
        "name": entry.name,
        "task": entry.task,
        "description": first_sentence(cls),
        "abilities": sorted(entry.abilities),
        "cost": cls.fit_cost,
        "simplicity": cls.simplicity,
        "readable": cls.readable,
        "settings": {
            key: {"default": _default(value), "allowed": cls.domains[key].words if key in cls.domains else None}
            for key, value in cls._defaults().items()
        },
        "search_space": {key: list(values) for key, values in cls.search_space.items()},
    }


def _default(value: Any) -> Any:
    return None if value is inspect.Parameter.empty else json_ready(value)


def _show_all(entries: list[Entry]) -> None:
    """A line for each learner, and under it what it does and which settings are worth trying."""
    titles = ("learner", "task", "cost", "abilities")
    rows = [(e.name, e.task, number(e.cls.fit_cost), ", ".join(sorted(e.abilities))) for e in entries]
    head, *lines = aligned_lines([titles, *rows], left=(0, 1, 3))
    start = head.index(titles[3])
    say(head, "bold")
    for entry, line in zip(entries, lines, strict=True):
        say(_wrapped(line, start))
        say(_wrapped("    " + first_sentence(entry.cls), 4))
        tried = tried_values(entry.cls)
        if tried:
            say(_wrapped(f"    tuned over: {tried}", 8), "dim")


def tried_values(cls: Any) -> str:
    """The search space in one line."""
    parts = (f"{key} ({', '.join(map(str, values))})" for key, values in cls.search_space.items())
    return ", ".join(parts)


def _wrapped(text: str, indent: int) -> str:
    first = len(text) - len(text.lstrip())
    lines = textwrap.wrap(text.strip(), width() - 1, initial_indent=" " * first, subsequent_indent=" " * indent)
    return "\n".join(lines)


def _show_one(entry: Entry) -> None:
    cls: Any = entry.cls
    say(f"{entry.name}, {entry.task}", "bold")
    say(first_sentence(cls))
    say(f"abilities: {', '.join(sorted(entry.abilities)) or 'none'}")
    if tried_values(cls):
        say(_wrapped(f"tuned over: {tried_values(cls)}", 4))
    say("")
    rows = [
        (
            key,
            "required" if value is inspect.Parameter.empty else shorten_text(repr(value), 30),
            cls.domains[key].words if key in cls.domains else "",
        )
        for key, value in cls._defaults().items()
    ]
    if rows:
        show_table(("setting", "default", "may be"), rows)
    else:
        say("It has no settings.")
