"""The silhouettes of all rows: a bar each, cluster by cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.show.sheet import class_colour
from learnt.show.words import number, printable, shortened

if TYPE_CHECKING:
    from learnt.cluster.judging.silhouette import Silhouette

GAP = 0.02  # between clusters, as a share of all rows


def plot_silhouette(found: Silhouette, ax: Any = None) -> Any:
    """Widths from the widest down in each cluster, its mean beside it, the mean of all as a line; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(7, min(12.0, 2.4 + 0.55 * len(found.clusters))), layout="constrained")
    place, means = found.places, found.cluster_means
    gap = max(1.0, GAP * len(found.widths))
    top, middles, words = 0.0, [], []
    for c, name in enumerate(found.clusters.tolist()):
        widths = np.sort(found.widths[place == c])[::-1]
        if not len(widths):
            continue
        # One outline for all bars of a cluster: a hundred thousand bars would take minutes to draw.
        edges = top + np.arange(len(widths) + 1)
        ax.fill_betweenx(edges, np.append(widths, widths[-1]), step="post", color=class_colour(c), linewidth=0)
        middles.append(top + len(widths) / 2)
        words.append(f"{shortened(printable(str(name)), 24)}\n{number(found.sizes[c])} rows, {means[c]:.2f}")
        top += len(widths) + gap
    ax.axvline(0.0, color="0.45", linewidth=0.8)
    ax.axvline(found.mean, color="0.2", linewidth=1, linestyle="--")
    ax.text(found.mean, -0.6 * gap, f" mean {found.mean:.2f}", ha="left", va="bottom", color="0.2")
    # parse_math: a cluster called "$x$" is a name, not a formula.
    many = len(words) > 40
    ax.set_yticks(middles, [""] * len(words) if many else words, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(top, -3 * gap)
    ax.set_xlim(min(-0.1, float(found.widths.min(initial=0.0)) - 0.02), 1.0)
    ax.set_xlabel("silhouette, from −1 (nearer to another cluster) to 1 (far from all others)")
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax
