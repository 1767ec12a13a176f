"""Rows along two components, and the columns they are made of as arrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.show.words import printable, shortened

Array = np.ndarray[Any, Any]

#: Arrows drawn: the longest.
ARROWS = 12

#: Rows drawn one by one.
POINTS = 5000


def plot_biplot(
    scores: Array, loadings: Array, names: Sequence[str], axes: Sequence[str], ax: Any = None, color: Any = None
) -> Any:
    """Rows as points, columns as arrows scaled to the cloud; returns the axes.

    Seen along an arrow, rows lie by the size of that column, as far as two components tell.
    """
    import matplotlib.pyplot as plt
    from matplotlib.patheffects import withStroke

    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
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
        name = shortened(printable(names[j]), 22)
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
            ax.scatter(some[:, 0], some[:, 1], color=f"C{number % 10}", label=shortened(printable(label), 24), **style)
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
