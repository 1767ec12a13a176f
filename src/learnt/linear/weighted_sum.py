"""What all linear models share: a row's score is b₀ + b·x, and each column of the table has its part in it.

A member fits and calls `_keep_coefficients`; predicting and explaining are written here once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.data.value_text import value_text
from learnt.engine.encoded_rows import ENCODED_ROWS, dense
from learnt.engine.sizes import sums_beyond
from learnt.engine.survey import check_finite
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.explain.class_parts import ClassParts, two_sided
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.fields import attribute
from learnt.learner.text.counting import TextUse
from learnt.linear.encoded import kernel_csr
from learnt.show.numbers import number
from learnt.show.words import label
from learnt.storable import Numbers


class WeightedSum(Learner, abstract=True):
    """`coef_` has a number per column of the design, or a row of them per score; `intercept_` one per score."""

    coef_: Numbers = attribute()
    intercept_: Any = attribute()
    _design: Design = attribute()
    _mean: Numbers = attribute()  # of the columns of the design: the average row, against which columns are explained

    readable = True
    takes_text: ClassVar[TextUse] = "counts"

    def _keep_coefficients(self, design: Design, coef: Array, intercept: Any, mean: Array) -> None:
        self._design, self._mean = design, mean
        self.coef_, self.intercept_ = coef, intercept

    @property
    def coefficient_names_(self) -> tuple[str, ...]:
        """What each coefficient belongs to: a column, or `column=category`."""
        return self._design.names

    def _scores(self, table: Table) -> Array:
        """b₀ + b·x of each row: a vector, or rows × scores where `coef_` is a matrix.

        Score by score and row by row, so that the bits of a row depend neither on its neighbours nor on threads.
        Infinite cells are looked for only if a score is not finite.
        """
        b, b0 = self.coef_, self.intercept_
        if b.ndim == 1 and table.matrix is not None:  # most often, and worth its microseconds for one row
            quick = np.empty(table.n_rows)
            _core.predict_linear(table.matrix, b, b0, quick)
            if np.isfinite(quick).all():
                return quick
        coef, intercept = np.atleast_2d(b), np.atleast_1d(b0)
        out = np.empty((len(coef), table.n_rows))
        plain = table.matrix if table.matrix is not None else table.sparse if self._design.plain else None
        if plain is None or not _add_up(plain, coef, intercept, out):
            check_finite(table)
            for start in range(0, table.n_rows, ENCODED_ROWS):
                x = self._design.encode(table.rows(start, start + ENCODED_ROWS))
                if not _add_up(x, coef, intercept, out[:, start : start + ENCODED_ROWS]):
                    _add_up_overflown(x, coef, intercept, out[:, start : start + ENCODED_ROWS])
        return out[0] if b.ndim == 1 else out.T

    def _parts(self, row: Table) -> Array:
        """What each column of the table adds to each score of a row, against the average row: scores × columns."""
        x = dense(self._design.encode(row)).astype(np.float64)
        return self._design.fold((x - self._mean) * np.atleast_2d(self.coef_))

    def _average_scores(self) -> Array:
        scores: Array = np.atleast_1d(self.intercept_) + np.atleast_2d(self.coef_) @ self._mean
        return scores

    def _explained_by(self, table: Table, explain_row: Callable[[Table], Explanation]) -> Explanations:
        check_finite(table)
        return Explanations(table.n_rows, lambda i: explain_row(table.rows(i, i + 1)))

    def _evidence(self, row: Table, parts: Array, coef: Array) -> tuple[Evidence, ...]:
        cells = [column.labels()[0] for column in row.columns]
        return tuple(
            Evidence(name, cell, float(part), self._words(j, cell, coef))
            for j, (name, cell, part) in enumerate(zip(row.names, cells, parts, strict=True))
        )

    def _words(self, j: int, cell: Any, coef: Array) -> str:
        """How a column's contribution comes about: `0.5 × (37 − 31.2)`."""
        column, first = self._design.schema.columns[j], int(self._design.starts[j])
        if cell is None:
            return "missing, taken as the " + ("average" if column.kind in ("numeric", "ordinal") else "most frequent")
        if column.kind == "numeric":
            center, scale = self._design.center[j], self._design.scale[j]
            mean, per_unit = self._mean[first] / scale + center, coef[first] * scale
            if column.form is not None:
                return f"{number(per_unit)} × ({label(cell)} − {value_text(column.form, float(mean))})"
            gap = f"− {number(mean)}" if mean >= 0 else f"+ {number(-mean)}"
            return f"{number(per_unit)} × ({number(cell)} {gap})"
        return "against the average row"

    def __str__(self) -> str:
        if "coef_" not in self.__dict__:
            return repr(self)
        from learnt.linear.written_sum import written_sum

        coef, intercept = self._without_rounding()
        return written_sum(self._design, np.atleast_2d(coef), np.atleast_1d(intercept), self._names_of_scores())

    def _without_rounding(self) -> tuple[Array, Any]:
        """Coefficients and intercept as they are written: 0 where nothing but rounding is left, if that is known."""
        return self.coef_, self.intercept_

    def _names_of_scores(self) -> list[str]:
        return ["score"]

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p, scores = self._design.n_columns, np.shape(self.intercept_)
        if (
            self.coef_.shape != (*scores, p)
            or len(scores) > 1
            or self._mean.shape != (p,)
            or self._design.schema != self._schema
            or np.asarray(self.intercept_).dtype.kind not in "fi"
        ):
            raise SavedModelError("The coefficients do not fit the columns.")


