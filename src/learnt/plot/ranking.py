"""Scores of columns as bars, best on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.explain.html import POSITIVE
from learnt.show.words import number, printable, shortened

if TYPE_CHECKING:
    from learnt.prepare.ranking import Ranking

LEFT_OUT = "0.75"


def plot_ranking(ranking: Ranking, ax: Any = None, most: int = 30) -> Any:
    """A bar per column, kept ones in colour; returns the axes."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    shown = ranking.rows[:most]
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.2 + 0.3 * len(shown)), layout="constrained")
    for place, row in enumerate(shown):
        ax.barh(place, row.score, color=POSITIVE if row.kept else LEFT_OUT)
        ax.text(max(row.score, 0), place, f" {number(row.score)}", va="center", ha="left")
    # parse_math: a column called "$x$" is a name, not a formula.
    names = [shortened(printable(row.column), 40) for row in shown]
    ax.set_yticks(range(len(shown)), names, parse_math=False)
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.set_xlabel(ranking.title)
    if len(ranking) > most:
        ax.set_title(f"{most} best of {len(ranking)} columns")
    if any(row.kept for row in shown) and not all(row.kept for row in shown):
        colours = {"kept": POSITIVE, "left out": LEFT_OUT}
        ax.legend(handles=[Patch(color=colour, label=name) for name, colour in colours.items()], loc="lower right")
    return ax
