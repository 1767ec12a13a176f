"""Parquet files: kinds and row counts from the metadata, rows by batches within a row group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

from learnt import _core
from learnt.data.files.columnar.typed import candidates_of_type, index_columns, refuse_nested, table_from
from learnt.data.files.part import Part, Survey, sliced
from learnt.data.files.pieces import runs_of_groups
from learnt.data.files.source import Source, clear_errors
from learnt.data.schema import Schema
from learnt.data.table import Table

#: Bytes that are read of a column chunk at a time, and of files that are read without such pieces.
BUFFER, SMALL = 1 << 20, 1 << 24


class ParquetPart(Part):
    """One Parquet file. Only its metadata is kept; every read opens it anew."""

    def __init__(self, source: Source):
        super().__init__(source)
        with self._opened() as file:
            schema = file.schema_arrow
            self.n_rows = file.metadata.num_rows
            sizes = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
        self._group_rows: tuple[int, ...] = tuple(sizes)
        self._groups: tuple[int, int] | None = None  # first and last (excluded) of a piece
        hidden = index_columns(schema)
        self._types = {field.name: field.type for field in schema if field.name not in hidden}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._types)

    def survey(self, known: Mapping[str, str]) -> Survey:
        return Survey({name: candidates_of_type(t) for name, t in self._types.items()}, n_rows=self.n_rows)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        self._refuse_nested(columns)
        with clear_errors(self.source.name), self._opened() as file:
            for batch in _batches(file, columns, batch_rows, self._groups):
                yield from sliced([table_from(batch, self.source.name)], batch_rows)

    def pieces(self) -> Sequence[Part]:
        runs = list(runs_of_groups(self._group_rows)) if self._groups is None else []
        return [self._piece(*run) for run in runs] if len(runs) > 1 else [self]

    def _piece(self, start: int, stop: int) -> ParquetPart:
        one = copy(self)
        one._groups, one.n_rows = (start, stop), sum(self._group_rows[start:stop])
        return one

    def is_as(self, schema: Schema) -> bool:
        held = {name: candidates_of_type(type_) for name, type_ in self._types.items()}
        return all("text" not in held.get(c.name, ()) for c in schema if c.kind == "numeric")

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        self._refuse_nested(columns)
        with clear_errors(self.source.name), self._opened() as file:
            arrow = file.read(columns=list(columns), use_pandas_metadata=False)
            arrow.validate(full=True)  # texts may be no UTF-8
        return table_from(arrow.select(list(columns)), self.source.name)

    def _refuse_nested(self, columns: Sequence[str]) -> None:
        import pyarrow as pa

        refuse_nested(pa.schema([(name, self._types[name]) for name in columns]), self.source.name)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with (
            self.source.random_access() as stream,
            # Without pre-buffering and with a stream buffer, column chunks are read piece by piece:
            # memory follows the batch, not the row group. A buffer makes room for whatever size a page claims, a
            # chunk only for what is there: small files, damaged ones among them, go without.
            pq.ParquetFile(stream, pre_buffer=False, buffer_size=BUFFER if stream.size() > SMALL else 0) as file,
        ):
            yield file


def _batches(file: Any, columns: Sequence[str], batch_rows: int, groups: tuple[int, int] | None) -> Iterator[Any]:
    import pyarrow as pa

    pool = pa.default_memory_pool()
    numbers = None if groups is None else range(*groups)
    threads = _core.get_threads() > 1
    try:
        for batch in file.iter_batches(batch_rows, row_groups=numbers, columns=list(columns), use_threads=threads):
            if batch.num_rows:
                batch.validate(full=True)
                yield batch.select(list(columns))
    finally:  # after each batch, or each piece, it would be asked for again at once: half of the time of reading
        if groups is None:
            pool.release_unused()
