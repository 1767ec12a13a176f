"""Residuals against answers, with their quartiles along the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from learnt.evaluate.curves import ResidualPlot

MOST_POINTS = 5000


def plot_residuals(plot: ResidualPlot, ax: Any = None) -> Any:
    """A point per row (of very many, some), the middle half as a band; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
    some = np.unique(np.linspace(0, len(plot.truth) - 1, MOST_POINTS).astype(int))
    alpha = float(np.clip(30 / np.sqrt(len(some)), 0.15, 0.8))
    ax.scatter(plot.answer[some], plot.residual[some], 12, color="#3b75af", alpha=alpha, lw=0)
    ax.axhline(0, color="0.45", ls="--", lw=1)
    middles, quartiles = plot.quartiles()
    if len(middles) > 1:
        ax.fill_between(
            middles, quartiles[:, 0], quartiles[:, 2], color="#c2733d", alpha=0.2, lw=0, label="middle half"
        )
        ax.plot(middles, quartiles[:, 1], color="#c2733d", lw=2, label="median")
        ax.legend(frameon=False)
    ax.set_xlabel("answer")
    ax.set_ylabel("truth − answer")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
