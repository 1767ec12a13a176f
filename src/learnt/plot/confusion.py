"""A confusion matrix as a grid: the colour is the share of the true class, the number counts rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.show.words import label, number, shortened

if TYPE_CHECKING:
    from learnt.evaluate.curves import ConfusionMatrix

#: More classes than this get no numbers in their cells.
MOST_WRITTEN = 20
#: From this share on the blue is dark enough for white numbers to be the more legible ones.
DARK = 0.72


def plot_confusion(matrix: ConfusionMatrix, ax: Any = None) -> Any:
    """The grid, true classes down and answers across; returns the axes."""
    import matplotlib.pyplot as plt

    n = len(matrix)
    if ax is None:
        side = 2.2 + 0.62 * min(n, 16)
        _, ax = plt.subplots(figsize=(side + 0.8, side), layout="constrained")
    shares = np.nan_to_num(matrix.shares)
    image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    if n <= MOST_WRITTEN:
        for i in range(n):
            for j in range(n):
                words = number(matrix.counts[i, j]) + (f"\n{100 * shares[i, j]:.0f} %" if n <= 8 else "")
                colour = "white" if shares[i, j] > DARK else "0.15"
                weight = "bold" if i == j else "normal"
                ax.text(j, i, words, ha="center", va="center", color=colour, fontsize=9, fontweight=weight)
    names = [shortened(label(c), 18) for c in matrix.labels]
    places = np.arange(n)
    # parse_math: a class called "$x$" is a name, not a formula.
    turned = max(map(len, names)) > 6
    ax.set_xticks(places, names, parse_math=False, rotation=40 if turned else 0, ha="right" if turned else "center")
    ax.set_yticks(places, names, parse_math=False)
    ax.set_xlabel("answer")
    ax.set_ylabel("truth")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, format=lambda share, _: f"{100 * share:.0f} %")
    bar.set_label("share of the true class")
    bar.outline.set_visible(False)
    ax.spines[:].set_visible(False)
    return ax
