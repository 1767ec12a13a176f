"""Naive Bayes for counts of many things, words above all: three models of how a row comes about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.bayes.class_priors import CLASS_PRIORS, log_priors
from learnt.bayes.draw import draw_codes, generator, only_numbers
from learnt.bayes.posterior import JointClassifier
from learnt.bayes.statistics import class_weights
from learnt.data.design import WIDE, Design
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.passes import Batch, Statistic
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.one_pass import OnePass
from learnt.parameters import Domain, Flag, Real, Whole, check_parameters
from learnt.storable import storable
from learnt.wording import number

_TAKES = frozenset({"missing", "nominal", "weights", "passes", "sparse", "probabilities"})


@storable
@dataclass(frozen=True)
class EventCounts(Statistic):
    """The weight of each class, and by class the weighted sum of each column of counts."""

    rows: int
    class_weight: Array
    counts: Array

    def _shape(self) -> tuple[int, ...]:
        return (len(self.class_weight), self.counts.shape[1])

    def _merge(self, other: EventCounts) -> EventCounts:
        return EventCounts(self.rows + other.rows, self.class_weight + other.class_weight, self.counts + other.counts)


class EventModel(OnePass, JointClassifier, abstract=True):
    """What the models of counts share. They score rows by a linear form: members write `_solve_weights`.

    A category counts as one occurrence of itself; missing cells count as 0. Where nothing smooths, log 0 = −∞, which
    times a count of 0 is no number: such weights are 0 in `_coef`, and `_barred` is a second linear form, above 0 for
    rows that a class cannot have given; None where there are no such weights.
    """

    class_count_: Array
    feature_count_: Array
    feature_log_prob_: Array
    _design: Design
    _coef: Array
    _intercept: Array
    _barred: tuple[Array, Array] | None

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
        from scipy.sparse import csr_matrix

        assert batch.target is not None
        x, k, n = self._encoded(batch.table), len(self.classes_), batch.n_rows
        weights = np.ones(n) if batch.weights is None else batch.weights
        of_class = csr_matrix((weights, (batch.target, np.arange(n))), shape=(k, n))
        counts = of_class @ x
        counts = counts if isinstance(counts, np.ndarray) else counts.toarray()
        return EventCounts(n, class_weights(batch.target, batch.weights, k), counts.astype(np.float64, copy=False))

    def solve(self, statistic: EventCounts) -> None:
        self.class_count_, self.feature_count_ = statistic.class_weight, statistic.counts
        self.class_log_prior_ = log_priors(self._priors(), self.classes_, statistic.class_weight, type(self).__name__)
        self._barred = None
        with np.errstate(divide="ignore", invalid="ignore"):
            self._solve_weights()

    def _priors(self) -> Any:
        return getattr(self, "priors", None)

    def _solve_weights(self) -> None:
        """Set `feature_log_prob_`, and the `_coef` (classes × columns) and `_intercept` of the linear form."""
        raise NotImplementedError

    def _joint(self, table: Table) -> Array:
        x = self._encoded(table)
        joint = linear_forms(x, self._coef, self._intercept)
        if self._barred is not None:
            joint[linear_forms(x, *self._barred) > 0.5] = -np.inf
        return joint

    def _base(self, row: Table) -> tuple[Array, str]:
        return self._intercept, "prior odds"

    def _evidence(self, row: Table) -> list[tuple[str, Any, Array, str]]:
        x = self._encoded(row)
        if row.sparse is not None:  # of thousands of words only those that occur
            names, values = self._schema.names, x.data.tolist()
            places = x.indices.tolist()
            logs = x.data * self._shown_weights()[:, x.indices]
            return [
                (names[j], v, logs[:, i], self._words(logs[:, i], v))
                for i, (j, v) in enumerate(zip(places, values, strict=True))
            ]
        counts = x[0] if isinstance(x, np.ndarray) else x.toarray()[0]
        folded = self._design.fold(self._terms(counts))
        cells = [(c.name, c.labels()[0], bool(c.missing[0])) for c in row.columns]
        return [
            (name, value, folded[:, j], "counts as 0" if missing else self._words(folded[:, j], value))
            for j, (name, value, missing) in enumerate(cells)
        ]

    def _terms(self, counts: Array) -> Array:
        """What each count of a row adds, classes × columns."""
        return np.multiply(self._shown_weights(), counts, out=np.zeros_like(self._coef), where=counts != 0)

    def _shown_weights(self) -> Array:
        if self._barred is None:
            return self._coef
        return np.where(self._barred[0] > 0, -np.inf, self._coef)

    def _words(self, logs: Array, value: Any) -> str:
        return ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on measurements: these are no counts
        return tags

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (len(self.classes_), self._design.n_columns)
        if self._design.schema.names != self._schema.names:
            raise SavedModelError("The design is not of the columns.")
        forms = [(self._coef, self._intercept), *([] if self._barred is None else [self._barred])]
        if any(coef.shape != shape or start.shape != shape[:1] for coef, start in forms):
            raise SavedModelError("The weights do not fit the columns and classes.")
        if self.feature_log_prob_.shape != shape:
            raise SavedModelError("The probabilities do not fit the columns and classes.")


def counting_design(schema: Schema) -> Design:
    """Numbers as they are, an indicator for each category, 0 for missing cells."""
    kinds = (ColumnSchema(c.name, "nominal", c.categories) if c.kind == "ordinal" else c for c in schema)
    nominal = Schema(tuple(kinds), schema.named)
    m = len(nominal)
    fill = np.array([-1.0 if c.coded else 0.0 for c in nominal])
    wide = sum(len(c.categories) for c in nominal) >= WIDE
    return Design(nominal, fill, np.zeros(m), np.ones(m), np.full(m, -1, np.int32), sparse=wide)


def linear_forms(x: Any, coef: Array, intercept: Array) -> Array:
    """intercept + x · coef of each class, classes × rows, for dense and sparse rows."""
    out = np.empty((len(coef), x.shape[0]))
    for c in range(len(coef)):
        if isinstance(x, np.ndarray):
            _core.predict_linear(x, coef[c], 0.0, out[c])
        else:
            indices = x.indices.astype(np.int32, copy=False)
            _core.predict_linear_csr(x.data, indices, x.indptr, x.shape[1], coef[c], 0.0, out[c])
    out += intercept[:, None]  # may be −∞, of a class without rows
    return out


def _first_negative(x: Any) -> tuple[int, int, float]:
    """Column, row and value."""
    if isinstance(x, np.ndarray):
        row, j = (int(i) for i in np.argwhere(x < 0)[0])
        return j, row, float(x[row, j])
    place = int(np.flatnonzero(x.data < 0)[0])
    return int(x.indices[place]), int(np.searchsorted(x.indptr, place, side="right")) - 1, float(x.data[place])


class MultinomialNB(EventModel):
    """Take a row for a bag of things drawn one by one from the class's own distribution: counts of words.

        log p(c | x) = log p(c) + Σ_j x_j · log θ_cj + const,    θ_cj = (N_cj + α) / (N_c + α·p)

    with N_cj the count of j in the rows of class c, N_c that of all p columns together.

    >>> mails = {"free": [3, 2, 0, 0], "meeting": [0, 1, 2, 3]}
    >>> model = MultinomialNB().fit(mails, ["spam", "spam", "ham", "ham"])
    >>> model.predict({"free": [1], "meeting": [0]})
    array(['spam'], dtype='<U4')

    Takes sparse matrices as they are. Counts may be fractions, such as tf-idf. A nominal column counts as one
    occurrence of its category; missing cells count as 0.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `alpha` | 1.0 | added to each count; 1 is Laplace's rule | ≥ 0 |
    | `priors` | None | of the classes: their shares, "uniform", or given by class | sum to 1 |

    Attributes: `class_count_`, `class_log_prior_`, `feature_count_` and `feature_log_prob_`, classes × columns.

    Reference: A. McCallum, K. Nigam, A comparison of event models for naive Bayes text classification, 1998.
    """

    abilities = _TAKES | {"counts"}
    domains: ClassVar[dict[str, Domain]] = {"alpha": Real(0), "priors": CLASS_PRIORS}

    def __init__(self, *, alpha: float = 1.0, priors: Any = None):
        self.alpha = alpha
        self.priors = priors

    def _solve_weights(self) -> None:
        counts = self.feature_count_ + self.alpha
        self.feature_log_prob_ = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
        self._coef = np.where(np.isfinite(self.feature_log_prob_), self.feature_log_prob_, 0.0)
        self._intercept = self.class_log_prior_
        never = np.isneginf(self.feature_log_prob_)
        if never.any():
            self._barred = never.astype(np.float64), np.zeros(len(never))

    def sample(self, n: int = 1, length: int = 100, random_state: Any = None) -> tuple[Table, Array]:
        """`n` new rows of counts that sum to `length`, and their classes."""
        self._fitted_schema()
        only_numbers(self)
        rng = generator(type(self).__name__, n, random_state)
        check_parameters(f"{type(self).__name__}.sample", {"length": Whole(0)}, {"length": length})
        codes = draw_codes(rng, np.tile(self.class_log_prior_, (n, 1)))
        theta = np.exp(self.feature_log_prob_)
        counts = rng.multinomial(length, (theta / theta.sum(axis=1, keepdims=True))[codes]).astype(np.float64)
        return Table.of_matrix(counts, self._schema.names, named=self._schema.named), self.classes_[codes]


class BernoulliNB(EventModel):
    """Take a row for a list of things that are there or not, each by its own toss of a coin in the class.

        log p(c | x) = log p(c) + Σ_j log(θ_cj if x_j > t else 1 − θ_cj) + const,    θ_cj = (n_cj + α) / (n_c + 2α)

    with n_cj the number of rows of class c, of n_c, in which j is there. Absence counts too.

    >>> mails = {"free": [3, 2, 0, 0], "meeting": [0, 1, 2, 3]}
    >>> model = BernoulliNB().fit(mails, ["spam", "spam", "ham", "ham"])
    >>> model.predict({"free": [0], "meeting": [0]})
    array(['ham'], dtype='<U4')

    Takes sparse matrices as they are. A nominal column is the presence of its category; missing cells count as
    absent (`NaiveBayesClassifier` leaves them out).

    | setting | default | meaning | range |
    |---|---|---|---|
    | `alpha` | 1.0 | added to presences and absences; 1 is Laplace's rule | ≥ 0 |
    | `binarize` | 0.0 | what lies above is there | ≥ 0 |
    | `priors` | None | of the classes: their shares, "uniform", or given by class | sum to 1 |

    Attributes: `class_count_`, `class_log_prior_`, `feature_count_` and `feature_log_prob_`, classes × columns.

    Reference: A. McCallum, K. Nigam, A comparison of event models for naive Bayes text classification, 1998.
    """

    abilities = _TAKES
    domains: ClassVar[dict[str, Domain]] = {"alpha": Real(0), "binarize": Real(0), "priors": CLASS_PRIORS}

    def __init__(self, *, alpha: float = 1.0, binarize: float = 0.0, priors: Any = None):
        self.alpha = alpha
        self.binarize = binarize
        self.priors = priors

    def _encoded(self, table: Table) -> Any:
        x = self._design.encode(table)
        if isinstance(x, np.ndarray):
            return (x > self.binarize).astype(np.float64)
        there = x.copy()
        there.data = (x.data > self.binarize).astype(np.float64)
        there.eliminate_zeros()
        return there

    def _solve_weights(self) -> None:
        size = self.class_count_[:, None] + 2 * self.alpha
        present = np.clip(self.feature_count_ + self.alpha, 0, size)  # sums of fractions may overshoot in the last bit
        self.feature_log_prob_ = np.log(present) - np.log(size)
        absent = np.log(size - present) - np.log(size)
        never, always = np.isneginf(self.feature_log_prob_), np.isneginf(absent)
        self._coef = np.where(np.isfinite(self.feature_log_prob_), self.feature_log_prob_, 0.0)
        self._coef -= np.where(np.isfinite(absent), absent, 0.0)
        self._intercept = self.class_log_prior_ + np.where(np.isfinite(absent), absent, 0.0).sum(axis=1)
        if never.any() or always.any():
            self._barred = never.astype(np.float64) - always, always.sum(axis=1).astype(np.float64)

    def _base(self, row: Table) -> tuple[Array, str]:
        if row.sparse is None:
            return self.class_log_prior_, "prior odds"
        return self._intercept, "odds of a row with nothing in it"

    def _terms(self, counts: Array) -> Array:
        with np.errstate(divide="ignore"):
            absent = np.log1p(-np.minimum(np.exp(self.feature_log_prob_), 1.0))
        return np.where(counts > 0, self.feature_log_prob_, absent)

    def sample(self, n: int = 1, random_state: Any = None) -> tuple[Table, Array]:
        """`n` new rows of presences, and their classes."""
        self._fitted_schema()
        only_numbers(self)
        rng = generator(type(self).__name__, n, random_state)
        codes = draw_codes(rng, np.tile(self.class_log_prior_, (n, 1)))
        there = rng.random((n, len(self._schema))) < np.exp(self.feature_log_prob_[codes])
        names = self._schema.names
        return Table.of_matrix(there.astype(np.float64), names, named=self._schema.named), self.classes_[codes]


class ComplementNB(EventModel):
    """Score each class by how badly the counts of all other classes fit: steadier where classes are uneven.

        score(c) = − Σ_j x_j · log θ_¬cj,    θ_¬cj = (N_¬cj + α) / (N_¬c + α·p)

    with N_¬cj the count of j in the rows of all classes but c. Priors play no part.

    >>> mails = {"free": [3, 2, 0, 0], "meeting": [0, 1, 2, 3]}
    >>> model = ComplementNB().fit(mails, ["spam", "spam", "ham", "ham"])
    >>> model.predict({"free": [1], "meeting": [0]})
    array(['spam'], dtype='<U4')

    Takes sparse matrices as they are, as `MultinomialNB` does. Its probabilities are scores brought to sum 1.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `alpha` | 1.0 | added to each count; 1 is Laplace's rule | > 0 |
    | `norm` | False | whether the weights of a class are divided by their sum | |

    Attributes: `class_count_`, `feature_count_`, and `feature_log_prob_`, the weights, classes × columns.

    Reference: J. Rennie, L. Shih, J. Teevan, D. Karger, Tackling the poor assumptions of naive Bayes text
    classifiers, 2003.
    """

    abilities = _TAKES | {"counts"}
    domains: ClassVar[dict[str, Domain]] = {"alpha": Real(above=0), "norm": Flag()}

    def __init__(self, *, alpha: float = 1.0, norm: bool = False):
        self.alpha = alpha
        self.norm = norm

    def _solve_weights(self) -> None:
        others = self.feature_count_.sum(axis=0) + self.alpha - self.feature_count_
        logs = np.log(others / others.sum(axis=1, keepdims=True))
        self.feature_log_prob_ = logs / logs.sum(axis=1, keepdims=True) if self.norm else -logs
        self._coef, self._intercept = self.feature_log_prob_, np.zeros(len(self.classes_))

    def _base(self, row: Table) -> tuple[Array, str]:
        return self._intercept, "equal odds"

    def _words(self, logs: Array, value: Any) -> str:
        return "scores " + " : ".join(number(score) for score in logs.tolist()) if len(logs) < 5 else "scores"
