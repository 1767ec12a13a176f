"""Arrow IPC files, which Feather files are too, and streams; memory follows the record batches they were written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from learnt.data.files.columnar.typed import candidates_of_type, index_columns, refuse_nested, table_from
from learnt.data.files.part import Part, Survey, sliced
from learnt.data.files.source import ARROW_STREAM, Source, clear_errors
from learnt.data.table import Table


class ArrowPart(Part):
    """One Arrow file, or stream, of record batches."""

    def __init__(self, source: Source):
        super().__init__(source)
        self._is_stream = re.match(ARROW_STREAM, source.head(8)) is not None
        with self._opened() as file:
            schema = file.schema
        hidden = index_columns(schema)
        self._types = {field.name: field.type for field in schema if field.name not in hidden}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._types)

    def survey(self, known: Mapping[str, str]) -> Survey:
        return Survey({name: candidates_of_type(t) for name, t in self._types.items()})

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        refuse_nested(self._selected(columns), self.source.name)
        with clear_errors(self.source.name), self._opened() as file:
            batches = file if self._is_stream else map(file.get_batch, range(file.num_record_batches))
            for read in batches:
                batch = _validated(read.select(list(columns)))
                # Cut before converting: a file may be one batch of any size.
                for start in range(0, batch.num_rows, batch_rows):
                    yield from sliced([table_from(batch.slice(start, batch_rows), self.source.name)], batch_rows)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        refuse_nested(self._selected(columns), self.source.name)
        with clear_errors(self.source.name), self._opened() as file:
            return table_from(_validated(file.read_all().select(list(columns))), self.source.name)

    def _selected(self, columns: Sequence[str]) -> Any:
        import pyarrow as pa

        return pa.schema([(name, self._types[name]) for name in columns])

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow as pa

        opened = pa.ipc.open_stream if self._is_stream else pa.ipc.open_file
        with self.source.random_access() as stream, opened(stream) as file:
            yield file


def _validated(rows: Any) -> Any:
    """Arrow trusts its files: one flipped bit among the offsets of texts, and whoever reads the cells dies of it."""
    rows.validate(full=True)
    return rows
