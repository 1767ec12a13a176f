"""What is to be predicted, as far as the target itself tells; decided aloud, or refused with help."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.files.read import read
from learnt.data.files.scan import Scan
from learnt.data.notes import Note
from learnt.data.table import Column, Table, unknown_column
from learnt.describe.identifiers import labels_rows, words_of_a_cell
from learnt.describe.notices import RARE_CLASS
from learnt.describe.summaries import numbers_rows
from learnt.errors import InputError, ParameterError
from learnt.evaluate.comparison.roles import Assigned, Roles, assign, role_words
from learnt.evaluate.problem import Problem, Task, problem
from learnt.show.numbers import number, percent
from learnt.show.words import few_of, short_name, shorten_text
from learnt.show.words import label as whole_label

FEW_VALUES = 20  # different numbers of a target that may have been meant as classes


@dataclass(frozen=True)
class Understood:
    """The problem, and sentences about what was decided on the way to it."""

    problem: Problem
    notices: list[str]
    notes: tuple[Note, ...] = ()  # what a reader of files did to the columns


def understand(data: Any, target: Any, task: str, cv: int, roles: Roles | None = None) -> Understood:
    """A table, a file's name or anything a table is made of, and its target, as a problem."""
    roles = Roles() if roles is None else roles
    tasks = ("auto", *get_args(Task))
    if task not in tasks:
        raise ParameterError(f"There is no task {task!r}. Expected one of {', '.join(map(repr, tasks))}.")
    table = _table(data)
    assigned, notices = _known_rows(assign(*_features_and_target(table, target), roles))
    if assigned.time is not None:
        assigned = assigned.take(np.argsort(assigned.time, kind="stable"))
    column = assigned.target
    _refuse_useless(column, task)
    chosen, words = _task_of(column, task)
    if chosen == "binary" and column.kind == "numeric":
        column = _as_labels(column)
    found = problem(assigned.features, column, task=chosen, groups=assigned.groups, sample_weight=assigned.weights)
    asked = role_words(roles, roles.drop)
    return Understood(found, [*notices, words, *asked, *assigned.notices, *_about_classes(found, cv)], table.notes)


def _table(data: Any) -> Table:
    if isinstance(data, Scan):
        raise InputError(
            "A scan cannot be compared on, since folds need rows in any order. Give learnt.read(…) instead."
        )
    if isinstance(data, str | os.PathLike):
        return read(data)
    return data if isinstance(data, Table) else Table(data)


def _features_and_target(table: Table, target: Any) -> tuple[Table, Column]:
    """The columns to learn from, and the one to predict."""
    target = table.target if target is None else target
    if target is None:
        such_as = f", such as target={table.names[-1]!r}" if table.names else ""
        raise InputError(f"There is no target: nothing says which column is to be predicted. Name one{such_as}.")
    if isinstance(target, str):
        if target not in table:
            raise InputError(f"target={target!r} names a column. {unknown_column(target, table.names)}")
        if table.n_columns == 1:
            raise InputError(f"The table has no column but the target {target!r}. There is nothing to learn from.")
        return table.drop(target), table[target]
    called = str(getattr(target, "name", None) or "target")
    column = to_vector(target, called)
    if len(column) != table.n_rows:
        raise InputError(f"The target has {len(column)} values, the table {table.n_rows} rows. Expected one for each.")
    if called in table:
        raise InputError(
            f"The target came as an array called {called!r}, and the table has a column of that name, which may give "
            f"the answer away. Give target={called!r} to predict the column, or rename one of them."
        )
    return table, column.renamed(called)


def _known_rows(assigned: Assigned) -> tuple[Assigned, list[str]]:
    """The rows that have a target, and a word about the others."""
    column, n_rows = assigned.target, assigned.features.n_rows
    if n_rows == 0:
        raise InputError("The table has no rows: there is nothing to compare on.")
    missing = column.missing
    if column.kind == "numeric" and np.isinf(column.values).any():
        row = int(np.flatnonzero(np.isinf(column.values))[0])
        raise InputError(f"The target {column.name!r} is infinite in row {row}. Replace it or leave the row out.")
    if missing.all():
        raise InputError(f"The target {column.name!r} holds no values: all {len(missing)} are missing. Choose another.")
    if not missing.any():
        return assigned, []
    left_out = int(missing.sum())
    words = (
        f"{left_out:,} of {n_rows:,} rows have no {name(column.name)} and were left out "
        f"(the first is row {int(np.flatnonzero(missing)[0])})."
    )
    return assigned.take(np.flatnonzero(~missing)), [words]


