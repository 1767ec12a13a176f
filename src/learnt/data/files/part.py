"""One file as a part of a larger table: what every format's reader offers to `read` and `scan`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from learnt.data.files.source import Source
from learnt.data.notes import Note
from learnt.data.schema import ColumnSchema, Kind, Label, Schema
from learnt.data.table import Table
from learnt.errors import FileError, LearntError

if TYPE_CHECKING:
    from learnt.data.files.words import ColumnWords
    from learnt.data.kinds import Decision

#: How a column is read: by a name of `learnt.data.cells`, by what was decided of all its texts, or as a model knows it.
Reading = Union[str, "Decision", ColumnSchema]


@dataclass
class Survey:
    """What one look at a file tells: the candidates of each column, in the order of the file.

    `labels` holds those of text columns that came to light on the way; columns that need labels and
    are not in it cost another look. Text files have no candidates but `words`: those of all files decide.
    """

    candidates: dict[str, frozenset[str]]
    labels: dict[str, tuple[Label, ...]] = field(default_factory=dict)
    n_rows: int | None = None
    words: dict[str, ColumnWords] = field(default_factory=dict)


class Part(ABC):
    """A file that can be read again and again, at once or in batches."""

    may_lack = False  # whether columns the file does not mention are columns of zeros, as in libsvm's format

    is_file = True

    def __init__(self, source: Source):
        self.source = source
        self.n_rows: int | None = None  # where known without reading, or since the survey

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns, known without reading the rows where the format allows."""

    @property
    def target(self) -> str | None:
        """The column to predict, where the format has a place for it."""
        return None

    @property
    def held_tables(self) -> tuple[str, ...]:
        """The tables of a file that may hold several, by name."""
        return ()

    @property
    def weight(self) -> str | None:
        """The column that weighs the rows, where the format has a place for it."""
        return None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done to the file as a whole."""
        return ()

    @abstractmethod
    def survey(self, known: Mapping[str, str]) -> Survey:
        """Find out what the columns are; how the `known` ones are read is settled already."""

    def survey_words(self, columns: Sequence[str]) -> Survey:
        """The same for columns whose every cell must count as text; asked of those only that told words."""
        raise NotImplementedError

    @abstractmethod
    def tables(self, columns: Sequence[str], readings: Mapping[str, Any], batch_rows: int) -> Iterator[Table]:
        """These columns, at most so many rows at a time, in the categories each batch happens to have."""

    @abstractmethod
    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        """These columns, or all, with all their rows."""

    def reading_as(self, column: ColumnSchema) -> Reading:
        """How to read a column that a model knows; files with types know it themselves."""
        return "declared"

    def pieces(self) -> Sequence[Part]:
        """The same rows in the same order as parts that can be read side by side; cut by the file alone."""
        return [self]

    def is_as(self, schema: Schema) -> bool:
        """Whether columns that a model knows as numbers need no look at all texts of the file to be some."""
        return False

    def located(self, error: FileError, name: str) -> FileError:
        """An error about a cell of a column, with where it is."""
        return FileError(error._message, self.source.name, error.line, error.column)

    def not_numeric(self, name: str) -> LearntError:
        """The error for a column of text that was declared numeric."""
        return FileError(
            f"Column {name!r} holds text. It was declared numeric. Correct its cells or leave its kind.",
            self.source.name,
        )


def known_readings(kinds: Mapping[str, Kind] | None, ordinal: Mapping[str, Sequence[Label]] | None) -> dict[str, str]:
    """Columns that must be read as text because their labels are wanted as they are written.

    `kinds={"zip": "nominal"}` keeps "01234" apart from "1234", which numbers would not.
    """
    known = {name: "text" for name, kind in (kinds or {}).items() if kind != "numeric"}
    for name, labels in (ordinal or {}).items():
        if all(isinstance(label, str) for label in labels):
            known[name] = "text"
        else:
            known.pop(name, None)
    return known


def sliced(tables: Iterable[Table], batch_rows: int) -> Iterator[Table]:
    """The same rows, at most `batch_rows` at a time; empty tables are left out."""
    for table in tables:
        for start in range(0, table.n_rows, batch_rows):
            yield table if table.n_rows <= batch_rows else table.rows(start, start + batch_rows)
        del table  # not held while the next one is read
