"""Explanations as small HTML tables for notebooks and reports; everything from the data is escaped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from learnt.explain.text import headline, remainder, split, term
from learnt.show.html import Ready, html_table, paragraph
from learnt.show.numbers import signed
from learnt.show.palette import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from learnt.explain.explanation import Explanation
    from learnt.explain.explanations import Explanations


def explanation_html(explanation: Explanation, most: int = 10) -> str:
    shown, rest = split(explanation.by_size(), most)
    sizes = [abs(e.contribution) for e in shown if math.isfinite(e.contribution)]
    largest = max(sizes, default=0.0)
    rows = [(term(e), signed(e.contribution), Ready(_bar(e.contribution, largest)), e.words) for e in shown]
    table = html_table((), rows, left=(0, 2, 3), more=remainder(rest) if rest else "") if rows else ""
    return f"<div class='learnt-explanation'>{paragraph(headline(explanation))}{table}</div>"


def explanations_html(explanations: Explanations, most: int = 3) -> str:
    first = explanations[:most]
    parts = [f"<p><b>row {row}</b></p>{e._repr_html_()}" for row, e in zip(first.rows, first, strict=True)]
    if len(explanations) > most:
        parts.append(f"<p>… and {len(explanations) - most} more rows</p>")
    return "".join(parts) or "<p>no rows</p>"


def _bar(size: float, largest: float) -> str:
    """A bar that grows to the right from the middle, or to the left when negative."""
    share = 0.0 if largest == 0 or math.isnan(size) else min(1.0, abs(size) / largest)
    side, colour = ("right", NEGATIVE) if size < 0 else ("left", POSITIVE)
    return (
        "<div style='position:relative;width:160px;height:0.9em'>"
        f"<div style='position:absolute;{side}:50%;width:{50 * share:.1f}%;height:100%;background:{colour}'>"
        "</div></div>"
    )
