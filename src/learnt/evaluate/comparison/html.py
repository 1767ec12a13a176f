"""A comparison as a small HTML table for notebooks; the report is another matter."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from learnt.evaluate.comparison.text import HEADINGS, interval
from learnt.evaluate.comparison.words import seconds, shown
from learnt.show.words import number, printable, shortened

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

TITLES = ("learner", "95% interval", "tied", "fit", "predict")


def comparison_html(comparison: Comparison) -> str:
    """The leaderboard, the conclusion, and who is missing; every name is escaped and kept in its own direction."""
    metric = printable(comparison.metric.name)
    head = "".join(f"<th>{escape(t)}</th>" for t in (TITLES[0], metric, *TITLES[1:]))
    body = "".join(
        f"<tr>{_cell(shown(r.name, 200), left=True)}{_cell(number(r.mean))}{_cell(interval(r.low, r.high))}"
        f"{_cell(r.letters, left=True)}{_cell(seconds(r.fit_seconds))}{_cell(seconds(r.predict_seconds))}</tr>"
        for r in comparison.leaderboard()
    )
    others = "".join(
        f"<li><b>{_isolated(shown(o.name))}</b> {HEADINGS[o.status]}: "
        f"{_isolated(shortened(printable(o.why), 300))}</li>"
        for o in comparison.outcomes
        if o.status != "done"
    )
    return (
        f"<div class='learnt-comparison'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{_isolated(comparison.conclusion)}</p>{f'<ul>{others}</ul>' if others else ''}</div>"
    )


def _cell(text: str, *, left: bool = False) -> str:
    return f"<td style='text-align:{'left' if left else 'right'}'>{_isolated(text)}</td>"


def _isolated(text: str) -> str:
    return f"<bdi>{escape(text)}</bdi>"
