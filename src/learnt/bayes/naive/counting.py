"""What the models of counts share: reading, adding up, scoring and explaining them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.bayes.class_priors import log_priors
from learnt.bayes.posterior import JointClassifier
from learnt.data.design import WIDE, Design
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.passes import Batch
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.learner.fields import attribute
from learnt.learner.partial import OnePass
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sums import Sums
from learnt.storable import Numbers, storable


@storable
@dataclass(frozen=True)
class EventCounts(Sums):
    """The weight of each class, and by class the weighted sum of each column of counts."""

    rows: int
    class_weight: Array
    counts: Array


class EventModel(OnePass, JointClassifier, abstract=True):
    """What the models of counts share. They score rows by a linear form: members write `_solve_weights`.

    A category counts as one occurrence of itself; missing cells count as 0. Where nothing smooths, log 0 = −∞, which
    times a count of 0 is not a number: such weights are 0 in `_coef`, and `_barred` is a second linear form, above 0
    for rows that a class cannot have given; None where there are no such weights.
    """

    takes_text = "counts"

    feature_log_prob_: Numbers = attribute()
    _design: Design = attribute()
    _coef: Array = attribute()
    _intercept: Array = attribute()
    _barred: tuple[Array, Array] | None = attribute()

    @property
    def class_count_(self) -> Array:
        """The weight of each class."""
        return self._counts().class_weight

    @property
    def feature_count_(self) -> Array:
        """The weighted sum of each column in each class, classes × columns."""
        return self._counts().counts

    def _counts(self) -> EventCounts:
        self._fitted_schema()
        counts = self._kept_statistic()
        assert isinstance(counts, EventCounts)
        return counts

    def _plan(self, training: Training) -> Plan:
        self._design = counting_design(training.schema)
        yield from super()._plan(training)

    def _encoded(self, table: Table) -> Any:
        """The counts of a table as a matrix, dense or CSR, none of them negative."""
        x = self._design.encode(table)
        stored = x if isinstance(x, np.ndarray) else x.data
        if stored.size and stored.min() < 0:
            j, row, value = _first_negative(x)
            column = self._schema.names[int(self._design.owner[j])]
            raise InputError(
                f"Negative values in data passed to {type(self).__name__}: column {column!r} has {value:g} in row "
                f"{row}. It takes counts. Use NaiveBayesClassifier for measurements."
            )
        return x

    def summarize(self, batch: Batch) -> EventCounts:
        assert batch.target is not None
        codes, weights, k = batch.target, batch.weights, len(self.classes_)
        counts = sums_by_class(self._encoded(batch.table), codes, weights, k)
        return EventCounts(batch.n_rows, weigh_codes(codes, k, weights), counts)

    def solve(self, statistic: EventCounts) -> None:
        with np.errstate(over="ignore"):
            if not np.isfinite(statistic.counts.sum()):
                raise InputError(
                    "The counts, added up by weight, overflow. Scale the columns or the weights down first."
                )
        self.class_log_prior_ = log_priors(self._priors(), self.classes_, statistic.class_weight, type(self).__name__)
        self._barred = None
        with np.errstate(divide="ignore", invalid="ignore"):
            self._solve_weights()

    def _priors(self) -> Any:
        return getattr(self, "priors", None)

    def _solve_weights(self) -> None:
        """Set `feature_log_prob_`, and by class the `_coef` (columns × classes) and `_intercept` of the linear form."""
        raise NotImplementedError

    def _joint(self, table: Table) -> Array:
        x = self._encoded(table)
        joint = linear_forms(x, self._coef, self._intercept)
        if self._barred is not None:
            joint[linear_forms(x, *self._barred) > 0] = -np.inf
        return joint

    def _base(self, row: Table) -> tuple[Array, str]:
        return self._intercept, "prior odds"

    def _evidence(self, row: Table) -> list[tuple[str, Any, Array, str]]:
        x = self._encoded(row)
        if row.sparse is not None:  # of thousands of words only those that occur
            there = x.data != 0
            places, values = x.indices[there], x.data[there]
            logs = values * self._shown_weights(places)
            told = zip(places.tolist(), values.tolist(), logs.T, strict=True)
            return [(self._schema.names[j], value, each, self._words(each, value)) for j, value, each in told]
        counts = x[0] if isinstance(x, np.ndarray) else x.toarray()[0]
        folded = self._design.fold(self._terms(counts))
        cells = [(c.name, c.labels()[0], bool(c.missing[0])) for c in row.columns]
        return [
            (name, value, folded[:, j], "counts as 0" if missing else self._words(folded[:, j], value))
            for j, (name, value, missing) in enumerate(cells)
        ]

    def _terms(self, counts: Array) -> Array:
        """What each count of a row adds, classes × columns."""
        terms = np.zeros(self._coef.T.shape)
        return np.multiply(self._shown_weights(slice(None)), counts, out=terms, where=counts != 0)

    def _shown_weights(self, columns: Any) -> Array:
        """Weights of some columns, classes × columns, −∞ included."""
        if self._barred is None:
            weights: Array = self._coef[columns].T
            return weights
        return np.where(self._barred[0][columns] > 0, -np.inf, self._coef[columns]).T

    def _words(self, logs: Array, value: Any) -> str:
        return ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on measurements, which are not counts
        return tags

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (len(self.classes_), self._design.n_columns)
        counts = self.__dict__.get("_statistic")
        if not isinstance(counts, EventCounts) or counts.counts.shape != shape:
            raise SavedModelError("The counts do not fit the columns and classes.")
        if self._design.schema.names != self._schema.names:
            raise SavedModelError("The design is not of the columns.")
        forms = [(self._coef, self._intercept), *([] if self._barred is None else [self._barred])]
        if any(coef.T.shape != shape or start.shape != shape[:1] for coef, start in forms):
            raise SavedModelError("The weights do not fit the columns and classes.")
        if not all((values < np.inf).all() for form in forms for values in form):  # nor NaN
            raise SavedModelError("The weights are not those of probabilities.")
        if self.feature_log_prob_.shape != shape:
            raise SavedModelError("The probabilities do not fit the columns and classes.")


def counting_design(schema: Schema) -> Design:
    """Numbers as they are, an indicator for each category, 0 for missing cells."""
    m = len(schema)
    fill, wide = np.zeros(m), False
    if not schema.all_numeric:
        kinds = (ColumnSchema(c.name, "nominal", c.categories) if c.kind == "ordinal" else c for c in schema)
        schema = Schema(tuple(kinds), schema.named)
        fill[[j for j, c in enumerate(schema) if c.coded]] = -1
        wide = sum(len(c.categories) for c in schema) >= WIDE
    return Design(schema, fill, np.zeros(m), np.ones(m), np.full(m, -1, np.int32), sparse=wide)


def sums_by_class(x: Any, codes: Array, weights: Array | None, n_classes: int) -> Array:
    """The weighted sum of each column in each class, classes × columns, of dense or sparse rows."""
    n, p = x.shape
    if isinstance(x, np.ndarray):
        from scipy.sparse import csr_matrix

        w = np.ones(n) if weights is None else weights
        dense: Array = csr_matrix((w, (codes, np.arange(n))), shape=(n_classes, n)) @ x
        return dense.astype(np.float64, copy=False)
    stored = np.diff(x.indptr)
    keys = np.repeat(codes.astype(np.int64) * p, stored) + x.indices
    values = x.data if weights is None else x.data * np.repeat(weights, stored)
    return np.bincount(keys, weights=values, minlength=n_classes * p).reshape(n_classes, p)


def linear_forms(x: Any, coef: Array, intercept: Array) -> Array:
    """intercept + x · coef of each class, classes × rows, for dense and sparse rows.

    Both roads give a row the same bits whatever rows are around it; BLAS would not.
    """
    if not isinstance(x, np.ndarray):
        forms: Array = (x @ coef).T
        return forms + intercept[:, None]
    out = np.empty((coef.shape[1], x.shape[0]))
    for c in range(len(out)):
        _core.predict_linear(x, np.ascontiguousarray(coef[:, c]), 0.0, out[c])
    out += intercept[:, None]  # may be −∞, of a class without rows
    return out


def by_column(weights: Array) -> Array:
    """classes × columns turned round: a word's weights side by side, as products with sparse rows read them."""
    return np.ascontiguousarray(weights.T, dtype=np.float64)


def _first_negative(x: Any) -> tuple[int, int, float]:
    """Column, row and value."""
    if isinstance(x, np.ndarray):
        row, j = (int(i) for i in np.argwhere(x < 0)[0])
        return j, row, float(x[row, j])
    place = int(np.flatnonzero(x.data < 0)[0])
    return int(x.indices[place]), int(np.searchsorted(x.indptr, place, side="right")) - 1, float(x.data[place])
