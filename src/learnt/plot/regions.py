"""Planes parted into regions: the answers of a classifier, and the cells of a Voronoi diagram."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.convert.out import to_array
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError
from learnt.plot.axes import MOST_IN_LEGEND, axes_for, class_look, evenly, legend_aside, name_axes, ticks_of_form
from learnt.show.palette import NO_ANSWER, class_colour
from learnt.show.words import plain, printable, short_name

if TYPE_CHECKING:
    from learnt.evaluate.regions import Regions

MOST_POINTS = 2000
PALEST, DEEPEST = 0.12, 0.62  # how much of its colour an answer has when it is a toss-up, and when it is certain
PALE = 0.35


def plot_regions(regions: Regions, ax: Any = None) -> Any:
    """The plane, its boundaries, the points and a legend; returns the axes."""
    ax = axes_for(ax, (7.5, 5.2), without=())
    x, y = regions.x, regions.y
    extent = (*x.ends, *y.ends)
    ax.imshow(_colours(regions), extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    if not x.coded and not y.coded:
        _boundaries(regions, ax)
    drawn = _points(regions, ax)
    for axis, set_ticks, line in ((x, ax.set_xticks, ax.axvline), (y, ax.set_yticks, ax.axhline)):
        if axis.coded:
            names = [short_name(tick, 18) for tick in axis.ticks]
            turned = {"rotation": 30, "ha": "right"} if axis is x and sum(map(len, names)) > 60 else {}
            set_ticks(axis.places, names, parse_math=False, **turned)
            for place in axis.places[:-1]:
                line(place + 0.5, color="white", lw=1.5, zorder=1)
    for axis, drawn_axis in ((x, ax.xaxis), (y, ax.yaxis)):
        if not axis.coded:
            ticks_of_form(drawn_axis, axis.column.form)
    ax.set_xlim(*x.ends)
    ax.set_ylim(*y.ends)
    name_axes(ax, x.name, y.name)
    _legend(regions, ax, drawn)
    words = "; ".join(filter(None, [printable(regions.title), regions.caption, _left_out(regions)]))
    ax.set_title(
        textwrap.fill(words, 92, break_on_hyphens=False), loc="left", fontsize=9, color="0.35", parse_math=False
    )
    return ax


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
    shown = shown[evenly(len(shown), MOST_POINTS)]
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


def _legend(regions: Regions, ax: Any, drawn: list[int]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown = sorted({*drawn, *np.unique(regions.codes).tolist()} - {-1})
    handles: list[Any] = []
    for c in shown[:MOST_IN_LEGEND]:
        name = short_name(regions.classes[c], 24)
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
    legend_aside(ax, handles=handles)


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


def draw_voronoi(points: Any, labels: Any = None, *, ax: Any = None) -> Any:
    """Draw the cells of points in the plane, coloured by label: the regions of a 1-nearest-neighbour classifier.

    `points` are rows of two numeric columns: an array, a frame, a table, or the centres of a clustering. `labels` is
    one label per point; cells of equal labels share a colour, and a dark line parts those that differ. Of points in
    the same place the first counts. Returns the matplotlib axes.

    >>> axes = draw_voronoi([[0, 0], [1, 0], [0, 1], [1, 1]], ["a", "b", "b", "a"])
    >>> len(axes.collections[0].get_paths())
    4

    Reference: G. Voronoi, Nouvelles applications des paramètres continus à la théorie des formes quadratiques, 1908.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    table, xy = _plane(points)
    codes, classes = _classes(labels, len(xy))
    _, first = np.unique(xy, axis=0, return_index=True)
    first = np.sort(first)
    xy, codes = xy[first], codes[first]
    ax = axes_for(ax, (7, 5.2), without=())
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = 0.08 * (high - low)
    room[room == 0] = max(float(room.max()), 0.5)
    polygons, walls = _cells(xy, codes, float(max(np.max(high - low), room.max())))
    colours = [(*_rgb(c), PALE) for c in codes]
    ax.add_collection(PolyCollection(polygons, facecolors=colours, edgecolors="white", linewidths=1.2))
    ax.add_collection(LineCollection(walls, colors="0.25", linewidths=1.2))
    for c in np.unique(codes):
        x, y = xy[codes == c].T
        name = short_name(classes[c], 24) if classes and c < MOST_IN_LEGEND else None
        ax.scatter(x, y, s=22, **class_look(int(c)), edgecolors="white", linewidths=0.6, label=name, zorder=3)
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])
    if table.schema.named:
        name_axes(ax, *table.names)
    if classes:
        legend_aside(ax)
    return ax


def _plane(points: Any) -> tuple[Table, Array]:
    table = points if isinstance(points, Table) else Table(np.asarray(points, float) if _rows(points) else points)
    if table.n_columns != 2 or not table.schema.all_numeric or table.n_rows == 0:
        kinds = ", ".join(f"{name!r} {kind}" for name, kind in list(table.kinds.items())[:4])
        raise InputError(
            f"The points have {table.n_rows} rows and the columns {kinds}. Expected points in the plane: two numeric "
            "columns. Select two."
        )
    xy = np.asarray(to_array(table), dtype=np.float64)
    odd = np.flatnonzero(~np.isfinite(xy).all(axis=1))
    if len(odd):
        raise InputError(f"Point {int(odd[0])} has a missing or infinite coordinate. Leave such rows out.")
    return table, xy


def _rows(points: Any) -> bool:
    return isinstance(points, list | tuple) and not any(isinstance(row, dict) for row in points)


def _classes(labels: Any, n: int) -> tuple[Array, tuple[Any, ...]]:
    """A code per point and the labels they stand for; all one code, and no labels, without any."""
    if labels is None:
        return np.zeros(n, dtype=np.int64), ()
    column: Column = to_vector(labels, "labels")
    if len(column) != n:
        raise InputError(f"There are {len(column)} labels for {n} points. Expected one per point.")
    values = [plain(value) for value in column.labels()]
    known = dict.fromkeys(values)
    try:
        order = sorted(known)
    except TypeError:  # labels without a common order stay as they come
        order = list(known)
    place = {value: c for c, value in enumerate(order)}
    return np.array([place[value] for value in values]), tuple(order)


def _cells(xy: Array, codes: Array, size: float) -> tuple[list[Array], list[Array]]:
    """The polygon of each point, and the walls between points of different labels.

    Four points far away close the outermost cells; their own walls lie far outside the picture.
    """
    from scipy.spatial import Voronoi

    centre, far = xy.mean(axis=0), 1000 * size
    corners = centre + far * np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    found = Voronoi(np.vstack([xy, corners]))
    polygons = [found.vertices[found.regions[found.point_region[i]]] for i in range(len(xy))]
    walls = [
        found.vertices[ends]
        for (one, other), ends in zip(found.ridge_points, found.ridge_vertices, strict=True)
        if one < len(xy) and other < len(xy) and -1 not in ends and codes[one] != codes[other]
    ]
    return polygons, walls


def _rgb(c: int) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(class_colour(int(c)))
    return red, green, blue
