"""Every learner of the package, found by whoever needs them all: checks, docs, comparisons."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from learnt.errors import ParameterError

#: Modules whose import defines the learners. A new family adds its name here, nothing else.
FAMILIES = (
    "learnt.baseline",
    "learnt.linear",
    "learnt.kernel",
    "learnt.kernel.features",
    "learnt.kernel.unsupervised",
    "learnt.cluster",
    "learnt.reduce",
    "learnt.prepare",
    "learnt.tree",
    "learnt.bayes",
    "learnt.graphical",
    "learnt.ensemble",
    "learnt.neighbors",
    "learnt.neural",
    "learnt.novelty",
    "learnt.graphical",
)

TASKS = ("classification", "regression", "clustering", "transformation")


@dataclass(frozen=True)
class Entry:
    """One learner. Abilities are words such as "missing", "nominal", "weights", "probabilities",
    "passes" (fits a `scan` larger than memory), "sparse"; "text" says that rows are documents, "counts" that
    numbers must be whole and not negative, "pairwise" that every row is compared with every other, "loss" that its
    answers make sense only with costs given, "many classes" that it is meant for more than two.
    `search_space` holds the values of settings that tuning tries. One that is not `listed` can be found by its name
    and saved, but learns from something else than a table and one target, which whoever asks for all cannot offer."""

    name: str
    cls: type[Any]
    task: str
    abilities: frozenset[str]
    search_space: Mapping[str, Sequence[Any]] = field(default_factory=dict, compare=False)
    listed: bool = True

    @property
    def own(self) -> bool:
        """Whether the user has defined it."""
        return not self.cls.__module__.startswith("learnt.")


_entries: dict[str, Entry] = {}


def register(cls: type, task: str, abilities: frozenset[str], *, listed: bool = True) -> None:
    _entries[cls.__name__] = Entry(cls.__name__, cls, task, abilities, getattr(cls, "search_space", {}), listed)


class Learners(list[Entry]):
    """A list of entries that shows itself as a table."""

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(entry.name, entry.task, ", ".join(sorted(entry.abilities))) for entry in self]

    def __repr__(self) -> str:
        from learnt.show.text_table import aligned_lines

        lines = aligned_lines([_TITLES, *self._rows()], left=(0, 1, 2))
        return "\n".join([*lines, f"{len(self)} learners"])

    def _repr_html_(self) -> str:
        from learnt.show.html import html_table

        return str(html_table(_TITLES, self._rows(), left=(0, 1, 2)))


_TITLES = ("learner", "task", "abilities")


def learners(task: str | None = None, *, own: bool = False) -> Learners:
    """All learners of learnt, or those of a task ("classification", "regression", "clustering", …), by name.

    A list of entries, which shows itself as a table. With `own`, also those that the user has defined.

    >>> [entry.name for entry in learners("clustering")][:2]
    ['AgglomerativeClustering', 'DBSCAN']
    """
    if task is not None and task not in TASKS:
        raise ParameterError(f"There is no task {task!r}. Expected one of {', '.join(TASKS)}.")
    for family in FAMILIES:
        importlib.import_module(family)
    return Learners(
        entry
        for name, entry in sorted(_entries.items())
        if entry.listed and (own or not entry.own) and task in (None, entry.task)
    )


def own_learners(task: str) -> list[Entry]:
    """Those that the user has defined, by name; no family is imported for them."""
    return [entry for name, entry in sorted(_entries.items()) if entry.listed and entry.own and entry.task == task]


def find(name: str) -> type | None:
    """The learner class of that name, or None; user-defined learners count once they are defined."""
    found = entry_of(name)
    return None if found is None else found.cls


def entry_of(name: str) -> Entry | None:
    """The same with what is known of it. A public name imports its own family only; others, all."""
    package = importlib.import_module("learnt")
    if name not in _entries and name in package.__all__:
        getattr(package, name)
    if name not in _entries:
        learners()
    return _entries.get(name)
