"""An experiment as a page: what was asked, the picture, the figures, what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.report.page import Page, drawing
from learnt.report.section import Words
from learnt.show.html import html_table
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.theory.experiments import Experiment


def experiment_page(experiment: Experiment) -> Page:
    page = Page(experiment.name.replace("_", " ").capitalize(), experiment.question)
    with drawing():
        page.add("What came out", "", Words(experiment.answer), experiment.plot().figure)
    rows = [tuple(c if isinstance(c, str) else number(float(c)) for c in row) for row in experiment.rows]
    texts = [j for j, cell in enumerate(experiment.rows[0]) if isinstance(cell, str)]
    page.add("The figures", "", html_table(experiment.titles, rows, left=texts))
    return page
