"""Generalised exemplars: rows grow into rectangles, apart from those of other classes or nested into them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.lazy import cached_property
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf
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

    With growth="apart" each row is offered to the nearest rectangle of its own class, then to the second nearest, which
    grows to take it in unless it would then hold a row of another class; else the row becomes a rectangle of its own, a
    point. All are trusted alike (tried = right = their rows); of equally near ones that with most rows answers.

    With growth="nested", Salzberg's way, the nearest rectangle of any class is asked about each row. If its class is
    right, it grows to take the row in; if not, the row becomes a point, maybe inside another one: an exception. Of
    rectangles around a row the smallest answers, of equal ones the one most often right. On columns of labels such
    rectangles soon cover everything, and the answers may be worse than always the commonest class.

    >>> table = {"x": [0.0, 1.0, 8.0, 9.0, 0.5], "colour": ["red", "blue", "red", "red", "red"]}
    >>> model = NestedExemplarsClassifier().fit(table, ["a", "a", "b", "b", "a"])
    >>> print(model)
    'a' if x is 0 to 1 (3 rows)
    'b' if x is 8 to 9 and colour is 'red' (2 rows)

    Columns of labels hold sets: a label inside is at 0, any other at 1; a missing cell is at 1. What grows depends on
    the order of the rows. A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    {settings}

    Attributes: `n_exemplars_`; `rectangles_`: `low`, `high`, the `sets` of labels, the code of the
    `label`, how often each was `tried` and `right`.

    Reference: S. Salzberg, A nearest hyperrectangle learning method, Machine Learning 6, 1991; D. Wettschereck,
    T. Dietterich, An experimental comparison of the nearest-neighbor and nearest-hyperrectangle algorithms, Machine
    Learning 19, 1995, whose comparison speaks for rectangles apart.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent", "pairwise"})
    whole = COMPARES_ROWS
    fit_cost = 100.0
    simplicity = 15.0
    readable = True
    search_space: ClassVar[dict[str, Any]] = {"growth": ("apart", "nested")}

    growth: Any = setting(
        OneOf("apart", "nested"),
        'rectangles without a row of another class, or "nested": exceptions inside of others',
        default="apart",
    )
    second_match: bool = setting(
        Flag(),
        'of "nested": whether the second nearest is asked too, before a row becomes its own rectangle, '
        "as in Salzberg's first version: fewer and larger rectangles",
        default=False,
    )

    rectangles_: Rectangles = attribute()
    _extent: Extent = attribute()

    # Growing

    def _learn(self, rows: WholeTable) -> None:
        rows = rows.unpacked().of_positive_weight()
        table, y, w = rows.table, rows.target, rows.uneven_weights
        self._extent = Extent.of(table)
        cells, shown = cells_of(table), showings(table.n_rows, w)
        labels, apart = np.ascontiguousarray(y, np.int32), self.growth == "apart"
        kept, asked = self._empty(table.schema), 2 if apart or self.second_match else 1
        for first in range(0, len(shown), REPORTED):
            kept.grow(cells, labels, shown[first : first + REPORTED], asked, apart)
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
        kept = self._empty(self._schema)
        self.rectangles_.write(kept)
        return kept

    def _empty(self, schema: Schema) -> _core.RectangleRows:
        ranges, weights, _ = scaling(self._extent.measure(schema))
        return _core.RectangleRows(label_counts(schema), ranges, weights, self.growth == "apart")

    def _nearest_rectangles(self, table: Table) -> tuple[Array, Array]:
        """How far each row is from each class, and the place of the rectangle that answers for it."""
        far, answering = np.empty((table.n_rows, len(self.classes_))), np.empty(table.n_rows, np.int64)
        self._kept.ask(cells_of(table), far, answering)
        return far, answering

    def _class_distances(self, table: Table) -> Array:
        return self._nearest_rectangles(table)[0]

    def _answers(self, table: Table) -> Array:
        answers: Array = self.rectangles_.label[self._nearest_rectangles(table)[1]]
        return answers

    def _parts(self, row: Table, answer: int) -> tuple[float, Array, list[str], str, str]:
        ranges, weights, _ = scaling(self._extent.measure(self._schema))
        cells, found = cells_of(row)[0], self.rectangles_
        h = int(self._nearest_rectangles(row)[1][0])
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
            answer = label(self.classes_[found.label[h]].item())
            record = (
                f"{found.right[h]:.0f} of {found.tried[h]:.0f} right"
                if self.growth == "nested"
                else count_text(found.right[h])
            )
            lines.append(f"{answer} if {' and '.join(asked) or 'anything'} ({record})")
        if self.n_exemplars_ > RULES_SHOWN:
            lines.append(f"… and {self.n_exemplars_ - RULES_SHOWN} rectangles more")
        return "\n".join(lines)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        self._extent.check(self._schema)
        self.rectangles_.check(self._schema, len(self.classes_))
        _ = self._kept


def count_text(rows: float) -> str:
    return f"{rows:.0f} row" + ("" if rows == 1 else "s")
