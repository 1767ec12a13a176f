"""The reader for each file format."""

from __future__ import annotations

from learnt.data.files.dialect import Options
from learnt.data.files.part import Part
from learnt.data.files.source import Source, clear_errors, format_of

__all__ = ["Options", "part_of"]


def part_of(source: Source, format: str | None, options: Options) -> Part:
    """The file as a part, its format given or found."""
    match format_of(source, format):
        case "csv":
            from learnt.data.files.csv import CsvPart

            return CsvPart(source, options)
        case "parquet":
            from learnt.data.files.parquet import ParquetPart

            with clear_errors(source.name):
                return ParquetPart(source)
        case "arrow":
            from learnt.data.files.arrow import ArrowPart

            with clear_errors(source.name):
                return ArrowPart(source)
        case "jsonl":
            from learnt.data.files.jsonl import JsonPart

            return JsonPart(source)
        case "arff":
            from learnt.data.files.arff import ArffPart

            return ArffPart(source, options.encoding)
        case _:
            from learnt.data.files.libsvm import LibsvmPart

            return LibsvmPart(source)
