"""What columns contribute: to one answer, to a score, to a target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.explain.text import split, term
from learnt.plot.axes import OPEN, axes_for, name_rows
from learnt.show.numbers import number, signed
from learnt.show.palette import NEGATIVE, POSITIVE
from learnt.show.words import label, printable, short_name, shorten_text

if TYPE_CHECKING:
    from learnt.evaluate.importance import PermutationImportance
    from learnt.explain.explanation import Explanation
    from learnt.prepare.selection.ranking import Ranking

PALE = "0.75"


def plot_explanation(explanation: Explanation, ax: Any = None, most: int = 10) -> Any:
    """One bar per column, each starting where the one above it ended; returns the axes."""
    shown, rest = split(explanation.by_size(), most)
    bars = [(term(e), e.contribution) for e in shown]
    if rest:
        bars.append((f"{len(rest)} more", math.fsum(e.contribution for e in rest)))
    ax = axes_for(ax, (7, 1.4 + 0.35 * (len(bars) + 2)), without=())
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
    ax.set_yticks(range(len(names)), [shorten_text(name, 40) for name in names], parse_math=False)
    ax.invert_yaxis()
    ax.use_sticky_edges = False
    ax.margins(x=0.25)  # room for the numbers beside the bars
    ax.set_title(label(explanation.prediction), parse_math=False)
    return ax


def _end(ax: Any, place: int, value: float) -> None:
    """Base and total are points, not bars from zero, which would dwarf what the columns add."""
    ax.plot(value, place, "D", color="0.3")
    ax.text(value, place, f"   {number(value)} ", va="center", ha="left")


def plot_importance(importance: PermutationImportance, ax: Any = None, most: int = 20) -> Any:
    """A bar per column, the most important on top; those whose interval leaves 0 out are in colour."""
    shown = importance.order()[:most]
    ax = axes_for(ax, (7, 1.2 + 0.3 * len(shown)), without=(*OPEN, "left"))
    intervals = importance.intervals()
    for place, j in enumerate(shown):
        mean, (low, high) = importance.importances_mean[j], intervals[j]
        clear = mean > 0 if np.isnan(low) else low > 0 or high < 0
        ax.barh(place, mean, color=POSITIVE if clear else PALE)
        if not np.isnan(low):
            ax.plot([low, high], [place, place], color="0.2", lw=1.5, solid_capstyle="butt")
    ax.axvline(0.0, color="0.45", lw=0.8)
    name_rows(ax, [importance.names[j] for j in shown], ticks=False)
    told = "" if np.isnan(intervals).all() else ", with 95 % intervals"
    ax.set_xlabel(f"what shuffling costs in {importance.metric}{told}", parse_math=False)
    if len(importance.names) > most:
        ax.set_title(f"{most} most important of {len(importance.names)} columns")
    return ax


def plot_ranking(ranking: Ranking, ax: Any = None, most: int = 30) -> Any:
    """A bar per column, kept ones in colour; returns the axes."""
    from matplotlib.patches import Patch

    shown = ranking.rows[:most]
    ax = axes_for(ax, (7, 1.2 + 0.3 * len(shown)), without=())
    for place, row in enumerate(shown):
        ax.barh(place, row.score, color=POSITIVE if row.kept else PALE)
        ax.text(max(row.score, 0), place, f" {number(row.score)}", va="center", ha="left")
    # parse_math: a column called "$x$" is a name, not a formula.
    names = [short_name(row.column, 40) for row in shown]
    ax.set_yticks(range(len(shown)), names, parse_math=False)
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.set_xlabel(ranking.title)
    if len(ranking) > most:
        ax.set_title(f"{most} best of {len(ranking)} columns")
    if any(row.kept for row in shown) and not all(row.kept for row in shown):
        colours = {"kept": POSITIVE, "left out": PALE}
        ax.legend(handles=[Patch(color=colour, label=name) for name, colour in colours.items()], loc="lower right")
    return ax
