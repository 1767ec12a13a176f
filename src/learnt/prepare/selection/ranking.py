"""Columns in order of what they tell, with the arithmetic behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from learnt.data.table import unknown_column
from learnt.errors import InputError
from learnt.show.html import html_table
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import short_name

MOST_SHOWN = 30


@dataclass(frozen=True)
class RankedColumn:
    """One column: its score, a p-value where there is one (else NaN), whether it is kept, and the score in words."""

    column: str
    score: float
    p_value: float
    kept: bool
    words: str


@dataclass(frozen=True, repr=False)
class Ranking:
    """The columns, best first. Printing shows them, `plot` draws them, `explain(name)` says what a score is made of."""

    title: str
    rows: tuple[RankedColumn, ...]

    def __iter__(self) -> Iterator[RankedColumn]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> RankedColumn:
        return self.rows[place]

    def explain(self, column: str) -> str:
        """One column's place and score in words."""
        for place, row in enumerate(self.rows, start=1):
            if row.column == column:
                tested = "" if row.p_value != row.p_value else f", p = {number(row.p_value)}"
                kept = "kept" if row.kept else "left out"
                words = f" ({row.words})" if row.words else ""
                score = f"{self.title} {number(row.score)}{words}{tested}"
                return f"{column!r}: {score}; place {place} of {len(self)}, {kept}"
        raise InputError(unknown_column(column, [row.column for row in self.rows]))

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} columns by {self.title}, {sum(row.kept for row in self)} kept>"

    def _cells(self) -> list[tuple[str, ...]]:
        tested = any(row.p_value == row.p_value for row in self)
        head = ("column", "kept", self.title, *(["p-value"] if tested else []), "")
        lines = [
            (
                short_name(row.column, 30),
                "✓" if row.kept else "",
                number(row.score) if row.score == row.score else "·",
                *([number(row.p_value) if row.p_value == row.p_value else "·"] if tested else []),
                row.words,
            )
            for row in self.rows[:MOST_SHOWN]
        ]
        return [head, *lines]

    def _left_aligned(self, head: tuple[str, ...]) -> set[int]:
        """All columns but the scores and p-values."""
        return {0, 1, len(head) - 1}

    def _rest(self) -> str:
        return f"… {len(self) - MOST_SHOWN} more" if len(self) > MOST_SHOWN else ""

    def __str__(self) -> str:
        cells = self._cells()
        return "\n".join(filter(None, [aligned(cells, left=self._left_aligned(cells[0])), self._rest()]))

    def _repr_html_(self) -> str:
        head, *rows = self._cells()
        return html_table(head, rows, self._left_aligned(head), self._rest())

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar per column, those kept in colour; returns the matplotlib axes."""
        from learnt.plot.explanation import plot_ranking

        return plot_ranking(self, ax)
