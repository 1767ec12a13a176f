"""Nets: their losses epoch by epoch."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.axes import axes_for


def plot_losses(train: Array, validation: Array, kept: int, ax: Any = None) -> Any:
    """Mean losses against epochs, of rows learnt from and, if there are any, of rows held out; returns the axes."""
    ax = axes_for(ax, (6.4, 4.2))
    epochs = np.arange(1, len(train) + 1)
    ax.plot(epochs, train, lw=1.8, label="rows learnt from")
    if len(validation):
        ax.plot(epochs, validation, lw=1.8, label="rows held out")
        ax.plot(kept, float(validation[kept - 1]), "o", ms=7, mfc="none", mec="0.1", label=f"kept: epoch {kept}")
        ax.legend(frameon=False)
    ax.set_xlabel("epoch")
    ax.set_ylabel("mean loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax
