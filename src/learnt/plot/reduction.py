"""Dimensionality reduction: the variance they keep, rows and columns together, and how well a map meets distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.axes import axes_for, whole_numbers
from learnt.show.words import short_name

#: Components drawn; the rest is hardly to be seen.
MOST = 40
#: Arrows drawn: the longest.
ARROWS = 12
#: Rows drawn one by one.
POINTS = 5000


def plot_scree(ratio: Array, ax: Any = None) -> Any:
    """A bar for each component and a line for all up to it, in percent of the variance; returns the axes."""

    ax = axes_for(ax, (6.4, 4.2))
    shown = np.arange(min(len(ratio), MOST))
    ax.bar(shown, 100 * ratio[shown], color="C0", width=0.7, label="each component")
    together = 100 * np.cumsum(ratio)[shown]
    ax.plot(shown, together, "o-", color="C1", lw=1.8, ms=4, label="all up to it")
    ax.set_ylim(0, 105)
    whole_numbers(ax.xaxis)
    more = f" (the first {MOST} of {len(ratio)})" if len(ratio) > MOST else ""
    ax.set_xlabel(f"component{more}")
    ax.set_ylabel("share of the variance in %")
    ax.legend(frameon=False, loc="center right")
    return ax


def plot_scores(scores: Array, axes: Sequence[str], ax: Any = None, color: Any = None) -> Any:
    """Rows as points, by two scores; returns the axes."""
    ax = axes_for(ax, (6.4, 5.2))
    step = max(1, len(scores) // POINTS)
    _draw_rows(ax, scores[::step], None if color is None else np.asarray(color)[::step])
    ax.set_xlabel(axes[0])
    ax.set_ylabel(axes[1])
    return ax


def plot_biplot(
    scores: Array, loadings: Array, names: Sequence[str], axes: Sequence[str], ax: Any = None, color: Any = None
) -> Any:
    """Rows as points, columns as arrows scaled to the cloud; returns the axes.

    Seen along an arrow, rows lie by the size of that column, as far as two components tell.
    """
    from matplotlib.patheffects import withStroke

    ax = axes_for(ax, (6.4, 5.2))
    ax.axhline(0, color="0.85", lw=0.8, zorder=0)
    ax.axvline(0, color="0.85", lw=0.8, zorder=0)
    step = max(1, len(scores) // POINTS)
    _draw_rows(ax, scores[::step], None if color is None else np.asarray(color)[::step])
    lengths = np.linalg.norm(loadings, axis=1)
    order = [int(j) for j in np.argsort(-lengths, kind="stable")[:ARROWS] if lengths[j] > 0.02 * lengths.max()]
    reach = np.quantile(np.abs(scores), 0.95, axis=0) if len(scores) else np.ones(2)
    scale = float(np.max(reach) / max(float(lengths.max(initial=0.0)), 1e-300)) or 1.0
    taken: list[tuple[float, float]] = []
    for j in order:
        x, y = scale * loadings[j]
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": "0.2", "lw": 1.4, "shrinkA": 0})
        at = _free((1.1 * x, 1.1 * y), taken, 0.09 * scale * float(lengths.max()))
        side = "left" if x >= 0 else "right"
        name = short_name(names[j], 22)
        clear = [withStroke(linewidth=3, foreground="white")]  # readable over points
        ax.text(*at, name, ha=side, va="center", fontsize=9, color="0.1", parse_math=False, path_effects=clear)
        ax.update_datalim([at, (at[0] + (0.5 if x >= 0 else -0.5) * scale * float(lengths.max()), at[1])])
    ax.autoscale_view()
    ax.set_xlabel(axes[0])
    ax.set_ylabel(axes[1])
    return ax


def _draw_rows(ax: Any, scores: Array, color: Any) -> None:
    style: dict[str, Any] = {"s": 16, "alpha": 0.6, "lw": 0, "zorder": 1}
    if color is None:
        ax.scatter(scores[:, 0], scores[:, 1], color="C0", **style)
    elif np.asarray(color).dtype.kind in "fiu" and len(np.unique(color)) > 10:
        found = ax.scatter(scores[:, 0], scores[:, 1], c=color, cmap="viridis", **style)
        ax.figure.colorbar(found, ax=ax)
    else:
        labels = np.array([str(label) for label in color])
        for number, label in enumerate(sorted(set(labels.tolist()))):
            some = scores[labels == label]
            ax.scatter(some[:, 0], some[:, 1], color=f"C{number % 10}", label=short_name(label, 24), **style)
        ax.legend(frameon=False, markerscale=1.5)


def _free(at: tuple[float, float], taken: list[tuple[float, float]], apart: float) -> tuple[float, float]:
    """A place for a name near `at` where none is yet: moved up or down until it is."""
    x, y = at
    for attempt in range(8):
        shifted = y + apart * ((attempt + 1) // 2) * (1 if attempt % 2 else -1)
        if all(abs(shifted - b) >= apart or (x >= 0) != (a >= 0) for a, b in taken):
            y = shifted
            break
    taken.append((x, y))
    return x, y


def plot_shepard(pairs: Array, stress: float, ax: Any = None) -> Any:
    """Distances on the map against dissimilarities, a point for each pair, and the line they are to lie on; returns
    the axes. `pairs` holds dissimilarity, distance and the distance aimed at."""
    ax = axes_for(ax, (5.6, 4.6))
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
