"""Hidden states over time, the trellis of a few rows, and the choice of their number."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, unknown_column
from learnt.errors import InputError
from learnt.plot.axes import axes_for, legend_aside, pyplot, ticks_of_form, whole_numbers
from learnt.show.palette import FAINT, INK, LINE, WHITE, class_colour, mixed
from learnt.show.words import label, short_name

if TYPE_CHECKING:
    from learnt.graphical.hmm.answers import Answers
    from learnt.graphical.hmm.choose import StateChoice
    from learnt.graphical.hmm.sequences import Sequences

MOST_ROWS = 4000  # of a picture over time
MOST_CELLS = 3  # that a trellis tells of each row
BANDS = 400  # a picture with more stays than this shades none


def plot_states(model: Answers, X: Any, column: str | None, axes: Any, how: dict[str, Any]) -> Any:
    """Cells of one column coloured by the path, above the probability of each state; returns both axes."""
    sequences, cells = model._given(X, how.get("sequence"), how.get("order"), how.get("lengths"))
    first, last = sequences.first_and_last(0)
    if first == last:
        raise InputError("The first sequence has no rows, and nothing to draw.")
    path = model._paths(sequences, cells)[0][first:last]
    shares = model._walk(sequences, cells, back=True).posterior(model._chain, model._emissions)[first:last]
    last = min(last, first + MOST_ROWS)
    path, shares = path[: last - first], shares[: last - first]
    if axes is None:
        _, axes = pyplot().subplots(
            2, 1, figsize=(9, 4.6), sharex=True, layout="constrained", height_ratios=(2, 1), squeeze=True
        )
    above, below = axes
    times = _times(sequences, first, last)
    _draw_cells(above, model, sequences, column, times, path, first, last)
    names = [short_name(s, 18) for s in model._states]
    edges = _edges(times)
    filled = np.repeat(shares, 2, axis=0).T
    below.stackplot(np.repeat(edges, 2)[1:-1], filled, colors=[class_colour(k) for k in range(len(names))], alpha=0.85)
    below.set_ylim(0, 1)
    below.set_xlim(edges[0], edges[-1])
    below.set_ylabel("probability")
    below.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    name = sequences.times.name if sequences.times is not None else "row"
    below.set_xlabel(short_name(name, 60), parse_math=False)
    if sequences.times is not None:
        ticks_of_form(below.xaxis, sequences.times.form)
    for side in ("top", "right"):
        above.spines[side].set_visible(False)
        below.spines[side].set_visible(False)
    return axes


def _draw_cells(
    ax: Any,
    model: Answers,
    sequences: Sequences,
    column: str | None,
    times: Array,
    path: Array,
    first: int,
    last: int,
) -> None:
    """Points of the column in the colours of the path, over bands of the same."""
    j = _place(model, column)
    shown = sequences.table.columns[j]
    values = np.asarray(shown.values[first:last], dtype=np.float64)
    values = np.where(shown.missing[first:last], np.nan, values)
    edges = _edges(times)
    cuts = [0, *(np.flatnonzero(path[1:] != path[:-1]) + 1).tolist(), len(path)]
    if len(cuts) <= BANDS:
        for a, b in pairwise(cuts):
            ax.axvspan(edges[a], edges[b], color=class_colour(int(path[a])), alpha=0.14, lw=0)
    if not shown.schema.coded:
        ax.plot(times, values, color=LINE, lw=0.8, zorder=1)
    size = float(np.clip(9000 / len(times), 4, 26))
    for k, state in enumerate(model._states):
        at = np.flatnonzero(path == k)
        name = short_name(state, 24)
        ax.scatter(times[at], values[at], s=size, color=class_colour(k), label=name, zorder=2, lw=0)
    ax.set_ylabel(short_name(shown.name, 40), parse_math=False)
    if shown.schema.coded:
        labels = [short_name(c, 18) for c in shown.categories]
        ax.set_yticks(range(len(labels)), labels, parse_math=False)
        ax.set_ylim(-0.6, len(labels) - 0.4)
    else:
        ticks_of_form(ax.yaxis, shown.form)
    legend_aside(ax, title="state", markerscale=1.4)


def _place(model: Answers, column: str | None) -> int:
    """The column asked for, or the number whose means differ most for its spread, or the first."""
    schema = model._schema
    if column is not None:
        place = schema.place(column)
        if place is None:
            raise InputError(f"column={column!r} names a column. {unknown_column(column, schema.names)}")
        return place
    apart = []
    for j, c in enumerate(schema):
        if c.coded:
            apart.append(-1.0)
            continue
        mean, variance = model._emissions.moments(model._layout, j)
        apart.append(float(np.var(mean) / max(float(np.mean(variance)), 1e-300)))
    return int(np.argmax(apart)) if max(apart) >= 0 else 0


def _times(sequences: Sequences, first: int, last: int) -> Array:
    if sequences.times is None:
        return np.arange(last - first, dtype=np.float64)
    return np.asarray(sequences.times.values[first:last], dtype=np.float64)


def _edges(times: Array) -> Array:
    """Half way between neighbouring rows, and as far beyond the ends."""
    if len(times) == 1:
        return np.array([times[0] - 0.5, times[0] + 0.5])
    middle = 0.5 * (times[1:] + times[:-1])
    return np.concatenate([[times[0] - (middle[0] - times[0])], middle, [times[-1] + (times[-1] - middle[-1])]])


def plot_trellis(model: Answers, X: Any, start: int, most: int, ax: Any, how: dict[str, Any]) -> Any:
    """States × rows as circles, as dark as they are probable; lines as strong as the way between them is probable; the
    most probable path dashed. Returns the axes."""
    sequences, cells = model._given(X, how.get("sequence"), how.get("order"), how.get("lengths"))
    begin, last = sequences.first_and_last(0)
    first = begin + start
    n = min(last - first, most)
    if start < 0 or n <= 0:
        raise InputError(f"start={start} is not a row of the first sequence, which has {last - begin}.")
    path = model._paths(sequences, cells)[0][first : first + n]
    walks = model._walk(sequences, cells, back=True)
    shares = walks.posterior(model._chain, model._emissions)[first : first + n]
    filtered = model._walk(sequences, cells, back=False).alpha[first : first + n, : len(model._states)]
    k = len(model._states)
    ax = axes_for(ax, (1.6 + 0.85 * n, 1.5 + 0.85 * k), without=("top", "right", "left", "bottom"))
    for t in range(1, n):
        # p(a at t − 1, b at t | all): what is filtered, the transition, how the posterior of b exceeds its forecast
        ahead = filtered[t - 1] @ model._chain.transition
        ratio = np.divide(shares[t], ahead, out=np.zeros(k), where=ahead > 0)
        ways = filtered[t - 1][:, None] * model._chain.transition * ratio
        for a in range(k):
            for b in range(k):
                if model._chain.transition[a, b] > 0:
                    strength = float(np.clip(ways[a, b], 0, 1))
                    colour = mixed(FAINT, "#e3e7ec", min(strength * 1.4, 1.0))
                    ax.plot([t - 1, t], [a, b], color=colour, lw=0.7 + 4 * strength, zorder=1, solid_capstyle="butt")
    ax.plot(range(n), path, color=INK, lw=1.6, zorder=3, ls=(0, (4, 2)), label="most probable path")
    for t in range(n):
        for c in range(k):
            share = float(shares[t, c])
            on_path = path[t] == c
            ax.scatter(
                [t],
                [c],
                s=620,
                zorder=4,
                facecolor=mixed(class_colour(c), WHITE, 0.08 + 0.92 * share),
                edgecolor=INK if on_path else LINE,
                linewidth=2.2 if on_path else 1.0,
            )
            ink = WHITE if share > 0.55 else INK
            ax.text(t, c, f"{100 * share:.0f}%", ha="center", va="center", fontsize=8, color=ink, zorder=5)
    ax.set_yticks(range(k), [short_name(s, 18) for s in model._states], parse_math=False)
    ax.set_ylim(k - 0.45, -0.55)
    ax.set_xlim(-1.1, n - 0.45)
    names = [sequences.times.name if sequences.times is not None else "row", *model._schema.names[:MOST_CELLS]]
    seen = ["\n".join(short_name(name, 12) for name in names), *(_seen(sequences, first + t) for t in range(n))]
    ax.set_xticks([-0.85, *range(n)], seen, fontsize=8, parse_math=False)
    ax.get_xticklabels()[0].set_color(FAINT)
    ax.tick_params(length=0)
    more = f"; {n} of {last - begin} rows" if last - begin > n else ""
    ax.set_title(
        f"probability of each state; dashed: the most probable path{more}", loc="left", fontsize=9, color="0.35"
    )
    return ax


def _seen(sequences: Sequences, row: int) -> str:
    """The time of a row and what was seen, on lines of their own."""
    cells = [label(c.labels()[0]) for c in sequences.table.rows(row, row + 1).columns[:MOST_CELLS]]
    shown = [short_name("–" if cell == "missing" else cell.strip("'"), 10) for cell in cells]
    return "\n".join([short_name(sequences.time_text(row), 12), *shown])


def plot_state_choice(choice: StateChoice, ax: Any = None) -> Any:
    """BIC and AIC as lines, the choice ringed; returns the axes."""
    ax = axes_for(ax, (6.5, 4))
    k = choice.n_states
    for at, (name, values) in enumerate((("BIC", choice.bic), ("AIC", choice.aic))):
        chosen = name.lower() == choice.criterion
        ax.plot(k, values, marker="o", ms=5, color=class_colour(at), lw=2 if chosen else 1.2, label=name)
    best = choice.best.n_states
    lowest = choice.values[k.index(best)]
    ax.plot([best], [lowest], marker="o", ms=13, mfc="none", mec="0.2", mew=1.5)
    ax.annotate(f"{best}", (best, lowest), textcoords="offset points", xytext=(0, 11), ha="center")
    ax.margins(y=0.15)
    whole_numbers(ax.xaxis)
    ax.set_xlabel("states")
    ax.set_ylabel("criterion, lower is better")
    ax.legend(frameon=False)
    return ax
