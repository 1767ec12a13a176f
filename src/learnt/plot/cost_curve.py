"""A cost curve: the lower envelope of one line per threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from learnt.bayes.decision.cost_curves import CostCurve

MOST_LINES = 60


def plot_cost_curve(curve: CostCurve, ax: Any = None) -> Any:
    """The envelope over faint lines, and the two answers that need no classifier; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    some = np.unique(np.linspace(0, len(curve.thresholds) - 1, MOST_LINES).astype(int))
    for i in some:
        ax.plot([0, 1], [curve.false_alarm_rate[i], curve.miss_rate[i]], color="0.8", lw=0.6, zorder=1)
    share = np.linspace(0, 1, 501)
    ax.plot(share, np.minimum(share, 1 - share), ls="--", color="0.4", label="best constant answer", zorder=2)
    ax.plot(share, curve.at(share), color="#3b75af", lw=2, label="best threshold", zorder=3)
    ax.set_xlabel(f"share of missed {curve.positive} in the cost", parse_math=False)
    ax.set_ylabel("normalised expected cost")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, None)
    ax.legend()
    return ax
