"""A table and what is to be predicted from it: checked once, then cut into folds as often as needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.files.scan import Scan
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.engine.training import prepare
from learnt.errors import InputError, ParameterError

Task = Literal["binary", "multiclass", "regression"]
TASKS = ("auto", "classification", *get_args(Task))


@dataclass(frozen=True, eq=False)
class Problem:
    """Features, target, weights and groups of the same rows.

    `target` holds int32 codes into `classes`, or numbers where `classes` is None. `declared` is a nominal target as
    it came, with the labels it declares but has no rows of: learners that count declared classes ask for them.
    """

    table: Table  # without the columns of target, weights and groups
    target: Array
    classes: Array | None
    task: Task
    target_name: str
    weights: Array | None = None
    groups: Array | None = None  # codes 0, 1, …
    declared: Column | None = None

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def n_classes(self) -> int:
        """How many classes there are; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)

    def rows(self, rows: Any) -> tuple[Table, Array, Array | None]:
        """Some rows as `fit` takes them: the table, labels or numbers, weights."""
        y = self.target[rows] if self.classes is None else self.classes[self.target[rows]]
        return self.table.take(rows), y, None if self.weights is None else self.weights[rows]


def problem(X: Any, y: Any = None, *, sample_weight: Any = None, groups: Any = None, task: str = "auto") -> Problem:
    """The problem of predicting `y` from `X`. `y`, `sample_weight` and `groups` are arrays or names of columns of `X`.

    `task` is "classification" ("binary", "multiclass") or "regression"; "auto" takes labels for classes, numbers for
    numbers, and numbers of only two different whole values for classes.
    """
    if task not in TASKS:
        raise ParameterError(f"There is no task {task!r}. Expected one of {', '.join(map(repr, TASKS))}.")
    if isinstance(X, Scan):
        raise InputError("A scan cannot be cut into folds, which need rows in any order. Give learnt.read(…) instead.")
    table = X if isinstance(X, Table) else Table(X)
    y = table.target if y is None else y
    group_codes = None if groups is None else _group_codes(table, groups)
    features = table.drop(groups) if isinstance(groups, str) else table
    column = _target_column(table, y)
    if task == "auto":
        task = "classification" if column is None or _looks_like_classes(column) else "regression"
    needs: Any = "numbers" if task == "regression" else "classes"
    ready = prepare(features, y, sample_weight, needs, "Evaluation")
    assert isinstance(ready.source, Table)
    nominal = needs == "classes" and column is not None and column.kind != "numeric"
    return Problem(
        ready.source,
        ready.target,
        ready.classes,
        _named_task(task, ready.classes),
        y if isinstance(y, str) else str(getattr(y, "name", None) or "y"),
        ready.weights,
        group_codes,
        column if nominal else None,
    )


def _target_column(table: Table, y: Any) -> Column | None:
    """The target as a column, or None where there is none and `prepare` will say so."""
    if isinstance(y, str):
        return table[y] if y in table else None  # noqa: SIM401 - a Table has no get
    if y is None or len(getattr(y, "shape", (0,))) != 1:
        return None
    return to_vector(y, "y")


def _looks_like_classes(column: Column) -> bool:
    if column.kind != "numeric":
        return True
    values = column.values[~column.missing]
    return len(values) > 0 and len(np.unique(values)) == 2 and bool((values == np.round(values)).all())


def _named_task(task: str, classes: Array | None) -> Task:
    if classes is None:
        return "regression"
    if task == "binary" and len(classes) > 2:
        raise InputError(
            f"The task is 'binary', but the target has {len(classes)} classes, such as {classes[:3].tolist()}. "
            "Expected two. Use task='multiclass'."
        )
    return "multiclass" if task == "multiclass" or len(classes) > 2 else "binary"


def _group_codes(table: Table, groups: Any) -> Array:
    """The group of each row as a number from 0 on; a missing one is an error."""
    if isinstance(groups, str):
        if groups not in table:
            raise InputError(f"groups={groups!r} names a column. {unknown_column(groups, table.names)}")
        column = table[groups]
    else:
        column = to_vector(groups, "groups")
    if len(column) != table.n_rows:
        raise InputError(f"There are {len(column)} groups for {table.n_rows} rows. Expected one per row.")
    if column.missing.any():
        row = int(np.flatnonzero(column.missing)[0])
        raise InputError(
            f"{int(column.missing.sum())} row(s) have no group, first row {row}. "
            "Give each a group of its own or leave those rows out."
        )
    return np.unique(column.values, return_inverse=True)[1].astype(np.int64)
