"""Some rows of what a user gave, in the container it came in."""

from __future__ import annotations

from typing import Any

from learnt.data.table import Array, Table


def rows_where(rows: Any, mask: Array) -> Any:
    """The rows where the mask says so."""
    if isinstance(rows, Table):
        return rows.take(mask)
    if isinstance(rows, dict):
        return {name: rows_where(cells, mask) for name, cells in rows.items()}
    if isinstance(rows, list | tuple):
        return [row for row, kept in zip(rows, mask.tolist(), strict=True) if kept]
    return rows.filter(mask.tolist()) if hasattr(rows, "filter") and not hasattr(rows, "loc") else rows[mask]
