"""Sorted distances to the k-th nearest row: where rows stop lying dense."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.show.sheet import class_colour
from learnt.show.words import number


def plot_neighbor_distances(distances: Array, eps: float, min_samples: int, ax: Any = None) -> Any:
    """The curve, the suggested eps and the share of rows below it; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    share = np.arange(1, len(distances) + 1) / len(distances)
    within = float(np.mean(distances <= eps))
    ax.plot(share, distances, lw=1.8, color=class_colour(0))
    ax.axhline(eps, color="0.5", lw=0.9, ls=(0, (5, 4)), zorder=0)
    ax.plot(within, eps, "o", ms=7, mfc="none", mec="0.1")
    ax.annotate(
        f"eps = {number(eps)}\n{within:.0%} of rows are cores",
        (within, eps),
        xytext=(-10, 12),
        textcoords="offset points",
        ha="right",
        fontsize=9,
        color="0.25",
    )
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlim(0, 1.02)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("share of rows, sorted by distance")
    ax.set_ylabel(f"distance that holds {min_samples} rows, itself counted")
    return ax
