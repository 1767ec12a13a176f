"""How good each number of clusters is, and which was taken."""

from __future__ import annotations

from typing import Any

from learnt.explain.html import NEGATIVE, POSITIVE


def plot_cluster_counts(choice: Any, ax: Any = None) -> Any:
    """A line over the numbers tried, the doubt of the best as a band; returns the axes."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    if ax is None:
        _, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    numbers, scores = list(choice.scores), list(choice.scores.values())
    best = choice.scores[choice.best]
    ax.axhspan(best - choice.doubt, best + choice.doubt, color=POSITIVE, alpha=0.12, lw=0)
    ax.plot(numbers, scores, "o-", color=POSITIVE)
    ax.plot([choice.best], [best], "o", color=NEGATIVE, ms=9, zorder=3)
    ax.annotate(f"k = {choice.best}", (choice.best, best), xytext=(6, 8), textcoords="offset points")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("clusters")
    less = choice.criterion == "BIC"
    ax.set_ylabel("BIC, less is better" if less else "mean silhouette, more is better")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
