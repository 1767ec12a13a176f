"""Evidence made of one number per column."""

from __future__ import annotations

from collections.abc import Iterable

from learnt.data.table import Table
from learnt.explain.explanation import Evidence


def column_evidence(row: Table, parts: Iterable[float]) -> tuple[Evidence, ...]:
    """What each column of a table's only row contributes, with its cell."""
    cells = [column.labels()[0] for column in row.columns]
    return tuple(Evidence(name, cell, float(part)) for name, cell, part in zip(row.names, cells, parts, strict=True))
