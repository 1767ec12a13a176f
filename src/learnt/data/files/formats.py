"""The reader for each file format."""

from __future__ import annotations

from learnt.data.files.part import Part
from learnt.data.files.source import WITH_TABLES, Source, clear_errors, format_of
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
