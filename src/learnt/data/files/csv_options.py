"""What Arrow's CSV parser is told about a file."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from typing import Any

from learnt.data.cells import FALSE, TRUE, arrow_type
from learnt.data.files.dialect import Dialect
from learnt.data.files.source import Source


def parser_options(
    dialect: Dialect, markers: Sequence[str], types: Mapping[str, str], block_size: int, quotes: bool
) -> dict[str, Any]:
    """Options for `read_csv` and `open_csv` that read the columns of `types`, and these only."""
    import pyarrow as pa
    import pyarrow.csv as csv

    column_types = {name: arrow_type(reading) for name, reading in types.items()}
    if dialect.trailing:  # a cell there is a surprise, and then an error
        column_types[dialect.names[-1]] = pa.null()
    return {
        "read_options": csv.ReadOptions(
            column_names=dialect.names,
            skip_rows=dialect.skip_lines,
            block_size=block_size,
            encoding="utf8" if dialect.encoding == "utf-8" else dialect.encoding,  # only "utf8" is not recoded
        ),
        "parse_options": csv.ParseOptions(
            delimiter=dialect.delimiter, quote_char=dialect.quote or False, newlines_in_values=quotes
        ),
        "convert_options": csv.ConvertOptions(
            column_types=column_types,
            include_columns=list(column_types),
            null_values=[*markers, *(" " + marker for marker in markers)],  # as in "1, NA"
            strings_can_be_null=True,
            true_values=TRUE,
            false_values=FALSE,
            decimal_point=dialect.decimal,
        ),
    }


def may_hold_quotes(source: Source, quote: str) -> bool:
    """Whether line breaks inside quotes must be reckoned with, which costs the parser time."""
    if not quote or source.path is None or source.compression:
        return bool(quote)
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(quote.encode()) >= 0
