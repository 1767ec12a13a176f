"""Means and intervals of compared learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.show.words import printable, shortened

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

TIED, WORSE = "#3b75af", "0.55"


def plot_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """A point and an interval per learner, best on top; those tied with the best in colour. Returns the axes."""
    import matplotlib.pyplot as plt

    rows = comparison.leaderboard()
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.2 + 0.32 * max(len(rows), 1)), layout="constrained")
    for place, row in enumerate(rows):
        colour = TIED if row.tied_with_best else WORSE
        if np.isfinite(row.low) and np.isfinite(row.high):
            ax.plot([row.low, row.high], [place, place], color=colour, lw=2, solid_capstyle="round", alpha=0.6)
        ax.plot(row.mean, place, "o" if row.tied_with_best else "s", color=colour, ms=6)
    # parse_math: a learner may be called "$x$".
    names = [shortened(printable(row.name), 40) + (f"  {row.letters}" if row.letters else "") for row in rows]
    ax.set_yticks(range(len(rows)), names, parse_math=False)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    better = "more" if comparison.metric.higher_is_better else "less"
    ax.set_xlabel(f"{comparison.metric.title}, mean and 95% interval ({better} is better)", parse_math=False)
    ax.grid(axis="x", color="0.9", zorder=0)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(left=False)
    return ax
