"""Classifiers that answer with the nearest class, whatever stands for a class: rows, exemplars, rectangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Classifier


class NearestClass(Classifier, abstract=True):
    """Members write `_class_distances`, rows × classes, and `_parts`, what each column adds to one of them.

    A class that nothing stands for is infinitely far.
    """

    def distances(self, X: Any) -> Array:
        """How far each row is from each class, columns in the order of `classes_`; infinite if none stands for it."""
        still = self._still()
        found: Array = still._over(X, still._class_distances)
        return found

    def _class_distances(self, table: Table) -> Array:
        raise NotImplementedError

    def _answers(self, table: Table) -> Array:
        """The code of the answer to each row; of equally near classes the first."""
        answers: Array = self._class_distances(table).argmin(axis=1)
        return answers

    def _probabilities(self, table: Table) -> Array:
        answers = self._answers(table)
        sure = np.zeros((table.n_rows, len(self.classes_)))
        sure[np.arange(len(answers)), answers] = 1.0
        return sure

    def _parts(self, row: Table, answer: int) -> tuple[float, Array, list[str], str, str]:
        """Of a single row and a class: base, what each column adds, words for each, words for the base and total.

        They add up to the distance, or to its square where the words of the total say so.
        """
        raise NotImplementedError

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        labels, answer, far = self.classes_.tolist(), int(self._answers(row)[0]), self._class_distances(row)[0]
        base, parts, words, base_words, total_words = self._parts(row, answer)
        told = zip(row.names, row.columns, parts.tolist(), words, strict=True)
        evidence = tuple(Evidence(name, column.labels()[0], part, how) for name, column, part, how in told)
        shown = far**2 if "squared" in total_words else far
        order = [int(c) for c in np.argsort(far, kind="stable") if c != answer and np.isfinite(far[c])]
        return Explanation(
            prediction=labels[answer],
            kind="nearest",
            base=base,
            base_words=base_words,
            evidence=evidence,
            total=base + float(parts.sum()),
            total_words=total_words,
            alternatives=tuple((labels[c], float(shown[c])) for c in order),
        )
