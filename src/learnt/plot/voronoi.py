"""Voronoi cells: around each point, all places that lie nearer to it than to any other."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.convert.out import to_array
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError
from learnt.plot.regions import MOST_IN_LEGEND, class_look
from learnt.show.sheet import class_colour
from learnt.show.words import plain, printable, shortened

PALE = 0.35


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
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection, PolyCollection

    table, xy = _plane(points)
    codes, classes = _classes(labels, len(xy))
    _, first = np.unique(xy, axis=0, return_index=True)
    first = np.sort(first)
    xy, codes = xy[first], codes[first]
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 5.2), layout="constrained")
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = 0.08 * (high - low)
    room[room == 0] = max(float(room.max()), 0.5)
    polygons, walls = _cells(xy, codes, float(max(np.max(high - low), room.max())))
    colours = [(*_rgb(c), PALE) for c in codes]
    ax.add_collection(PolyCollection(polygons, facecolors=colours, edgecolors="white", linewidths=1.2))
    ax.add_collection(LineCollection(walls, colors="0.25", linewidths=1.2))
    for c in np.unique(codes):
        x, y = xy[codes == c].T
        name = shortened(printable(str(classes[c])), 24) if classes and c < MOST_IN_LEGEND else None
        ax.scatter(x, y, s=22, **class_look(int(c)), edgecolors="white", linewidths=0.6, label=name, zorder=3)
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])
    if table.schema.named:
        ax.set_xlabel(shortened(printable(table.names[0]), 60), parse_math=False)
        ax.set_ylabel(shortened(printable(table.names[1]), 60), parse_math=False)
    if classes:
        legend = ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)
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
