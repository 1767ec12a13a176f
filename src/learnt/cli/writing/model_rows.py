"""A text file as a model wants its rows: block by block, by the columns it learnt from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from learnt.cli.arguments.inputs import DATASET, STANDARD_INPUT
from learnt.cli.arguments.reading import AS_FOUND, Reading
from learnt.cli.terminal.streams import standard_input
from learnt.cli.writing.csv_blocks import CsvBlocks
from learnt.data.files.source import format_of, source_of
from learnt.data.naming import absent_columns
from learnt.data.schema import Schema
from learnt.errors import InputError


@contextmanager
def csv_blocks(file: str, reading: Reading = AS_FOUND) -> Iterator[CsvBlocks | None]:
    """A CSV file, open as long as it is read, or a pipe; None for all else."""
    if file == STANDARD_INPUT:
        yield CsvBlocks(standard_input(), "standard input", reading.options)
        return
    # Folders, patterns, and errors about files that are not there are told elsewhere.
    source = None if file.startswith(DATASET) or not Path(file).is_file() else source_of(file)
    if source is None or format_of(source, None) != "csv":
        yield None
        return
    with source.open() as stream:
        yield CsvBlocks(stream, source.name, reading.options, source)


def wanted_columns(schema: Schema, blocks: CsvBlocks, owner: str) -> Schema:
    """The columns of the file that the model wants: by name, or by place if it was fitted without names."""
    if schema.named:
        absent = [name for name in schema.names if name not in blocks.names]
        if absent:
            raise InputError(f"{absent_columns(absent, blocks.names, schema.names)} (file {blocks.name!r})")
        return schema
    if len(schema) != len(blocks.names):
        raise InputError(
            f"{owner} was fitted on {len(schema)} columns without names, and the file has {len(blocks.names)}. "
            f"Give these columns only. (file {blocks.name!r})"
        )
    pairs = zip(schema, blocks.names, strict=True)
    return Schema(tuple(replace(column, name=name) for column, name in pairs))
