"""Linear models: odds ratios, paths of penalties, and the residuals of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.plot.axes import OPEN, axes_for, evenly, name_rows, point_strength, several_axes
from learnt.show.numbers import number, percent
from learnt.show.palette import BLUE, RUST
from learnt.show.words import label, short_name, shorten_text

if TYPE_CHECKING:
    from learnt.linear.inference.influence import Influence
    from learnt.linear.logistic.inference import LogisticSummary
    from learnt.linear.penalised.choice import PenaltyChoice
    from learnt.linear.penalised.path import PenaltyPath

#: Lines drawn; of more, those whose ratios are farthest from 1.
MOST = 40
#: Coefficients named and coloured; the others are thin and grey.
NAMED = 10
MOST_POINTS = 5000
LABELLED = 3


def plot_odds_ratios(summary: LogisticSummary, ax: Any = None) -> Any:
    """By what a unit more of each column multiplies the odds, on a logarithmic axis; returns the matplotlib axes.

    Intervals that leave 1 out are drawn dark: those columns matter beyond chance.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    from learnt.linear.logistic.inference import INTERCEPT

    shown = [i for i, name in enumerate(summary.names) if name != INTERCEPT and np.isfinite(summary.estimates[i])]
    if not shown:
        raise InputError("There is no odds ratio to draw: the model has an intercept alone.")
    if len(shown) > MOST:
        shown = sorted(sorted(shown, key=lambda i: -abs(summary.estimates[i]))[:MOST])
    several = len(set(summary.classes)) > 1
    names = [summary.names[i] + (f", {label(summary.classes[i])}" if several else "") for i in shown]
    ax = axes_for(ax, (6.4, 1.2 + 0.3 * len(shown)), without=(*OPEN, "left"))
    ax.axvline(1.0, color="0.45", lw=0.8, zorder=1)
    for y, i in enumerate(shown):
        with np.errstate(over="ignore"):
            at, low, high = np.exp(np.clip([summary.estimates[i], summary.low[i], summary.high[i]], -700, 700))
        known = np.isfinite(low)
        clear = known and (low > 1 or high < 1)
        color = "C0" if clear or not known else "0.6"
        if known:
            ax.plot([low, high], [y, y], color=color, lw=2, solid_capstyle="butt", zorder=2)
        ax.plot([at], [y], "o", color=color, ms=6, zorder=3)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: number(x)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    name_rows(ax, names, ticks=False)
    told = f" with {percent(summary.level)} intervals" if not np.isnan(summary.low[shown]).all() else ""
    of = "" if several else f" of {shorten_text(label(summary.classes[shown[0]]), 40)}"
    ax.set_xlabel(f"odds ratio{of}{told}", parse_math=False)
    return ax


def _axes(ax: Any) -> Any:

    ax = axes_for(ax, (6.4, 4.2))
    ax.set_xscale("log")
    ax.set_xlabel("penalty alpha, from strong to weak")
    return ax


def plot_path(path: PenaltyPath, ax: Any = None) -> Any:
    """Each coefficient against a falling penalty, the largest ones named at the end; returns the axes."""
    ax = _axes(ax)
    order = np.argsort(-np.abs(path.coefs).max(axis=1), kind="stable")
    order = order[np.abs(path.coefs[order]).max(axis=1) > 0]
    for j in order[NAMED:]:
        ax.plot(path.alphas, path.coefs[j], color="0.75", lw=0.6, zorder=1)
    names = []
    for rank, j in enumerate(order[:NAMED]):
        (line,) = ax.plot(path.alphas, path.coefs[j], lw=1.8, color=f"C{rank}", zorder=2)
        names.append((path.coefs[j, -1], short_name(path.names[j], 24), line.get_color()))
    ax.axhline(0, color="0.45", lw=0.8, zorder=1)
    if len(path.alphas) > 1:
        ax.set_xlim(path.alphas[0], path.alphas[-1])
    ax.set_ylabel("coefficient")
    _name_at_the_end(ax, sorted(names))
    return ax


def _name_at_the_end(ax: Any, names: list[tuple[float, str, Any]]) -> None:
    """At the right margin, moved apart where lines end close to each other."""
    low, high = ax.get_ylim()
    places = [(value - low) / (high - low) for value, _, _ in names]
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + 0.045)
    over = max(places, default=0.0) - 1.0
    for place, (_, name, color) in zip(places, names, strict=True):
        y = place - max(over, 0.0)
        ax.text(1.01, y, name, transform=ax.transAxes, va="center", fontsize=8, color=color, parse_math=False)


def plot_choice(choice: PenaltyChoice, ax: Any = None) -> Any:
    """The mean error of each penalty with its standard error, the best and the chosen one marked; returns the axes."""
    ax = _axes(ax)
    mean, error = choice.mean, choice.standard_error
    ax.fill_between(choice.alphas, mean - error, mean + error, color="C0", alpha=0.2, lw=0)
    ax.plot(choice.alphas, mean, color="C0", lw=2, label="mean over folds ± standard error")
    ax.axvline(choice.alphas[choice.best], color="0.45", ls=":", label="smallest error")
    label = f"chosen: alpha {number(choice.alpha)}"
    ax.axvline(choice.alpha, color="C1", ls="--", label=label)
    ax.set_xlim(choice.alphas[0], choice.alphas[-1])
    ax.set_ylabel("squared error on left-out rows")
    ax.legend(frameon=False)
    return ax


def plot_regression_diagnostics(influence: Influence, axes: Any = None) -> Any:
    """Residuals and their spread along the answers, against the normal distribution, and along leverage.

    The most extreme rows are labelled with their numbers. Returns the matplotlib axes, 2 × 2.
    """
    axes = np.asarray(several_axes(axes, 2, 2, (10, 8)), dtype=object).reshape(2, 2)
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
        axes_for(ax)
    return axes


def _some(r: Array) -> Array:
    """Places of the points to draw: all, or of very many a sample and the most extreme."""
    if len(r) <= MOST_POINTS:
        return np.arange(len(r))
    return np.unique(np.concatenate([evenly(len(r), MOST_POINTS), np.argsort(-np.abs(r), kind="stable")[:20]]))


def _points(ax: Any, x: Array, y: Array) -> None:
    ax.scatter(x, y, 14, color=BLUE, alpha=point_strength(len(x)), lw=0)


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
        ax.plot([np.median(x[b]) for b in bins], [np.median(y[b]) for b in bins], color=RUST, lw=2, label="median")
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
            ax.plot(along, sign * reach, color=RUST, ls=style, lw=1, label=name)
    ax.set_ylim(low, high)
    ax.legend(frameon=False, loc="best")
    distance = influence.cooks_distance[rows]
    _name(ax, rows, h, r, rows[np.argsort(-distance, kind="stable")[:LABELLED]])
