"""The basic linear classifier: the border halfway between the means of the classes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.sizes import sums_beyond
from learnt.engine.training import Training
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf
from learnt.neighbors.exemplars.class_sums import (
    ClassSums,
    Spread,
    TakeClassSums,
    TakeSpread,
    as_probabilities,
    dense_blocks,
)
from learnt.neighbors.exemplars.nearest_exemplar import class_means
from learnt.show.words import label


class BasicLinearClassifier(Classifier):
    """Answer by which side of the border a row is on, halfway between the means of two classes.

        score(x) = w·x − t,   w = μ₊ − μ₋,   t = (‖μ₊‖² − ‖μ₋‖²) / 2;   of more classes: the largest μ_c·x − ‖μ_c‖² / 2

    >>> table = {"x": [0.0, 2.0, 8.0, 10.0]}
    >>> model = BasicLinearClassifier().fit(table, ["no", "no", "yes", "yes"])
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.predict({"x": [4.9, 5.1]}).tolist()
    ([[8.0]], [-40.0], ['no', 'yes'])

    It is the nearest centroid by Euclidean distance, `NearestExemplar()`, written as a sum. Labels count as 0/1
    columns, ordered ones as ranks; missing cells as the mean or the most frequent label.

    {settings}

    Attributes: `coef_`, `intercept_`, of the second class against the first, or one row for each class; `means_`,
    classes × columns, as `get_design_names` names them; `width_`, the variance of the classes in each direction.

    Reference: P. Flach, Machine Learning, 2012, section 1.1.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    fit_cost = 3.0
    simplicity = 7.0
    takes_text = "counts"
    search_space: ClassVar[dict[str, Any]] = {"standardize": (False, True)}

    standardize: Any = setting(
        OneOf("auto") | Flag(), 'divide numbers by their spread; "auto": if not all columns are numbers', default="auto"
    )

    means_: Array = attribute()
    width_: float = attribute()
    _design: Design = attribute()
    _middle: Array = attribute()  # of all rows: where products are taken from, so that they lose no digits

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        look = yield from first_look(training, drop_reference=False, standardize=self.standardize)
        self._design, (self._middle, variance) = look.design, look.moments
        sums: ClassSums = yield TakeClassSums(self._design, self._middle, len(self.classes_))
        self.means_ = class_means(sums, self._middle)
        spread: Spread = yield TakeSpread(self._distances)
        self.width_ = spread.squares / spread.weight / max(1, int(np.count_nonzero(variance)))

    @property
    def coef_(self) -> Array:
        return self.means_[1:] - self.means_[:1] if len(self.means_) == 2 else self.means_

    @property
    def intercept_(self) -> Array:
        if len(self.means_) == 2:  # a² − b², where neither may have a square
            one, two = self.means_ / 2
            return np.array([-(2 * (two - one) * (two + one)).sum()])
        with np.errstate(over="ignore"):
            half: Array = -(self.means_**2).sum(axis=1) / 2
        return half

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns of `coef_` and `means_`: `age`, `town=Bern`, …"""
        return self._design.names

    def decision_function(self, X: Any) -> Array:
        """The score of each class, rows × classes; of two classes w·x − t, above 0 for the second."""
        still = self._still()
        scores: Array = still._over(X, still._scores)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _scores(self, table: Table) -> Array:
        """μ_c·x − ‖μ_c‖²/2 but for a part that all classes share; −∞ for a class without rows."""
        means = self.means_ - self._middle
        scores, there = np.empty((table.n_rows, len(means))), ~np.isnan(means).any(axis=1)
        for some, z in dense_blocks(self._design, table):
            with np.errstate(over="ignore", invalid="ignore"):  # a row so far away is on the side that it is on
                part = (z - self._middle) @ means.T
            lost = ~np.isfinite(part[:, there]).all(axis=1)
            if lost.any():
                part[lost] = sums_beyond(z[lost] - self._middle, means.T)
            scores[some] = part
        scores -= (means**2).sum(axis=1) / 2
        return np.where(np.isnan(scores), -np.inf, scores)

    def _distances(self, table: Table) -> Array:
        """To the means, up to what is the same for all of them."""
        far = np.empty((table.n_rows, len(self.means_)))
        with np.errstate(over="ignore"):  # infinitely far from all of them
            for some, z in dense_blocks(self._design, table):
                for c, mean in enumerate(self.means_):
                    far[some, c] = np.sqrt(((z - mean) ** 2).sum(axis=1))
        return np.where(np.isnan(far), np.inf, far)

    def _probabilities(self, table: Table) -> Array:
        return as_probabilities(self._distances(table), self.width_)

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """The lead over the next class: each column's step away from halfway between the two means."""
        labels, scores = self.classes_.tolist(), self._scores(row)[0]
        best = int(self._probabilities(row)[0].argmax())
        others = [int(c) for c in np.argsort(-scores, kind="stable") if c != best and np.isfinite(scores[c])]
        parts = np.zeros(row.n_columns)
        if others:
            mean, other = self.means_[best], self.means_[others[0]]
            z = next(dense_blocks(self._design, row))[1][0]
            parts = self._design.fold(((mean - other) * (z - (mean / 2 + other / 2)))[None])[0]
        told = zip(row.names, row.columns, parts.tolist(), strict=True)
        return Explanation(
            prediction=labels[best],
            kind="score",
            base=0.0,
            base_words="",
            evidence=tuple(Evidence(name, column.labels()[0], part) for name, column, part in told),
            total=float(parts.sum()),
            total_words=f"score against {label(labels[others[0]])}" if others else "score",
            alternatives=tuple((labels[c], float(scores[c] - scores[best])) for c in others),
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p = self._design.n_columns
        if self.means_.shape != (len(self.classes_), p) or self._middle.shape != (p,):
            raise SavedModelError("The means do not fit the columns.")
        if self._design.schema != self._schema or not self.width_ >= 0:
            raise SavedModelError("The means do not fit the columns of the table.")
