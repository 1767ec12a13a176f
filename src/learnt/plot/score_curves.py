"""Curves of scores: ROC, precision–recall, calibration, gain and lift; several can share one axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.errors import ParameterError
from learnt.show.words import label, number, spell

if TYPE_CHECKING:
    from learnt.evaluate.curves import CalibrationCurve, GainCurve, PrecisionRecallCurve, RocCurve

BLIND = {"color": "0.45", "ls": "--", "lw": 1, "zorder": 1}
#: More points than this show nothing more, and make the file large.
MOST_POINTS = 2000


def _axes(ax: Any) -> tuple[Any, bool]:
    """The axes, and whether nothing is drawn on them yet."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
    first = not ax.lines
    ax.spines[["top", "right"]].set_visible(False)
    return ax, first


def _square(ax: Any, x: str, y: str) -> None:
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)
    ax.legend(frameon=False)


def _thinned(*columns: Any) -> list[Any]:
    some = np.unique(np.linspace(0, len(columns[0]) - 1, MOST_POINTS).astype(int))
    return [column[some] for column in columns]


def _called(name: str | None, words: str) -> str:
    return words if name is None else f"{name}: {words}"


def plot_roc(curve: RocCurve, ax: Any = None, name: str | None = None) -> Any:
    """The curve over the diagonal of blind guesses; returns the axes."""
    ax, first = _axes(ax)
    words = f"area {number(curve.auc)}"
    if curve.interval is not None:
        words += f" [{number(curve.interval.low)}, {number(curve.interval.high)}]"
    if first:
        ax.plot([0, 1], [0, 1], **BLIND)
    ax.plot(*_thinned(curve.false_positive_rate, curve.true_positive_rate), lw=2, label=_called(name, words))
    _square(ax, "false positive rate", f"share of {label(curve.positive)} found")
    return ax


def plot_precision_recall(curve: PrecisionRecallCurve, ax: Any = None, name: str | None = None) -> Any:
    """The curve as steps, over the precision of answering always; returns the axes."""
    ax, first = _axes(ax)
    words = _called(name, f"average precision {number(curve.average_precision)}")
    recall, precision = _thinned(curve.recall, curve.precision)
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
    words = _called(name, f"expected error {100 * curve.expected_error:.3g} %")
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
    share, found, lift = _thinned(curve.share, curve.gain, curve.lift)
    words = _called(name, f"{100 * curve.at(0.1):.3g} % found in 10 % of the rows")
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
