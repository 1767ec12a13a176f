"""Learners inside an ensemble: which may be, how one is fitted to some of the rows, what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, are_copies, cells_of, places_to_draw, row_keys
from learnt.data.table import Array, Table
from learnt.engine.engines import run
from learnt.engine.passes import Batch
from learnt.engine.target import class_codes
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, WholeTable
from learnt.errors import AbsentAttributeError
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.foreign import is_foreign
from learnt.learner.parameters import Domain


class TableLearner(Domain):
    """None, or a learner for a task that reads tables: one of learnt, or an estimator of scikit-learn."""

    def __init__(self, kind: type[Learner]):
        self.kind = kind
        self.words = f"None or a {kind.__name__.lower()} of learnt that reads tables, or one of scikit-learn"

    def __contains__(self, value: object) -> bool:
        own = isinstance(value, self.kind) and "text" not in value.abilities
        return value is None or own or is_foreign(value, self.kind.task)


CLASSIFIER, REGRESSOR = TableLearner(Classifier), TableLearner(Regressor)


#: Of ensembles whose members are fitted one after another to some of the rows.
MEMBERS_DRAW = InMemory("fits each member to rows drawn from all of them")


def rows_to_draw(rows: WholeTable) -> Batch:
    """The rows that members are fitted to; sparse ones are unpacked once, not by every member."""
    return rows.of_positive_weight().unpacked().batch


def rows_in_order(rows: WholeTable) -> tuple[Batch, Array | None]:
    """The same for members that draw rows by their number: copies side by side, and whole weights as copies.

    And where each stood among the rows of positive weight; None where they stand as they came.
    """
    there = rows.of_positive_weight().unpacked()
    if there.rows > ORDERED_UP_TO:
        return there.batch, None
    keys = row_keys([*cells_of(there.table), there.target])
    places, w = places_to_draw(keys, there.weights), there.weights
    assert places is not None
    weights = None if w is None or are_copies(w) else w[places]
    return Batch(there.table.take(places), 0, there.target[places], weights), places


def fitted_member(learner: Learner, batch: Batch, classes: Array | None) -> Any:
    """The learner, given with its settings only, fitted to these rows.

    Of the classes it gets to know those that have rows: a drawn sample may lack some.
    """
    assert batch.target is not None
    learner._check_parameters()
    target, n_labels = batch.target, 0
    if classes is not None:
        present = np.bincount(target, minlength=len(classes)) > 0
        n_labels = len(classes)
        classes = classes[present]
        target = (np.cumsum(present) - 1).astype(np.int32)[target]
    member: Any = learner._twin(batch.table.schema, classes)
    own = Training(batch.table, batch.table.schema, target, batch.weights, classes, n_labels)
    run(member._plan(own), own, type(learner).__name__)
    return member


def taken_rows(batch: Batch, rows: Array, counts: Array | None = None) -> Batch:
    """These rows of a batch; with `counts`, each repeated that often, as weights."""
    assert batch.target is not None
    weights = None if batch.weights is None else batch.weights[rows]
    if counts is not None:
        weights = counts.astype(np.float64) if weights is None else weights * counts
    return replace(batch, table=batch.table.take(rows), target=batch.target[rows], weights=weights)


def selected_columns(table: Table, columns: Array) -> Table:
    """The columns at these positions; all of them are the table itself."""
    if len(columns) == table.n_columns:
        return table
    names = table.names
    return table.select([names[j] for j in columns.tolist()])


def copies_are_weights(learner: Learner) -> bool:
    """Whether a weight of 2 is the row twice: not for those who meet rows one after another."""
    inside = [value for value in learner.get_params(deep=False).values() if isinstance(value, Learner)]
    if "weights" not in learner.abilities or "order-dependent" in learner.abilities:
        return False
    return all(copies_are_weights(value) for value in inside)


#: Numbers of at most this size have differences that are numbers, too.
_LARGEST = float(np.finfo(np.float64).max) / 2


def within_bounds(answer: Array) -> Array:
    """An answer that others are averaged with: infinite ones, of either sign, would have no mean."""
    return np.clip(answer, -_LARGEST, _LARGEST)


def mean_importances(members: Sequence[Any], shares: Array) -> Array:
    """The members' `feature_importances_`, weighed by these shares."""
    without = next((member for member in members if not hasattr(member, "feature_importances_")), None)
    if without is not None:
        raise AbsentAttributeError(
            f"feature_importances_ is there where all members have it, and {type(without).__name__} has none. "
            "Use learnt.permutation_importance."
        )
    return np.array(shares @ np.array([member.feature_importances_ for member in members]))


def answer_codes(member: Any, table: Table, classes: Array) -> Array:
    """What a fitted classifier answers, as codes of `classes`."""
    codes: Array = class_codes(member.predict(table), classes)
    return codes


def aligned_probabilities(member: Any, table: Table, classes: Array) -> Array:
    """Its class probabilities in the order of `classes`, 0 for those it has not met."""
    own: Array = np.asarray(member.predict_proba(table))
    if len(member.classes_) == len(classes):
        return own
    places = {label: place for place, label in enumerate(classes.tolist())}
    shares = np.zeros((table.n_rows, len(classes)))
    shares[:, [places[label] for label in member.classes_.tolist()]] = own
    return shares


def votes(member: Any, table: Table, classes: Array, *, soft: bool) -> Array:
    """What a fitted classifier says of rows, rows × classes: its probabilities; else its answers, as 0 and 1."""
    if soft:
        return aligned_probabilities(member, table, classes)
    counted: Array = np.eye(len(classes))[answer_codes(member, table, classes)]
    return counted
