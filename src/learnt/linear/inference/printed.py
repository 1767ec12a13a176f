"""Findings print themselves: sentences and tables, as text or as HTML."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from learnt.show.html import escaped, html_table, paragraph
from learnt.show.numbers import figure
from learnt.show.text_table import aligned
from learnt.show.words import list_of as in_words
from learnt.show.words import short_name

SHOWN = 60
WIDTH = 40


class Grid(NamedTuple):
    """Rows of cells under a head; the columns in `left` go to the left."""

    head: list[str]
    rows: list[list[str]]
    left: tuple[int, ...] = (0,)

    def shown_rows(self) -> tuple[list[list[str]], str]:
        """The rows that are shown, and a word on the others."""
        more = len(self.rows) - SHOWN
        rows = [[short_name(cell, WIDTH) for cell in row] for row in self.rows[:SHOWN]]
        return rows, f"… and {more} more" if more > 0 else ""

    def text(self) -> str:
        rows, more = self.shown_rows()
        return "\n".join(filter(None, [aligned([self.head, *rows], left=self.left), more]))

    def html(self) -> str:
        rows, more = self.shown_rows()
        return html_table(self.head, rows, self.left, more)


class Printed:
    """Something made of parts: sentences, and grids of cells. The first sentence is its title."""

    def _parts(self) -> list[str | Grid]:
        raise NotImplementedError

    def __str__(self) -> str:
        parts = self._parts()
        texts = [part.text() if isinstance(part, Grid) else part for part in parts]
        tables = [isinstance(part, Grid) for part in parts]
        if sum(tables) < 2:
            return "\n".join(texts)
        # Several tables want some room.
        room = ["\n\n" if a or b else "\n" for a, b in pairwise(tables)]
        return "".join(text + gap for text, gap in zip(texts, [*room, ""], strict=True))

    def _repr_html_(self) -> str:
        title, *rest = self._parts()
        shown = [part.html() if isinstance(part, Grid) else paragraph(part) for part in rest]
        return f"<p><strong>{escaped(title)}</strong></p>" + "".join(shown)


def p_words(p: float) -> str:
    """A p-value; beyond the digits of a double only that it is small.

    >>> p_words(0.0312), p_words(1e-30), p_words(float("nan"))
    ('0.0312', '<2e-16', '–')
    """
    return "<2e-16" if p < 2.2e-16 else figure(p)


def list_names(names: list[str], most: int = 6) -> str:
    """Names in a sentence, the first few of many: 'a', 'b' and 3 more."""
    return in_words([repr(short_name(name, WIDTH)) for name in names], most=most)
