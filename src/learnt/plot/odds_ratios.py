"""Odds ratios with their intervals, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.errors import InputError
from learnt.show.words import label, number, printable, shortened

if TYPE_CHECKING:
    from learnt.linear.logistic.inference import LogisticSummary

#: Lines drawn; of more, those whose ratios are farthest from 1.
MOST = 40


def plot_odds_ratios(summary: LogisticSummary, ax: Any = None) -> Any:
    """By what a unit more of each column multiplies the odds, on a logarithmic axis; returns the matplotlib axes.

    Intervals that leave 1 out are drawn dark: those columns matter beyond chance.
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    from learnt.linear.logistic.inference import INTERCEPT

    shown = [i for i, name in enumerate(summary.names) if name != INTERCEPT and np.isfinite(summary.estimates[i])]
    if not shown:
        raise InputError("There is no odds ratio to draw: the model has an intercept alone.")
    if len(shown) > MOST:
        shown = sorted(sorted(shown, key=lambda i: -abs(summary.estimates[i]))[:MOST])
    several = len(set(summary.classes)) > 1
    names = [summary.names[i] + (f", {label(summary.classes[i])}" if several else "") for i in shown]
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 1.2 + 0.3 * len(shown)), layout="constrained")
    ax.spines[["top", "right", "left"]].set_visible(False)
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
    ax.set_yticks(range(len(shown)), [shortened(printable(n), 40) for n in names], parse_math=False)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    told = f" with {number(100 * summary.level)} % intervals" if not np.isnan(summary.low[shown]).all() else ""
    of = "" if several else f" of {shortened(label(summary.classes[shown[0]]), 40)}"
    ax.set_xlabel(f"odds ratio{of}{told}", parse_math=False)
    return ax
