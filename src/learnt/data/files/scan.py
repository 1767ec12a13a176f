"""`scan`: files of any size as a source of batches that can be read again and again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.naming import absent_columns
from learnt.data.schema import ColumnSchema, Kind, KindName, Label, Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.data.workers import Workers, current_workers
from learnt.errors import FileError, InputError

if TYPE_CHECKING:
    from learnt.data.files.part import Part, Reading
    from learnt.data.files.survey import ScanSurvey
    from learnt.data.files.text.dialect import Options
    from learnt.data.kinds import Decision, ReadOptions
    from learnt.data.notes import Note

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def scan(
    paths: Paths,
    target: str | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
    batch_rows: int = 65_536,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    footer: bool | None = None,
    quote: str = '"',
    encoding: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] | None = None,
    date_order: str | None = None,
    sheet: str | int | None = None,
    skip_bad: int = 0,
) -> Scan:
    """Files as one table that need not fit into memory: a path, a pattern, a folder, or a list of these.

    Nothing but the first bytes is read until rows or kinds are asked for. Settings are those of `read`;
    `batch_rows` is the most rows held at a time.
    """
    from learnt.data.files.settings import options_of

    if batch_rows < 1:
        raise InputError(f"batch_rows={batch_rows} is too small. At least one row was expected.")
    options = options_of(
        delimiter=delimiter, header=header, footer=footer, quote=quote, encoding=encoding, decimal=decimal,
        missing=missing, date_order=date_order, sheet=sheet, skip_bad=skip_bad, kinds=kinds, ordinal=ordinal,
    )  # fmt: skip
    return scan_by(paths, options, target, kinds, ordinal, format, batch_rows)


def scan_by(
    paths: Paths,
    options: Options,
    target: str | None = None,
    kinds: Mapping[str, Kind] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
    format: str | None = None,
    batch_rows: int = 65_536,
) -> Scan:
    """The same by options that are checked already."""
    parts, settled = parts_of(paths, format, options), options.reading(options.decimal or ".")
    return Scan(parts, target, dict(kinds or {}), dict(ordinal or {}), batch_rows, settled=settled)


def parts_of(paths: Paths, format: str | None, options: Options) -> list[Part]:
    """The files that paths mean, each as a part; names of folders are cells."""
    from learnt.data.files.formats import part_of
    from learnt.data.files.partitions import PartitionedPart, partition_of
    from learnt.data.files.paths import files_of
    from learnt.data.files.source import source_of

    parts = []
    for file, folder in files_of(paths):
        part, cells = part_of(source_of(file), format, options), partition_of(file, folder)
        parts.append(PartitionedPart(part, cells, options.reading(options.decimal or ".")) if cells else part)
    return parts


class Scan:
    """A re-readable source of batches. `schema` is found by one pass over the files when first asked for.

    Files whose types say it all (Parquet or Arrow without text) need no pass; neither does a scan whose
    schema comes from a model.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        target: str | None,
        kinds: dict[str, Kind],
        ordinal: dict[str, Sequence[Label]],
        batch_rows: int,
        schema: Schema | None = None,
        look: Callable[[Table], None] | None = None,
        settled: ReadOptions | None = None,
        workers: Workers | None = None,
        named: bool = True,
    ):
        self.target = target if target is not None else parts[0].target
        self.weight = parts[0].weight
        self._parts, self._kinds, self._ordinal, self._batch_rows = list(parts), kinds, ordinal, batch_rows
        self._given, self._look, self._settled, self._workers = schema, look, settled, workers
        self._named = named  # whether names of columns are the user's
        self._texts_read: dict[tuple[int, str], Decision] = {}  # columns of text that a model knows as numbers
        self._survey: ScanSurvey | None = None
        self._count: int | None = None

    @property
    def workers(self) -> Workers | None:
        """Who works on the rows, if not this process; whoever looks at each batch wants them here."""
        return None if self._look is not None else self._workers or current_workers()

    @property
    def of_dask(self) -> bool:
        """Whether the parts are partitions of a Dask collection."""
        return not self._parts[0].is_file

    def pieces(self) -> list[Scan]:
        """The same rows in the same order as small scans, each of one file or of a part of it."""
        return [self._piece(i, part) for i, whole in enumerate(self._parts) for part in self._cut(whole)]

    def _cut(self, whole: Part) -> Sequence[Part]:
        if self._given is not None and not whole.is_as(self._given):
            return [whole]  # all texts of the file tell what they are
        return whole.pieces()

    def _piece(self, i: int, part: Part) -> Scan:
        one = Scan([part], self.target, self._kinds, self._ordinal, self._batch_rows, self._given, None, self._settled)
        one.target, one.weight = self.target, self.weight
        if self._survey is not None:
            one._survey = replace(self._survey, readings=[self._survey.readings[i]], notes=())
        return one

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(part.source.name for part in self._parts)

    @property
    def schema(self) -> Schema:
        """All columns, the target included, with their final kinds and categories."""
        return self._given if self._given is not None else self._surveyed_files.schema

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def kinds(self) -> Mapping[str, KindName]:
        return self.schema.kinds

    @property
    def n_rows(self) -> int | None:
        """The number of rows where it is known: from metadata, or after a pass."""
        if self._count is None:
            counts = [part.n_rows for part in self._parts]
            if None not in counts:
                self._count = sum(count for count in counts if count is not None)
        return self._count

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done to the files and their columns, and how to undo it."""
        decided = () if self._given is not None else self._surveyed_files.notes
        return (*dict.fromkeys(note for part in self._parts for note in part.notes), *decided)

    @property
    def _surveyed_files(self) -> ScanSurvey:
        if self._survey is None:
            from learnt.data.files.survey import survey

            found = survey(self._parts, self._kinds, self._ordinal, self._batch_rows, self.workers)
            self._survey = found if self._named else replace(found, schema=replace(found.schema, named=False))
            if self.target is not None and self._survey.schema.place(self.target) is None:
                raise InputError(unknown_column(self.target, self._survey.schema.names))
        return self._survey

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """The rows from the first to the last; codes follow `schema`. Every call reads the files anew.

        The next batch is read while the current one is worked on.
        """
        from learnt.data.files.prefetch import prefetched

        schema = self.schema
        names = list(schema.names if columns is None else columns)
        for name in names:
            if schema.place(name) is None:
                raise InputError(unknown_column(name, schema.names))
        return prefetched(self._read(Schema(tuple(schema[name] for name in names), schema.named)))

    def _read(self, schema: Schema) -> Iterator[Table]:
        from learnt.data.files.survey import as_numbers, as_told

        rows = 0
        target = self.target if self.target in schema.names else None
        # A batch without columns still has rows, which only a column can count.
        names = list(schema.names) or list(self.schema.names[:1])
        for i, part in enumerate(self._parts):
            if self._given is None:
                readings: Mapping[str, Reading] = self._surveyed_files.readings[i]
            else:
                known = {name: self.schema[name] for name in names}
                readings = {name: "text" if c.documents else part.reading_as(c) for name, c in known.items()}
            for table in part.tables(names, readings, self._batch_rows):
                said = {} if self._survey is None else self._survey.said
                told = as_told(as_numbers(table, said), self._kinds, self._ordinal)
                if self._given is not None:
                    told = self._as_learnt(i, told, readings)
                if self._look is not None:
                    self._look(told)
                batch = told.matched(schema)
                batch.target = target
                batch.weight = self.weight if self.weight in schema.names else None
                rows += batch.n_rows
                yield batch
                del table, told, batch  # its reader is done with it: it need not wait for the next one
        self._count = rows

    def _as_learnt(self, i: int, table: Table, readings: Mapping[str, Reading]) -> Table:
        """Texts as the numbers and dates that a model learnt, all batches of a file by one decision."""
        from learnt.data.files.words import merge_words
        from learnt.data.kinds.said_numbers import Said, are_texts, decision_of_learnt, read_by, words_of

        changed = {}
        for column in table.columns:
            wanted = self.schema[column.name]
            if wanted.kind != "numeric" or not are_texts(column) or column.missing.all():
                continue
            if (i, column.name) not in self._texts_read:
                whole = self._parts[i].tables([column.name], {column.name: readings[column.name]}, self._batch_rows)
                words = merge_words([words_of(part[column.name]) for part in whole])
                said: Said = "date" if wanted.kind_name == "date" else "numeric"
                try:
                    decision = decision_of_learnt(column.name, words, said, wanted.form, self._settled)
                except FileError:
                    continue  # told by whoever brings the columns to the model's
                self._texts_read[i, column.name] = decision
            changed[column.name] = read_by(column, self._texts_read[i, column.name], words_of(column))
        if not changed:
            return table
        return Table.of_columns([changed.get(column.name, column) for column in table.columns], n_rows=table.n_rows)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the files, whose kinds may not be known yet."""
        from learnt.data.files.survey import common_names

        return self._given.names if self._given is not None else common_names(self._parts)

    def cells(self, name: str) -> Iterator[Column]:
        """A column of text, batch by batch. Each batch has labels of its own: no list of all of them is made, which
        for documents would be the whole text."""
        from learnt.data.files.prefetch import prefetched

        if name not in self.column_names:
            raise InputError(unknown_column(name, self.column_names))
        parts = (part.tables([name], {name: "text"}, self._batch_rows) for part in self._parts)
        return prefetched(table[name] for tables in parts for table in tables)

    def with_schema(self, schema: Schema, look: Callable[[Table], None] | None = None) -> Scan:
        """The same files in the columns, kinds and categories of a model; labels it lacks become missing.

        `look` is given each batch before that, in order.
        """
        for part in self._parts:
            absent = [] if part.may_lack else [name for name in schema.names if name not in part.names]
            if absent:
                raise InputError(f"{absent_columns(absent, part.names, schema.names)} (file {part.source.name!r})")
        target = self.target if self.target in schema.names else None
        other = Scan(
            self._parts,
            target,
            self._kinds,
            self._ordinal,
            self._batch_rows,
            schema,
            look,
            self._settled,
            self._workers,
        )
        other._count = self._count
        return other

    def with_documents(self) -> Scan:
        """The same, but for columns of text, of which each batch has a list of its own."""
        schema = self.schema.without_documents
        if schema is self.schema:
            return self
        if self._given is not None:
            return self.with_schema(schema, self._look)
        texts = dict.fromkeys((c.name for c in schema if c.documents), "text")
        found = self._surveyed_files
        other = Scan(
            self._parts,
            self.target,
            self._kinds,
            self._ordinal,
            self._batch_rows,
            None,
            self._look,
            workers=self._workers,
        )
        other._survey = replace(found, schema=schema, readings=[{**how, **texts} for how in found.readings])
        other._count = self._count
        return other

    def whole(self, columns: Sequence[str] | None = None) -> Table:
        """All rows at once, for files that fit into memory."""
        names = list(self.schema.names if columns is None else columns)
        batches = list(self.batches(names))
        made = [_joined_column(self.schema[name], [batch[name].values for batch in batches]) for name in names]
        target, weight = (role if role in names else None for role in (self.target, self.weight))
        return Table.of_columns(made, target=target, notes=self.notes, weight=weight)

    def __iter__(self) -> Iterator[Table]:
        return self.batches()

    def __repr__(self) -> str:
        files = self.files
        shown = repr(files[0]) if len(files) == 1 else f"{len(files)} files from {files[0]!r}"
        rows = "" if self.n_rows is None else f", {self.n_rows:,} rows"
        return f"Scan({shown}{rows})"


def _joined_column(schema: ColumnSchema, values: Sequence[Array]) -> Column:
    """The cells of all batches as one column."""
    cells = np.concatenate(values) if values else np.empty(0, np.int32 if schema.coded else np.float64)
    return Column(schema.name, schema.kind, cells, schema.categories, schema.form)
