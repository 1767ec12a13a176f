"""Nets: their losses epoch by epoch, and what hidden units see in two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.axes import axes_for, name_axes, several_axes

if TYPE_CHECKING:
    from learnt.neural.mlp_views import NetViews

#: Units that are drawn at most, those that move the next layer most, in so many columns.
MOST_UNITS, ACROSS = 12, 4


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


def plot_units(model: NetViews, X: Any, columns: Sequence[str] | None, layer: int, resolution: int, axes: Any) -> Any:
    """What units of a hidden layer answer over two columns: a panel each, those first that move the next layer most."""
    from learnt.evaluate.regions import features_and_labels, plane_of

    table, _ = features_and_labels(model, X, None)
    across, up, grid, held = plane_of(table, columns, resolution)
    answers = model.hidden_activations(grid, layer)
    moved = np.ptp(answers, axis=0) * np.abs(model.coefs_[layer]).sum(axis=1)
    units = np.argsort(-moved, kind="stable")[:MOST_UNITS]
    wide, high = min(ACROSS, len(units)), -(-len(units) // ACROSS)
    axes = several_axes(axes, high, wide, (2.3 * wide + 0.6, 2.2 * high + 0.6))
    panels = np.ravel(axes)
    size = float(np.abs(answers[:, units]).max()) or 1.0
    ends = (across.places[0], across.places[-1], up.places[0], up.places[-1])
    for panel, unit in zip(panels, units, strict=False):
        seen = answers[:, unit].reshape(len(up.places), len(across.places))
        picture = panel.imshow(seen, origin="lower", extent=ends, aspect="auto", cmap="RdBu_r", vmin=-size, vmax=size)
        panel.set_title(f"unit {unit}", fontsize=9)
        for axis, ticks in ((across, panel.set_xticks), (up, panel.set_yticks)):
            if axis.coded:
                ticks(axis.places, axis.ticks, parse_math=False)
    for panel in panels[len(units) :]:
        panel.set_axis_off()
    figure = panels[0].figure
    figure.colorbar(picture, ax=list(panels), label="activation", shrink=0.8)
    name_axes(panels[(high - 1) * wide], across.name, up.name)
    figure.suptitle(f"hidden layer {layer}" + (f"; {held}" if held else ""), fontsize=9, parse_math=False)
    return axes
