"""Self-training: a classifier that learns from its own surest answers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble import CLASSIFIER, aligned_probabilities
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.linear import LogisticRegression
from learnt.semi_supervised.labels import partly_labelled
from learnt.show.words import count_of
from learnt.storable import Counts
from learnt.watch import report


class SelfTrainingClassifier(Classifier, listed=False):
    """Fit a classifier to the labelled rows, let it label the rows it is surest of, and fit it again.

    >>> table = {"x": [1.0, 1.2, 1.4, 1.6, 5.0, 5.2, 5.4, 5.6]}
    >>> model = SelfTrainingClassifier(threshold=0.6).fit(table, ["low", None, None, None, None, None, None, "high"])
    >>> model.labels_.tolist()
    ['low', 'low', 'low', 'low', 'high', 'high', 'high', 'high']

    Rows whose target is missing are the unlabelled ones: an empty cell, None or NaN, no code. In each round the rows
    whose most probable class reaches `threshold` get that class and keep it; or the `most` surest of them. It ends when
    no row is sure enough.

    It helps where a class's rows lie together and the classifier's probabilities are right; where they are not, errors
    feed themselves. `score_with_few_labels` tells whether it helped, on labels that were hidden.

    {settings}

    Attributes: `estimator_`, the classifier of the last round; `labels_`, the class of every row, given or found (None:
    never sure enough); `round_`, in which it was found (0: given, −1: never); `n_rounds_`; `classes_`.

    Reference: D. Yarowsky, Unsupervised word sense disambiguation rivaling supervised methods, 1995.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    fit_cost = 300.0
    simplicity = 80.0

    estimator: Any = setting(CLASSIFIER, "the classifier; None: a `LogisticRegression`", default=None, kw_only=False)
    threshold: float = setting(Real(above=0, high=1), "how probable a class must be", default=0.75)
    most: Any = setting(Whole(1) | OneOf(None), "rows labelled in a round at most, the surest first", default=None)
    max_rounds: int = setting(Whole(1), "rounds at most", default=10)

    estimator_: Any = attribute()
    labels_: Array = attribute()
    round_: Counts = attribute()
    n_rounds_: int = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`, those without a class included.

        `y` is an array or the name of a column; where it is missing, the class is unknown.
        """
        self._check_parameters()
        given = partly_labelled(X, y, sample_weight, type(self).__name__)
        learner = adopted(LogisticRegression(standardize=True) if self.estimator is None else self.estimator)
        codes = given.codes.copy()
        found_in = np.where(codes >= 0, 0, -1).astype(np.int64)
        member = given.fitted(learner, codes)
        rounds = 0
        while rounds < self.max_rounds and (open_ := np.flatnonzero(codes < 0)).size:
            rows, chosen = self._sure(member, given.table.take(open_), given.classes)
            if not len(rows):
                break
            rounds += 1
            codes[open_[rows]], found_in[open_[rows]] = chosen, rounds
            member = given.fitted(learner, codes)
            report("round", learner=type(self).__name__, iteration=rounds, total=self.max_rounds)
        twin = self._twin(given.schema, given.classes)
        twin.estimator_, twin.labels_, twin.round_, twin.n_rounds_ = member, given.named(codes), found_in, rounds
        return self._become(twin)

    def _sure(self, member: Any, table: Table, classes: Array) -> tuple[Array, Array]:
        """The rows that the classifier is sure of, and their classes."""
        shares = aligned_probabilities(member, table, classes)
        best, surest = shares.argmax(axis=1), shares.max(axis=1)
        rows = np.flatnonzero(surest >= self.threshold)
        if self.most is not None and len(rows) > self.most:
            rows = np.sort(rows[np.argsort(-surest[rows], kind="stable")[: self.most]])
        return rows, best[rows].astype(np.int32)

    def _probabilities(self, table: Table) -> Array:
        return aligned_probabilities(self.estimator_, table, self.classes_)

    def _explain(self, table: Table) -> Explanations:
        found: Explanations = self.estimator_.explain(table)
        return found

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        given, found = int((self.round_ == 0).sum()), int((self.round_ > 0).sum())
        never = int((self.round_ < 0).sum())
        return (
            f"{count_of(given, 'row')} with a class, {found:,} labelled in {count_of(self.n_rounds_, 'round')}, "
            f"{never:,} never\n{self.estimator_}"
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        member = self.estimator_
        if not isinstance(member, Classifier) or member._schema != self._schema:
            raise SavedModelError("The classifier inside does not fit the columns.")
        if self.labels_.shape != self.round_.shape or self.labels_.ndim != 1:
            raise SavedModelError("The labels found do not fit the rounds.")
