"""Drift between two tables as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.report.page import Page, drawing
from learnt.report.section import Words
from learnt.show.html import html_table

if TYPE_CHECKING:
    from learnt.drift import TableDrift


def drift_page(found: TableDrift, old: str, new: str) -> Page:
    """What moved, the picture, what a model makes of it, and the table of all columns."""
    page = Page("Drift", f"{old}, then, against {new}, now")
    with drawing():
        page.add("What moved", "", *(Words(sentence) for sentence in found.sentences()), found.plot().figure)
    if found.predictions is not None:
        page.add(
            "What it does to the model",
            "How often the model answers what, and, where the truth is known, its scores with 95 % intervals.",
            html_table(("", "then", "now"), found.predictions.rows(), left=(0,)),
        )
    titles = tuple(title.strip() for title in found.TITLES)
    page.add(
        "Columns",
        "p: of Kolmogorov–Smirnov and χ² tests, corrected for the number of columns (Holm). Moved by: the largest "
        "difference of cumulative shares of numbers, the share of rows whose label would have to change, or, of texts, "
        "the largest change of the share of rows with a word.",
        html_table(titles, found.rows(), left=(0, 3, 4, 5)),
    )
    return page
