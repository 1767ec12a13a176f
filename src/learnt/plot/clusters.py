"""Clusters: in the plane, what makes them different, how well they part, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.cluster.judging.profile import NOISE, data_first, labels_for
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.plot.axes import OPEN, axes_for, several_axes, whole_numbers
from learnt.plot.plane import Plane, draw_groups, plane_of
from learnt.show.numbers import number
from learnt.show.palette import INK, NEGATIVE, POSITIVE, class_colour, mixed
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.cluster.judging.choice_of_k import ChoiceOfK
    from learnt.cluster.judging.consensus import Consensus
    from learnt.cluster.judging.profile import Profile
    from learnt.cluster.judging.silhouette import Silhouette
    from learnt.cluster.judging.traits import Trait

MOST_CENTRES = 24
MOST_CLUSTERS = 16
STRONGEST = 2.0  # effects beyond it have the full colour
GAP = 0.02  # between clusters, as a share of all rows


def draw_clusters(X: Any, clusters: Any, columns: Any = None, *, ax: Any = None) -> Any:
    """Draw the rows of a table in the colours of their clusters, with the centres numbered; returns the axes.

    `clusters` is a fitted clusterer or a cluster per row, −1 for noise; a clusterer may also come first, as
    everywhere: `draw_clusters(model, X)`. `columns` names the two columns to draw, or is
    "pca" for the two directions in which the standardised table spreads most, as it is unless there are just two
    numeric columns. A circle with its number stands at the mean of each cluster, a diamond on its medoid where it has
    one. From 20,000 rows on colours are mixed by the number of rows in each spot, so that a million draw in a second.

    >>> axes = draw_clusters([[0, 0], [0, 1], [9, 9]], [0, 0, 1])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['0: 2 rows, 67 %', '1: 1 row, 33 %']
    """
    X, clusters = data_first(X, clusters)
    table = X if isinstance(X, Table) else Table(X)
    if table.n_rows == 0:
        raise InputError("The table has no rows. There is nothing to draw.")
    labels = labels_for(table, clusters)
    plane = plane_of(table, columns)
    names = {c: "noise" if c == NOISE else str(c) for c in np.unique(labels).tolist()}
    ax = draw_groups(plane, labels, names, ax)
    if plane.x.ordered and plane.y.ordered:
        _centres(plane, labels, clusters, ax)
    return ax


def _centres(plane: Plane, labels: Array, clusters: Any, ax: Any) -> None:
    """A circle with the number of the cluster at the mean of its rows, a diamond on a medoid."""
    shown = plane.shown_rows
    medoids = getattr(clusters, "medoid_indices_", None)
    for c in [c for c in np.unique(labels[shown]).tolist() if c != NOISE][:MOST_CENTRES]:
        rows, mark = shown[labels[shown] == c], "o"
        if medoids is not None and c < len(medoids) and medoids[c] in rows:
            rows, mark = np.array([medoids[c]]), "D"
        x, y = float(plane.x.places[rows].mean()), float(plane.y.places[rows].mean())
        ax.plot([x], [y], ls="", marker=mark, ms=14, mfc="white", mec=class_colour(c), mew=2, zorder=4)
        ax.text(x, y, str(c), ha="center", va="center_baseline", fontsize=8, fontweight="bold", zorder=5)


def plot_profile(profile: Profile, ax: Any = None, most: int = 20) -> Any:
    """A row per column of the table, a column per cluster, and in each cell what is typical; returns the axes."""
    from matplotlib.colors import LinearSegmentedColormap

    clusters = profile.clusters[:MOST_CLUSTERS]
    found: dict[str, dict[int, Trait]] = {}
    for c, cluster in enumerate(clusters):
        for trait in cluster.traits:
            found.setdefault(trait.column, {}).setdefault(c, trait)  # the most telling one of a column comes first
    names = sorted(found, key=lambda name: -max(t.rank for t in found[name].values()))[:most]
    ax = axes_for(ax, (min(2.6 + 1.15 * len(clusters), 16), 1.3 + 0.34 * len(names)), without=())
    effects = np.zeros((len(names), len(clusters)))
    for i, name in enumerate(names):
        for c, trait in found[name].items():
            effects[i, c] = trait.effect
            words = short_name(trait.inside_words, 17)
            colour = "white" if abs(trait.effect) > 0.6 * STRONGEST else "0.15"
            ax.text(c, i, words, ha="center", va="center", fontsize=7.5, color=colour, parse_math=False)
    colours = LinearSegmentedColormap.from_list(
        "effect", [mixed(NEGATIVE, INK, 0.5), NEGATIVE, "white", POSITIVE, mixed(POSITIVE, INK, 0.5)]
    )
    image = ax.imshow(effects, cmap=colours, vmin=-STRONGEST, vmax=STRONGEST, aspect="auto")
    ax.set_yticks(range(len(names)), [short_name(name, 32) for name in names], parse_math=False)
    ax.set_xticks(range(len(clusters)), [f"{c.name}\n{c.size:,g}" for c in clusters])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="effect against the whole table", shrink=0.8, pad=0.02)
    if len(found) > len(names):
        ax.set_xlabel(f"the {len(names)} most telling of {len(found)} columns", fontsize=9, color="0.35")
    return ax


def plot_silhouette(found: Silhouette, ax: Any = None) -> Any:
    """Widths from the widest down in each cluster, its mean beside it, the mean of all as a line; returns the axes."""
    ax = axes_for(ax, (7, min(12.0, 2.4 + 0.55 * len(found.clusters))), without=(*OPEN, "left"))
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
        words.append(f"{short_name(name, 24)}\n{number(found.sizes[c])} rows, {means[c]:.2f}")
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
    return ax


def plot_consensus(found: Consensus, ax: Any = None, most: int = 600) -> Any:
    """Rows in the order of their clusters, dark where they come together; of many rows some; returns the axes."""
    ax = axes_for(ax, (6.2, 5.2), without=())
    rows = np.lexsort((-found.stability, found.labels))
    n = len(rows)
    if n > most:
        rows = rows[np.linspace(0, n - 1, most).round().astype(int)]
    image = ax.imshow(found.together(rows), cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="equal")
    ax.figure.colorbar(image, ax=ax, label="share of runs that put two rows together")
    labels = found.labels[rows]
    edges = np.flatnonzero(labels[1:] != labels[:-1]) + 0.5
    for edge in edges:
        ax.axhline(edge, color="white", linewidth=0.8)
        ax.axvline(edge, color="white", linewidth=0.8)
    ends = np.concatenate([[-0.5], edges, [len(rows) - 0.5]])
    names = [str(c) for c in labels[np.concatenate([[0], (edges + 0.5).astype(int)])]]
    ax.set_yticks((ends[1:] + ends[:-1]) / 2, names)
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.set_ylabel("cluster")
    some = "" if n <= most else f" ({most} of {n} rows shown)"
    ax.set_title(f"{len(found.runs)} runs, mean agreement {number(found.mean)}{some}", loc="left", fontsize=10)
    return ax


def plot_choice_of_k(found: ChoiceOfK, axes: Any = None) -> Any:
    """Inertia with its elbow, mean silhouettes, and gaps with their errors over k; returns the three axes."""

    axes = several_axes(axes, 1, 3, (11, 3.4))
    for ax, name, values, words in zip(
        axes,
        ("elbow", "silhouette", "gap"),
        (found.inertia, found.silhouette, found.gap),
        ("inertia", "mean silhouette", "gap ± error"),
        strict=True,
    ):
        if name == "gap":
            ax.errorbar(found.k, values, found.gap_error, fmt="o-", color=POSITIVE, ms=5, capsize=3, lw=1.6)
        else:
            ax.plot(found.k, values, "o-", color=POSITIVE, ms=5, lw=1.6)
        chosen = found.choices.get(name)
        if chosen is not None:
            at = found.k.index(chosen)
            ax.plot([chosen], [values[at]], "o", color=NEGATIVE, ms=9, zorder=3)
            ax.set_title(f"{name}: k = {chosen}", fontsize="medium", loc="left")
        ax.set_xlabel("clusters")
        ax.set_ylabel(words)
        whole_numbers(ax.xaxis)
        axes_for(ax)
    return axes


def plot_cluster_counts(choice: Any, ax: Any = None) -> Any:
    """A line over the numbers tried, the doubt of the best as a band; returns the axes."""

    ax = axes_for(ax, (6, 3.6))
    numbers, scores = list(choice.scores), list(choice.scores.values())
    best = choice.scores[choice.best]
    ax.axhspan(best - choice.doubt, best + choice.doubt, color=POSITIVE, alpha=0.12, lw=0)
    ax.plot(numbers, scores, "o-", color=POSITIVE)
    ax.plot([choice.best], [best], "o", color=NEGATIVE, ms=9, zorder=3)
    ax.annotate(f"k = {choice.best}", (choice.best, best), xytext=(6, 8), textcoords="offset points")
    whole_numbers(ax.xaxis)
    ax.set_xlabel("clusters")
    less = choice.criterion == "BIC"
    ax.set_ylabel("BIC, less is better" if less else "mean silhouette, more is better")
    return ax
