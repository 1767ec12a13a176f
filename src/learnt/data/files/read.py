"""`read`: a file becomes a Table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from learnt.data.schema import Kind, Label
from learnt.data.table import Column, Table, unknown_column
from learnt.errors import InputError, KindError

_FOLDER_ROWS = 1 << 16  # of a batch, while the files of a folder are joined

if TYPE_CHECKING:
    from learnt.data.files.part import Part
    from learnt.data.files.text.dialect import Options


def read(
    path: str | os.PathLike[str] | Any,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
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
) -> Table:
    """The table in a file: CSV, Excel, Parquet, Arrow, JSON, ARFF, libsvm, SQLite or DuckDB, compressed or not.

    >>> import io
    >>> table = read(io.BytesIO(b"name;height\\nAnn;1,72\\nBob;?"))
    >>> table.to_dict()
    {'name': ['Ann', 'Bob'], 'height': [1.72, None]}

    | setting | default | meaning |
    |---|---|---|
    | `path` | | a file, a folder, a `file://` address, an open binary file, or `shop.sqlite::orders` |
    | `target` | none | the column learners predict when `fit` is given no `y` |
    | `columns` | all | the columns to read, in this order (`target` is added) |
    | `kinds` | by the cells | kinds to read columns as, e.g. `{"zip": "nominal"}` keeps "01234" |
    | `ordinal` | none | ordered labels of a column, lowest first |
    | `format` | by name and content | csv, excel, parquet, arrow, jsonl, arff, libsvm, sqlite or duckdb |
    | `delimiter`, `header`, `encoding`, `decimal` | by the first lines | how a CSV file is written |
    | `footer` | found out | `False` keeps totals, sources and remarks below the table as rows |
    | `quote` | `"` | the sign around CSV cells that hold delimiters; `""` for none |
    | `sheet` | the first with a table | the sheet of a workbook, by name or by place from 0 |
    | `missing` | the usual ones | texts that mean a missing cell, in every column, instead of NA, ?, -, … |
    | `date_order` | by the cells | `"day"` or `"month"`: what comes first in dates like 01/02/2024 |
    | `skip_bad` | 0 | how many rows with too few or too many cells may be left out |
    """
    from learnt.data.files.settings import options_of

    options = options_of(
        delimiter=delimiter, header=header, footer=footer, quote=quote, encoding=encoding, decimal=decimal,
        missing=missing, date_order=date_order, sheet=sheet, skip_bad=skip_bad, kinds=kinds, ordinal=ordinal,
    )  # fmt: skip
    return read_by(path, options, target, columns, kinds, ordinal, format)


def read_by(
    path: Any,
    options: Options,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
    format: str | None = None,
) -> Table:
    """The same by options that are checked already."""
    from learnt.data.files.formats import part_of
    from learnt.data.files.part import known_readings
    from learnt.data.files.paths import is_folder
    from learnt.data.files.scan import scan_by
    from learnt.data.files.source import source_of
    from learnt.data.kinds.unread import unread_notes

    if is_folder(path):
        found = scan_by(path, options, target, kinds, ordinal, format, _FOLDER_ROWS)
        return found.whole(None if columns is None else list(dict.fromkeys([*columns, *([target] if target else [])])))
    part = part_of(source_of(path), format, options)
    known = known_readings(kinds, ordinal)
    wanted = None if columns is None else _wanted_columns(part, columns, target)
    table = part.whole(wanted, known)
    for name, kind in (kinds or {}).items():
        if kind == "numeric" and name in table and not _can_be_numbers(table[name]):
            raise part.not_numeric(name)
    told = Table(table, kinds=kinds, ordinal=ordinal, target=target or table.target)
    looked_at = () if table.sparse is not None else table.columns  # millions of numbers, none of them a text
    told.notes = (*part.notes, *table.notes, *unread_notes(looked_at, {*(kinds or {}), *(ordinal or {})}))
    return told


def _can_be_numbers(column: Column) -> bool:
    """Whether it is none of labels, or of texts that are amounts."""
    if column.kind != "nominal":
        return True
    from learnt.data.kinds.said_numbers import are_texts, as_amounts

    try:
        return are_texts(column) and as_amounts(column) is not None
    except KindError:
        return False


def _wanted_columns(part: Part, columns: Sequence[str], target: str | None) -> list[str]:
    """The columns asked for, and the target."""
    if isinstance(columns, str):
        raise InputError(f"columns={columns!r} is one name. A list of names was expected. Give [{columns!r}].")
    wanted = list(columns) if target is None or target in columns else [*columns, target]
    unknown = [] if part.may_lack else sorted(set(wanted).difference(part.names))
    if unknown:
        raise InputError(f"{unknown_column(unknown[0], part.names)} (file {part.source.name!r})")
    return wanted
