"""Learning in instalments: going on with more rows, in the columns and classes of the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan, run
from learnt.engine.passes import Statistic
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.learner.base import Learner
from learnt.learner.fitting import Summarize
from learnt.learner.matching import match_schema, unseen_cells
from learnt.show.words import spell


class Continuing(Learner, abstract=True):
    """A learner that can go on with more rows. Members write `_continue`, and `partial_fit`, which says what it means
    for them and calls `_fit_more`."""

    def _fit_more(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        """What `fit` does, for more rows in the columns, categories and classes of the first ones."""
        name = type(self).__name__
        earlier = self if "_schema" in self.__dict__ else None
        if earlier is None:
            training = self._prepare(X, y, sample_weight)
            schema, words = training.schema, training.words
            check_one_table(training, name)
        else:
            training = self._prepare_as_given(X, y, sample_weight)
            schema, words = earlier._schema, earlier.__dict__.get("_text_columns")
            table = in_fitted_columns(training, earlier._given_schema(), name)
            training = replace(training, source=table if words is None else words.spread(table), schema=schema)
        if self.needs == "classes":
            given = None if classes is None else np.unique(np.asarray(classes))
            training = in_fitted_classes(training, given if earlier is None else getattr(earlier, "classes_", None))
        twin = self._twin(schema, training.classes, words)
        run(twin._continue(training, earlier), training, name)
        return self._become(twin)

    def _continue(self, training: Training, earlier: Self | None) -> Plan:
        """The passes over more rows, from where `earlier` stands; None at the first rows."""
        raise NotImplementedError


class OnePass(Continuing, abstract=True):
    """A learner of one pass that keeps its statistic, a storable dataclass: statistics of more rows are added."""

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: the model is that of all rows given so far, as if they had come at once.

        The first call fixes the columns, their categories and the classes: `classes` lists them all if the
        first rows do not show each. Columns of text should then be given as categoricals that declare their
        levels. `fit` begins anew, and `partial_fit` goes on from it.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _continue(self, training: Training, earlier: Self | None) -> Plan:
        if earlier is not None:
            self._statistic = earlier._kept_statistic()
        yield from self._plan(training)

    def _plan(self, training: Training) -> Plan:
        more: Statistic = yield Summarize(self)
        earlier: Statistic | None = self.__dict__.get("_statistic")
        self._statistic = more if earlier is None else earlier + more
        self.solve(self._statistic)

    def add_up(self, others: Sequence[Self]) -> None:
        """Become what one would be that was given the rows of all the others, which are of the same columns and
        classes."""
        twin = others[0]._blank()
        twin.__dict__.update(others[0].__dict__)
        twin._statistic = reduce(add, [other._kept_statistic() for other in others])
        twin.solve(twin._statistic)
        self._become(twin)

    def _kept_statistic(self) -> Statistic:
        if "_statistic" not in self.__dict__:
            raise InputError(f"This {type(self).__name__} kept no statistic to add to. Fit it again on all rows.")
        return self._statistic


def check_one_table(training: Training, owner: str) -> Table:
    """The table of a call; a scan is refused."""
    if not isinstance(training.source, Table):
        raise InputError(f"{owner}.partial_fit was given a scan. It takes one table at a time. Use fit for scans.")
    return training.source


def in_fitted_columns(training: Training, schema: Schema, owner: str) -> Table:
    """The rows in the columns and category codes of the first call; what these do not know is an error."""
    table = check_one_table(training, owner)
    same = table if table.schema is schema else match_schema(table, schema, owner)
    for _, column, lost in unseen_cells(table, same):
        raise InputError(
            f"Column {column.name!r} has {spell(column.labels()[lost[0]])} in row {lost[0]}, a category that the first "
            "call did not know. All categories are fixed there. Declare them, e.g. by a pandas Categorical."
        )
    return same


def in_fitted_classes(training: Training, classes: Array | None) -> Training:
    """The target as codes into `classes`; labels it lacks are an error."""
    assert training.classes is not None
    if classes is None:
        return training
    place = {label: code for code, label in enumerate(classes.tolist())}
    strange = [label for label in training.classes.tolist() if label not in place]
    if strange:
        raise InputError(
            f"The target holds {spell(strange[0])}, which is none of the classes of the first call. "
            f"They are {classes.tolist()[:6]}. Give all labels as classes= then."
        )
    codes = np.array([place[label] for label in training.classes.tolist()], np.int32)
    return replace(training, target=codes[training.target], classes=classes, n_labels=len(classes))
