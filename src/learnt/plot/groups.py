"""Rows in the plane, in the colour and shape of the group they belong to; many of them as a density."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.plane import Plane
from learnt.plot.regions import MOST_IN_LEGEND, NO_ANSWER, class_look

NONE = -1  # rows that belong to no group: noise, or without a class
FEW, MANY = 2000, 20_000  # rows: up to which each is a shape with an edge, and from which they are painted as a density
CELLS = (360, 270)  # of the density, across and up
PALEST = 0.35  # how much of its colour a spot with a single row has


def draw_groups(plane: Plane, codes: Array, names: Mapping[int, str], ax: Any = None) -> Any:
    """Rows by their places, `codes` from 0 on told apart by colours and `names`; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(7.5, 5.2), layout="constrained")
    shown = plane.shown
    if len(shown) > MANY:
        _paint(plane, codes, shown, ax)
    else:
        _scatter(plane, codes, shown, ax)
    for direction, set_ticks, set_label in (
        (plane.x, ax.set_xticks, ax.set_xlabel),
        (plane.y, ax.set_yticks, ax.set_ylabel),
    ):
        set_label(direction.words, parse_math=False)
        if direction.ticks:
            set_ticks(range(len(direction.ticks)), direction.ticks, parse_math=False)
    if names:
        _legend(codes, names, ax, painted=len(shown) > MANY)
    words = _words(plane, len(codes), len(shown))
    if words:
        ax.set_title(textwrap.fill(words, 92), loc="left", fontsize=9, color="0.35")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def look(code: int) -> dict[str, Any]:
    return {"color": NO_ANSWER, "marker": "."} if code == NONE else class_look(code)


def _scatter(plane: Plane, codes: Array, shown: Array, ax: Any) -> None:
    few = len(shown) <= FEW
    edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.6} if few else {"linewidths": 0}
    for c in np.unique(codes[shown]).tolist():  # noise first, under the rest
        rows = shown[codes[shown] == c]
        x, y = plane.x.places[rows], plane.y.places[rows]
        # As a picture inside the SVG, where thousands of shapes would make it slow and large.
        size = (24 if few else 7) * (2.5 if c == NONE else 1)  # a dot is a small shape
        drawn: dict[str, Any] = {"s": size, "alpha": 1 if few else 0.7, "rasterized": not few, "zorder": 2}
        ax.scatter(x, y, **look(c), **edge, **drawn)


def _paint(plane: Plane, codes: Array, shown: Array, ax: Any) -> None:
    """Each spot in the mean colour of its rows, the deeper the more there are."""
    from matplotlib.colors import to_rgb

    wide, high = CELLS
    x, y = plane.x.places[shown], plane.y.places[shown]
    left, right, low, up = *_ends(x), *_ends(y)
    spot = _cell(y, low, up, high) * wide + _cell(x, left, right, wide)
    count = np.bincount(spot, minlength=wide * high).astype(np.float64)
    present, places = np.unique(codes[shown], return_inverse=True)
    palette = np.array([to_rgb(look(int(c))["color"]) for c in present])
    full = count > 0
    total = np.stack([np.bincount(spot, palette[places, i], wide * high) for i in range(3)], axis=1)
    colour = total / np.maximum(count, 1)[:, None]
    depth = np.where(full, PALEST + (1 - PALEST) * np.log1p(count) / np.log1p(count.max()), 0)
    pixels = np.concatenate([colour, depth[:, None]], axis=1).reshape(high, wide, 4)
    ax.imshow(pixels, extent=(left, right, low, up), origin="lower", aspect="auto", interpolation="nearest", zorder=1)


def _ends(places: Array) -> tuple[float, float]:
    low, high = float(places.min()), float(places.max())
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room


def _cell(places: Array, low: float, high: float, cells: int) -> Array:
    return np.clip(((places - low) / (high - low) * cells).astype(np.int64), 0, cells - 1)


def _legend(codes: Array, names: Mapping[int, str], ax: Any, *, painted: bool) -> None:
    from matplotlib.lines import Line2D

    found, counts = np.unique(codes, return_counts=True)
    sizes = dict(zip(found.tolist(), counts.tolist(), strict=True))
    shown = [c for c in sizes if c != NONE][:MOST_IN_LEGEND] + [c for c in sizes if c == NONE]
    handles = []
    for c in shown:
        words = f"{names[c]}: {_rows(sizes[c])}, {100 * sizes[c] / len(codes):.0f}%"
        drawn = {**look(c), **({"marker": "s"} if painted else {})}
        handles.append(Line2D([], [], ls="", ms=11 if drawn["marker"] == "." else 7, mew=0, **drawn, label=words))
    rest = [n for c, n in sizes.items() if c not in shown]
    if rest:
        handles.append(Line2D([], [], ls="", label=f"and {len(rest)} more, {_rows(sum(rest))}"))
    legend = ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _rows(n: int) -> str:
    return f"{n:,} row" + "s" * (n != 1)


def _words(plane: Plane, n_rows: int, shown: int) -> str:
    words = []
    if shown < n_rows:
        words.append(f"{_rows(n_rows - shown)} with missing cells not drawn")
    if plane.filled:
        words.append(f"{_rows(plane.filled)} with missing cells, which count as the mean or the commonest")
    if shown > MANY:
        words.append(f"{_rows(shown)}, the deeper the more of them in a spot")
    return "; ".join(words)
