"""Nets: their losses epoch by epoch, and what hidden units see in two columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.axes import axes_for, name_axes, several_axes, ticks_of_form
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.evaluate.regions import Axis
    from learnt.neural.mlp_views import NetViews

#: Units that are drawn at most, those that move the next layer most, in so many columns.
MOST_UNITS, ACROSS = 12, 4
#: Of words over a picture.
LETTERS_AN_INCH = 12


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
    coded = across.coded or up.coded
    how = {"extent": (*across.ends, *up.ends), "interpolation": "nearest" if coded else "bilinear", "cmap": "RdBu_r"}
    for panel, unit in zip(panels, units, strict=False):
        seen = answers[:, unit].reshape(len(up.places), len(across.places))
        picture = panel.imshow(seen, origin="lower", aspect="auto", vmin=-size, vmax=size, **how)
        panel.set_title(f"unit {unit}", fontsize=9)
        _mark(across, panel.xaxis, panel.axvline)
        _mark(up, panel.yaxis, panel.axhline)
    for panel in panels[len(units) :]:
        panel.set_axis_off()
    figure = panels[0].figure
    figure.colorbar(picture, ax=list(panels), label="activation", shrink=0.8)
    name_axes(panels[(high - 1) * wide], across.name, up.name)
    words = f"hidden layer {layer}" + (f"; {held}" if held else "")
    words = textwrap.fill(words, max(24, int(LETTERS_AN_INCH * figure.get_figwidth())), break_on_hyphens=False)
    figure.suptitle(words, fontsize=9, parse_math=False)
    return axes


def _mark(axis: Axis, drawn: Any, line: Any) -> None:
    """Ticks: categories by their names, between white lines; dates as dates."""
    if not axis.coded:
        ticks_of_form(drawn, axis.column.form)
        return
    names = [short_name(tick, 12) for tick in axis.ticks]
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if sum(map(len, names)) > 20 else {}
    drawn.set_ticks(axis.places, names, parse_math=False, fontsize=8, **(turned if drawn.axis_name == "x" else {}))
    for place in axis.places[:-1]:
        line(place + axis.cell / 2, color="white", lw=1.0)
