"""What edits and condensers of a table share: rows are chosen, then a learner is fitted to them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.rows_where import rows_where
from learnt.data.table import Array, Table
from learnt.engine.training import prepare
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute
from learnt.learner.foreign import adopted, is_foreign
from learnt.learner.parameters import Domain, OneOf
from learnt.learner.saved_settings import check_settings
from learnt.learner.text.counting import with_words
from learnt.neighbors.k_neighbors.classifier import KNeighborsClassifier
from learnt.neighbors.selection.instance_based import InstanceBasedClassifier
from learnt.show.words import spell


class AnyClassifier(Domain):
    words = "a classifier of learnt, or one of scikit-learn"

    def __contains__(self, value: object) -> bool:
        own = isinstance(value, Classifier) and "text" not in value.abilities
        return own or is_foreign(value, "classification")


class RowSelector(Classifier, abstract=True):
    """Chooses rows, and fits a learner to those alone. Members write `_chosen`, from rows to places."""

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "pairwise", "order-dependent"})
    whole = COMPARES_ROWS
    fit_cost = 30.0
    simplicity = 27.0
    domains: ClassVar[dict[str, Domain]] = {"learner": OneOf(None) | AnyClassifier()}

    learner: Any = attribute()
    learner_: Any = attribute()
    rows_: Array = attribute()
    n_kept_: int = attribute()
    n_seen_: int = attribute()

    # Choosing

    def select(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Which rows are kept: a mask of the rows of `X`, for any learner at all."""
        self._check_parameters()
        name = type(self).__name__
        training = prepare(X, y, sample_weight, "classes", name, check_cells=True)
        COMPARES_ROWS.check(training.source, name)
        training = with_words(training, self.takes_text, name)
        table, target, weights = next(training.batches()).table, training.target, training.weights
        there = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        found = self._chosen(table.take(there), target[there], None if weights is None else weights[there])
        mask = np.zeros(table.n_rows, dtype=bool)
        mask[there[found]] = True
        return mask

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows kept and their targets, in the order they came: what pipelines of imbalanced-learn call."""
        if y is None or isinstance(y, str):
            raise InputError(f"y is {spell(y)}. Expected the target of each row, to give back those of the rows kept.")
        mask = self.select(X, y)
        return rows_where(X, mask), rows_where(y, mask)

    def _chosen(self, table: Table, target: Array, weights: Array | None) -> Array:
        """Places of the rows kept, ascending."""
        raise NotImplementedError

    # Fitting and answering

    def _learn(self, rows: WholeTable) -> None:
        n_seen, rows = rows.rows, rows.unpacked().of_positive_weight()
        table, y, w, numbers = rows.table, rows.target, rows.uneven_weights, rows.numbers
        kept = self._chosen(table, y, w)
        inner = InstanceBasedClassifier(policy="ib1") if self.learner is None else adopted(self.learner)
        self.rows_, self.n_kept_, self.n_seen_ = numbers[kept], len(kept), n_seen
        labels = self.classes_[y[kept]]
        self.learner_ = inner.fit(table.take(kept), labels, None if w is None else w[kept])
        if isinstance(self.learner_, InstanceBasedClassifier | KNeighborsClassifier | RowSelector):
            self.learner_._renumber(self.rows_, self.n_seen_)

    def _renumber(self, numbers: Array, n_rows: int) -> None:
        """Speak of rows by their numbers in a larger table of `n_rows`, of which only these were fitted."""
        self.rows_ = numbers[self.rows_]
        if isinstance(self.learner_, InstanceBasedClassifier | KNeighborsClassifier | RowSelector):
            self.learner_._renumber(numbers, n_rows)

    def _probabilities(self, table: Table) -> Array:
        found = np.zeros((table.n_rows, len(self.classes_)))
        found[:, self._places()] = np.asarray(self.learner_.predict_proba(table))
        return found

    def _places(self) -> list[int]:
        """Where the classes of the learner inside stand among all: a class may have lost its rows."""
        known = self.classes_.tolist()
        return [known.index(label) for label in self.learner_.classes_.tolist()]

    def __getattr__(self, name: str) -> Any:
        # What the learner inside says of its answers (a score, a distance) is asked of it.
        if name in ("decision_function", "distances") and "learner_" in self.__dict__:
            return getattr(self.learner_, name)
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)  # raises again what the property raised
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _explain(self, table: Table) -> Explanations:
        told: Explanations = self.learner_.explain(table)
        return told

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        if not isinstance(self.learner_, Classifier) or self.learner_._schema != self._schema:
            raise SavedModelError("The learner inside does not fit the columns.")
        if not set(self.learner_.classes_.tolist()) <= set(self.classes_.tolist()):
            raise SavedModelError("The learner inside knows other classes.")
