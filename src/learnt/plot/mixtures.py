"""Where rows lie dense: ellipses of mixtures, densities, and distances to neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, unknown_column
from learnt.errors import InputError
from learnt.plot.axes import MOST_IN_LEGEND, axes_for, class_look, evenly, name_axes, whole_numbers
from learnt.show.numbers import number, percent
from learnt.show.palette import POSITIVE, class_colour

if TYPE_CHECKING:
    from learnt.cluster.density.highest_density import DensityRegion
    from learnt.cluster.mixture.choose import ComponentChoice
    from learnt.cluster.mixture.gaussian_mixture import GaussianMixture

MOST_POINTS = 2000


def plot_ellipses(model: GaussianMixture, X: Any, columns: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Rows and ellipses in two columns, those that tell the components apart best unless named; returns the axes."""
    from matplotlib.patches import Ellipse

    table = model._matched(X)
    first, second = _places(model, columns)
    ax = axes_for(ax, (7, 5), without=())
    labels = model.predict(table)
    cells = model._view.cells(table)
    across, up = cells[:, first], cells[:, second]
    shown = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    shown = shown[evenly(len(shown), MOST_POINTS)]
    means = model.means_[:, [first, second]]
    for c, share in enumerate(model.weights_):
        rows = shown[labels[shown] == c]
        name = f"{c} ({percent(share, 0)})"
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
    name_axes(ax, names[first], names[second])
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


def plot_component_choice(choice: ComponentChoice, ax: Any = None) -> Any:
    """BIC and AIC as lines, the choice ringed, numbers with too few rows in a component crossed; returns the axes."""

    ax = axes_for(ax, (6.5, 4), without=())
    k = choice.n_components
    for at, (name, values) in enumerate((("BIC", choice.bic), ("AIC", choice.aic))):
        chosen = name.lower() == choice.criterion
        ax.plot(k, values, marker="o", ms=5, color=class_colour(at), lw=2 if chosen else 1.2, label=name)
    thin = [at for at, enough in enumerate(choice.enough_rows) if not enough]
    if thin:
        crossed = [choice.values[at] for at in thin]
        ax.plot([k[at] for at in thin], crossed, "x", ms=10, mew=2, color="0.2", label="fewer rows than parameters")
    best = choice.best.n_components
    lowest = choice.values[k.index(best)]
    ax.plot([best], [lowest], marker="o", ms=13, mfc="none", mec="0.2", mew=1.5)
    ax.annotate(f"{best}", (best, lowest), textcoords="offset points", xytext=(0, -20), ha="center")
    ax.margins(y=0.15)
    whole_numbers(ax.xaxis)
    ax.set_xlabel("components")
    ax.set_ylabel("criterion, lower is better")
    ax.legend(frameon=False)
    return ax


def plot_region(region: DensityRegion, ax: Any = None) -> Any:
    """The curve, the region under it, and the threshold as a line; returns the axes."""
    if region.intervals is None:
        raise InputError("A region of more than one column has no curve to draw. Draw the rows it contains instead.")
    ax = axes_for(ax, (7, 3.6))
    low, high = region.intervals[0][0], region.intervals[-1][1]
    margin = 0.25 * (high - low)
    x = np.unique(np.concatenate([np.linspace(low - margin, high + margin, 800), np.ravel(region.intervals)]))
    y = np.exp(np.asarray(region.log_density(x[:, None])))
    ax.plot(x, y, color=POSITIVE, linewidth=1.5)
    for a, b in region.intervals:
        inside = (x >= a) & (x <= b)
        ax.fill_between(x[inside], y[inside], color=POSITIVE, alpha=0.25, linewidth=0)
        for edge, side in ((a, "right"), (b, "left")):
            ax.annotate(
                number(edge),
                (edge, region.threshold),
                (-4 if side == "right" else 4, 4),
                ha=side,
                textcoords="offset points",
                fontsize=9,
            )
    ax.axhline(region.threshold, color="0.45", linewidth=0.8, linestyle="--")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("density")
    ax.set_title(f"smallest region of probability {number(region.probability)}", loc="left", fontsize=10)
    return ax


def plot_neighbor_distances(distances: Array, eps: float, min_samples: int, ax: Any = None) -> Any:
    """The curve, the suggested eps and the share of rows below it; returns the axes."""
    ax = axes_for(ax, (6.4, 4.2))
    share = np.arange(1, len(distances) + 1) / len(distances)
    within = float(np.mean(distances <= eps))
    ax.plot(share, distances, lw=1.8, color=class_colour(0))
    ax.axhline(eps, color="0.5", lw=0.9, ls=(0, (5, 4)), zorder=0)
    ax.plot(within, eps, "o", ms=7, mfc="none", mec="0.1")
    ax.annotate(
        f"eps = {number(eps)}\n{percent(within, 0)} of rows are cores",
        (within, eps),
        xytext=(-10, 12),
        textcoords="offset points",
        ha="right",
        fontsize=9,
        color="0.25",
    )
    ax.set_xlim(0, 1.02)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("share of rows, sorted by distance")
    ax.set_ylabel(f"distance that holds {min_samples} rows, itself counted")
    return ax
