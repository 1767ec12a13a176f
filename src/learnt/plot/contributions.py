"""What columns add in many rows: a point for each row, a line of points for each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.explain.turning import LEADS, SHARES
from learnt.plot.axes import ASIDE, OPEN, axes_for, evenly, name_rows, point_strength, several_axes
from learnt.show.palette import BLUE, FAINT, NO_ANSWER, ORANGE
from learnt.show.words import label, printable, shorten_text

if TYPE_CHECKING:
    from learnt.explain import Explanations
    from learnt.explain.contributions import Contributions

MOST_POINTS = 2000  # rows drawn; more show nothing more
MOST_CLASSES = 6  # pictures side by side
BINS = 80  # of the width: points that fall into one are put beside each other
SWARM = 0.38  # how far from its line a point may stand


def plot_contributions(explanations: Explanations, ax: Any = None, most: int = 12) -> Any:
    """A point for each row and column, coloured by its cell; returns the axes, of three classes or more an array."""
    explanations = explanations._part([explanations.rows[i] for i in evenly(len(explanations), MOST_POINTS)])
    answers = _answers(explanations)
    if len(answers) > 2 and ax is None:
        return _plot_classes(explanations, answers, most)
    if len(answers) == 2:
        explanations = explanations.toward(answers[1])
        found = explanations.contributions()
        return draw_swarm(found, found.order()[:most], ax, f"what the column adds, towards {label(answers[1])}")
    found = explanations.contributions()
    what = printable(found.words) or "the total"
    return draw_swarm(found, found.order()[:most], ax, f"what the column adds to {shorten_text(what, 60)}")


def _answers(explanations: Explanations) -> list[Any]:
    """The classes that explanations choose between, in order; none where they explain numbers."""
    if not len(explanations):
        return []
    one = explanations[0]
    if one.kind not in SHARES | LEADS or not one.alternatives:
        return []
    return sorted([one.prediction, *(answer for answer, _ in one.alternatives)], key=lambda a: (str(type(a)), a))


def _plot_classes(explanations: Explanations, answers: Sequence[Any], most: int) -> Any:
    parts = explanations.by_class()
    shown = [answer for answer in answers if answer in parts][:MOST_CLASSES]
    whole = explanations.contributions()
    names = [whole.columns[j] for j in whole.order()[:most]]
    axes = several_axes(None, 1, len(shown), (3.2 * len(shown) + 2, 1.6 + 0.36 * len(names)))
    axes = np.atleast_1d(axes)
    for place, (answer, ax) in enumerate(zip(shown, axes, strict=True)):
        found = parts[answer].contributions()
        places = [found.columns.index(name) for name in names if name in found.columns]
        draw_swarm(found, places, ax, "what the column adds", whole=whole, names=place == 0, key=ax is axes[-1])
        ax.set_title(f"answered {shorten_text(label(answer), 30)}", parse_math=False)
    ends = [ax.get_xlim() for ax in axes]  # one scale, so that they can be compared
    for ax in axes:
        ax.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))
    return axes


def draw_swarm(
    found: Contributions,
    places: Sequence[int],
    ax: Any,
    what: str,
    *,
    whole: Contributions | None = None,
    names: bool = True,
    key: bool = True,
) -> Any:
    """The columns at `places`, the first on top. Low and high are so among the rows of `whole`; `key` tells colours."""
    ax = axes_for(ax, (7, 1.6 + 0.36 * len(places)), without=(*OPEN, "left"))
    ax.axvline(0.0, color="0.6", lw=0.8, zorder=0)
    values = found.values[:, list(places)]
    finite = values[np.isfinite(values)]
    width = float(np.ptp(finite)) if finite.size else 1.0
    whole = found if whole is None else whole
    looks: set[str] = set()
    for place, j in enumerate(places):
        x = found.values[:, j]
        y = place + _offsets(x, width)
        levels = _levels(whole.cells[:, whole.columns.index(found.columns[j])])
        missing = np.array([cell is None or cell != cell for cell in found.cells[:, j]], dtype=bool)
        style = {"s": 14, "lw": 0.6, "alpha": max(0.5, point_strength(len(x))), "zorder": 2}
        if levels is None:
            ax.scatter(x[~missing], y[~missing], color=FAINT, marker="s", edgecolors="none", **style)
        else:
            there = found.cells[~missing, j].astype(np.float64)
            share = np.searchsorted(levels, there) / max(1, len(levels) - 1)
            ax.scatter(x[~missing], y[~missing], c=_scale()(share), edgecolors="none", **style)
        ax.scatter(x[missing], y[missing], facecolors="none", edgecolors=NO_ANSWER, **style)
        looks |= {"label"} if levels is None else {"low cell", "high cell"}
        looks |= {"missing"} if missing.any() else set()
    if not len(places):
        return ax
    name_rows(ax, [found.columns[j] for j in places] if names else [""] * len(places), 30, ticks=False)
    ax.set_xlabel(what, parse_math=False)
    if key:
        _explain_colours(ax, looks)
    return ax


def _offsets(x: Any, width: float) -> Any:
    """How far from its line each point stands: those at about the same place stand beside each other."""
    bins = np.floor(np.nan_to_num(x) / (width or 1.0) * BINS).astype(np.int64)
    order = np.lexsort((np.arange(len(x)), bins))
    _, starts, counts = np.unique(bins[order], return_index=True, return_counts=True)
    rank = np.empty(len(x), dtype=np.int64)
    rank[order] = np.arange(len(x)) - np.repeat(starts, counts)
    side = np.where(rank % 2 == 0, 1, -1) * ((rank + 1) // 2)
    most = max(1, int(np.abs(side).max(initial=1)))
    return side * min(0.09, SWARM / most)


def _levels(cells: Any) -> Any:
    """The different numbers among cells, rising; None where they are labels."""
    there = [cell for cell in cells if cell is not None and cell == cell]
    numbers = all(isinstance(cell, (bool, int, float)) for cell in there)
    return np.unique(np.array(there, dtype=np.float64)) if numbers else None


def _scale() -> Any:
    """Colours from the lowest cell to the highest."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("cells", [ORANGE, "#dcd8d2", BLUE])


def _explain_colours(ax: Any, looks: set[str]) -> None:
    from matplotlib.lines import Line2D

    styles: dict[str, dict[str, Any]] = {
        "low cell": {"marker": "o", "color": ORANGE},
        "high cell": {"marker": "o", "color": BLUE},
        "label": {"marker": "s", "color": FAINT},
        "missing": {"marker": "o", "mfc": "none", "mec": NO_ANSWER},
    }
    handles = [Line2D([], [], ls="", ms=5, label=name, **styles[name]) for name in styles if name in looks]
    ax.legend(handles=handles, **ASIDE)
