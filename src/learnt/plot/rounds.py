"""The descent of boosting: mean losses round by round."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def plot_rounds(train: Array, validation: Array, kept: int, ax: Any = None) -> Any:
    """Mean losses against rounds, of rows learnt from and, if there are any, of rows held out; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.plot(np.arange(len(train)), train, lw=1.8, label="rows learnt from")
    if len(validation):
        ax.plot(np.arange(len(validation)), validation, lw=1.8, label="rows held out")
        best = float(validation[kept])
        ax.plot(kept, best, "o", ms=7, mfc="none", mec="0.1", label=f"kept: {kept} rounds")
        ax.legend(frameon=False)
    ax.set_xlabel("round")
    ax.set_ylabel("mean loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax
