"""The list of checks, filled by the `checks_*` modules."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.subject import Subject
from tests.rotation import PARTS, THIRDS


@dataclass(frozen=True)
class Check:
    """A function of a learner that raises where it falls short. The docstring says what holds."""

    run: Callable[..., None]
    topic: str
    needs: frozenset[str]
    unless: frozenset[str]
    task: str | None
    only: frozenset[str]
    rows: bool
    parts: int  # learners take turns at it in so many

    @property
    def expensive(self) -> bool:
        return self.parts == PARTS

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def says(self) -> str:
        return (self.run.__doc__ or "").strip().splitlines()[0]

    def concerns(self, subject: Subject) -> bool:
        able = subject.entry.abilities
        tasks: set[str | None] = {None, subject.task}
        tasks |= {"supervised"} if subject.supervised else set()
        tasks |= {"predicting"} if subject.predicts else set()
        named = not self.only or subject.name in self.only
        # Documents are not tables: who takes them is asked what needs no rows, and what is asked of text.
        readable = "text" not in able or "text" in self.needs or not self.rows
        return readable and named and self.needs <= able and not (self.unless & able) and self.task in tasks


_checks: list[Check] = []


def check(
    *needs: str,
    unless: tuple[str, ...] = (),
    task: str | None = None,
    only: tuple[str, ...] = (),
    rows: bool = True,
    expensive: bool = False,
    by_thirds: bool = False,
) -> Any:
    """Mark a function as a check for all learners with these abilities, of a task if one is named
    ("supervised" for all with a target, "predicting" for all but transformers), or for those named in `only`. `rows` is
    False for checks that give a learner no rows, which learners of documents take as well. `expensive` checks, those
    that take a tenth of a second or more, run for some learners at a time where `--rotation` is given, those that take
    20 ms or more `by_thirds`."""

    def add(run: Callable[..., None]) -> Callable[..., None]:
        assert run.__doc__, f"{run.__name__} does not say what holds"
        topic = run.__module__.rpartition("checks_")[2]
        parts = PARTS if expensive else THIRDS if by_thirds else 1
        _checks.append(Check(run, topic, frozenset(needs), frozenset(unless), task, frozenset(only), rows, parts))
        return run

    return add


def all_checks() -> list[Check]:
    for path in sorted(Path(__file__).parent.glob("checks_*.py")):
        importlib.import_module(f"tests.conformance.{path.stem}")
    return _checks
