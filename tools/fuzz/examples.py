"""Small sound tables, with targets, that learners of every kind can be fitted to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import learnt
from learnt.learner.registry import entry_of

ROWS: dict[str, Any] = {
    "mixed": {
        "age": [31.0, None, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
        "town": ["Bern", "Basel", None, "Bern", "Zürich", "Basel", "Zürich", "Bern"],
        "member": [True, False, True, True, None, False, True, False],
    },
    "numbers": {
        "age": [31.0, 7.0, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
        "size": [1.0, 2.0, 0.0, 3.0, 1.0, 2.0, 5.0, 0.0],
    },
    "ratings": {
        "user": ["Anna", "Anna", "Beat", "Beat", "Cleo", "Cleo", "Dora", "Dora"],
        "item": ["tea", "milk", "tea", "rice", "milk", "rice", "tea", None],
        "rating": [5.0, 3.0, 4.0, 1.0, None, 2.0, 5.0, 4.0],
    },
    "images": np.arange(8 * 4 * 4).reshape(8, 4, 4) % 7 / 7,
    "texts": ["red apple", "green pear", "Grüne Birne", None, "apple wine", "a pear", "two pears", "red wine"],
}
TARGETS = {
    "classes": ["no", "yes", "yes", "no", "yes", "maybe", "yes", "no"],
    "numbers": [1.0, 2.5, 3.0, 0.5, 4.0, 2.0, 3.5, 0.25],
    "some classes": ["no", "yes", None, "no", "yes", None, "yes", None],
    "of sequences": ["no", "yes", "no", "yes"],
    "labels": [{"a"}, {"a", "b"}, {"b"}, set(), {"a"}, {"b"}, {"a", "b"}, set()],
}


@dataclass(frozen=True)
class Example:
    """Rows and target by their names above, settings that suit so few rows, and what else `fit` is given."""

    rows: str
    target: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def fit(self, model: Any) -> Any:
        return fit(model, ROWS[self.rows], TARGETS.get(self.target or ""), **self.more)


_NET = {"max_iter": 2, "batch_size": 4}
#: Learners that nobody is offered who asks for all, since each learns from something else than a table and one target.
UNLISTED: dict[str, Example] = {
    "BayesianNetwork": Example(
        "mixed", settings={"structure": {"town": [], "member": ["town"], "age": ["member"]}}, more={"n_bins": 2}
    ),
    "CoTrainingClassifier": Example("mixed", "some classes", {"max_rounds": 2}),
    "ConvNetClassifier": Example("images", "classes", _NET | {"channels": (2, 2)}),
    "HiddenMarkovModel": Example("mixed", settings={"max_iter": 3}),
    "KernelDensity": Example("mixed"),
    "LSTMClassifier": Example("mixed", "of sequences", _NET | {"hidden_size": 3}, {"lengths": [2, 2, 2, 2]}),
    "LabelPropagation": Example("mixed", "some classes", {"n_neighbors": 3}),
    "LabelSpreading": Example("mixed", "some classes", {"n_neighbors": 3}),
    "MatrixFactorization": Example("ratings", settings={"rank": 2, "max_iter": 3}),
    "MultiLabelClassifier": Example("mixed", "labels"),
    "NoveltyDetector": Example("mixed", settings={"n_estimators": 3, "max_samples": 4, "n_neighbors": 2, "folds": 2}),
    "OneClassSVM": Example("mixed"),
    "PairwiseRanker": Example("mixed", "numbers", more={"groups": [0, 0, 0, 0, 1, 1, 1, 1]}),
    "SelfTrainingClassifier": Example("mixed", "some classes", {"max_rounds": 2}),
    "Word2Vec": Example("texts", settings={"n_components": 4, "min_count": 1, "epochs": 1, "window": 2, "negative": 2}),
}


def fit(model: Any, rows: Any, y: Any, **more: Any) -> Any:
    """As `model.fit`, which not always takes a target."""
    return model.fit(rows, **more) if y is None else model.fit(rows, y, **more)


def example_of(entry: Any) -> Example:
    """What a learner can be fitted to."""
    if entry.name in UNLISTED:
        return UNLISTED[entry.name]
    return Example(entry_rows(entry), entry.cls().needs, fitting_settings(entry))


def learners() -> list[Any]:
    """The entries of all learners, of those too that nobody is offered who asks for all of them."""
    others = [entry_of(name) for name in UNLISTED]
    return [*learnt.learners(), *(entry for entry in others if entry is not None)]


def entry_rows(entry: Any) -> str:
    """Which of the tables a learner is meant for."""
    if "text" in entry.abilities:
        return "texts"
    return "mixed" if {"nominal", "missing"} <= entry.abilities else "numbers"


def fitting_settings(entry: Any) -> dict[str, Any]:
    """Settings that suit so few rows."""
    few = {"n_clusters": 2, "n_components": 2, "min_samples_leaf": 1}
    if entry.task == "transformation":
        del few["min_samples_leaf"]
    return {name: value for name, value in few.items() if name in entry.cls.domains}
