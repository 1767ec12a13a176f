"""Nested generalised exemplars: rows grow into rectangles, and exceptions sit inside of them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.lazy import cached_property
from learnt.learner.parameters import Domain, Flag
from learnt.learner.saved_settings import check_settings
from learnt.neighbors.exemplars.nearest_class import NearestClass
from learnt.neighbors.exemplars.rectangles import Rectangles, label_counts
from learnt.neighbors.extent import Extent, cells_of
from learnt.neighbors.selection.instance_based import scaling
from learnt.neighbors.showings import showings
from learnt.show.words import label
from learnt.watch import report

#: Rows between two reports.
REPORTED = 1000

#: Rectangles that `str` tells of.
RULES_SHOWN = 20


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
    whole = COMPARES_ROWS
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

    def _learn(self, rows: WholeTable) -> None:
        rows = rows.unpacked().of_positive_weight()
        table, y, w = rows.table, rows.target, rows.uneven_weights
        self._extent = Extent.of(table)
        ranges, weights, _ = scaling(self._extent.measure(table.schema))
        cells, shown = cells_of(table), showings(table.n_rows, w)
        labels, asked = np.ascontiguousarray(y, np.int32), 2 if self.second_match else 1
        kept = _core.RectangleRows(label_counts(table.schema), ranges, weights)
        for first in range(0, len(shown), REPORTED):
            kept.grow(cells, labels, shown[first : first + REPORTED], asked)
            done = min(first + REPORTED, len(shown))
            report("rows", learner=type(self).__name__, iteration=done, total=len(shown), exemplars=len(kept))
        self.rectangles_ = Rectangles.read(kept, table.schema)
        _ = self._kept  # asking changes nothing any more

    @property
    def n_exemplars_(self) -> int:
        return len(self.rectangles_.label)

    # Answering

    @cached_property
    def _kept(self) -> _core.RectangleRows:
        ranges, weights, _ = scaling(self._extent.measure(self._schema))
        kept = _core.RectangleRows(label_counts(self._schema), ranges, weights)
        self.rectangles_.write(kept)
        return kept

    def _asked(self, table: Table) -> tuple[Array, Array]:
        """How far each row is from each class, and the place of the rectangle that answers for it."""
        far, answering = np.empty((table.n_rows, len(self.classes_))), np.empty(table.n_rows, np.int64)
        self._kept.ask(cells_of(table), far, answering)
        return far, answering

    def _class_distances(self, table: Table) -> Array:
        return self._asked(table)[0]

    def _answers(self, table: Table) -> Array:
        answers: Array = self.rectangles_.label[self._asked(table)[1]]
        return answers

    def _parts(self, row: Table, answer: int) -> tuple[float, Array, list[str], str, str]:
        ranges, weights, _ = scaling(self._extent.measure(self._schema))
        cells, found = cells_of(row)[0], self.rectangles_
        h = int(self._asked(row)[1][0])
        parts = found.parts(h, cells, ranges, weights) * found.reliability[h] ** 2
        words = [f"exemplar {text}" if text else "" for text in found.words(h, self._schema, weights)]
        return 0.0, parts, words, "", "squared distance"

    def __str__(self) -> str:
        """The rectangles as rules, those that were right most often first."""
        if "rectangles_" not in self.__dict__:
            return repr(self)
        found, lines = self.rectangles_, []
        _, weights, _ = scaling(self._extent.measure(self._schema))
        for h in np.argsort(-found.right, kind="stable")[:RULES_SHOWN].tolist():
            texts = found.words(h, self._schema, weights)
            asked = [f"{name} is {text}" for name, text in zip(self._schema.names, texts, strict=True) if text]
            answer, record = (
                label(self.classes_[found.label[h]].item()),
                f"{found.right[h]:.0f} of {found.tried[h]:.0f}",
            )
            lines.append(f"{answer} if {' and '.join(asked) or 'anything'} ({record} right)")
        if self.n_exemplars_ > RULES_SHOWN:
            lines.append(f"… and {self.n_exemplars_ - RULES_SHOWN} rectangles more")
        return "\n".join(lines)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        self._extent.check(self._schema)
        self.rectangles_.check(self._schema, len(self.classes_))
        _ = self._kept
