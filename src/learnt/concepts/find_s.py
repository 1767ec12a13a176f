"""The rote learner and Find-S: from remembering rows to the least general hypothesis that covers all positive ones."""

from __future__ import annotations

from typing import Any

from learnt.concepts.base import ConceptLearner, Step, Steps
from learnt.concepts.language import Hypothesis, Row
from learnt.data.table import Array


class RoteLearner(ConceptLearner):
    """Remembers rows with their labels, and answers only what it has seen. It has no bias, and learns nothing.

    >>> learner = RoteLearner().fit({"sky": ["sunny", "rainy"]}, ["yes", "no"])
    >>> learner.predict({"sky": ["rainy", "cloudy"]}).tolist()
    ['no', None]
    """

    def _learn(self, rows: list[Row], positive: list[bool]) -> None:
        self.memory_: dict[Row, bool | None] = {}
        for row, label in zip(rows, positive, strict=True):
            known = self.memory_.get(row, label)
            self.memory_[row] = label if known == label else None  # contradicting labels leave it open

    def predict(self, X: Any) -> Array:
        """Labels of rows that were seen, None for others and for those seen with both labels."""
        self._check_fitted()
        return self._labels([self.memory_.get(row) for row in self.language_.rows(X)])


class FindS(ConceptLearner):
    """Find-S: start with the hypothesis that nothing meets, and generalise as little as each positive row needs.

    >>> rows = {"sky": ["sunny", "sunny", "rainy"], "wind": ["weak", "strong", "weak"]}
    >>> learner = FindS().fit(rows, ["yes", "yes", "no"])
    >>> learner.hypothesis_
    ⟨sunny, ?⟩
    >>> print(learner.steps_)
       example          hypothesis
    0  start            ⟨∅, ∅⟩
    1  + sunny, weak    ⟨sunny, weak⟩
    2  + sunny, strong  ⟨sunny, ?⟩
    3  − rainy, weak    ⟨sunny, ?⟩

    Negative rows change nothing. `mistakes_` counts the rows that the hypothesis of that moment got wrong, and
    `consistent_` says whether the last one covers no negative row: if it does, the concept cannot be said in the
    language, or a label is wrong, and `contradicted_by_` numbers these rows.
    """

    def _learn(self, rows: list[Row], positive: list[bool]) -> None:
        found: Hypothesis = self.language_.nothing
        self.steps_ = Steps([Step(0, None, None, (("hypothesis", str(found)),))])
        self.mistakes_ = 0
        for i, (row, label) in enumerate(zip(rows, positive, strict=True)):
            self.mistakes_ += found.covers(row) != label
            if label:
                found = self.language_.generalise(found, row)
            self.steps_.append(Step(i + 1, row, label, (("hypothesis", str(found)),)))
        self.hypothesis_ = found
        pairs = enumerate(zip(rows, positive, strict=True))
        self.contradicted_by_ = [i for i, (row, label) in pairs if not label and found.covers(row)]
        self.consistent_ = not self.contradicted_by_

    def predict(self, X: Any) -> Array:
        """The positive label for rows that the hypothesis covers, the other one for the rest."""
        self._check_fitted()
        return self._labels([self.hypothesis_.covers(row) for row in self.language_.rows(X)])