def _refuse_useless(column: Column, task: str) -> None:
    values = np.unique(column.values)
    if len(values) == 1:
        only = column.labels()[0]
        raise InputError(
            f"The target {column.name!r} is always {label(only)}, so there is nothing to tell apart. Choose another."
        )
    if task != "auto" or len(values) < 0.95 * len(column):
        return
    if column.kind == "numeric":
        numbered = len(values) == len(column) and numbers_rows(values, len(values))
        meant, what = "regression", "numbers its rows"
    else:
        numbered = labels_rows(column.kind, np.bincount(column.values))
        meant, what = "multiclass", f"has {len(values):,} different labels in {len(column):,} rows"
    if numbered:
        raise InputError(
            f"The target {column.name!r} {what}, like an identifier, and cannot be predicted for new rows. "
            f"Choose another column; if it is meant, say so by task={meant!r}."
        )


def _task_of(column: Column, task: str) -> tuple[Task, str]:
    """The task, and a sentence that says how it was found."""
    distinct, shown = len(np.unique(column.values)), name(column.name)
    if task != "auto":
        chosen: Any = task
        if task == "binary" and distinct != 2:
            raise InputError(f"The target {column.name!r} has {distinct} values. A binary task has two.")
        if task == "regression" and column.kind in ("nominal", "ordinal"):
            raise InputError(
                f"The target {column.name!r} is {column.kind} (labels such as {label(column.categories[0])}). "
                "Regression predicts numbers. Choose task='multiclass', or give numbers."
            )
        return chosen, f"{shown} is predicted as asked: {task}."
    if column.kind == "numeric" and distinct > 2:
        if distinct > FEW_VALUES:
            return "regression", f"{shown} holds numbers, so this is regression."
        some = few_of([number(v) for v in np.unique(column.values).tolist()], 4)
        return "regression", (
            f"{shown} holds {distinct} different numbers ({some}) and is predicted as a number: this is regression. "
            f"If they stand for {distinct} classes, say so: task='multiclass'."
        )
    if distinct > 2:
        return "multiclass", f"{shown} has {distinct} classes, so this is multiclass classification."
    one, other = (label(v) for v in _two_values(column))
    aside = " task='regression' would take it for a number." if column.kind == "numeric" else ""
    return "binary", f"{shown} is either {one} or {other}, so this is binary classification.{aside}"


def _two_values(column: Column) -> list[Any]:
    values = np.unique(column.values).tolist()
    return values if column.kind == "numeric" else sorted((column.categories[v] for v in values), key=str)


def _as_labels(target: Column) -> Column:
    """Two numbers that are not whole are not labels to learners, unless they come as categories."""
    levels, codes = np.unique(target.values, return_inverse=True)
    if (levels == np.round(levels)).all():
        return target
    return Column(target.name, "nominal", codes.astype(np.int32), tuple(levels.tolist()))


def _about_classes(problem: Problem, cv: int) -> list[str]:
    """What rare classes mean for the scores."""
    if problem.classes is None:
        return []
    tally = np.bincount(problem.target, minlength=problem.n_classes)
    rarest, commonest = int(tally.argmin()), int(tally.argmax())
    found = []
    few = [c for c in np.argsort(tally, kind="stable").tolist() if tally[c] < cv]
    if few:
        which = few_of([label(problem.classes[c]) for c in few], 3)
        found.append(f"{which}: fewer rows than the {cv} folds, so some folds test or train without {_them(few)}.")
    if tally[rarest] * problem.n_classes < RARE_CLASS * problem.n_rows or tally[commonest] > 0.9 * problem.n_rows:
        part = percent(tally[commonest] / problem.n_rows, 1)
        found.append(
            f"{label(problem.classes[commonest])} is the class of {part} of the rows, "
            f"{label(problem.classes[rarest])} of {number(int(tally[rarest]))} rows: always answering the first has an "
            "accuracy as high as that share. Look at balanced_accuracy, auc or a loss as well."
        )
    return found


def _them(classes: Sequence[int]) -> str:
    return "it" if len(classes) == 1 else "them"


def text_column(table: Table) -> str | None:
    """The column of documents, if there is one; of several the one with the longest cells."""
    lengths = {name: words_of_a_cell(table[name]) for name, kind in table.kinds.items() if kind == "text"}
    return max(lengths, key=lambda column: lengths[column]) if lengths else None


def label(value: Any) -> str:
    """A label as the user knows it, as much of it as a sentence bears."""
    return shorten_text(whole_label(value), 40)


def name(column: str) -> str:
    return f"'{short_name(column, 60)}'"
