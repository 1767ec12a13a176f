"""A density of one column, with the region of highest density filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.errors import InputError
from learnt.explain.html import POSITIVE
from learnt.show.words import number

if TYPE_CHECKING:
    from learnt.cluster.density.highest_density import DensityRegion


def plot_region(region: DensityRegion, ax: Any = None) -> Any:
    """The curve, the region under it, and the threshold as a line; returns the axes."""
    import matplotlib.pyplot as plt

    if region.intervals is None:
        raise InputError("A region of more than one column has no curve to draw. Draw the rows it contains instead.")
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    low, high = region.intervals[0][0], region.intervals[-1][1]
    margin = 0.25 * (high - low)
    x = np.unique(np.concatenate([np.linspace(low - margin, high + margin, 800), np.ravel(region.intervals)]))
    y = np.exp(np.asarray(region.log_density(x[:, None])))
    ax.plot(x, y, color=POSITIVE, linewidth=1.5)
    for a, b in region.intervals:
        inside = (x >= a) & (x <= b)
        ax.fill_between(x[inside], y[inside], color=POSITIVE, alpha=0.25, linewidth=0)
        for edge, side in ((a, "right"), (b, "left")):
            ax.annotate(
                number(edge),
                (edge, region.threshold),
                (-4 if side == "right" else 4, 4),
                ha=side,
                textcoords="offset points",
                fontsize=9,
            )
    ax.axhline(region.threshold, color="0.45", linewidth=0.8, linestyle="--")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("density")
    ax.set_title(f"smallest region of probability {number(region.probability)}", loc="left", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
