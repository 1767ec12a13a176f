"""The four pictures of a regression's residuals, as R draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array

if TYPE_CHECKING:
    from learnt.linear.inference.influence import Influence

MOST_POINTS = 5000
LABELLED = 3
POINT, LINE = "#3b75af", "#c2733d"


def plot_regression_diagnostics(influence: Influence, axes: Any = None) -> Any:
    """Residuals and their spread along the answers, against the normal distribution, and along leverage.

    The most extreme rows are labelled with their numbers. Returns the matplotlib axes, 2 × 2.
    """
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    axes = np.asarray(axes, dtype=object).reshape(2, 2)
    whole = np.flatnonzero(np.isfinite(influence.standardized))
    rows = whole[_some(influence.standardized[whole])]
    r, answer = influence.standardized[rows], influence.answer[rows]
    extreme = rows[np.argsort(-np.abs(r), kind="stable")[:LABELLED]]
    _along(axes[0, 0], rows, answer, influence.residual[rows], extreme)
    axes[0, 0].set(title="Is the relation straight?", xlabel="answer", ylabel="residual")
    axes[0, 0].axhline(0, color="0.45", ls="--", lw=1)
    _normal(axes[0, 1], influence.standardized, whole, extreme)
    _along(axes[1, 0], rows, answer, np.sqrt(np.abs(r)), extreme)
    axes[1, 0].set(title="Is the spread the same everywhere?", xlabel="answer", ylabel="√|standardized residual|")
    axes[1, 0].set_ylim(bottom=0)
    _leverage(axes[1, 1], influence, rows)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def _some(r: Array) -> Array:
    """Places of the points to draw: all, or of very many a sample and the most extreme."""
    if len(r) <= MOST_POINTS:
        return np.arange(len(r))
    spread = np.linspace(0, len(r) - 1, MOST_POINTS).astype(int)
    return np.unique(np.concatenate([spread, np.argsort(-np.abs(r), kind="stable")[:20]]))


def _points(ax: Any, x: Array, y: Array) -> None:
    alpha = float(np.clip(30 / np.sqrt(max(len(x), 1)), 0.15, 0.8))
    ax.scatter(x, y, 14, color=POINT, alpha=alpha, lw=0)


def _name(ax: Any, rows: Array, x: Array, y: Array, named: Array) -> None:
    """Row numbers beside points, on the side where there is room."""
    middle = (np.min(x) + np.max(x)) / 2 if len(x) else 0.0
    for i in named.tolist():
        at = int(np.flatnonzero(rows == i)[0])
        left = x[at] > middle
        ax.annotate(
            str(i),
            (x[at], y[at]),
            xytext=(-5 if left else 5, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=8,
            color="0.3",
        )


def _along(ax: Any, rows: Array, x: Array, y: Array, named: Array) -> None:
    """Points with the running median, in bins of as many rows each."""
    _points(ax, x, y)
    order = np.argsort(x, kind="stable")
    bins = np.array_split(order, max(1, min(15, len(order) // 6)))
    if len(bins) > 1:
        ax.plot([np.median(x[b]) for b in bins], [np.median(y[b]) for b in bins], color=LINE, lw=2, label="median")
        ax.legend(frameon=False)
    _name(ax, rows, x, y, named)


def _normal(ax: Any, r: Array, whole: Array, named: Array) -> None:
    from scipy.special import ndtri

    order = whole[np.argsort(r[whole], kind="stable")]
    n = len(order)
    expected = ndtri((np.arange(n) + 0.5) / n) if n else np.zeros(0)
    places = _some(r[order])
    if n > 1:
        low, high = np.quantile(r[order], [0.25, 0.75])
        slope = (high - low) / (ndtri(0.75) - ndtri(0.25))
        ax.axline((0, float(low + high) / 2), slope=float(slope), color="0.45", ls="--", lw=1)
    _points(ax, expected[places], r[order][places])
    _name(ax, order[places], expected[places], r[order][places], named)
    ax.set(title="Are the errors normal?", xlabel="normal quantile", ylabel="standardized residual")


def _leverage(ax: Any, influence: Influence, rows: Array) -> None:
    """Standardised residuals along leverage, with lines of equal Cook's distance r² h / (k (1 − h))."""
    h, r = influence.leverage[rows], influence.standardized[rows]
    _points(ax, h, r)
    ax.axhline(0, color="0.45", ls="--", lw=1)
    ax.set(title="Which rows pull the fit?", xlabel="leverage", ylabel="standardized residual")
    ax.set_xlim(left=0)
    low, high = ax.get_ylim()
    right = ax.get_xlim()[1]
    along = np.linspace(max(right / 200, 1e-6), min(right, 0.999), 200)
    for cook, style in ((0.5, ":"), (1.0, "-")):
        reach = np.sqrt(cook * influence.n_coefficients * (1 - along) / along)
        for sign in (1, -1):
            name = f"Cook's distance {cook:g}" if sign > 0 else None
            ax.plot(along, sign * reach, color=LINE, ls=style, lw=1, label=name)
    ax.set_ylim(low, high)
    ax.legend(frameon=False, loc="best")
    distance = influence.cooks_distance[rows]
    _name(ax, rows, h, r, rows[np.argsort(-distance, kind="stable")[:LABELLED]])
