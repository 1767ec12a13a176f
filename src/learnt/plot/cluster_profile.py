"""What makes clusters different, as a heat map: columns of the table by clusters, coloured by effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.explain.html import NEGATIVE, POSITIVE
from learnt.show.sheet import INK, mixed
from learnt.show.words import printable, shortened

if TYPE_CHECKING:
    from learnt.cluster.judging.profile import Profile
    from learnt.cluster.judging.traits import Trait

MOST_CLUSTERS = 16
STRONGEST = 2.0  # effects beyond it have the full colour


def plot_profile(profile: Profile, ax: Any = None, most: int = 20) -> Any:
    """A row per column of the table, a column per cluster, and in each cell what is typical; returns the axes."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import LinearSegmentedColormap

    clusters = profile.clusters[:MOST_CLUSTERS]
    found: dict[str, dict[int, Trait]] = {}
    for c, cluster in enumerate(clusters):
        for trait in cluster.traits:
            found.setdefault(trait.column, {}).setdefault(c, trait)  # the most telling one of a column comes first
    names = sorted(found, key=lambda name: -max(t.rank for t in found[name].values()))[:most]
    if ax is None:
        size = (2.6 + 1.15 * len(clusters), 1.3 + 0.34 * len(names))
        _, ax = plt.subplots(figsize=(min(size[0], 16), size[1]), layout="constrained")
    effects = np.zeros((len(names), len(clusters)))
    for i, name in enumerate(names):
        for c, trait in found[name].items():
            effects[i, c] = trait.effect
            words = shortened(printable(trait.inside_words), 16)
            colour = "white" if abs(trait.effect) > 0.6 * STRONGEST else "0.15"
            ax.text(c, i, words, ha="center", va="center", fontsize=7.5, color=colour, parse_math=False)
    colours = LinearSegmentedColormap.from_list(
        "effect", [mixed(NEGATIVE, INK, 0.5), NEGATIVE, "white", POSITIVE, mixed(POSITIVE, INK, 0.5)]
    )
    image = ax.imshow(effects, cmap=colours, vmin=-STRONGEST, vmax=STRONGEST, aspect="auto")
    ax.set_yticks(range(len(names)), [shortened(printable(name), 32) for name in names], parse_math=False)
    ax.set_xticks(range(len(clusters)), [f"{c.name}\n{c.size:,g}" for c in clusters])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="effect against the whole table", shrink=0.8, pad=0.02)
    if len(found) > len(names):
        ax.set_xlabel(f"the {len(names)} most telling of {len(found)} columns", fontsize=9, color="0.35")
    return ax
