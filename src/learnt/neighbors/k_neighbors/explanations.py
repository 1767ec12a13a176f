"""An answer taken apart into the neighbours that gave it, and the columns that make them near."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.explain.text import headline, term
from learnt.show.html import html_table, paragraph
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import label, plain, short_name, shorten_text

if TYPE_CHECKING:
    from learnt.neighbors.k_neighbors.learner import KNeighbors

CELLS_SHOWN, COLUMNS_SHOWN = 3, 4


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A row of the fitted table: its number, cells and target, how far it is, and what it adds to the answer.

    `weight` is its share of all neighbours' weight. `vote` is that share if it has the predicted class, and the share
    times its target where numbers are predicted: votes add up to the total.
    """

    row: int
    cells: dict[str, Any]
    target: Any
    distance: float
    weight: float
    vote: float


@dataclass(frozen=True, slots=True)
class Nearness:
    """What a column adds to the distance of the neighbours on average, and to that of all fitted rows."""

    column: str
    value: Any
    here: float
    typical: float


@dataclass(frozen=True)
class NeighborExplanation(Explanation):
    """An `Explanation` with the neighbours that gave the answer, nearest first, and what makes them near.

    `columns` is empty where a metric does not take columns apart, such as a function of the user's.
    """

    neighbors: tuple[Neighbor, ...] = ()
    columns: tuple[Nearness, ...] = ()

    def by_nearness(self) -> tuple[Nearness, ...]:
        """The columns, those first that make the neighbours nearer than other rows by most."""
        return tuple(sorted(self.columns, key=lambda c: c.here - c.typical))

    def text(self, most: int = 10) -> str:
        """The neighbours in lines, at most `most` of them, and the columns that make them near."""
        lines = [headline(self)]
        if self.neighbors:
            lines += ["  " + line for line in _table_text(self, most).splitlines()]
        if len(self.neighbors) > most:
            rest = self.neighbors[most:]
            lines.append(f"  … and {len(rest)} more, together {number(math.fsum(n.vote for n in rest))}")
        near = _near_in(self)
        if near:
            lines.append(f"  near in {near}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = _rows(self, 10)
        near = _near_in(self)
        table = html_table(head, rows, _left_aligned(head), f"near in {near}" if near else "")
        return f"<div class='learnt-explanation'>{paragraph(headline(self))}{table}</div>"

    def plot(self, ax: Any = None, most: int = 10) -> Any:
        """Draw the votes, one bar for each neighbour; returns the matplotlib axes."""
        from learnt.plot.explanation import plot_explanation

        votes = tuple(Evidence(f"row {n.row}", n.target, n.vote) for n in self.neighbors)
        told = Explanation(self.prediction, "sum", 0.0, "", votes, self.total, self.total_words)
        return plot_explanation(told, ax, most)

    def to_dict(self) -> dict[str, Any]:
        """The same in dicts, lists and Python scalars, ready for JSON."""
        found = Explanation.to_dict(self)
        found["neighbors"] = [
            {
                "row": n.row,
                "cells": {name: plain(cell) for name, cell in n.cells.items()},
                "target": plain(n.target),
                "distance": n.distance,
                "weight": n.weight,
                "vote": n.vote,
            }
            for n in self.neighbors
        ]
        found["columns"] = [
            {"column": c.column, "value": plain(c.value), "here": c.here, "typical": c.typical} for c in self.columns
        ]
        return found


def _near_in(told: NeighborExplanation) -> str:
    """The columns in which the neighbours are nearer than other rows."""
    helping = [c for c in told.by_nearness()[:COLUMNS_SHOWN] if c.here < c.typical]
    return "; ".join(
        f"{shorten_text(term(Evidence(c.column, c.value, 0.0)), 40)} ({number(c.here)}, others {number(c.typical)})"
        for c in helping
    )


def _rows(told: NeighborExplanation, most: int) -> list[list[str]]:
    names = [c.column for c in told.by_nearness()[:CELLS_SHOWN]]
    if not names and told.neighbors:
        names = list(told.neighbors[0].cells)[:CELLS_SHOWN]
    head = ["row", "target", "distance", "weight", "vote", *(short_name(name, 24) for name in names)]
    return [head] + [
        [str(n.row), label(n.target), number(n.distance), number(n.weight), number(n.vote)]
        + [shorten_text(label(n.cells[name]), 24) for name in names]
        for n in told.neighbors[:most]
    ]


def _table_text(told: NeighborExplanation, most: int) -> str:
    rows = _rows(told, most)
    return aligned(rows, left=_left_aligned(rows[0]))


def _left_aligned(head: list[str]) -> set[int]:
    """Columns of words: the target, and the cells of the row."""
    return {1, *range(5, len(head))}


def explain_by_neighbors(learner: KNeighbors, table: Table) -> Explanations:
    return Explanations(table.n_rows, lambda i: _explain_row(learner, table.rows(i, i + 1)))


def _explain_row(learner: KNeighbors, row: Table) -> NeighborExplanation:
    _, near = next(iter(learner._near(row)))
    weights, answer = learner._weights_of(near)[0], learner._answer(near)[0]
    taking = np.flatnonzero(weights > 0)
    taking = taking[np.argsort(near.distances[0, taking], kind="stable")]
    rows, weights, distances = near.rows[0, taking], weights[taking], near.distances[0, taking]
    targets = learner._target[rows]
    equal = bool(np.all(weights == weights[0]))
    if learner.needs == "classes":
        labels: Sequence[Any] = learner.classes_.tolist()  # type: ignore[attr-defined]
        order = np.argsort(-answer, kind="stable").tolist()
        best = order[0]
        votes = np.where(targets == best, weights, 0.0)
        prediction, shown, total = labels[best], [labels[c] for c in targets], float(answer[best])
        words = _class_words(int(np.sum(targets == best)), len(rows), total, equal)
        others = tuple((labels[c], float(answer[c])) for c in order[1:])
        what = "share of the class"
    else:
        votes, total, what, others = weights * targets, float(answer), "prediction", ()
        prediction, shown = total, targets.tolist()
        mean = "mean" if equal else "weighted mean"
        words = (
            f"it is the {mean} of the targets of its {len(rows)} nearest rows"
            if len(rows) > 1
            else "its nearest row has it"
        )
    part = learner._rows.table.take(rows)
    if part.sparse is not None:  # of thousands of columns those that are not zero
        stored = np.unique(np.concatenate([row_places(row), part.sparse.indices]))
        every = row.names
        part = part.select([every[j] for j in stored.tolist()])
    cells = [c.labels() for c in part.columns]
    names = learner._rows.named(rows).tolist()
    neighbors = tuple(
        Neighbor(
            int(names[i]),
            {name: cells[j][i] for j, name in enumerate(part.names)},
            shown[i],
            float(distances[i]),
            float(weights[i]),
            float(votes[i]),
        )
        for i in range(len(rows))
    )
    columns = (
        _nearness(learner, row, rows, weights)
        if part.sparse is None
        else _nearness_of(learner, row, rows, weights, stored)
    )
    return NeighborExplanation(
        prediction, "frequency", total, words, (), total, what, others, neighbors=neighbors, columns=columns
    )


def _class_words(having: int, n: int, share: float, equal: bool) -> str:
    if n == 1:
        return "its nearest row has it"
    if having == n:
        return f"all of its {n} nearest rows have it"
    if equal:
        return f"{having} of its {n} nearest rows have it"
    return f"{having} of its {n} nearest rows have it, with {number(share)} of their weight"


def _nearness(learner: KNeighbors, row: Table, rows: Array, weights: Array) -> tuple[Nearness, ...]:
    if learner._measure is None:
        return ()
    found = []
    scale = learner._measure.column_weights
    for j, part in enumerate(learner._measure.parts(row, learner._rows.table)):
        away = part[0] * (1.0 if scale is None else scale[j])
        cell = row.columns[j].labels()[0]
        found.append(Nearness(row.names[j], cell, float(away[rows] @ weights), float(away.mean())))
    return tuple(found)


def row_places(row: Table) -> Array:
    """The columns in which a row is not zero."""
    cells = row.sparse.indices if row.sparse is not None else np.flatnonzero(np.array(row)[0])
    return np.asarray(cells)


def _nearness_of(learner: KNeighbors, row: Table, rows: Array, weights: Array, stored: Array) -> tuple[Nearness, ...]:
    """The same of sparse rows, in the columns in which the row or a neighbour is not zero."""
    measure = learner._measure
    if measure is None or not measure.adds_up:
        return ()
    every = row.names
    names = [every[j] for j in stored.tolist()]
    scale = np.ones(len(stored)) if measure.column_weights is None else measure.column_weights[stored]
    if measure.ranges is not None:
        ranges = measure.ranges[stored]
        scale = np.divide(scale, ranges**2, out=np.zeros(len(stored)), where=ranges > 0)
    cells = np.array(row.select(names), dtype=np.float64)[0]
    kept = learner._rows.table.select(names).sparse
    here = weights @ (kept[rows].toarray() - cells) ** 2
    mean, square = (np.asarray(x.sum(axis=0)).ravel() / kept.shape[0] for x in (kept, kept.power(2)))
    typical = cells**2 - 2 * cells * mean + square
    told = zip(names, cells.tolist(), (scale * here).tolist(), (scale * typical).tolist(), strict=True)
    return tuple(Nearness(*one) for one in told)
