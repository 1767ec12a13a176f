"""A registered learner as the checks see it: made, fitted and asked without knowing which one it is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from learnt import Table
from learnt.learner.output import container_of
from learnt.learner.registry import Entry

#: Settings the checks use wherever a constructor has them.
SETTINGS = {"random_state": 0, "n_clusters": 3}

#: Ensembles have up to a hundred members unless told otherwise, and components of noise never come to rest: a few
#: members or rounds show as much.
MEMBERS, FEW = ("n_estimators", "max_iter"), 6

#: Learners whose `fit_cost` is so high get fewer rows, and fewer still.
LONG, LONGEST = 60, 500

_OWN = object()


@dataclass(frozen=True)
class Subject:
    entry: Entry

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def task(self) -> str:
        return self.entry.task

    def can(self, *abilities: str) -> bool:
        return self.entry.abilities >= set(abilities)

    @property
    def predicts(self) -> bool:
        return self.task != "transformation"

    @property
    def supervised(self) -> bool:
        return self.task in ("classification", "regression")

    def new(self, **settings: Any) -> Any:
        chosen = {name: value for name, value in SETTINGS.items() if name in self.defaults()}
        chosen |= {name: FEW for name in MEMBERS if name in self.defaults() and self._goes_on}
        if {"init", "n_components"} <= self.defaults().keys() and self.task == "clustering":
            chosen["n_components"] = 3  # given starts are three rows
        return self.entry.cls(**(chosen | settings))

    @property
    def _goes_on(self) -> bool:
        return self.entry.cls.__module__.startswith(("learnt.ensemble", "learnt.reduce"))

    def defaults(self) -> dict[str, Any]:
        return self.entry.cls().get_params(deep=False)

    @property
    def needs(self) -> Any:
        """The kind of target it cannot do without: "classes", "numbers", or None. Some transformers have one too."""
        return self.entry.cls().needs

    def rows(self, wanted: int) -> int:
        """So many rows, or fewer for a learner that compares every row with every other, or grows many deep trees, or
        takes long in other ways."""
        cost = 0 if self._goes_on and "max_iter" in self.defaults() else self.entry.cls.fit_cost
        many = cost >= LONG or not self.defaults().keys().isdisjoint({"n_estimators", "estimators"})
        most = 1000 if self.can("pairwise") else 3_000 if cost >= LONGEST else 12_000 if many else wanted
        return min(wanted, most)

    def target(self, n_rows: int) -> Any:
        """A target for so many rows, or None where the learner needs none."""
        rng = np.random.default_rng(n_rows)
        if self.needs == "numbers":
            return rng.normal(size=n_rows).round(3)
        if self.needs == "classes":
            return np.array(["maybe", "no", "yes"])[np.arange(n_rows) % 3 * (rng.random(n_rows) < 0.8)]
        return None

    def fitted(self, X: Any, y: Any = _OWN, weights: Any = None, **settings: Any) -> Any:
        y = self.target(row_count(X)) if y is _OWN else y
        return self.new(**settings).fit(X, y, sample_weight=weights)

    def from_given_start(self, X: Any, y: Any = _OWN, weights: Any = None, **settings: Any) -> Any:
        """Fitted with nothing left to chance: learners that draw a start are given one."""
        if self.can("random") and "init" in self.defaults():
            settings |= {"init": first_rows(X, 3)}
        return self.fitted(X, y, weights, **settings)


def row_count(X: Any) -> int:
    if isinstance(X, dict):
        return len(next(iter(X.values())))
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def first_rows(X: Any, count: int) -> Any:
    if isinstance(X, Table):
        return X.rows(0, count)
    return {k: v[:count] for k, v in X.items()} if isinstance(X, dict) else X[:count]


def answer(model: Any, X: Any) -> Any:
    """The main answer: a prediction, or the transformed rows."""
    return model.predict(X) if hasattr(model, "predict") else model.transform(X)


def answers(model: Any, X: Any) -> dict[str, Any]:
    """Everything a fitted learner says about rows, as arrays."""
    found: dict[str, Any] = {}
    for name in ("predict", "predict_proba", "transform"):
        if hasattr(model, name):
            said = getattr(model, name)(X)
            if name == "transform" and container_of(said) != "default":  # distances from centres are arrays, too
                said = Table(said)  # column by column: converting a whole polars frame hangs in a forked child
                said = np.asarray(said) if hasattr(model, "predict") else said
            if isinstance(said, Table) and said.sparse is not None and said.n_columns > 1000:
                rows = said.sparse  # dense, such a table takes gigabytes
                found |= {f"{name} {part}": getattr(rows, part) for part in ("data", "indices", "indptr")}
            elif isinstance(said, Table):
                found |= {f"{name} {column.name}": _cells(column) for column in said.columns}
            else:
                found[name] = said.toarray() if hasattr(said, "toarray") else np.asarray(said)
    return found


def explained(model: Any, X: Any, count: int) -> list[dict[str, Any]]:
    """The first explanations; none of a learner that does not predict."""
    return [told.to_dict() for told in model.explain(X)[:count]] if hasattr(model, "predict") else []


def _cells(column: Any) -> Any:
    return column.values if column.kind == "numeric" else np.array(column.labels(), dtype=object)


def assert_same_answers(one: dict[str, Any], other: dict[str, Any], rtol: float = 1e-10) -> None:
    assert one.keys() == other.keys()
    for name, left in one.items():
        right = other[name]
        assert left.shape == right.shape, name
        if left.dtype.kind == "f":
            np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol, err_msg=name)
        else:
            np.testing.assert_array_equal(left, right, err_msg=name)


def assert_equal_answers(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert_same_answers(one, other, rtol=0)


def frozen(value: Any) -> Any:
    """A value taken apart into what can be compared bit by bit: the state of a learner, a table, a setting."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return "objects", value.shape, frozen(value.ravel().tolist())
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return frozen(np.asarray(value))
    if isinstance(value, float):
        return "float", value.hex()
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, {f.name: frozen(getattr(value, f.name)) for f in fields(value) if f.init}
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value).__name__, frozen(value.__getstate__())
    if isinstance(value, dict):
        return {key: frozen(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [frozen(v) for v in value]
    return type(value).__name__, repr(value)


@contextmanager
def quietly() -> Iterator[None]:
    """Without the warnings that too few or equal rows rightly cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
