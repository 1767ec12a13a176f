"""SQLite databases, by Python's own module: a table or a view, read in batches and never written to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from learnt.data.files.databases.database import chosen_table, quoted_name
from learnt.data.files.python_cells import Cells
from learnt.data.files.rows import RowBlock, RowsPart
from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text.heading import distinct_names
from learnt.data.notes import Note
from learnt.errors import FileError
from learnt.lazy import cached_property
from learnt.show.words import printable

_TABLES = (  # in damaged files names may be anything
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND typeof(name) = 'text' AND name NOT LIKE "
    "'sqlite\\_%' ESCAPE '\\'"
)


class SqlitePart(RowsPart):
    """One table or view of a database."""

    @property
    def names(self) -> tuple[str, ...]:
        return self._columns[0]

    @property
    def notes(self) -> tuple[Note, ...]:
        return self._columns[1]

    @property
    def held_tables(self) -> tuple[str, ...]:
        with self._opened() as database:
            return tuple(name for (name,) in database.execute(_TABLES))

    @cached_property
    def _table(self) -> str:
        return chosen_table(self.held_tables, self.source.inner, self.source.name)

    @cached_property
    def _columns(self) -> tuple[tuple[str, ...], tuple[Note, ...]]:
        with self._opened() as database:
            found = database.execute(f"SELECT * FROM {quoted_name(self._table)} LIMIT 0").description
        return distinct_names([column[0] for column in found])

    @cached_property
    def _booleans(self) -> set[str]:
        """Columns declared boolean, which SQLite keeps as 0 and 1."""
        with self._opened() as database:
            declared = database.execute(f"PRAGMA table_info({quoted_name(self._table)})").fetchall()
        return {name for _, name, type_, *_ in declared if str(type_).upper().startswith("BOOL")}

    def _blocks(self, columns: Sequence[str], batch_rows: int) -> Iterator[RowBlock]:
        places = [self.names.index(name) for name in columns]
        booleans = [i for i, name in enumerate(columns) if name in self._booleans]
        with self._opened() as database, closing(database.execute(f"SELECT * FROM {quoted_name(self._table)}")) as rows:
            done = 0
            while block := rows.fetchmany(batch_rows):
                yield RowBlock(_as_columns(block, places, booleans), range(done + 1, done + len(block) + 1))
                done += len(block)
            if not done:
                yield RowBlock([[] for _ in places], ())

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with clear_errors(self.source.name):
            database = self._connection()
            database.text_factory = lambda raw: raw.decode("utf-8", "replace")
            try:
                yield database
            except sqlite3.Error as error:
                raise FileError(
                    f"The database cannot be read: {printable(str(error))}. It may be damaged.", self.source.name
                ) from error
            finally:
                database.close()

    def _connection(self) -> sqlite3.Connection:
        source: Source = self.source
        if source.path is not None and source.compression is None:
            address = source.path.absolute().as_uri() + "?mode=ro"
            return sqlite3.connect(address, uri=True, check_same_thread=False)
        database = sqlite3.connect(":memory:", check_same_thread=False)
        with source.open() as stream:
            database.deserialize(stream.read())
        return database


def _as_columns(rows: list[tuple[Any, ...]], places: Sequence[int], booleans: Sequence[int]) -> list[Cells]:
    columns: list[Cells] = [[row[j] for row in rows] for j in places]
    for i in booleans:
        columns[i] = [bool(cell) if cell in (0, 1) and cell is not None else cell for cell in columns[i]]
    return columns
