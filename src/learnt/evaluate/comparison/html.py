"""A comparison as a small HTML table for notebooks; the report is another matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.evaluate.comparison.text import HEADINGS, interval
from learnt.evaluate.comparison.words import name_on_one_line, seconds
from learnt.show.html import Ready, html_list, html_table, isolated, paragraph
from learnt.show.numbers import number
from learnt.show.words import printable, short_name

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

TITLES = ("learner", "95 % interval", "tied", "fit", "predict")


def comparison_html(comparison: Comparison) -> str:
    """The leaderboard, the conclusion, and who is missing; every name is escaped and kept in its own direction."""
    metric = printable(comparison.metric.name)
    rows = [
        [
            *(isolated(name_on_one_line(r.name, 200)), isolated(number(r.mean)), isolated(interval(r.low, r.high))),
            *(isolated(r.letters), isolated(seconds(r.fit_seconds)), isolated(seconds(r.predict_seconds))),
        ]
        for r in comparison.leaderboard()
    ]
    others = html_list(
        Ready(f"<b>{isolated(name_on_one_line(o.name))}</b> {HEADINGS[o.status]}: {isolated(short_name(o.why, 300))}")
        for o in comparison.outcomes
        if o.status != "done"
    )
    table = html_table((TITLES[0], metric, *TITLES[1:]), rows, left=(0, 3))
    return f"<div class='learnt-comparison'>{table}{paragraph(isolated(comparison.conclusion))}{others}</div>"
