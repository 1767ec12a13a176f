"""How a table shows itself: as text in a terminal, as HTML in a notebook."""

from __future__ import annotations

import math
from typing import Any

from learnt.data.table import Column, Table
from learnt.data.value_text import value_text
from learnt.show.html import Ready, escaped, html_table
from learnt.show.text_table import aligned_lines, crop
from learnt.show.words import count_of

_MISSING = "·"
_HEAD, _TAIL = 5, 3  # rows shown of a longer table
_LEFT, _RIGHT = 8, 3  # columns shown of a wider one
_WIDTH = 24  # characters of the widest cell


def table_text(table: Table) -> str:
    """The first and last rows in aligned columns, kinds under the names, and the size."""
    header, rows, elided_at = _excerpt(table)
    lines = aligned_lines([*header, *rows], left=_left_columns(header[1]))
    if elided_at is not None:
        lines.insert(2 + elided_at, "…")
    return "\n".join([*lines, _size(table)]) if table.n_columns else _size(table)


def table_html(table: Table) -> str:
    """The same excerpt as an HTML table; every name and label is escaped."""
    header, rows, elided_at = _excerpt(table)
    names = [Ready(f"{escaped(name)}<br><small>{escaped(kind)}</small>") for name, kind in zip(*header, strict=True)]
    if elided_at is not None:
        rows.insert(elided_at, ["…"] * len(names))
    return f'<div class="learnt-table">{html_table(names, rows, _left_columns(header[1]), _size(table))}</div>'


def _left_columns(kinds: list[str]) -> set[int]:
    """Columns whose cells stand to the left: all but numbers."""
    return {j for j, kind in enumerate(kinds) if kind not in ("numeric", "date")}


def _excerpt(table: Table) -> tuple[list[list[str]], list[list[str]], int | None]:
    """Names and kinds, the shown rows as text, and after how many of them rows were left out."""
    wide = table.n_columns > _LEFT + _RIGHT + 1
    names = list(table.names[:_LEFT] + table.names[-_RIGHT:] if wide else table.names)
    long = table.n_rows > _HEAD + _TAIL + 1
    parts = [table]
    if long:
        parts = [table.rows(0, _HEAD), table.rows(table.n_rows - _TAIL, table.n_rows)]
    columns = [[cell for part in parts for cell in _cells(part[name])] for name in names]
    kinds = [str(table.schema[name].kind_name) for name in names]
    names = [_cut(name) for name in names]
    if wide:
        for line in (names, kinds):
            line.insert(_LEFT, "…")
        columns.insert(_LEFT, ["…"] * sum(part.n_rows for part in parts))
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [names, kinds], rows, _HEAD if long else None


def _cells(column: Column) -> list[str]:
    if column.kind != "numeric" or column.form is None:
        return [_cell(cell) for cell in column.labels()]
    return [_MISSING if math.isnan(v) else _cut(value_text(column.form, v)) for v in column.values.tolist()]


def _cell(value: Any) -> str:
    if value is None:
        return _MISSING
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return _cut(str(value))


def _cut(text: str) -> str:
    return crop("".join(ch if ch.isprintable() else "␣" for ch in text), _WIDTH)  # a line break would tear the table


def _size(table: Table) -> str:
    target = f", target {table.target!r}" if table.target else ""
    rows, columns = table.shape
    return f"{count_of(rows, 'row')} × {count_of(columns, 'column')}{target}"
