"""Machines of support vectors: borders and their margins, tubes, and coefficients against what they answer for."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.plot.axes import axes_for, class_look, evenly, legend_aside, name_axes, ticks_of_form
from learnt.plot.regions import plot_regions
from learnt.show.palette import BLUE, INK, LINE, NO_ANSWER, RUST
from learnt.show.words import count_of, printable, short_name

if TYPE_CHECKING:
    from learnt.kernel import SVC, SVR, OneClassSVM

MOST_POINTS = 3000
ON_EDGE, BEYOND = "support vector, on the edge", "support vector, beyond the edge"


def plot_margin(
    model: SVC, X: Any, y: Any, columns: Sequence[str] | None, machine: int, resolution: int, ax: Any
) -> Any:
    """Regions of two columns, the border of a machine, both edges of its margin, and rings around its support."""
    from learnt.evaluate.regions import features_and_labels, regions

    table, truth = features_and_labels(model, X, y)
    model._check_training_rows(table)
    found = regions(model, table, truth, columns, resolution)
    ax = plot_regions(found, ax)
    if not found.x.coded and not found.y.coded:
        scores = np.asarray(model.decision_function(found.rows, shape="ovo")).reshape(*found.codes.shape, -1)
        _contours(ax, found, scores[..., machine if scores.shape[-1] > 1 else 0], (-1.0, 0.0, 1.0))
    _rings(ax, found, model, machine)
    if len(model.classes_) > 2:
        a, b = (short_name(model.classes_[c], 24) for c in model._pairs[machine])
        _add_to_title(ax, f"margin of {a} against {b}")
    _legend(ax, ("border", "edge of the margin"))
    return ax


def plot_bulk(model: OneClassSVM, X: Any, columns: Sequence[str] | None, resolution: int, ax: Any) -> Any:
    """The border around the bulk of the rows over two columns, and rings around the support."""
    from learnt.evaluate.regions import features_and_labels, regions

    table, _ = features_and_labels(model, X, None)
    model._check_training_rows(table)
    found = regions(model, table, None, columns, resolution)
    ax = plot_regions(found, ax)
    ax.images[0].remove()
    if not found.x.coded and not found.y.coded:
        scores = np.asarray(model.decision_function(found.rows)).reshape(found.codes.shape)
        if scores.max() > 0:
            ax.contourf(found.x.places, found.y.places, scores, [0.0, scores.max()], colors=[BLUE], alpha=0.15)
        _contours(ax, found, scores, (0.0,))
    _rings(ax, found, model, 0)
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    _legend(ax, ("border of the bulk",))
    return ax


def _contours(ax: Any, found: Any, scores: Array, levels: tuple[float, ...]) -> None:
    for level in levels:
        if scores.min() < level < scores.max():
            look = {"linewidths": 1.8, "linestyles": "-"} if level == 0 else {"linewidths": 1.1, "linestyles": "--"}
            ax.contour(found.x.places, found.y.places, scores, [level], colors=INK, zorder=2.5, **look)


def _rings(ax: Any, found: Any, model: Any, machine: int) -> None:
    """Full rings around rows on the edge, thin ones around those beyond."""
    used = np.flatnonzero(model._weights[:, machine])
    across, up = (axis.spots()[model.support_[used]] for axis in (found.x, found.y))
    beyond = model._at_bound[used, machine]
    if found.x.coded or found.y.coded:  # points of labels are spread in their cells, rings would miss them
        return
    for rows, width, colour in ((beyond, 0.7, "0.35"), (~beyond, 1.6, INK)):
        ax.scatter(across[rows], up[rows], s=70, facecolors="none", edgecolors=colour, linewidths=width, zorder=4)


def _legend(ax: Any, lines: tuple[str, ...]) -> None:
    """What was there, and lines and rings."""
    from matplotlib.lines import Line2D

    old = ax.get_legend()
    handles = list(old.legend_handles) if old is not None else []
    names = [text.get_text() for text in old.get_texts()] if old is not None else []
    looks: tuple[dict[str, Any], ...] = ({"lw": 1.8}, {"lw": 1.1, "ls": "--"})
    for words, look in zip(lines, looks, strict=False):
        handles.append(Line2D([], [], color=INK, **look))
        names.append(words)
    for words, width, colour in ((ON_EDGE, 1.6, INK), (BEYOND, 0.7, "0.35")):
        handles.append(Line2D([], [], ls="", marker="o", mfc="none", mec=colour, mew=width, ms=8))
        names.append(words)
    legend_aside(ax, handles=handles, labels=names)


def _add_to_title(ax: Any, words: str) -> None:
    text = "; ".join(filter(None, [ax.get_title(loc="left").replace("\n", " "), printable(words)]))
    ax.set_title(textwrap.fill(text, 92), loc="left", fontsize=9, color="0.35", parse_math=False)


def plot_class_coefficients(model: SVC, X: Any, y: Any, machine: int, ax: Any) -> Any:
    """α against the score of the own class: 0 beyond the margin, at its bound inside, and between on the edge."""
    from learnt.evaluate.regions import features_and_labels

    table, truth = features_and_labels(model, X, y)
    if truth is None:
        raise InputError("plot_coefficients needs the classes of the rows. Give y, or the name of its column.")
    model._check_training_rows(table)
    classes = model.classes_.tolist()
    codes = np.array([classes.index(value) if value in classes else -1 for value in truth.tolist()])
    first, second = (int(c) for c in model._pairs[machine])
    rows = np.flatnonzero((codes == first) | (codes == second))
    rows = rows[np.isin(rows, model._first_rows(table, codes))]
    scores = model._pair_scores(table)[:, machine]
    own = np.where(codes == first, scores, -scores)
    shares, axis_words = _shares(model, machine, table.n_rows)
    ax = axes_for(ax, (7, 4.4))
    top = 1.0 if np.isfinite(model.C) else float(shares.max(initial=1.0))
    low, high = _room(own[rows], 0.0, 1.0)
    ax.plot([high, 1, 1, low], [0, 0, top, top], color=LINE, lw=6, alpha=0.5, solid_joinstyle="miter", zorder=1)
    ax.axvline(0, color="0.45", lw=0.9, zorder=1)
    for c in (first, second):
        mine = rows[codes[rows] == c]
        mine = mine[evenly(len(mine), MOST_POINTS)]
        ax.scatter(
            own[mine],
            np.abs(shares[mine]),
            s=26,
            **class_look(c),
            edgecolors="white",
            linewidths=0.5,
            alpha=0.85,
            zorder=3,
            label=short_name(classes[c], 24),
        )
    ax.set_xlim(low, high)
    ax.set_ylim(-0.06 * top, 1.1 * top)
    for place, words in ((0.0, " border"), (1.0, " edge of the margin")):
        ax.annotate(words, (place, 1.02 * top), fontsize=8, color="0.35", ha="left", va="bottom")
    ax.set_xlabel("score for the own class")
    ax.set_ylabel(axis_words)
    wrong = int(np.sum(own[rows] <= 0))
    on, at = int(np.sum((shares[rows] != 0) & (np.abs(shares[rows]) < 1))), int(np.sum(np.abs(shares[rows]) >= 1))
    words = f"{count_of(len(rows), 'row')}: {on:,} on the edge, {at:,} inside or beyond, {wrong:,} on the wrong side"
    if not np.isfinite(model.C):
        words = f"{count_of(len(rows), 'row')}, {int(np.sum(shares[rows] != 0)):,} of them on the edge"
    ax.set_title(words, loc="left", fontsize=9, color="0.35")
    legend_aside(ax)
    return ax


def _shares(model: Any, machine: int, n: int) -> tuple[Array, str]:
    """The coefficient of each row as a share of its bound, as it is where it has none; and words for it."""
    beta = model._weights[:, machine]
    bounded = np.isfinite(model._bounds).all()
    shares = np.zeros(n)
    shares[model.support_] = beta / model._bounds if bounded else beta
    return shares, "coefficient α, as a share of its bound" if bounded else "coefficient α"


def _room(values: Array, *inside: float) -> tuple[float, float]:
    ends = inside if values.size == 0 else (float(values.min()), float(values.max()), *inside)
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low) or 0.5
    if not (np.isfinite(low - room) and np.isfinite(high + room)):
        raise InputError("What is to be drawn lies beyond all numbers. Fit the machine to smaller ones.")
    return low - room, high + room


def _targets(model: SVR, X: Any, y: Any) -> tuple[Table, Array, str]:
    """The rows as the machine knows them, their targets, and the name of the target."""
    from learnt.evaluate.regions import features_and_labels

    table = X if isinstance(X, Table) else Table(X)
    y = table.target if y is None else y
    if y is None:
        raise InputError("The picture needs the targets of the rows. Give y, or the name of its column.")
    name = y if isinstance(y, str) else "target"
    features, _ = features_and_labels(model, table, y)
    column = table[y] if isinstance(y, str) else to_vector(y, "y")
    model._check_training_rows(features)
    return features, np.asarray(column.values, dtype=np.float64), name


def plot_tube(model: SVR, X: Any, y: Any, column: str | None, ax: Any) -> Any:
    """The function over a column with its tube; rows inside are pale, support vectors ringed."""
    from learnt.evaluate.regions import line_of

    table, target, name = _targets(model, X, y)
    if column is None:
        numeric = [c.name for c in table.columns if c.kind == "numeric"]
        column = numeric[0] if numeric else table.names[0]
    across, rows, held = line_of(table, column, 400)
    if across.coded:
        raise InputError(f"Column {column!r} holds labels. Expected a numeric one.")
    values, width = np.asarray(model.predict(rows)), float(model.epsilon) * model._target_spread
    ax = axes_for(ax, (7.5, 4.6))
    ax.fill_between(across.places, values - width, values + width, color=BLUE, alpha=0.15, lw=0, label="tube")
    ax.plot(across.places, values, color=BLUE, lw=1.8, label="prediction")
    spots = across.spots()
    inside = np.setdiff1d(np.arange(len(spots)), model.support_)
    beyond = model._at_bound[:, 0]
    few = inside[evenly(len(inside), MOST_POINTS)]
    ax.scatter(
        spots[few], target[few], s=16, color=NO_ANSWER, linewidths=0, label="row that could be left out", zorder=3
    )
    for some, look, words in ((~beyond, INK, ON_EDGE), (beyond, RUST, BEYOND)):
        at = model.support_[some]
        ax.scatter(
            spots[at], target[at], s=30, facecolors="white", edgecolors=look, linewidths=1.3, label=words, zorder=4
        )
    name_axes(ax, column, name)
    ticks_of_form(ax.xaxis, across.column.form)
    if held:
        ax.set_title(textwrap.fill(held, 92), loc="left", fontsize=9, color="0.35", parse_math=False)
    legend_aside(ax)
    return ax


def plot_target_coefficients(model: SVR, X: Any, y: Any, ax: Any) -> Any:
    """β against how far the target lies from the prediction: 0 inside of the tube, at its bound outside."""
    table, target, name = _targets(model, X, y)
    rows = model._first_rows(table, target)
    residual = target - np.asarray(model.predict(table))
    shares, _ = _shares(model, 0, table.n_rows)
    width = float(model.epsilon) * model._target_spread
    ax = axes_for(ax, (7, 4.4))
    low, high = _room(residual[rows], -2 * width, 2 * width)
    ax.axvspan(-width, width, color=BLUE, alpha=0.12, lw=0, label="tube")
    path = [low, -width, -width, width, width, high], [-1, -1, 0, 0, 1, 1]
    ax.plot(*path, color=LINE, lw=6, alpha=0.5, solid_joinstyle="miter", zorder=1)
    _thirds(ax, residual, shares, rows)
    ax.set_xlim(low, high)
    ax.set_ylim(-1.12, 1.12)
    ax.set_xlabel(f"{short_name(name, 40)} less its prediction", parse_math=False)
    ax.set_ylabel("coefficient β, as a share of its bound")
    legend_aside(ax)
    return ax


def plot_bulk_coefficients(model: OneClassSVM, X: Any, ax: Any) -> Any:
    """α against the score: 0 inside of the border, at its bound outside, and between on the border itself."""
    from learnt.evaluate.regions import features_and_labels

    table, _ = features_and_labels(model, X, None)
    model._check_training_rows(table)
    rows = model._first_rows(table, np.zeros(table.n_rows))
    scores = np.asarray(model.decision_function(table))
    shares, axis_words = _shares(model, 0, table.n_rows)
    ax = axes_for(ax, (7, 4.4))
    low, high = _room(scores[rows], 0.0)
    ax.plot([high, 0, 0, low], [0, 0, 1, 1], color=LINE, lw=6, alpha=0.5, solid_joinstyle="miter", zorder=1)
    _thirds(ax, scores, shares, rows)
    ax.set_xlim(low, high)
    ax.set_ylim(-0.06, 1.1)
    ax.set_xlabel("score: below 0 outside of the border")
    ax.set_ylabel(axis_words)
    legend_aside(ax)
    return ax


def _thirds(ax: Any, across: Array, shares: Array, rows: Array) -> None:
    """Rows by whether their coefficient is 0, between, or at its bound."""
    few = rows[evenly(len(rows), MOST_POINTS)]
    size = np.abs(shares[few])
    for some, colour, words in (
        (size == 0, NO_ANSWER, "row inside"),
        ((size > 0) & (size < 1), INK, ON_EDGE),
        (size >= 1, RUST, BEYOND),
    ):
        at = few[some]
        edge = {"edgecolors": "white", "linewidths": 0.5}
        ax.scatter(across[at], shares[at], s=26, color=colour, **edge, label=words, zorder=3)
