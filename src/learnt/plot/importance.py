"""What shuffling each column costs, as bars with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.explain.html import POSITIVE
from learnt.show.words import printable, shortened

if TYPE_CHECKING:
    from learnt.evaluate.importance import PermutationImportance

UNCLEAR = "0.75"


def plot_importance(importance: PermutationImportance, ax: Any = None, most: int = 20) -> Any:
    """A bar per column, the most important on top; those whose interval leaves 0 out are in colour."""
    import matplotlib.pyplot as plt

    shown = importance.order()[:most]
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.2 + 0.3 * len(shown)), layout="constrained")
    ax.spines[["top", "right", "left"]].set_visible(False)
    intervals = importance.intervals()
    for place, j in enumerate(shown):
        mean, (low, high) = importance.importances_mean[j], intervals[j]
        clear = mean > 0 if np.isnan(low) else low > 0 or high < 0
        ax.barh(place, mean, color=POSITIVE if clear else UNCLEAR)
        if not np.isnan(low):
            ax.plot([low, high], [place, place], color="0.2", lw=1.5, solid_capstyle="butt")
    ax.axvline(0.0, color="0.45", lw=0.8)
    # parse_math: a column called "$x$" is a name, not a formula.
    names = [shortened(printable(importance.names[j]), 40) for j in shown]
    ax.set_yticks(range(len(shown)), names, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    told = "" if np.isnan(intervals).all() else ", with 95 % intervals"
    ax.set_xlabel(f"what shuffling costs in {importance.metric}{told}", parse_math=False)
    if len(importance.names) > most:
        ax.set_title(f"{most} most important of {len(importance.names)} columns")
    return ax
