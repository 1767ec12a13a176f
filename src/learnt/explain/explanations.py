"""The explanations of many rows: a lazy sequence, and all of them at once as a matrix, a frame, a picture."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from learnt.data.convert import is_a
from learnt.explain.explanation import Explanation

if TYPE_CHECKING:
    from learnt.explain.contributions import Contributions

Array = np.ndarray[Any, Any]


class Explanations(Sequence[Explanation]):
    """The explanations of many rows, each made when it is asked for; slices are lazy too.

    `rows` are the numbers of the rows in the table, counted from 0. What takes all of them at once, `values`,
    `to_frame`, `plot` and the views by class, makes each of them: slice first where there are many.
    """

    __slots__ = ("_index", "_kind", "_make", "rows")

    def __init__(self, rows: int | Sequence[int], make: Callable[[int], Explanation]):
        self.rows: Sequence[int] = range(rows) if isinstance(rows, int) else rows
        self._make = make
        self._kind, self._index = "pandas", None

    def like(self, X: Any) -> Explanations:
        """The same, of rows that came as `X`: frames will be of its kind, with its index."""
        same = Explanations(self.rows, self._make)
        if is_a(X, "polars", "DataFrame") or is_a(X, "polars", "LazyFrame"):
            same._kind = "polars"
        elif is_a(X, "pyarrow", "Table") or is_a(X, "pyarrow", "RecordBatch"):
            same._kind = "arrow"
        elif is_a(X, "pandas", "DataFrame") or is_a(X, "pandas", "Series"):
            same._index = X.index
        return same

    def _part(self, rows: Sequence[int], make: Callable[[int], Explanation] | None = None) -> Explanations:
        part = Explanations(rows, make or self._make)
        part._kind, part._index = self._kind, self._index
        return part

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, row: int) -> Explanation: ...
    @overload
    def __getitem__(self, row: slice) -> Explanations: ...
    def __getitem__(self, row: int | slice) -> Explanation | Explanations:
        if isinstance(row, slice):
            return self._part(self.rows[row])
        place = operator.index(row)
        if not -len(self) <= place < len(self):
            raise IndexError(f"There is no row {place}. There are {len(self)} rows, counted from 0.")
        return self._make(self.rows[place])

    # All of them at once

    def contributions(self) -> Contributions:
        """Answers, bases, contributions, cells and totals of all rows, as arrays."""
        from learnt.explain.contributions import gathered

        return gathered(self)

    @property
    def values(self) -> Array:
        """What each column adds in each row: rows × columns, in the order of the table."""
        return self.contributions().values

    def to_frame(self, *, long: bool = False) -> Any:
        """A frame with a line for each row: its answer, the base, what each column adds, the total.

        With `long`, a line for each row and column: its cell, what it adds, and how. The frame is one of pandas, with
        the index of the rows that were explained, or one of polars or Arrow if those came in such a frame.
        """
        from learnt.explain.contributions import frame_of_columns, long_columns, wide_columns

        if long:
            return frame_of_columns(long_columns(self), self._kind)
        index = list(self.rows) if self._index is None else self._index[list(self.rows)]
        return frame_of_columns(wide_columns(self.contributions()), self._kind, index)

    def by_class(self) -> dict[Any, Explanations]:
        """The rows of each answer, by answer."""
        found: dict[Any, list[int]] = {}
        for row, one in zip(self.rows, self, strict=True):
            found.setdefault(one.prediction, []).append(row)
        return {answer: self._part(tuple(found[answer])) for answer in sorted(found, key=_sortable)}

    def toward(self, answer: Any) -> Explanations:
        """All rows, of two classes: what speaks for one of them, also where the other was answered."""
        from learnt.explain.turning import speaking_for

        def turn(make: Callable[[int], Explanation], row: int) -> Explanation:
            return speaking_for(make(row), answer)

        return self._part(self.rows, partial(turn, self._make))

    def plot(self, ax: Any = None, most: int = 12) -> Any:
        """Draw what columns add, a point for each row, the column that matters most on top.

        Colours tell low cells from high ones. Of two classes, all rows speak for the second; of more, each answer has
        a picture of its own beside the others. Returns the matplotlib axes, or an array of them.
        """
        from learnt.plot.contributions import plot_contributions

        return plot_contributions(self, ax, most)

    def __str__(self) -> str:
        from learnt.explain.text import explanations_text

        return explanations_text(self)

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} rows>"

    def _repr_html_(self) -> str:
        from learnt.explain.html import explanations_html

        return explanations_html(self)


def _sortable(answer: Any) -> tuple[bool, str, Any]:
    return (answer is not None, type(answer).__name__, answer if answer is not None else 0)
