"""Shepard's diagram: how well a map meets the distances it was drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def plot_shepard(pairs: Array, stress: float, ax: Any = None) -> Any:
    """Distances on the map against dissimilarities, a point for each pair, and the line they are to lie on; returns
    the axes. `pairs` holds dissimilarity, distance and the distance aimed at."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.scatter(pairs[:, 0], pairs[:, 1], s=9, alpha=0.35, lw=0, color="C0", label="pairs of rows")
    order = np.argsort(pairs[:, 0], kind="stable")
    ax.plot(pairs[order, 0], pairs[order, 2], color="C1", lw=1.8, label="aimed at")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("dissimilarity of the rows")
    ax.set_ylabel("distance on the map")
    ax.set_title(f"stress {stress:.3f}", fontsize=10)
    ax.legend(frameon=False)
    return ax
