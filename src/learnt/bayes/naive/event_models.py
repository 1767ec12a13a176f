"""Naive Bayes for counts of many things, words above all: three models of how a row comes about."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.bayes.class_priors import CLASS_PRIORS
from learnt.bayes.naive.counting import EventModel, by_column
from learnt.bayes.naive.draw import draw_codes, generator, only_numbers
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, Real, Whole, check_parameters
from learnt.show.numbers import number
from learnt.show.words import spell

_TAKES = frozenset({"missing", "nominal", "weights", "passes", "sparse", "probabilities"})


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

    {settings}

    Attributes: `class_count_`, `class_log_prior_`, `feature_count_` and `feature_log_prob_`, classes × columns.

    Reference: A. McCallum, K. Nigam, A comparison of event models for naive Bayes text classification, 1998.
    """

    abilities = _TAKES | {"counts"}
    fit_cost = 3.0
    simplicity = 12.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (0.01, 0.1, 1.0, 10.0)}

    alpha: float = setting(Real(0), "added to each count; 1 is Laplace's rule", default=1.0)
    priors: Any = setting(
        CLASS_PRIORS, 'of the classes: their shares, "uniform", or given by class', default=None, bounds="sum to 1"
    )

    def _solve_weights(self) -> None:
        counts = self.feature_count_ + self.alpha
        self.feature_log_prob_ = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))
        self._coef = by_column(np.where(np.isfinite(self.feature_log_prob_), self.feature_log_prob_, 0.0))
        self._intercept = self.class_log_prior_
        never = np.isneginf(self.feature_log_prob_)
        if never.any():
            self._barred = by_column(never), np.zeros(len(never))

    def sample(self, n: int = 1, length: int = 100, random_state: Any = 0) -> tuple[Table, Array]:
        """`n` new rows of counts that sum to `length`, and their classes."""
        self._fitted_schema()
        only_numbers(self)
        rng = generator(type(self).__name__, n, random_state)
        check_parameters(f"{type(self).__name__}.sample", {"length": Whole(0)}, {"length": length})
        codes = draw_codes(rng, np.tile(self.class_log_prior_, (n, 1)))
        theta = np.exp(self.feature_log_prob_)
        empty = ~(theta.sum(axis=1) > 0)
        if empty.any():
            name = spell(self.classes_[int(empty.argmax())])
            raise InputError(f"Class {name} has no counts, so that none can be drawn. Fit it with alpha above 0.")
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

    {settings}

    Attributes: `class_count_`, `class_log_prior_`, `feature_count_` and `feature_log_prob_`, classes × columns.

    Reference: A. McCallum, K. Nigam, A comparison of event models for naive Bayes text classification, 1998.
    """

    abilities = _TAKES
    fit_cost = 4.0
    simplicity = 12.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (0.01, 0.1, 1.0, 10.0)}

    alpha: float = setting(Real(0), "added to presences and absences; 1 is Laplace's rule", default=1.0)
    binarize: float = setting(Real(0), "what lies above is there", default=0.0)
    priors: Any = setting(
        CLASS_PRIORS, 'of the classes: their shares, "uniform", or given by class', default=None, bounds="sum to 1"
    )

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
        on = np.where(np.isfinite(self.feature_log_prob_), self.feature_log_prob_, 0.0)
        off = np.where(np.isfinite(absent), absent, 0.0)
        self._coef = by_column(on - off)
        self._intercept = self.class_log_prior_ + off.sum(axis=1)
        if never.any() or always.any():
            self._barred = by_column(never.astype(np.float64) - always), always.sum(axis=1).astype(np.float64)

    def _base(self, row: Table) -> tuple[Array, str]:
        if row.sparse is None:
            return self.class_log_prior_, "prior odds"
        return self._intercept, "odds of a row with nothing in it"

    def _terms(self, counts: Array) -> Array:
        with np.errstate(divide="ignore"):
            absent = np.log1p(-np.minimum(np.exp(self.feature_log_prob_), 1.0))
        return np.where(counts > 0, self.feature_log_prob_, absent)

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
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

    {settings}

    Attributes: `class_count_`, `feature_count_`, and `feature_log_prob_`, the weights, classes × columns.

    Reference: J. Rennie, L. Shih, J. Teevan, D. Karger, Tackling the poor assumptions of naive Bayes text
    classifiers, 2003.
    """

    abilities = _TAKES | {"counts"}
    fit_cost = 4.0
    simplicity = 12.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (0.01, 0.1, 1.0, 10.0), "norm": (False, True)}

    alpha: float = setting(Real(above=0), "added to each count; 1 is Laplace's rule", default=1.0)
    norm: bool = setting(Flag(), "whether the weights of a class are divided by their sum", default=False)

    def _solve_weights(self) -> None:
        # Added up without the class itself: large counts, added and taken off again, leave nothing of small ones.
        counts, none = self.feature_count_, np.zeros((1, self.feature_count_.shape[1]))
        before = np.cumsum(np.concatenate([none, counts[:-1]]), axis=0)
        after = np.cumsum(np.concatenate([none, counts[:0:-1]]), axis=0)[::-1]
        others = before + after + self.alpha
        logs = np.log(others) - np.log(others.sum(axis=1, keepdims=True))  # their quotient may be 0
        total = logs.sum(axis=1, keepdims=True)
        # One column has all counts of every class: its logarithm is 0, and it says nothing.
        self.feature_log_prob_ = logs / np.where(total < 0, total, 1.0) if self.norm else -logs
        self._coef, self._intercept = by_column(self.feature_log_prob_), np.zeros(len(self.classes_))

    def _base(self, row: Table) -> tuple[Array, str]:
        return self._intercept, "equal odds"

    def _words(self, logs: Array, value: Any) -> str:
        return "scores " + " : ".join(number(score) for score in logs.tolist()) if len(logs) < 5 else "scores"
