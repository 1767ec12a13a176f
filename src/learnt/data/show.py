"""How a table shows itself: as text in a terminal, as HTML in a notebook."""

from __future__ import annotations

import html
from typing import Any

from learnt.data.table import Table

_MISSING = "·"
_HEAD, _TAIL = 5, 3  # rows shown of a longer table
_LEFT, _RIGHT = 8, 3  # columns shown of a wider one
_WIDTH = 24  # characters of the widest cell


def table_text(table: Table) -> str:
    """The first and last rows in aligned columns, kinds under the names, and the size."""
    header, rows, elided_at = _excerpt(table)
    lines = [*header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    kinds = header[1]
    padded = [
        "  ".join(
            cell.rjust(width) if kind == "numeric" else cell.ljust(width)
            for cell, width, kind in zip(line, widths, kinds, strict=True)
        ).rstrip()
        for line in lines
    ]
    if elided_at is not None:
        padded.insert(2 + elided_at, "…")
    return "\n".join([*padded, _size(table)]) if table.n_columns else _size(table)


def table_html(table: Table) -> str:
    """The same excerpt as an HTML table; every name and label is escaped."""
    header, rows, elided_at = _excerpt(table)
    kinds = header[1]
    body = [_html_row(row, kinds) for row in rows]
    if elided_at is not None:
        body.insert(elided_at, f'<tr><td colspan="{len(kinds)}">…</td></tr>')
    names = "".join(
        f"<th>{html.escape(name)}<br><small>{html.escape(kind)}</small></th>"
        for name, kind in zip(*header, strict=True)
    )
    return (
        f'<div class="learnt-table"><table><thead><tr>{names}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table><p>{html.escape(_size(table))}</p></div>"
    )


def _excerpt(table: Table) -> tuple[list[list[str]], list[list[str]], int | None]:
    """Names and kinds, the shown rows as text, and after how many of them rows were left out."""
    wide = table.n_columns > _LEFT + _RIGHT + 1
    names = list(table.names[:_LEFT] + table.names[-_RIGHT:] if wide else table.names)
    long = table.n_rows > _HEAD + _TAIL + 1
    parts = [table]
    if long:
        parts = [table.rows(0, _HEAD), table.rows(table.n_rows - _TAIL, table.n_rows)]
    columns = [[_cell(cell) for part in parts for cell in part[name].labels()] for name in names]
    kinds = [str(table.schema[name].kind) for name in names]
    names = [_cut(name) for name in names]
    if wide:
        for line in (names, kinds):
            line.insert(_LEFT, "…")
        columns.insert(_LEFT, ["…"] * sum(part.n_rows for part in parts))
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [names, kinds], rows, _HEAD if long else None


def _cell(value: Any) -> str:
    if value is None:
        return _MISSING
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return _cut(str(value))


def _cut(text: str) -> str:
    text = "".join(ch if ch.isprintable() else "␣" for ch in text)  # a line break would tear the table
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _html_row(row: list[str], kinds: list[str]) -> str:
    cells = (
        f'<td style="text-align:{"right" if kind == "numeric" else "left"}">{html.escape(cell)}</td>'
        for cell, kind in zip(row, kinds, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _size(table: Table) -> str:
    target = f", target {table.target!r}" if table.target else ""
    rows, columns = table.shape
    return f"{rows:,} row{'s' * (rows != 1)} × {columns:,} column{'s' * (columns != 1)}{target}"
