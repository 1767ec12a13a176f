"""A user's own metric: a function of two rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.errors import ParameterError


class AllPairs:
    """Distances of all pairs by a function of two rows: 1-D arrays, or lists of a table's cells.

    Cells of a table are numbers, booleans and labels as they were given, also labels that fitting never saw; None where
    a cell is missing. Rows of an array have NaN there.
    """

    def __init__(self, function: Callable[[Any, Any], float]):
        self.function = function

    def __call__(self, a: Any, b: Any) -> Array:
        rows_a, rows_b = as_rows(a), as_rows(b)
        distances = [[float(self.function(x, y)) for y in rows_b] for x in rows_a]
        return np.array(distances).reshape(len(rows_a), len(rows_b))


def as_rows(rows: Any) -> list[Any]:
    """Each row as a function of two rows sees it."""
    if isinstance(rows, Table):
        return [list(row) for row in zip(*map(_cells, rows.columns), strict=True)]
    return list(rows)


def _cells(column: Column) -> list[Any]:
    """Numbers, dates too: a function of two rows computes with them."""
    return replace(column, form=None).labels()


@dataclass(frozen=True, eq=False)
class OwnMetric:
    """What `resolve` makes of a function. It cannot be stored in a file: no file may hold code."""

    function: Callable[[Any, Any], float]
    is_metric: bool | None = None  # not known
    needs_all_cells: bool = False  # its own business
    by_products: bool = False
    has_boxes: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(
                f"The metric is {self.function!r}. Expected a name, a metric, or a function of two rows."
            )

    @property
    def name(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def distances(self, a: Any, b: Any) -> Array:
        """All distances between rows of a and rows of b, asked one by one."""
        return AllPairs(self.function)(a, b)
