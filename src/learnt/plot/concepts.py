"""Pictures of concept learning: version spaces as lattices, and mistakes over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.errors import InputError
from learnt.plot.axes import axes_for
from learnt.show.palette import BLUE, FAINT, INK, LINE, ORANGE, PAPER, WHITE

if TYPE_CHECKING:
    from learnt.concepts import Hypothesis
    from learnt.concepts.experts import ExpertRun

#: More hypotheses than these cannot be read.
MOST_DRAWN = 60
MOST_EXPERTS = 12


def plot_lattice(
    hypotheses: Sequence[Hypothesis], specific: Sequence[Hypothesis], general: Sequence[Hypothesis], ax: Any = None
) -> Any:
    """A box for each hypothesis, the general ones on top, with a line from each to those next below it."""
    from learnt.concepts import at_least_as_general

    if not hypotheses:
        raise InputError("No hypothesis is left: there is nothing to draw.")
    if len(hypotheses) > MOST_DRAWN:
        raise InputError(f"{len(hypotheses):,} hypotheses are too many to draw. Give more examples first.")
    below = [[o != h and at_least_as_general(h, o) for o in hypotheses] for h in hypotheses]
    depth = _depths(np.array(below))
    layers = [[i for i in range(len(hypotheses)) if depth[i] == d] for d in range(max(depth) + 1)]
    widest, longest = max(map(len, layers)), max(len(str(h)) for h in hypotheses)
    ax = axes_for(
        ax, (1 + widest * (0.5 + 0.085 * longest), 0.6 + 0.9 * len(layers)), without=("top", "right", "left", "bottom")
    )
    place = {i: ((k + 0.5) / len(layer), -d) for d, layer in enumerate(layers) for k, i in enumerate(layer)}
    table = np.array(below)
    for i, j in zip(*np.nonzero(table & ~_reached(table)), strict=True):
        ax.plot(*zip(place[int(i)], place[int(j)], strict=True), color=LINE, lw=1, zorder=1)
    for i, h in enumerate(hypotheses):
        edge = BLUE if h in general else ORANGE if h in specific else FAINT
        box = {"boxstyle": "round,pad=0.35", "fc": PAPER if edge == FAINT else WHITE, "ec": edge, "lw": 1.8}
        ax.text(
            *place[i], str(h), ha="center", va="center", fontsize=8, color=INK, bbox=box, zorder=2, parse_math=False
        )
    ax.set_xlim(0, 1)
    ax.set_ylim(-len(layers) + 0.4, 0.6)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_title("version space: the general boundary is blue, the specific one orange", fontsize=9, color=FAINT)
    return ax


def _depths(below: Any) -> list[int]:
    """How many steps each is under the most general ones."""
    depth = np.zeros(len(below), int)
    for _ in range(len(below)):
        lower = np.where(below, depth[:, None] + 1, 0).max(axis=0)
        if (lower <= depth).all():
            break
        depth = np.maximum(depth, lower)
    return [int(d) for d in depth]


def _reached(below: Any) -> Any:
    """Pairs with another in between."""
    return (below.astype(int) @ below.astype(int)) > 0


def plot_mistakes(run: ExpertRun, ax: Any = None) -> Any:
    """Mistakes so far, row by row: of the learner, the experts, and its bound."""
    ax = axes_for(ax, (7, 4))
    rows = np.arange(1, len(run.wrong) + 1)
    experts = np.cumsum(run.expert_wrong, axis=0)
    for j in range(min(experts.shape[1], MOST_EXPERTS)):
        ax.plot(rows, experts[:, j], color=LINE, lw=1, label="experts" if j == 0 else None)
    best = experts[:, int(experts[-1].argmin())] if len(rows) else experts[:, 0]
    ax.plot(rows, best, color=ORANGE, lw=1.5, label=f"the best, {run.best_expert}")
    ax.plot(rows, np.cumsum(run.wrong), color=BLUE, lw=2, label=run.method)
    if np.isfinite(run.bound):
        ax.axhline(run.bound, color=FAINT, ls="--", lw=1, label="bound")
    ax.set_xlabel("rows")
    ax.set_ylabel("mistakes")
    ax.legend(frameon=False)
    return ax
