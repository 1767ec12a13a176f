"""Learners of another make: what task they have, how they take tables, and how one stands where a learner of learnt is
expected, as the member of an ensemble."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np

from learnt.data.convert.out import to_array, to_pandas
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.whole import InMemory, WholeTable
from learnt.errors import InputError
from learnt.explain import Explanations
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.settings import clone

_TASKS = {"classifier": "classification", "regressor": "regression"}


def learner_task(learner: Any) -> str:
    """ "classification" or "regression", as far as a learner says; "auto" where it says nothing."""
    if isinstance(learner, Learner):
        return learner.task
    sklearn = sys.modules.get("sklearn.base")
    kind = getattr(learner, "_estimator_type", None)
    if sklearn is not None and hasattr(learner, "__sklearn_tags__") and not isinstance(learner, type):
        kind = learner.__sklearn_tags__().estimator_type
    return _TASKS.get(kind or "", "auto")


def features_for(learner: Any, table: Table) -> Any:
    """A table as a learner takes it: as it is for learnt's own; for others a matrix, or a pandas frame if it has
    column names or labels."""
    if isinstance(learner, Learner):
        return table
    if table.sparse is not None:
        return table.sparse
    if not table.schema.named and table.schema.all_numeric:
        return to_array(table) if table.matrix is None else table.matrix
    try:
        import pandas  # noqa: F401
    except ImportError:
        if table.schema.all_numeric:
            return to_array(table)
        raise InputError(
            f"{type(learner).__name__} takes labels in a pandas frame, but pandas is not installed. Install it, "
            "or turn the labels into numbers first."
        ) from None
    return to_pandas(table)


def is_foreign(learner: Any, task: str) -> bool:
    """Whether this is an estimator of scikit-learn, or one like those, for a task."""
    if isinstance(learner, Learner | type) or not all(hasattr(learner, name) for name in ("fit", "predict")):
        return False
    return hasattr(learner, "get_params") and learner_task(learner) == task


def adopted(learner: Any) -> Any:
    """A copy with nothing learnt: of learnt's own as it is, of another make inside one of learnt's."""
    if isinstance(learner, Learner):
        return clone(learner)
    cls = ForeignRegressor if learner_task(learner) == "regression" else ForeignClassifier
    return cls(clone(learner))


def is_adopted(learner: Learner) -> bool:
    """Whether there is an estimator of another make inside."""
    return isinstance(learner, _Foreign)


class _Foreign(Learner, abstract=True):
    """An estimator of another make behind the hooks of a learner. `model_` is what was fitted."""

    whole = InMemory("hands all rows to an estimator of another make")

    takes_text = "counts"

    estimator: Any = setting(default=None, kw_only=False)

    model_: Any = attribute()

    @property
    def abilities(self) -> frozenset[str]:  # type: ignore[override]
        """What is known of it: whether it takes weights. Labels and missing cells it may refuse itself."""
        takes = "sample_weight" in inspect.signature(self.estimator.fit).parameters
        return frozenset({"missing", "nominal", "sparse"} | ({"weights"} if takes else set()))

    def __repr__(self) -> str:
        return repr(self.estimator)

    def _learn(self, rows: WholeTable) -> None:
        if rows.weights is not None and "weights" not in self.abilities:
            raise InputError(
                f"{type(self.estimator).__name__} takes no sample_weight, and rows have weights here. "
                "Leave them out, or use an estimator whose fit has sample_weight."
            )
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        model = clone(self.estimator)
        with one_blas_thread():  # results would depend on the number of threads
            self.model_ = model.fit(features_for(model, rows.table), self._labels(rows.target), **weights)

    def _labels(self, target: Array) -> Array:
        return target

    def _ask(self, method: str, table: Table) -> Array:
        with one_blas_thread():
            return np.asarray(getattr(self.model_, method)(features_for(self.model_, table)))

    def _explain(self, table: Table) -> Explanations:
        raise InputError(
            f"{type(self.estimator).__name__} does not say how its answers come about. Use a learner of learnt in its "
            "place to have them explained, or learnt.permutation_importance."
        )


class ForeignClassifier(_Foreign, Classifier, abstract=True):
    """A classifier of another make."""

    def _labels(self, target: Array) -> Array:
        labels: Array = self.classes_[target]
        return labels

    def predict(self, X: Any) -> Array:
        """What the classifier inside answers."""
        still = self._still()
        answers: Array = still._over(X, lambda table: still._ask("predict", table))
        return answers

    def _probabilities(self, table: Table) -> Array:
        places = {label: place for place, label in enumerate(self.classes_.tolist())}
        if not hasattr(self.model_, "predict_proba"):
            said = self._ask("predict", table).tolist()
            sure: Array = np.eye(len(places))[[places[label] for label in said]]
            return sure
        shares = np.zeros((table.n_rows, len(places)))
        shares[:, [places[label] for label in self.model_.classes_.tolist()]] = self._ask("predict_proba", table)
        return shares


class ForeignRegressor(_Foreign, Regressor, abstract=True):
    """A regressor of another make."""

    def _predict(self, table: Table) -> Array:
        return self._ask("predict", table).astype(np.float64, copy=False)
