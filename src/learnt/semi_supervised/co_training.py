"""Co-training: two classifiers, each with its own view of the columns, that label rows for each other."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble import CLASSIFIER, aligned_probabilities
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.linear import LogisticRegression
from learnt.semi_supervised.labels import PartlyLabelled, partly_labelled
from learnt.semi_supervised.views import TwoViews, Views, named_views, parted_views
from learnt.show.words import count_of
from learnt.storable import Counts, Shares
from learnt.watch import report

#: Probabilities below count as this, so that one view cannot forbid a class for ever.
LEAST = 1e-12
#: Of the unlabelled rows each view labels this share in a round, unless `most` says otherwise.
SHARE = 0.05


class CoTrainingClassifier(Classifier, listed=False):
    """Two classifiers see different columns, and each labels the rows it is surest of for the other.

        P(c | x) ∝ P(c | first view) · P(c | second view) / P(c)

    >>> table = {"a": [1.0, 1.2, 1.1, 5.0, 5.2, 5.1], "b": [2.0, 2.2, 2.1, 9.0, 9.2, 9.1]}
    >>> model = CoTrainingClassifier(threshold=0.6).fit(table, ["low", None, None, None, None, "high"])
    >>> model.labels_.tolist()
    ['low', 'low', 'low', 'high', 'high', 'high']

    Rows whose target is missing are the unlabelled ones: an empty cell, None or NaN, no code. In each round each
    classifier gives its class to the unlabelled rows it is surest of, of each class in proportion to the labels given;
    both are then fitted again to all that have one. A row that they would give different classes waits.

    It helps where either view alone would do, and where, of rows of a class, one view tells nothing of the other.
    `score_with_few_labels` tells whether it helped, on labels that were hidden.

    {settings}

    Attributes: `views_`, the columns of both; `estimators_`, the classifiers of the last round; `labels_`, the class of
    every row, given or found (None: never sure enough); `round_`, in which it was found (0: given, −1: never);
    `found_by_`, the view that found it (1 or 2, 3: both; 0: neither); `n_rounds_`; `classes_`.

    Reference: A. Blum, T. Mitchell, Combining labeled and unlabeled data with co-training, 1998.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities"})
    fit_cost = 600.0
    simplicity = 80.0

    estimator: Any = setting(
        CLASSIFIER, "the classifier of both views; None: a `LogisticRegression`", default=None, kw_only=False
    )
    views: Any = setting(
        TwoViews() | OneOf(None),
        "two lists of columns; None: halves that tell little of each other",
        default=None,
    )
    threshold: float = setting(Real(above=0, high=1), "how probable a class must be", default=0.75)
    most: Any = setting(
        Whole(1) | OneOf(None),
        "rows that a view labels in a round at most, by weight; None: a twentieth of the unlabelled ones",
        default=None,
    )
    max_rounds: int = setting(Whole(1), "rounds at most", default=30)

    views_: Views = attribute()
    estimators_: tuple[Any, ...] = attribute()
    labels_: Array = attribute()
    round_: Counts = attribute()
    found_by_: Counts = attribute()
    n_rounds_: int = attribute()
    _prior: Shares = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`, those without a class included.

        `y` is an array or the name of a column; where it is missing, the class is unknown.
        """
        self._check_parameters()
        given = partly_labelled(X, y, sample_weight, type(self).__name__)
        views = (
            parted_views(given.table, given.weights) if self.views is None else named_views(self.views, given.schema)
        )
        learner = adopted(LogisticRegression(standardize=True) if self.estimator is None else self.estimator)
        codes = given.codes.copy()
        found_in = np.where(codes >= 0, 0, -1).astype(np.int64)
        found_by = np.zeros(len(codes), np.int64)
        weights = np.ones(len(codes)) if given.weights is None else given.weights
        shares = np.bincount(codes[given.labelled], weights[given.labelled], len(given.classes))
        shares = shares / shares.sum() if shares.sum() > 0 else np.full(len(shares), 1 / len(shares))
        quota = self.most if self.most is not None else max(1.0, SHARE * float(weights[codes < 0].sum()))
        members = [given.fitted(learner, codes, view) for view in views]
        rounds = 0
        while rounds < self.max_rounds and (open_ := np.flatnonzero(codes < 0)).size:
            chosen = self._chosen(given, members, views, open_, shares, weights[open_], float(quota))
            agreed = _agreed(chosen)
            rows = np.flatnonzero(agreed >= 0)
            if not len(rows):
                break
            rounds += 1
            at = open_[rows]
            codes[at], found_in[at] = agreed[rows], rounds
            found_by[at] = (chosen[:, rows] >= 0).T @ np.array([1, 2])
            members = [given.fitted(learner, codes, view) for view in views]
            report("round", learner=type(self).__name__, iteration=rounds, total=self.max_rounds)
        twin = self._twin(given.schema, given.classes)
        twin.views_, twin.estimators_, twin._prior = views, tuple(members), np.maximum(shares, LEAST)
        twin.labels_, twin.round_, twin.found_by_, twin.n_rounds_ = given.named(codes), found_in, found_by, rounds
        return self._become(twin)

    def _chosen(
        self,
        given: PartlyLabelled,
        members: list[Any],
        views: Views,
        rows: Array,
        shares: Array,
        weights: Array,
        quota: float,
    ) -> Array:
        """The class that each view would give each row, −1 where it is not among its surest: views × rows."""
        found = np.full((2, len(rows)), -1, np.int32)
        for v, (member, view) in enumerate(zip(members, views, strict=True)):
            chances = aligned_probabilities(member, given.table.select(view).take(rows), given.classes)
            best, surest = chances.argmax(axis=1), chances.max(axis=1)
            for c, share in enumerate(shares):
                sure = np.flatnonzero((best == c) & (surest >= self.threshold) & (weights > 0))
                found[v, sure[_surest(surest[sure], weights[sure], max(1.0, quota * share))]] = c
        return found

    def _scores(self, table: Table) -> Array:
        """log P(c | first view) + log P(c | second view) − log P(c): rows × classes; and both of them apart."""
        logs = [
            np.log(np.maximum(aligned_probabilities(member, table.select(view), self.classes_), LEAST))
            for member, view in zip(self.estimators_, self.views_, strict=True)
        ]
        return np.stack([*logs, np.broadcast_to(-np.log(self._prior), logs[0].shape)])

    def _probabilities(self, table: Table) -> Array:
        total = self._scores(table).sum(axis=0)
        sizes = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(sizes / sizes.sum(axis=1, keepdims=True))

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """What each view adds to the log-probability of the class answered."""
        parts = self._scores(row)[:, 0, :]
        total = parts.sum(axis=0)
        all_ = float(total.max() + np.log(np.exp(total - total.max()).sum()))
        best = int(total.argmax())
        told = tuple(
            Evidence(f"view {v + 1}", ", ".join(view), float(parts[v, best])) for v, view in enumerate(self.views_)
        )
        order = np.argsort(-total, kind="stable")
        others = tuple((self.classes_[c], float(total[c] - all_)) for c in order.tolist() if c != best)
        base, reached = float(parts[2, best]) - all_, float(total[best]) - all_
        words = "less the share of the class, and all classes to 1"
        return Explanation(self.classes_[best], "sum", base, words, told, reached, "log-probability", others)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        given, found = int((self.round_ == 0).sum()), int((self.round_ > 0).sum())
        never = int((self.round_ < 0).sum())
        lines = [f"view {v + 1}: {', '.join(view)}" for v, view in enumerate(self.views_)]
        done = f"{count_of(given, 'row')} with a class, {found:,} labelled in {count_of(self.n_rounds_, 'round')}"
        return "\n".join([f"{done}, {never:,} never", *lines])

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if len(self.estimators_) != 2 or len(self.views_) != 2:
            raise SavedModelError("There are not two views.")
        for member, view in zip(self.estimators_, self.views_, strict=True):
            known = set(view) <= set(self._schema.names)
            if not known or not isinstance(member, Classifier) or list(member._given_schema().names) != list(view):
                raise SavedModelError("A classifier inside does not fit its view.")
        if self._prior.shape != (len(self.classes_),) or np.any(self._prior <= 0):
            raise SavedModelError("The shares of the classes do not fit the classes.")
        shape = self.labels_.shape
        if len(shape) != 1 or self.round_.shape != shape or self.found_by_.shape != shape:
            raise SavedModelError("The labels found do not fit the rounds.")


def _agreed(chosen: Array) -> Array:
    """The class of each row that one view gives it, or both; −1 where neither does, or they disagree."""
    first, second = chosen
    one = np.where(first >= 0, first, second)
    return np.where((first >= 0) & (second >= 0) & (first != second), -1, one)


def _surest(surest: Array, weights: Array, quota: float) -> Array:
    """Places of the surest up to a weight of the quota, and of all that are as sure as the last of them: so neither
    the order of rows nor whether one stands there twice decides."""
    order = np.argsort(-surest, kind="stable")
    before = np.cumsum(weights[order]) - weights[order]
    taken = before < quota * (1 - 1e-12)
    if not taken.any():
        return order[:0]
    return np.flatnonzero(surest >= surest[order[taken][-1]] * (1 - 1e-12))