class LinearRegressor(WeightedSum, Regressor, abstract=True):
    """Predicts the weighted sum itself."""

    def _predict(self, table: Table) -> Array:
        return self._scores(table)

    def _names_of_scores(self) -> list[str]:
        return ["prediction"]

    def _explain(self, table: Table) -> Explanations:
        return self._explained_by(table, self._explain_row)

    def _explain_row(self, row: Table) -> Explanation:
        total, base = float(self._predict(row)[0]), float(self._average_scores()[0])
        evidence = self._evidence(row, self._parts(row)[0], self.coef_)
        return Explanation(total, "sum", base, "average", evidence, total, "prediction")


class LinearClassifier(WeightedSum, Classifier, abstract=True):
    """Scores each class by a weighted sum; of two classes the second, `coef_` having one row.

    Unless a member writes its own `_probabilities`, scores are log-odds: the logistic function of one, the
    softmax of several.
    """

    def decision_function(self, X: Any) -> Array:
        """The score of each class, rows × classes; of two classes that of the second against the first."""
        still = self._still()
        scores: Array = still._over(X, still._scores)
        return scores[:, 0] if scores.shape[1] == 1 and len(still.classes_) == 2 else scores

    def _class_scores(self, table: Table) -> Array:
        """Rows × classes; of two classes the first has the score 0."""
        scores = self._scores(table)
        return (
            np.column_stack([np.zeros(len(scores)), scores[:, 0]]) if scores.shape[1] < len(self.classes_) else scores
        )

    def _probabilities(self, table: Table) -> Array:
        scores = self._scores(table)
        return logistic_shares(scores[:, 0]) if scores.shape[1] < len(self.classes_) else softmax(scores)

    def _explain(self, table: Table) -> Explanations:
        return self._explained_by(table, self._explain_row)

    #: What a difference of scores is called; None where it is not a log-odds.
    _score_words = "log-odds"

    def _names_of_scores(self) -> list[str]:
        labels = [label(c) for c in self.classes_.tolist()]
        if len(labels) == 2 and len(self.coef_) == 1:
            return [f"{self._score_words} of {labels[1]} against {labels[0]}"]
        return labels if len(labels) > 1 else [f"score of {labels[0]}, the only class"]

    def _explain_row(self, row: Table) -> Explanation:
        """The lead of the predicted class over the runner-up: that of the average row, and what each column adds."""
        scores, labels = self._class_scores(row)[0], self.classes_.tolist()
        best = int(self._probabilities(row)[0].argmax())
        others = [int(c) for c in np.argsort(-scores, kind="stable") if c != best]
        if not others:
            told = self._evidence(row, np.zeros(row.n_columns), np.zeros(self._design.n_columns))
            return Explanation(labels[best], "log-odds", 0.0, "the only class", told, 0.0, self._score_words)
        parts, average, coef = self._parts(row), self._average_scores(), np.atleast_2d(self.coef_)
        if len(parts) < len(labels):  # of two classes the first scores 0
            parts, coef = (np.vstack([np.zeros_like(a[0]), a[0]]) for a in (parts, coef))
            average = np.append(0.0, average)
        other = others[0]
        evidence = self._evidence(row, parts[best] - parts[other], coef[best] - coef[other])
        base, total = float(average[best] - average[other]), float(scores[best] - scores[other])
        return Explanation(
            prediction=labels[best],
            kind="log-odds",
            base=base,
            base_words=f"average row{self._share(base, len(labels))}",
            evidence=evidence,
            total=total,
            total_words=f"{self._score_words} against {label(labels[other])}{self._share(total, len(labels))}",
            alternatives=tuple((labels[c], float(scores[c] - scores[best])) for c in others),
        )

    def _class_parts(self, row: Table) -> ClassParts | None:
        if self._score_words != "log-odds":
            return None
        found = ClassParts(self._average_scores(), self._parts(row).T, "score")
        return two_sided(found) if len(found.base) < len(self.classes_) else found

    def _share(self, lead: float, n_classes: int) -> str:
        """Of two classes, the log-odds as a probability too."""
        if n_classes != 2 or self._score_words != "log-odds":
            return ""
        share = 1 / (1 + math.exp(-lead)) if lead > -700 else 0.0
        return f", probability {number(share)}"


def _add_up(x: Any, coef: Array, intercept: Array, out: Array) -> bool:
    """Whether all scores are finite: a missing or infinite cell, or an overflow, makes one that is not."""
    for b, b0, score in zip(coef, intercept, out, strict=True):
        if isinstance(x, np.ndarray):
            _core.predict_linear(x, b, float(b0), score)
        else:
            _core.predict_linear_csr(*kernel_csr(x), b, float(b0), score)
    return bool(np.isfinite(out).all())


def _add_up_overflown(x: Any, coef: Array, intercept: Array, out: Array) -> None:
    """Scores that are no numbers once more, by terms that are: of infinite ones with both signs the largest decide."""
    lost = np.flatnonzero(~np.isfinite(out).all(axis=0))
    found = sums_beyond(dense(x[lost]), coef.T, intercept).T
    out[:, lost] = np.where(np.isfinite(out[:, lost]), out[:, lost], found)


def softmax(scores: Array) -> Array:
    top = scores.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", over="ignore"):  # a difference beyond all numbers is a share of 0
        grown = np.exp(np.where(scores == top, 0.0, scores - top))  # the foremost may be infinite
    shares: Array = grown / grown.sum(axis=1, keepdims=True)
    return shares


def logistic_shares(score: Array) -> Array:
    """The softmax of 0 and a score, rows × 2: the same bits in less time."""
    small = np.exp(-np.abs(score))
    less, more = small / (1 + small), 1 / (1 + small)
    ahead = score > 0
    return np.column_stack([np.where(ahead, less, more), np.where(ahead, more, less)])
