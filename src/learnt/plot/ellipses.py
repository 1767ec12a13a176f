"""A mixture of Gaussians in two of its columns: rows coloured by component, ellipses at one and two σ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, unknown_column
from learnt.errors import InputError
from learnt.plot.regions import MOST_POINTS, class_look
from learnt.show.sheet import class_colour
from learnt.show.words import printable, shortened

if TYPE_CHECKING:
    from learnt.cluster.mixture.gaussian_mixture import GaussianMixture

MOST_IN_LEGEND = 12


def plot_ellipses(model: GaussianMixture, X: Any, columns: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Rows and ellipses in two columns, those that tell the components apart best unless named; returns the axes."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Ellipse

    table = model._matched(X)
    first, second = _places(model, columns)
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 5), layout="constrained")
    labels = model.predict(table)
    cells = model._view.cells(table)
    across, up = cells[:, first], cells[:, second]
    shown = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    if len(shown) > MOST_POINTS:
        shown = shown[np.linspace(0, len(shown) - 1, MOST_POINTS).astype(int)]
    means = model.means_[:, [first, second]]
    for c, share in enumerate(model.weights_):
        rows = shown[labels[shown] == c]
        name = f"{c} ({100 * share:.0f} %)"
        look = class_look(c)
        ax.scatter(across[rows], up[rows], s=14, alpha=0.7, **look, edgecolors="white", linewidths=0.3, label=name)
        spread, directions = np.linalg.eigh(_covariance(model, c, first, second))
        width, height = np.sqrt(np.maximum(spread[::-1], 0.0))
        angle = float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))
        for times, strength in ((1, 0.22), (2, 0.10)):
            size = (2 * times * width, 2 * times * height)
            filled = Ellipse(tuple(means[c]), *size, angle=angle, color=class_colour(c), alpha=strength, lw=0, zorder=1)
            line = Ellipse(tuple(means[c]), *size, angle=angle, fill=False, ec=class_colour(c), lw=1.4, zorder=3)
            ax.add_patch(filled)
            ax.add_patch(line)
        ax.plot(*means[c], marker="+", ms=11, mew=2, color="0.1", zorder=4)
    ax.autoscale_view()
    names = model._schema.names
    ax.set_xlabel(shortened(printable(names[first]), 60), parse_math=False)
    ax.set_ylabel(shortened(printable(names[second]), 60), parse_math=False)
    if 1 < len(means) <= MOST_IN_LEGEND:
        ax.legend(title="component", frameon=False, fontsize=9)
    ax.set_title("ellipses at 1 and 2 σ of each component", loc="left", fontsize=9, color="0.35")
    return ax


def _places(model: GaussianMixture, columns: Sequence[str] | None) -> tuple[int, int]:
    names = model._schema.names
    if len(names) < 2:
        raise InputError("A picture of ellipses needs two columns, but the mixture has one.")
    if columns is None:
        share, means = model.weights_, model._components.mean  # in units of the columns' spread
        apart = share @ (means - share @ means) ** 2
        first, second = sorted(np.argsort(-apart, kind="stable")[:2].tolist())
        return first, second
    for name in columns:
        if name not in names:
            raise InputError(unknown_column(str(name), names))
    if len(columns) != 2 or columns[0] == columns[1]:
        raise InputError(f"columns={list(columns)} are not two different columns.")
    return names.index(columns[0]), names.index(columns[1])


def _covariance(model: GaussianMixture, c: int, first: int, second: int) -> Array:
    """Of two columns in one component."""
    given = model.covariances_
    if model.covariance_type == "spherical":
        return np.array(np.eye(2) * given[c])
    if model.covariance_type == "diag":
        return np.array(np.diag(given[c, [first, second]]))
    whole = given if model.covariance_type == "tied" else given[c]
    return np.array(whole[np.ix_([first, second], [first, second])])
