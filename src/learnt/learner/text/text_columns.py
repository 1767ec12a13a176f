"""The step before a learner: columns of long text become counts of their words, or are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from learnt import _core
from learnt.data.schema import BOOLEAN_CATEGORIES, ColumnSchema, Kind, Schema
from learnt.data.table import Array, Column, Table
from learnt.data.texts import encoded_terms, texts_of
from learnt.lazy import cached_property
from learnt.learner.text.word_sums import TOKENS
from learnt.storable import storable


@storable
@dataclass(frozen=True)
class CountedText:
    """A column of text and the words that are counted in it, in the order of their letters."""

    name: str
    words: tuple[str, ...]
    n_frequent: int  # words in two rows or more, of which these tell most


@storable
@dataclass(frozen=True, eq=False)
class TextColumns:
    """How tables with columns of text become tables without: `given` are the columns as they are to come, `schema`
    those that a learner gets. A text that is missing has no words. Text that is `left_out` need not come again, unless
    columns go by their places.

    Words become counts, or for the use "presence" booleans that say whether they are there.
    """

    given: Schema
    counted: tuple[CountedText, ...]
    use: Literal["counts", "presence", "left out"]
    left_out: tuple[str, ...]
    schema: Schema = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for text in self.counted:
            place = self.given.place(text.name)
            if place is None or not self.given.columns[place].documents:
                raise ValueError(f"No column {text.name[:40]!r} of documents was given.")
            if not text.words or len(set(text.words)) < len(text.words):
                raise ValueError(f"The words of {text.name[:40]!r} are none, or not all different.")
        if len(self._words) < len(self.counted):
            raise ValueError("A column of documents is counted twice.")
        if any(c.documents and c.name not in (*self._words, *self.left_out) for c in self.given):
            raise ValueError("A column of documents is neither counted nor left out.")
        object.__setattr__(self, "schema", Schema(tuple(self._columns_out()), self.given.named))

    @property
    def presence(self) -> bool:
        return self.use == "presence"

    @cached_property
    def _words(self) -> dict[str, CountedText]:
        return {text.name: text for text in self.counted}

    @cached_property
    def _terms(self) -> dict[str, Any]:
        return {text.name: _core.Terms(*encoded_terms(text.words)) for text in self.counted}

    def _columns_out(self) -> Iterator[ColumnSchema]:
        taken = {c.name for c in self.given if not c.documents}
        for column in self.given:
            if not column.documents:
                yield column
            elif column.name in self._words:
                for word in self._words[column.name].words:
                    name = _free_name(f'{column.name}: "{word}"', taken)
                    taken.add(name)
                    kind: Kind = "boolean" if self.presence else "numeric"
                    yield ColumnSchema(name, kind, BOOLEAN_CATEGORIES if self.presence else ())

    def __reduce__(self) -> tuple[Any, ...]:
        return TextColumns, (self.given, self.counted, self.use, self.left_out)

    def spread(self, table: Table) -> Table:
        """A table in the columns of `given` as one in those of `schema`."""
        columns: list[Column] = []
        out = iter(self.schema)
        for column, known in zip(table.columns, self.given, strict=True):
            if not known.documents:
                columns.append(Column.like(next(out), column.values))
            elif known.name in self._words:
                columns += [Column.like(next(out), cells) for cells in self._counts(column)]
        return Table.of_columns(columns, n_rows=table.n_rows, named=self.given.named)

    def _counts(self, column: Column) -> Array:
        """Words × rows."""
        terms = self._terms[column.name]
        indptr, indices, counts = TOKENS.encode(texts_of(column), terms)
        kind = np.int32 if self.presence else np.float64
        cells = np.zeros((len(self._words[column.name].words), len(column)), kind)
        row = np.repeat(np.arange(len(column)), np.diff(indptr))
        cells[indices, row] = 1 if self.presence else counts
        return cells


def _free_name(name: str, taken: set[str]) -> str:
    """The name, or one like it that no other column has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
