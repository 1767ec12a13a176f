"""Pictures of drift: a stream with its alarms, and how far the columns of a table moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.axes import axes_for
from learnt.show.palette import BLUE, FAINT, LINE, ORANGE
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.drift import TableDrift

#: Points of a stream that are drawn, each the mean of its piece.
MOST_POINTS = 400
MOST_COLUMNS = 30


def plot_stream(values: Array, alarms: Sequence[int], warnings: Sequence[int], ax: Any = None) -> Any:
    """Means of consecutive pieces of a stream, with a line at each alarm and a tick at each warning."""
    ax = axes_for(ax, (7, 3))
    size = max(1, -(-len(values) // MOST_POINTS))
    starts = np.arange(0, len(values), size)
    sums = np.add.reduceat(values, starts) if len(values) else np.zeros(0)
    counts = np.diff(np.append(starts, len(values)))
    ax.plot(starts + (counts - 1) / 2, sums / np.maximum(1, counts), color=BLUE, lw=1)
    for place in alarms:
        ax.axvline(place, color=ORANGE, lw=1.5)
    if warnings:
        ax.plot(list(warnings), [0.02] * len(warnings), "|", color=FAINT, ms=8, transform=ax.get_xaxis_transform())
    ax.set_xlabel("value" if size == 1 else f"value (means of {size})")
    ax.set_title(f"{len(alarms)} {'alarm' if len(alarms) == 1 else 'alarms'}", fontsize=9, color=FAINT)
    return ax


def plot_columns(found: TableDrift, ax: Any = None) -> Any:
    """A bar for each column: how far it moved, orange where that is more than chance."""
    columns = found.columns[:MOST_COLUMNS]
    ax = axes_for(ax, (6.5, 0.8 + 0.28 * max(1, len(columns))))
    places = np.arange(len(columns))[::-1]
    colors = [ORANGE if c.adjusted < found.alpha else LINE for c in columns]
    ax.barh(places, [c.distance for c in columns], color=colors, height=0.7)
    ax.set_yticks(places, [short_name(c.name, 30) for c in columns], parse_math=False)
    ax.set_xlim(0, max(0.1, *(1.05 * c.distance for c in columns)) if columns else 1)
    ax.set_xlabel("moved by (share of rows); orange: more than chance does")
    hidden = len(found.columns) - len(columns)
    if hidden:
        ax.set_title(f"{hidden} more moved less", fontsize=9, color=FAINT)
    return ax
