"""Decision regions as a coloured plane: hue for the answer, depth for its probability, rows as points."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.show.sheet import class_colour
from learnt.show.words import printable, shortened

if TYPE_CHECKING:
    from learnt.evaluate.regions import Axis, Regions

MOST_POINTS = 2000
MOST_IN_LEGEND = 12
MARKERS = "os^DvP*X<>"
NO_ANSWER = "#9aa5b1"
PALEST, DEEPEST = 0.12, 0.62  # how much of its colour an answer has when it is a toss-up, and when it is certain


def plot_regions(regions: Regions, ax: Any = None) -> Any:
    """The plane, its boundaries, the points and a legend; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(7.5, 5.2), layout="constrained")
    x, y = regions.x, regions.y
    extent = (*_ends(x), *_ends(y))
    ax.imshow(_colours(regions), extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    if not x.coded and not y.coded:
        _boundaries(regions, ax)
    drawn = _points(regions, ax)
    for axis, set_ticks, line in ((x, ax.set_xticks, ax.axvline), (y, ax.set_yticks, ax.axhline)):
        if axis.coded:
            names = [shortened(printable(tick), 18) for tick in axis.ticks]
            turned = {"rotation": 30, "ha": "right"} if axis is x and sum(map(len, names)) > 60 else {}
            set_ticks(axis.places, names, parse_math=False, **turned)
            for place in axis.places[:-1]:
                line(place + 0.5, color="white", lw=1.5, zorder=1)
    ax.set_xlim(*_ends(x))
    ax.set_ylim(*_ends(y))
    ax.set_xlabel(shortened(printable(x.name), 60), parse_math=False)
    ax.set_ylabel(shortened(printable(y.name), 60), parse_math=False)
    _legend(regions, ax, drawn)
    words = "; ".join(filter(None, [printable(regions.title), regions.caption, _left_out(regions)]))
    ax.set_title(
        textwrap.fill(words, 92, break_on_hyphens=False), loc="left", fontsize=9, color="0.35", parse_math=False
    )
    return ax


def _ends(axis: Axis) -> tuple[float, float]:
    return float(axis.places[0] - axis.cell / 2), float(axis.places[-1] + axis.cell / 2)


def _colours(regions: Regions) -> Array:
    """Red, green and blue of every cell: the answer's colour, mixed with white where it is uncertain."""
    from matplotlib.colors import to_rgb

    k = len(regions.classes)
    palette = np.array([to_rgb(class_colour(c)) for c in range(k)] + [to_rgb(NO_ANSWER)])
    depth = np.full(regions.codes.shape, (PALEST + DEEPEST) / 2)
    if regions.probabilities is not None and k > 1:
        answered = np.maximum(regions.codes, 0)[..., None]
        p = np.take_along_axis(regions.probabilities, answered, axis=2)[..., 0]
        depth = PALEST + (DEEPEST - PALEST) * np.clip((p - 1 / k) / (1 - 1 / k), 0, 1)
    colours: Array = 1 - depth[..., None] * (1 - palette[regions.codes])
    return colours


def _boundaries(regions: Regions, ax: Any) -> None:
    """A line where the answer changes: smooth where probabilities say how near it is."""
    shown = np.unique(regions.codes)
    p = regions.probabilities
    smooth = p is not None and len(regions.classes) > 1 and (p.argmax(axis=2) == regions.codes).all()
    for c in shown if len(shown) > 2 else shown[:1] if len(shown) == 2 else ():
        if smooth and p is not None:
            height = p[..., c] - np.delete(p, c, axis=2).max(axis=2)
        else:
            height = np.where(regions.codes == c, 1.0, -1.0)
        if height.min() < 0 < height.max():
            ax.contour(regions.x.places, regions.y.places, height, [0.0], colors="0.25", linewidths=0.9, zorder=2)


def _points(regions: Regions, ax: Any) -> list[int]:
    """Draws the rows; returns the classes that have some."""
    across, up = regions.x.spots(), regions.y.spots()
    shown = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    if len(shown) > MOST_POINTS:
        shown = shown[np.linspace(0, len(shown) - 1, MOST_POINTS).astype(int)]
    rng = np.random.default_rng(0)  # points of one category are spread in its cell, each time alike
    spread = rng.uniform(-0.3, 0.3, (2, len(across)))
    across = across + spread[0] * regions.x.coded
    up = up + spread[1] * regions.y.coded
    if regions.truth is None:
        ax.scatter(across[shown], up[shown], s=14, c="0.2", edgecolors="white", linewidths=0.5, zorder=3)
        return []
    drawn = [int(c) for c in np.unique(regions.truth[shown])]
    for c in drawn:
        rows = shown[regions.truth[shown] == c]
        ax.scatter(across[rows], up[rows], s=22, **class_look(c), edgecolors="white", linewidths=0.6, zorder=3)
    return drawn


def class_look(c: int) -> dict[str, Any]:
    """The colour and the shape of a class, so that it is also told apart without colours."""
    if c < 0:
        return {"color": NO_ANSWER, "marker": "o"}
    return {"color": class_colour(c), "marker": MARKERS[c % len(MARKERS)]}


def _legend(regions: Regions, ax: Any, drawn: list[int]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown = sorted({*drawn, *np.unique(regions.codes).tolist()} - {-1})
    handles: list[Any] = []
    for c in shown[:MOST_IN_LEGEND]:
        name = shortened(printable(str(regions.classes[c])), 24)
        if c in drawn:
            look: dict[str, Any] = {"ls": "", "mec": "white", "ms": 7}
            handles.append(Line2D([], [], **look, **class_look(c), label=name))
        else:
            handles.append(Patch(color=class_colour(c), alpha=DEEPEST, label=name))
    if len(shown) > MOST_IN_LEGEND:
        handles.append(Line2D([], [], ls="", label=f"and {len(shown) - MOST_IN_LEGEND} more"))
    if (regions.codes < 0).any():
        handles.append(Patch(color=NO_ANSWER, alpha=DEEPEST, label="no answer"))
    if -1 in drawn:
        handles.append(Line2D([], [], ls="", mec="white", ms=7, **class_look(-1), label="other or unknown"))
    legend = ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _left_out(regions: Regions) -> str:
    """Words on rows and categories that are not drawn."""
    across, up = regions.x.spots(), regions.y.spots()
    placed = int((np.isfinite(across) & np.isfinite(up)).sum())
    words = []
    if placed < len(across):
        words.append(f"{len(across) - placed} rows with missing or rare cells not drawn")
    if placed > MOST_POINTS:
        words.append(f"{MOST_POINTS} of {placed} rows drawn")
    return "; ".join(words)
