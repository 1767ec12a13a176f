"""What concept learners share: rows with and without the concept, steps that can be read, answers by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.concepts.language import Language, Row
from learnt.data.table import Array, Table
from learnt.errors import InputError, NotFittedError
from learnt.show.text_table import aligned_lines
from learnt.show.words import plain, spell


@dataclass(frozen=True)
class Step:
    """What one example changed; `number` counts from 1, 0 is the start."""

    number: int
    row: Row | None
    positive: bool | None
    told: tuple[tuple[str, str], ...]  # what is shown, by name

    @property
    def example(self) -> str:
        if self.row is None:
            return "start"
        return f"{'+' if self.positive else '−'} {', '.join('(missing)' if c is None else str(c) for c in self.row)}"


class Steps(list[Step]):
    """Steps that print as a table, one line for each."""

    def __str__(self) -> str:
        titles = [name for name, _ in self[0].told] if self else []
        lines = [("", "example", *titles)]
        lines += [(str(step.number), step.example, *(text for _, text in step.told)) for step in self]
        return "\n".join(line.rstrip() for line in aligned_lines(lines, left=range(1, 3 + len(titles))))


class ConceptLearner:
    """Learns which rows are instances of a concept: those with the `positive` label."""

    def __init__(self, language: Language | None = None, *, positive: Any = None):
        self.language, self.positive = language, positive

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn from the rows in their order. `y` are the labels, the name of their column, or booleans."""
        rows, labels, language = self._prepared(X, y)
        self.language_ = language
        self.positive_, self.negative_ = self._sides(labels)
        self._learn(rows, [label == self.positive_ for label in labels])
        return self

    def _learn(self, rows: list[Row], positive: list[bool]) -> None:
        raise NotImplementedError

    def _prepared(self, X: Any, y: Any) -> tuple[list[Row], list[Any], Language]:
        table = Table(X)
        name = y if isinstance(y, str) else table.target if y is None else None
        if name is not None:
            labels = [plain(label) for label in table[name].labels()]
            table = table.drop(name)
        elif y is None:
            raise InputError("There are no labels. Give y, or the name of the column that holds them.")
        else:
            labels = [plain(label) for label in Table({"y": y})["y"].labels()]
        if None in labels:
            raise InputError(f"Row {labels.index(None)} has no label.")
        language = Language.of(table) if self.language is None else self.language
        rows = language.rows(table)
        if len(rows) != len(labels):
            raise InputError(f"There are {len(rows)} rows and {len(labels)} labels.")
        return rows, labels, language

    def _sides(self, labels: Sequence[Any]) -> tuple[Any, Any]:
        there = list(dict.fromkeys(labels))
        if len(there) > 2:
            raise InputError(f"A concept has instances and others: two labels. There are {len(there)}.")
        chosen = self.positive
        if chosen is None:
            known = [word for word in _POSITIVE for label in there if str(label).lower() == word]
            chosen = next((label for label in there if known and str(label).lower() == known[0]), None)
            if chosen is None and not any(str(label).lower() in _NEGATIVE for label in there):
                raise InputError(
                    f"Which label is the concept's? Say positive={spell(there[-1]) if there else 'label'}."
                )
        others = [label for label in there if label != chosen]
        if len(others) > 1:
            raise InputError(f"No row has the label positive={spell(chosen)}, and there are two others.")
        if chosen is None:
            return _opposite(others[0]), others[0]
        return chosen, others[0] if others else _opposite(chosen)

    def _check_fitted(self) -> None:
        if not hasattr(self, "language_"):
            raise NotFittedError(f"{type(self).__name__} has not been fitted. Call fit first.")

    def _labels(self, answers: Sequence[bool | None]) -> Array:
        names = {True: self.positive_, False: self.negative_, None: None}
        found = np.empty(len(answers), dtype=object)
        found[:] = [names[answer] for answer in answers]
        return found


_POSITIVE = ("+", "yes", "true", "1", "positive", "y", "t")
_NEGATIVE = ("-", "−", "no", "false", "0", "negative", "n", "f")


def _opposite(label: Any) -> Any:
    """The other of two labels of which only one is there."""
    if isinstance(label, bool):
        return not label
    pairs = {"yes": "no", "no": "yes", "+": "-", "-": "+", "true": "false", "false": "true"}
    return pairs.get(str(label).lower(), f"not {label}")
