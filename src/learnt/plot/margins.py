"""The share of rows up to each margin."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def plot_margins(values: Array, ax: Any = None, *, label: str | None = None) -> Any:
    """A rising stair: its height at 0 is the share of rows answered wrong. Returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
        ax.axvline(0, color="0.6", linewidth=0.8)
        ax.set_xlim(-1.02, 1.02)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("margin: votes for the right class minus votes for the best wrong one")
        ax.set_ylabel("share of rows up to that margin")
    ax.ecdf(values, label=label)
    if label is not None:
        ax.legend(loc="upper left")
    return ax
