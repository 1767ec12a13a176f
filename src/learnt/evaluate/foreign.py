"""Learners of any make: learnt's own, scikit-learn's, and whatever has `fit` and `predict`."""

from __future__ import annotations

import copy
import pickle
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from learnt.data.table import Array, Column
from learnt.engine.blas import one_blas_thread
from learnt.errors import InputError
from learnt.evaluate.problem import Problem
from learnt.learner.base import Learner
from learnt.learner.foreign import features_for as features_for
from learnt.learner.foreign import learner_task as learner_task
from learnt.learner.settings import clone
from learnt.show.words import spell


def check_learner(learner: Any) -> None:
    """Raise for what is not a learner, or a class instead of one."""
    if isinstance(learner, type):
        raise InputError(f"{learner.__name__} is a class. Expected a learner: write {learner.__name__}().")
    absent = [name for name in ("fit", "predict") if not callable(getattr(learner, name, None))]
    if absent:
        raise InputError(
            f"{learner!r} has no method {spell(absent[0])}. Expected a learner of learnt, or anything with "
            "scikit-learn's fit and predict."
        )


def fresh(learner: Any) -> Any:
    """An unfitted copy with the same settings."""
    sklearn = sys.modules.get("sklearn.base")
    if not isinstance(learner, Learner) and sklearn is not None and isinstance(learner, sklearn.BaseEstimator):
        return sklearn.clone(learner)
    return clone(learner) if hasattr(learner, "get_params") else copy.deepcopy(learner)


def seeded(learner: Any, seed: int) -> Any:
    """An unfitted copy whose open random states, those of learners inside too, are set to `seed`."""
    twin = fresh(learner)
    if not hasattr(twin, "get_params"):
        return twin
    names = [
        name
        for name, value in twin.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return twin.set_params(**dict.fromkeys(names, seed)) if names else twin


def fit_on(learner: Any, problem: Problem, rows: Array | None = None) -> Any:
    """The learner itself, fitted on some rows of a problem (all, unless given)."""
    chosen = slice(None) if rows is None else rows
    table = problem.table if rows is None else problem.table.take(rows)
    y: Any = problem.target[chosen]
    if problem.classes is not None:
        y = problem.classes[y]
        if isinstance(learner, Learner) and problem.declared is not None:
            column = problem.declared
            y = Column.like(column, column.values[chosen])
    more = {} if problem.weights is None else {"sample_weight": problem.weights[chosen]}
    if problem.groups is not None and getattr(learner, "takes_groups", False):
        more["groups"] = problem.groups[chosen]
    model = learner.fit(features_for(learner, table), y, **more)
    return learner if model is None else model


def quiet_blas(learner: Any) -> AbstractContextManager[None]:
    """Foreign learners at one BLAS thread, whose results would depend on the number of them; ours see to it."""
    return nullcontext() if isinstance(learner, Learner) else one_blas_thread()


def model_bytes(model: Any) -> int | None:
    """The size of a model as stored, or None where it cannot be. Arrays are counted, not copied."""
    counter = _Counter()
    try:
        pickle.Pickler(counter, protocol=5, buffer_callback=counter.add).dump(model)
    except Exception:  # a model may refuse in any way it likes
        return None
    return counter.count


class _Counter:
    def __init__(self) -> None:
        self.count = 0

    def write(self, data: Any) -> int:
        self.count += (size := memoryview(data).nbytes)
        return size

    def add(self, buffer: pickle.PickleBuffer) -> None:
        self.count += buffer.raw().nbytes
