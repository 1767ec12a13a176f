"""The losses side by side: of margins, of errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.losses import MARGIN, REGRESSION


def plot_losses(axes: Any = None) -> Any:
    """Two pictures, margins on the left and errors on the right; returns the two axes."""
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    margins, errors = axes
    for ax, losses, at, name in (
        (margins, MARGIN, np.linspace(-2, 2.5, 901), "margin z = y·f(x)"),
        (errors, REGRESSION, np.linspace(-3, 3, 601), "error r = prediction − truth"),
    ):
        for loss in losses.values():
            values = loss(at)
            if loss.name == "zero_one":  # its jump is no slope
                values = np.where(np.abs(at) < 1e-9, np.nan, values)
            ax.plot(at, values, label=f"{loss.name}: {loss.formula}", lw=2.2 if loss.name == "zero_one" else 1.5)
        ax.set_xlabel(name)
        ax.set_ylim(0, 4)
        ax.legend(fontsize=7)
    margins.plot(0, 1, "o", color="0.2", ms=4)
    margins.set_ylabel("loss")
    return axes
