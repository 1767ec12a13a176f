"""Nested generalised exemplars: rows grow into rectangles, and exceptions sit inside of them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.neighbors.extent import Extent, cells_of
from learnt.neighbors.instance_based import scaling
from learnt.neighbors.nearest_class import NearestClass
from learnt.neighbors.rectangles import Rectangles
from learnt.neighbors.saved_settings import check_settings
from learnt.neighbors.showings import showings
from learnt.neighbors.whole_table import take_whole
from learnt.parameters import Domain, Flag
from learnt.watch import report
from learnt.wording import label

#: Rows between two reports.
REPORTED = 1000


class NestedExemplarsClassifier(NearestClass):
    """Answer with the class of the nearest rectangle; rectangles grow out of the rows, one by one.

        d(x, H) = (tried_H / right_H) · sqrt(Σ_j d_j²),   d_j = 0 inside, else the share of the range to the side

    The nearest rectangle is asked about each row. If its class is right, it grows to take the row in; if not, the row
    becomes a rectangle of its own, a point, maybe inside another one: an exception. Of rectangles around a row the
    smallest answers, of equal ones the one most often right.

    >>> table = {"x": [0.0, 1.0, 8.0, 9.0, 0.5], "colour": ["red", "blue", "red", "red", "red"]}
    >>> model = NestedExemplarsClassifier().fit(table, ["a", "a", "b", "b", "a"])
    >>> print(model)
    'a' if x is 0 to 1 (3 of 4 right)
    'b' if x is 8 to 9 and colour is 'red' (2 of 2 right)

    Columns of labels hold sets: a label inside is at 0, any other at 1; a missing cell is at 1. What grows depends on
    the order of the rows. A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    | setting | default | meaning |
    |---|---|---|
    | `second_match` | False | whether the second nearest is asked too, before a row becomes its own rectangle, as in \
Salzberg's first version: fewer and larger rectangles, which on columns of labels soon cover everything |

    Attributes: `n_exemplars_`; `rectangles_`: `low`, `high`, the `sets` of labels, the code of the
    `label`, how often each was `tried` and `right`.

    Reference: S. Salzberg, A nearest hyperrectangle learning method, Machine Learning 6, 1991.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent", "pairwise"})
    fit_cost = 100.0
    simplicity = 15.0
    readable = True
    search_space: ClassVar[dict[str, Any]] = {"second_match": (False, True)}
    domains: ClassVar[dict[str, Domain]] = {"second_match": Flag()}

    rectangles_: Rectangles
    _extent: Extent

    def __init__(self, *, second_match: bool = False):
        self.second_match = second_match

    # Growing

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        table, y, w, _ = yield from take_whole(training, type(self).__name__)
        self._extent = Extent.of(table)
        ranges, weights, _ = scaling(self._extent.measure(table.schema))
        cells, shown = cells_of(table), showings(table.n_rows, w)
        grown, count, asked = Rectangles.none(table.schema, 8), 0, 2 if self.second_match else 1
        for step, i in enumerate(shown.tolist()):
            if count == len(grown.label):
                grown = grown.grown(table.schema)
            if not _taken_in(grown.first(count), cells[i], int(y[i]), ranges, weights, asked):
                grown.label[count] = y[i]
                grown.contain(count, cells[i])
                count += 1
            if (step + 1) % REPORTED == 0:
                report("rows", learner=type(self).__name__, iteration=step + 1, total=len(shown), exemplars=count)
        self.rectangles_ = grown.first(count).copied()

    @property
    def n_exemplars_(self) -> int:
        return len(self.rectangles_.label)

    # Answering

    def _class_distances(self, table: Table) -> Array:
        ranges, weights, _ = scaling(self._extent.measure(self._schema))
        far = np.full((table.n_rows, len(self.classes_)), np.inf)
        for i, cells in enumerate(cells_of(table)):
            np.minimum.at(far[i], self.rectangles_.label, _distances(self.rectangles_, cells, ranges, weights))
        return far

    def _nearest(self, table: Table) -> Array:
        """The place of the rectangle that answers for each row."""
        found, (ranges, weights, _) = self.rectangles_, scaling(self._extent.measure(self._schema))
        rows = cells_of(table)
        return np.array([_first(found, _distances(found, x, ranges, weights), ranges, weights) for x in rows])

    def _answers(self, table: Table) -> Array:
        answers: Array = self.rectangles_.label[self._nearest(table)]
        return answers

    def _parts(self, row: Table, answer: int) -> tuple[float, Array, list[str], str, str]:
        ranges, weights, _ = scaling(self._extent.measure(self._schema))
        cells, found = cells_of(row)[0], self.rectangles_
        h = int(self._nearest(row)[0])
        parts = found.parts(cells, ranges, weights)[h] * found.reliability[h] ** 2
        words = [f"exemplar {text}" if text else "" for text in found.words(h, self._schema, weights)]
        return 0.0, parts, words, "", "squared distance"

    def __str__(self) -> str:
        """The rectangles as rules, those that were right most often first."""
        if "rectangles_" not in self.__dict__:
            return repr(self)
        found, lines = self.rectangles_, []
        _, weights, _ = scaling(self._extent.measure(self._schema))
        for h in np.argsort(-found.right, kind="stable").tolist():
            texts = found.words(h, self._schema, weights)
            asked = [f"{name} is {text}" for name, text in zip(self._schema.names, texts, strict=True) if text]
            answer, record = (
                label(self.classes_[found.label[h]].item()),
                f"{found.right[h]:.0f} of {found.tried[h]:.0f}",
            )
            lines.append(f"{answer} if {' and '.join(asked) or 'anything'} ({record} right)")
        return "\n".join(lines)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        self._extent.check(self._schema)
        self.rectangles_.check(self._schema, len(self.classes_))


def _distances(found: Rectangles, cells: Array, ranges: Array, weights: Array) -> Array:
    away: Array = np.sqrt(found.parts(cells, ranges, weights).sum(axis=1)) * found.reliability
    return away


def _first(found: Rectangles, distances: Array, ranges: Array, weights: Array) -> int:
    """The nearest rectangle; of equally near ones the smallest, then the one most often right, then the oldest."""
    tied = np.flatnonzero(distances == distances.min())
    if len(tied) == 1:
        return int(tied[0])
    return int(tied[np.lexsort((found.reliability[tied], found.size(ranges, weights, tied)))[0]])


def _taken_in(found: Rectangles, cells: Array, truth: int, ranges: Array, weights: Array, asked: int) -> bool:
    """Ask the nearest rectangles, so many; the first of them that is right takes the row in."""
    if not len(found.label):
        return False
    distances = _distances(found, cells, ranges, weights)
    for _ in range(min(asked, len(distances))):
        h = _first(found, distances, ranges, weights)
        distances[h] = np.inf
        found.tried[h] += 1
        if found.label[h] == truth:
            found.right[h] += 1
            found.contain(h, cells)
            return True
    return False
