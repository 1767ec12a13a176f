"""Pictures of control: values and best choices of states, and how learning went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.plot.axes import axes_for, name_rows, pyplot
from learnt.show.numbers import fixed
from learnt.show.palette import BLUE, FAINT, INK, LINE, ORANGE
from learnt.show.words import label

if TYPE_CHECKING:
    from learnt.control import Learning, MarkovDecisionProcess

#: Of so many states, each has a bar of its own.
MOST_BARS = 30
#: Cells are labelled with their values in grids up to this wide.
MOST_LABELLED = 14


def plot_solution(
    process: MarkovDecisionProcess, values: Mapping[Any, float], policy: Mapping[Any, Any], ax: Any = None
) -> Any:
    """The cells of a grid world in the colour of their values, with arrows; else a bar for each state."""
    if process.grid is None:
        return _bars(process, values, policy, ax)
    grid = process.grid
    cells = np.full((grid.n_rows, grid.n_columns), np.nan)
    for (i, j), value in values.items():
        cells[i, j] = grid.ends.get((i, j), value)
    ax = axes_for(
        ax, (1.5 + 0.75 * grid.n_columns, 0.8 + 0.75 * grid.n_rows), without=("top", "right", "left", "bottom")
    )
    size = float(np.nanmax(np.abs(cells), initial=1e-12))
    shown = pyplot().get_cmap("PuOr").with_extremes(bad=INK)
    picture = ax.imshow(np.ma.masked_invalid(cells), cmap=shown, vmin=-size, vmax=size, alpha=0.65)
    labelled = max(grid.n_rows, grid.n_columns) <= MOST_LABELLED
    for cell, action in policy.items():
        _arrow(ax, cell, action, labelled)
    for i, j in values if labelled else ():
        low = 0.36 if (i, j) not in grid.ends else 0.0
        ax.text(j, i + low, fixed(cells[i, j], 2), ha="center", va="center", fontsize=8, color=INK)
    for i, j in grid.ends:
        ax.add_patch(pyplot().Rectangle((j - 0.45, i - 0.45), 0.9, 0.9, fill=False, color=INK, lw=1.5))
    if grid.start is not None:
        i, j = grid.start
        ax.text(j - 0.42, i - 0.32, "start", fontsize=7, color=INK)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.figure.colorbar(picture, ax=ax, shrink=0.8, label="value")
    return ax


def _arrow(ax: Any, cell: tuple[int, int], action: Any, labelled: bool) -> None:
    from learnt.control.grid import WAYS

    (i, j), (down, right) = cell, WAYS[action]
    middle = i - (0.1 if labelled else 0.0)
    ax.annotate(
        "",
        xy=(j + 0.24 * right, middle + 0.24 * down),
        xytext=(j - 0.24 * right, middle - 0.24 * down),
        arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.4},
    )


def _bars(process: MarkovDecisionProcess, values: Mapping[Any, float], policy: Mapping[Any, Any], ax: Any) -> Any:
    shown = process.states[:MOST_BARS]
    ax = axes_for(ax, (7, 1 + 0.32 * len(shown)))
    sizes = [values[state] for state in shown]
    ax.barh(range(len(shown)), sizes, color=[BLUE if size >= 0 else ORANGE for size in sizes])
    for place, (state, size) in enumerate(zip(shown, sizes, strict=True)):
        ax.text(
            size,
            place,
            f" {label(policy[state]) if state in policy else 'an end'} ",
            va="center",
            fontsize=9,
            parse_math=False,
        )
    name_rows(ax, [label(state) for state in shown])
    ax.axvline(0, color=LINE, lw=1)
    ax.margins(x=0.15)
    more = len(process.states) - len(shown)
    ax.set_xlabel(f"value{f' (and {more:,} more states)' if more else ''}; beside it the best action")
    return ax


def plot_learning(learning: Learning, ax: Any = None) -> Any:
    """Mean returns of the episodes with a band of 95 %, beside what the best policy gains from the same starts."""
    from learnt.control import value_iteration

    ax = axes_for(ax, (7, 4))
    mean, low, high = learning.curve()
    episodes = np.arange(1, len(mean) + 1)
    if learning.n_runs > 1:
        ax.fill_between(episodes, low, high, color=BLUE, alpha=0.25, lw=0, label="95 % interval")
    runs = "" if learning.n_runs == 1 else f", mean of {learning.n_runs} runs"
    ax.plot(episodes, mean, color=BLUE, label=f"{learning.method}{runs}")
    process = learning.process
    best = value_iteration(process).values
    start = None if process.grid is None else process.grid.start
    inner = [state for state in process.states if not process.is_terminal(state)]
    reached = best[start] if start is not None else float(np.mean([best[state] for state in inner]))
    ax.axhline(reached, color=FAINT, ls="--", lw=1, label="the best policy")
    ax.set_xlabel("episode")
    ax.set_ylabel("return")
    ax.legend(frameon=False, loc="lower right")
    return ax
