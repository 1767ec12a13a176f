"""Clusters in the plane: rows in the colour and shape of their cluster, centres with its number, noise in grey."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cluster.judging.profile import NOISE, labels_for
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.plot.groups import draw_groups
from learnt.plot.plane import Plane, plane_of
from learnt.show.sheet import class_colour

MOST_CENTRES = 24


def draw_clusters(X: Any, clusters: Any, columns: Any = None, *, ax: Any = None) -> Any:
    """Draw the rows of a table in the colours of their clusters, with the centres numbered; returns the axes.

    `clusters` is a fitted clusterer or a cluster per row, −1 for noise. `columns` names the two columns to draw, or is
    "pca" for the two directions in which the standardised table spreads most, as it is unless there are just two
    numeric columns. A circle with its number stands at the mean of each cluster, a diamond on its medoid where it has
    one. From 20,000 rows on colours are mixed by the number of rows in each spot, so that a million draw in a second.

    >>> axes = draw_clusters([[0, 0], [0, 1], [9, 9]], [0, 0, 1])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['0: 2 rows, 67%', '1: 1 row, 33%']
    """
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
    shown = plane.shown
    medoids = getattr(clusters, "medoid_indices_", None)
    for c in [c for c in np.unique(labels[shown]).tolist() if c != NOISE][:MOST_CENTRES]:
        rows, mark = shown[labels[shown] == c], "o"
        if medoids is not None and c < len(medoids) and medoids[c] in rows:
            rows, mark = np.array([medoids[c]]), "D"
        x, y = float(plane.x.places[rows].mean()), float(plane.y.places[rows].mean())
        ax.plot([x], [y], ls="", marker=mark, ms=14, mfc="white", mec=class_colour(c), mew=2, zorder=4)
        ax.text(x, y, str(c), ha="center", va="center_baseline", fontsize=8, fontweight="bold", zorder=5)
