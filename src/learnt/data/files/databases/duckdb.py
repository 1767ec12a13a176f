"""DuckDB databases, by the package duckdb: a table or a view, with its types, read in batches and never written to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from learnt.data.files.columnar.typed import candidates_of_type, refuse_nested, table_from
from learnt.data.files.databases.database import chosen_table, quoted_name
from learnt.data.files.optional import needed_package
from learnt.data.files.part import Part, Survey, sliced
from learnt.data.files.source import clear_errors
from learnt.data.table import Table
from learnt.errors import FileError
from learnt.lazy import cached_property

_TABLES = (
    "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY table_schema <> 'main', table_name"
)


class DuckdbPart(Part):
    """One table or view of a database."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    @property
    def held_tables(self) -> tuple[str, ...]:
        return tuple(self._tables)

    @cached_property
    def _tables(self) -> dict[str, tuple[str, str]]:
        """Schema and name of each; those outside the main schema are called schema.table."""
        with self._opened() as database:
            found = database.execute(_TABLES).fetchall()
        return {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found}

    @cached_property
    def _table(self) -> str:
        """The name of the table, quoted."""
        chosen = chosen_table(self.held_tables, self.source.inner, self.source.name)
        return ".".join(map(quoted_name, self._tables[chosen]))

    @cached_property
    def _schema(self) -> Any:
        with self._opened() as database:
            return _reader(database, f"SELECT * FROM {self._table} LIMIT 0", 1).schema

    def survey(self, known: Mapping[str, str]) -> Survey:
        with self._opened() as database:
            (n_rows,) = database.execute(f"SELECT count(*) FROM {self._table}").fetchone()
        return Survey({field.name: candidates_of_type(field.type) for field in self._schema}, n_rows=n_rows)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        for batch in self._batches(columns, batch_rows):
            yield from sliced([table_from(batch, self.source.name)], batch_rows)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        import pyarrow as pa

        columns = self.names if columns is None else columns
        batches = list(self._batches(columns, 1 << 16))
        schema = pa.schema([self._schema.field(name) for name in columns])
        return table_from(pa.Table.from_batches(batches, batches[0].schema if batches else schema), self.source.name)

    def _batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[Any]:
        import pyarrow as pa

        refuse_nested(pa.schema([self._schema.field(name) for name in columns]), self.source.name)
        wanted = ", ".join(map(quoted_name, columns))
        with self._opened() as database:
            for batch in _reader(database, f"SELECT {wanted} FROM {self._table}", batch_rows):
                if batch.num_rows:
                    yield batch

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        duckdb = needed_package("duckdb", "duckdb", "DuckDB databases", self.source.name)
        if self.source.path is None or self.source.compression is not None:
            raise FileError("A DuckDB database is read from a file on disk. Unpack or save it first.", self.source.name)
        with clear_errors(self.source.name):
            try:
                with duckdb.connect(str(self.source.path), read_only=True) as database:
                    yield database
            except duckdb.Error as error:
                reason = str(error).strip().splitlines()[0]
                raise FileError(f"The database cannot be read: {reason}", self.source.name) from error


def _reader(database: Any, query: str, rows: int) -> Any:
    """An Arrow reader of what a query gives; its method has been renamed."""
    found = database.sql(query)
    return found.to_arrow_reader(rows) if hasattr(found, "to_arrow_reader") else found.fetch_arrow_reader(rows)
