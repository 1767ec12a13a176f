"""The variance each component keeps, and what they keep together."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: Components drawn; the rest is hardly to be seen.
MOST = 40


def plot_scree(ratio: Array, ax: Any = None) -> Any:
    """A bar for each component and a line for all up to it, in percent of the variance; returns the axes."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    shown = np.arange(min(len(ratio), MOST))
    ax.bar(shown, 100 * ratio[shown], color="C0", width=0.7, label="each component")
    together = 100 * np.cumsum(ratio)[shown]
    ax.plot(shown, together, "o-", color="C1", lw=1.8, ms=4, label="all up to it")
    ax.set_ylim(0, 105)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    more = f" (the first {MOST} of {len(ratio)})" if len(ratio) > MOST else ""
    ax.set_xlabel(f"component{more}")
    ax.set_ylabel("share of the variance in %")
    ax.legend(frameon=False, loc="center right")
    return ax
