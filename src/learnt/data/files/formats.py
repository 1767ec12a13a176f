"""The reader for each file format."""

from __future__ import annotations

from dataclasses import replace

from learnt.data.files.part import Part
from learnt.data.files.source import WITH_TABLES, Source, clear_errors, format_of, source_of
from learnt.data.files.text.dialect import Options
from learnt.errors import FileError

__all__ = ["Options", "part_of"]


def part_of(source: Source, format: str | None, options: Options) -> Part:
    """The file as a part, its format given or found."""
    found = format_of(source, format)
    if source.inner is not None and found not in WITH_TABLES:
        raise FileError(
            f"{source.inner!r} was asked for, but this is a {found} file, which holds one table. Leave out "
            f"'::{source.inner}'.",
            source.name,
        )
    if isinstance(options.sheet, str) and source.inner is None and found in WITH_TABLES:
        source = replace(source, inner=options.sheet)
    match found:
        case "csv":
            from learnt.data.files.text.csv import CsvPart

            return CsvPart(source, options)
        case "parquet":
            from learnt.data.files.columnar.parquet import ParquetPart

            with clear_errors(source.name):
                return ParquetPart(source)
        case "arrow":
            from learnt.data.files.columnar.arrow import ArrowPart

            with clear_errors(source.name):
                return ArrowPart(source)
        case "jsonl":
            from learnt.data.files.text.jsonl import JsonPart

            return JsonPart(source)
        case "arff":
            from learnt.data.files.text.arff import ArffPart

            return ArffPart(source, options.encoding)
        case "excel":
            from learnt.data.files.workbooks.excel import ExcelPart

            return ExcelPart(source, options)
        case "sqlite":
            from learnt.data.files.databases.sqlite import SqlitePart

            return SqlitePart(source, options.reading(options.decimal or "."))
        case "duckdb":
            from learnt.data.files.databases.duckdb import DuckdbPart

            return DuckdbPart(source)
        case _:
            from learnt.data.files.text.libsvm import LibsvmPart

            return LibsvmPart(source)


def table_names(file: str) -> tuple[str, ...]:
    """The tables of a file that may hold several; none of any other."""
    found = part_of(source_of(file.partition("::")[0]), None, Options())
    return found.held_tables
