"""The ritual of fitting: a twin is written on, and takes the learner's place when all is done."""

from __future__ import annotations

import pickle
from copy import copy

import numpy as np
import pytest

import learnt
from learnt.engine.whole import COMPARES_ROWS, TakeWhole
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.learner.base import Regressor
from learnt.learner.partial import Continuing

X = np.random.default_rng(0).normal(size=(40, 3))
CONTINUING = [entry for entry in learnt.learners() if issubclass(entry.cls, Continuing)]
WHOLE = [entry for entry in learnt.learners() if entry.cls.whole is not None]


class _Longest(Continuing, Regressor):
    """The largest target so far; what comes at once must not be negative."""

    largest_: float

    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        return self._fit_more(X, y, sample_weight, classes)

    def _plan(self, training):
        return self._continue(training, None)

    def _continue(self, training, earlier):
        found = (yield TakeWhole()).target
        self.largest_ = max(found.max(), 0.0 if earlier is None else earlier.largest_)
        if found.min() < 0:
            raise InputError("A length is negative.")

    @cached_property
    def _half(self) -> float:
        return self.largest_ / 2

    def _predict(self, table):
        return np.full(table.n_rows, self._half * 2)


def target(entry):
    if entry.task == "regression":
        return X @ [1.0, 2.0, 3.0]
    return np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]


def test_more_rows_go_on_from_the_earlier_ones_and_fit_begins_anew() -> None:
    model = _Longest().partial_fit(X[:2], [3.0, 1.0]).partial_fit(X[:1], [2.0])
    assert model.largest_ == 3
    assert model.fit(X[:1], [2.0]).largest_ == 2


def test_what_fails_leaves_the_learner_as_it_was() -> None:
    model = _Longest().fit(X[:1], [2.0])
    for again in (model.fit, model.partial_fit):
        with pytest.raises(InputError, match="negative"):
            again(X[:2], [9.0, -1.0])
        assert model.largest_ == 2


def test_what_can_be_made_again_is_neither_pickled_nor_copied() -> None:
    model = _Longest().fit(X[:1], [2.0])
    model.predict(X)
    assert "_half" in vars(model)
    for other in (pickle.loads(pickle.dumps(model)), copy(model)):
        assert "_half" not in vars(other)
        assert other.predict(X[:1]).tolist() == [2]


@pytest.mark.parametrize("entry", CONTINUING, ids=lambda entry: entry.name)
def test_rows_in_other_columns_change_nothing(entry) -> None:
    model = entry.cls().partial_fit(abs(X), target(entry))
    before = dict(vars(model))
    with pytest.raises(InputError):
        model.partial_fit(abs(X[:, :2]), target(entry))
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("entry", CONTINUING, ids=lambda entry: entry.name)
def test_instalments_are_tables(entry, tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},{i % 3},{'no' if i % 2 else 'yes'}\n" for i in range(20)))
    y = {"classification": "y", "regression": "b"}.get(entry.task)
    scan = learnt.scan(path)
    with pytest.raises(InputError, match="partial_fit was given a scan"):
        entry.cls().partial_fit(scan, y)


@pytest.mark.parametrize("entry", WHOLE, ids=lambda entry: entry.name)
def test_a_learner_of_all_rows_says_why_it_takes_no_scan(entry, tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},{i % 3},{'no' if i % 2 else 'yes'}\n" for i in range(20)))
    y = {"classification": "y", "regression": "b"}.get(entry.task)
    with pytest.raises(InputError) as caught:
        entry.cls().fit(learnt.scan(path), y)
    assert str(caught.value).startswith(f"{entry.name} was given a scan. It {entry.cls.whole.because}, so all rows")


def test_many_learners_need_all_rows() -> None:
    assert sum(entry.cls.whole == COMPARES_ROWS for entry in WHOLE) >= 9
    assert {"KMeans", "LogisticRegression", "SGDClassifier", "InstanceBasedClassifier"} <= {e.name for e in CONTINUING}
