"""The tree of clusters: every merge a bridge at its height; of many, the last ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.plot.axes import OPEN, axes_for
from learnt.show.palette import class_colour
from learnt.show.words import label, plain, short_name, spell

if TYPE_CHECKING:
    from learnt.cluster.hierarchy.hierarchy import Hierarchy

ABOVE = "#5c6670"  # merges above the cut
MOST_NAMED = 200  # leaves that have room for a name


def draw_dendrogram(
    tree: Hierarchy,
    labels: Any = None,
    *,
    most: int | None = 60,
    n_clusters: int | None = None,
    height: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw a hierarchy; see `Hierarchy.dendrogram`. Returns the matplotlib axes.

    What lies below the merges drawn is a wedge as high as its own highest merge, with the number of its rows.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    names = _names(tree, labels)
    if most is not None and not (isinstance(most, (int, np.integer)) and most >= 2):
        raise ParameterError(f"most is {spell(most)}. Expected a whole number of at least 2, or None for all leaves.")
    n, m = tree.n_leaves, len(tree.heights)
    drawn = m if most is None else min(m, int(most) - 1)
    ends, x = _places(tree, m - drawn)
    colours = _colours(tree, n_clusters, height)
    ax = axes_for(ax, (min(16.0, max(6.4, 0.17 * len(ends))), 4.6), without=(*OPEN, "bottom"))
    up = np.concatenate([np.zeros(n), tree.heights])
    made = np.arange(n + m - drawn, n + m)
    pairs = tree.children[m - drawn :]
    bridges = np.empty((drawn, 4, 2))
    bridges[:, 0, 0] = bridges[:, 1, 0] = x[pairs[:, 0]]
    bridges[:, 2, 0] = bridges[:, 3, 0] = x[pairs[:, 1]]
    bridges[:, 0, 1], bridges[:, 3, 1] = up[pairs[:, 0]], up[pairs[:, 1]]
    bridges[:, 1, 1] = bridges[:, 2, 1] = up[made]
    ax.add_collection(
        LineCollection(list(bridges), colors=[colours[i] for i in made], linewidths=1.4 if drawn <= 200 else 0.6)
    )
    # An end that is a cluster by itself shows its colour too.
    alone = np.isin(pairs, ends) & np.array([colours[i] == ABOVE for i in made], dtype=bool)[:, None]
    legs = [bridges[k, [0, 1]] if side == 0 else bridges[k, [3, 2]] for k, side in np.argwhere(alone)]
    ax.add_collection(LineCollection(legs, colors=[colours[i] for i in pairs[alone]], linewidths=1.4))
    wedges = [end for end in ends if end >= n]
    if wedges:
        corners = [[(x[i] - 0.32, 0), (x[i], up[i]), (x[i] + 0.32, 0)] for i in wedges]
        pale = [colours[i] for i in wedges]
        ax.add_collection(PolyCollection(corners, facecolors=pale, edgecolors="none", alpha=0.45))
    _finish(ax, tree, ends, names, drawn, _level(tree, n_clusters, height))
    return ax


def _names(tree: Hierarchy, labels: Any) -> list[str] | None:
    """What each row is called."""
    if labels is None:
        return None
    given = [plain(name) for name in (labels.labels() if hasattr(labels, "labels") else labels)]
    if len(given) != tree.n_rows:
        raise InputError(f"There are {len(given)} labels for {tree.n_rows} rows. Give one for each.")
    return [short_name(name if isinstance(name, str) else label(name), 28) for name in given]


def _places(tree: Hierarchy, hidden: int) -> tuple[list[int], Array]:
    """The ends of the merges drawn, from left to right, and where each leaf and merge stands."""
    n, m = tree.n_leaves, len(tree.heights)
    x = np.zeros(n + m)
    ends: list[int] = []
    waiting = [n + m - 1]
    while waiting:
        node = waiting.pop()
        if node < n + hidden:
            x[node] = len(ends)
            ends.append(node)
        else:
            one, other = tree.children[node - n].tolist()
            waiting += [other, one]
    for k in range(hidden, m):
        one, other = tree.children[k].tolist()
        x[n + k] = (x[one] + x[other]) / 2
    return ends, x


def _colours(tree: Hierarchy, n_clusters: int | None, height: float | None) -> list[str]:
    """A colour for each leaf and merge: that of its cluster, or grey above the cut."""
    n, m = tree.n_leaves, len(tree.heights)
    if n_clusters is None and height is None:
        return [ABOVE] * (n + m)
    done = tree.done(n_clusters, height)
    tops = tree.tops(done)
    leaf_clusters = _leaf_clusters(tree, tree.cut(n_clusters, height=height))
    cluster_of = dict(zip(tops[:n].tolist(), leaf_clusters.tolist(), strict=True))
    inside = np.concatenate([np.ones(n, bool), done])
    return [class_colour(cluster_of[top]) if there else ABOVE for top, there in zip(tops.tolist(), inside, strict=True)]


def _leaf_clusters(tree: Hierarchy, clusters: Array) -> Array:
    if tree.leaf_of is None:
        return clusters
    found = np.empty(tree.n_leaves, clusters.dtype)
    found[tree.leaf_of] = clusters
    return found


def _level(tree: Hierarchy, n_clusters: int | None, height: float | None) -> float | None:
    """Where a line shows the cut; None where none would part the merges."""
    if height is not None:
        return float(height)
    if n_clusters is None or n_clusters < 2 or n_clusters == tree.n_leaves:
        return None
    last, first = n_clusters - 1, tree.n_leaves - n_clusters
    below = float(tree.heights[:first].max(initial=0.0))
    above = float(tree.heights[-last:].min())
    return (below + above) / 2 if below < above else None


def _finish(
    ax: Any, tree: Hierarchy, ends: list[int], names: list[str] | None, drawn: int, level: float | None
) -> None:
    highest = float(tree.heights.max(initial=0.0)) or 1.0
    ax.set_xlim(-0.8, len(ends) - 0.2)
    ax.set_ylim(0, 1.06 * highest)
    ax.set_ylabel("height")
    if level is not None:
        ax.axhline(level, color="0.5", lw=0.9, ls=(0, (5, 4)), zorder=0)
    if len(ends) > MOST_NAMED:
        ax.set_xticks([])
        ax.set_xlabel(f"{tree.n_rows:,} rows")
        return
    n = tree.n_leaves

    def name(node: int) -> str:
        if node >= n or tree.leaf_of is not None:
            return f"({int(tree.sizes[node]):,})"
        return str(node) if names is None else names[node]

    words = [name(node) for node in ends]
    turned = sum(map(len, words)) > 70 or len(words) > 25
    size = 9 if len(words) <= 40 else 7.5 if len(words) <= 80 else 5
    ax.set_xticks(range(len(ends)), words, rotation=90 if turned else 0, fontsize=size, parse_math=False)
    ax.tick_params(axis="x", length=0)
    if drawn < len(tree.heights):
        ax.set_xlabel(f"the last {drawn} of {len(tree.heights):,} merges; (rows below)")
