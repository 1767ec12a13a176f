"""The way from base to total as a waterfall of bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from learnt.explain.html import NEGATIVE, POSITIVE
from learnt.explain.text import split, term
from learnt.show.words import label, number, printable, shortened, signed

if TYPE_CHECKING:
    from learnt.explain.explanation import Explanation


def plot_explanation(explanation: Explanation, ax: Any = None, most: int = 10) -> Any:
    """One bar per column, each starting where the one above it ended; returns the axes."""
    import matplotlib.pyplot as plt

    shown, rest = split(explanation.by_size(), most)
    bars = [(term(e), e.contribution) for e in shown]
    if rest:
        bars.append((f"{len(rest)} more", math.fsum(e.contribution for e in rest)))
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.4 + 0.35 * (len(bars) + 2)), layout="constrained")
    names = [f"{printable(explanation.base_words) or 'start'}", *(name for name, _ in bars)]
    names.append(printable(explanation.total_words) or "total")
    reached = explanation.base
    _end(ax, 0, reached)
    for place, (_, size) in enumerate(bars, start=1):
        ax.plot([reached, reached], [place - 1, place + 0.4], color="0.6", lw=0.8, zorder=0)
        ax.barh(place, size, left=reached, color=NEGATIVE if size < 0 else POSITIVE)
        reached += size
        ax.text(reached, place, f" {signed(size)} ", va="center", ha="right" if size < 0 else "left")
    _end(ax, len(bars) + 1, explanation.total)
    # parse_math: a column called "$x$" is a name, not a formula.
    ax.set_yticks(range(len(names)), [shortened(name, 40) for name in names], parse_math=False)
    ax.invert_yaxis()
    ax.use_sticky_edges = False
    ax.margins(x=0.25)  # room for the numbers beside the bars
    ax.set_title(label(explanation.prediction), parse_math=False)
    return ax


def _end(ax: Any, place: int, value: float) -> None:
    """Base and total are points, not bars from zero, which would dwarf what the columns add."""
    ax.plot(value, place, "D", color="0.3")
    ax.text(value, place, f"   {number(value)} ", va="center", ha="left")
