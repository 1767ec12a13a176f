"""How good answers are: curves of scores, confusion, residuals and costs; several curves can share one axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.errors import ParameterError
from learnt.plot.axes import axes_for, evenly, point_strength
from learnt.show.numbers import number, percent
from learnt.show.palette import BLUE, RUST
from learnt.show.words import label, shorten_text, spell

if TYPE_CHECKING:
    from learnt.bayes.decision.cost_curves import CostCurve
    from learnt.evaluate.curves import (
        CalibrationCurve,
        ConfusionMatrix,
        GainCurve,
        PrecisionRecallCurve,
        ResidualPlot,
        RocCurve,
    )

BLIND = {"color": "0.45", "ls": "--", "lw": 1, "zorder": 1}
#: More points than this show nothing more, and make the file large.
MOST_POINTS = 2000
#: More classes than this get no numbers in their cells.
MOST_WRITTEN = 20
#: From this share on the blue is dark enough for white numbers to be the more legible ones.
DARK = 0.72
MOST_RESIDUALS = 5000
MOST_LINES = 60


def _axes(ax: Any) -> tuple[Any, bool]:
    """The axes, and whether nothing is drawn on them yet."""
    ax = axes_for(ax, (5.2, 4.2))
    first = not ax.lines
    return ax, first


def _square(ax: Any, x: str, y: str) -> None:
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)
    ax.legend(frameon=False)


def _thinned_columns(*columns: Any) -> list[Any]:
    some = evenly(len(columns[0]), MOST_POINTS)
    return [column[some] for column in columns]


def _with_name(name: str | None, words: str) -> str:
    return words if name is None else f"{name}: {words}"


def plot_roc(curve: RocCurve, ax: Any = None, name: str | None = None) -> Any:
    """The curve over the diagonal of blind guesses; returns the axes."""
    ax, first = _axes(ax)
    words = f"area {number(curve.auc)}"
    if curve.interval is not None:
        words += f" [{number(curve.interval.low)}, {number(curve.interval.high)}]"
    if first:
        ax.plot([0, 1], [0, 1], **BLIND)
    ax.plot(*_thinned_columns(curve.false_positive_rate, curve.true_positive_rate), lw=2, label=_with_name(name, words))
    _square(ax, "false positive rate", f"share of {label(curve.positive)} found")
    return ax


def plot_precision_recall(curve: PrecisionRecallCurve, ax: Any = None, name: str | None = None) -> Any:
    """The curve as steps, over the precision of answering always; returns the axes."""
    ax, first = _axes(ax)
    words = _with_name(name, f"average precision {number(curve.average_precision)}")
    recall, precision = _thinned_columns(curve.recall, curve.precision)
    if first:
        ax.axhline(curve.prevalence, **BLIND)
    ax.step(recall, precision, where="post", lw=2, label=words)
    _square(ax, f"share of {label(curve.positive)} found (recall)", "share right among the answers (precision)")
    return ax


def plot_calibration(curve: CalibrationCurve, ax: Any = None, name: str | None = None) -> Any:
    """A point per bin with its interval, over the diagonal where promises come true; returns the axes."""
    ax, first = _axes(ax)
    if first:
        ax.plot([0, 1], [0, 1], **BLIND)
    below, above = curve.share - curve.low, curve.high - curve.share
    size = 3 + 5 * np.sqrt(curve.rows / curve.rows.max())
    words = _with_name(name, f"expected error {percent(curve.expected_error)}")
    (line,) = ax.plot(curve.probability, curve.share, lw=1.5, label=words)
    spans = np.maximum([below, above], 0)
    ax.errorbar(curve.probability, curve.share, spans, fmt="none", color=line.get_color(), lw=1, capsize=2)
    ax.scatter(curve.probability, curve.share, size**2, color=line.get_color(), zorder=3)
    _square(ax, f"probability given to {label(curve.positive)}", f"share that was {label(curve.positive)}, 95 %")
    ax.legend(frameon=False, loc="upper left")
    return ax


def plot_gain(curve: GainCurve, ax: Any = None, name: str | None = None, what: str = "gain") -> Any:
    """Gain between blind and best possible, or lift over 1; returns the axes."""
    if what not in ("gain", "lift"):
        raise ParameterError(f"what={spell(what)} is not allowed. Expected 'gain' or 'lift'.")
    ax, first = _axes(ax)
    share, found, lift = _thinned_columns(curve.share, curve.gain, curve.lift)
    words = _with_name(name, f"{percent(curve.at(0.1))} found in 10 % of the rows")
    if what == "gain":
        if first:
            ax.plot([0, 1], [0, 1], **BLIND)
            ax.plot([0, curve.prevalence, 1], [0, 1, 1], color="0.7", lw=1, zorder=1)
        ax.plot(share, found, lw=2, label=words)
        _square(ax, "share of rows, highest scores first", f"share of {label(curve.positive)} found")
        return ax
    if first:
        ax.axhline(1, **BLIND)
    ax.plot(share, lift, lw=2, label=words)
    _square(ax, "share of rows, highest scores first", f"times as many {label(curve.positive)} as in all rows")
    ax.relim()
    ax.autoscale(axis="y")
    ax.set_ylim(0, None)
    return ax


def plot_confusion(matrix: ConfusionMatrix, ax: Any = None) -> Any:
    """The grid, true classes down and answers across; returns the axes."""
    n = len(matrix)
    side = 2.2 + 0.62 * min(n, 16)
    ax = axes_for(ax, (side + 0.8, side), without=())
    shares = np.nan_to_num(matrix.shares)
    image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    if n <= MOST_WRITTEN:
        for i in range(n):
            for j in range(n):
                words = number(matrix.counts[i, j]) + (f"\n{percent(shares[i, j], 0)}" if n <= 8 else "")
                colour = "white" if shares[i, j] > DARK else "0.15"
                weight = "bold" if i == j else "normal"
                ax.text(j, i, words, ha="center", va="center", color=colour, fontsize=9, fontweight=weight)
    names = [shorten_text(label(c), 18) for c in matrix.labels]
    places = np.arange(n)
    # parse_math: a class called "$x$" is a name, not a formula.
    turned = max(map(len, names)) > 6
    ax.set_xticks(places, names, parse_math=False, rotation=40 if turned else 0, ha="right" if turned else "center")
    ax.set_yticks(places, names, parse_math=False)
    ax.set_xlabel("answer")
    ax.set_ylabel("truth")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, format=lambda share, _: f"{percent(share, 0)}")
    bar.set_label("share of the true class")
    bar.outline.set_visible(False)
    ax.spines[:].set_visible(False)
    return ax


def plot_residuals(plot: ResidualPlot, ax: Any = None) -> Any:
    """A point per row (of very many, some), the middle half as a band; returns the axes."""
    ax = axes_for(ax, (5.6, 4.2))
    some = evenly(len(plot.truth), MOST_RESIDUALS)
    ax.scatter(plot.answer[some], plot.residual[some], 12, color=BLUE, alpha=point_strength(len(some)), lw=0)
    ax.axhline(0, color="0.45", ls="--", lw=1)
    middles, quartiles = plot.quartiles()
    if len(middles) > 1:
        ax.fill_between(middles, quartiles[:, 0], quartiles[:, 2], color=RUST, alpha=0.2, lw=0, label="middle half")
        ax.plot(middles, quartiles[:, 1], color=RUST, lw=2, label="median")
        ax.legend(frameon=False)
    ax.set_xlabel("answer")
    ax.set_ylabel("truth − answer")
    return ax


def plot_cost_curve(curve: CostCurve, ax: Any = None) -> Any:
    """The envelope over faint lines, and the two answers that need no classifier; returns the axes."""
    ax = axes_for(ax, without=())
    for i in evenly(len(curve.thresholds), MOST_LINES):
        ax.plot([0, 1], [curve.false_alarm_rate[i], curve.miss_rate[i]], color="0.8", lw=0.6, zorder=1)
    share = np.linspace(0, 1, 501)
    ax.plot(share, np.minimum(share, 1 - share), ls="--", color="0.4", label="best constant answer", zorder=2)
    ax.plot(share, curve.at(share), color=BLUE, lw=2, label="best threshold", zorder=3)
    ax.set_xlabel(f"share of missed {curve.positive} in the cost", parse_math=False)
    ax.set_ylabel("normalised expected cost")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, None)
    ax.legend()
    return ax
