"""What columns are for besides being learnt from: groups, weights, time; and which are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.describe.alike import column_shared_by_equal_targets
from learnt.describe.identifiers import rows_of_each
from learnt.describe.suspects import identifiers
from learnt.errors import InputError, ParameterError
from learnt.show.numbers import number, percent
from learnt.show.words import list_of, short_name, spell

_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}(:\d{2}){1,2}.*)?)?|\d{4}/\d{2}/\d{2}")


@dataclass(frozen=True)
class Roles:
    """Names of columns, or for groups, weight and time arrays as well."""

    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    groups: Any = None
    weight: Any = None
    time: Any = None

    @classmethod
    def of(cls, drop: Any, keep: Any, groups: Any, weight: Any, time: Any) -> Roles:
        roles = cls(_names("drop", drop), _names("keep", keep), groups, weight, time)
        if groups is not None and time is not None:
            raise ParameterError(
                "groups and time were given together. Rows are kept together by groups, or cut by time. Give one."
            )
        both = [name for name in roles.drop if name in roles.keep]
        if both:
            raise ParameterError(f"Column {both[0]!r} is to be dropped and to be kept. Name it once.")
        return roles

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that have a role and are not learnt from, unless they are to be kept too."""
        named = [role for role in (self.groups, self.weight, self.time) if isinstance(role, str)]
        return tuple(name for name in dict.fromkeys(named) if name not in self.keep)


def _names(what: str, given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    names = (given,) if isinstance(given, str) else tuple(given)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ParameterError(f"{what} holds {spell(wrong[0])}. Expected names of columns.")
    return names


@dataclass(frozen=True, eq=False)
class Assigned:
    """The columns to learn from, and what the others say of the rows; `left_out` are those that nobody asked to."""

    features: Table
    target: Column
    groups: Column | None = None
    weights: Array | None = None
    time: Array | None = None
    left_out: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def take(self, rows: Array) -> Assigned:
        """Some rows, or all in another order."""

        def some(column: Column | None) -> Any:
            if column is None:
                return None
            return Column.like(column, column.values[rows])

        return replace(
            self,
            features=self.features.take(rows),
            target=some(self.target),
            groups=some(self.groups),
            weights=None if self.weights is None else self.weights[rows],
            time=None if self.time is None else self.time[rows],
        )


def assign(table: Table, target: Column, roles: Roles) -> Assigned:
    """Every column in its role; identifiers are left out unless they are to be kept or nothing else is there."""
    known = tuple(name for name in table.names if name != target.name)
    for what, wanted in (("drop", roles.drop), ("keep", roles.keep)):
        for name in wanted:
            if name == target.name and name not in known:
                raise InputError(f"{what}={name!r} is the column to predict. Name another, or another target.")
            if name not in known:
                raise InputError(f"{what}={name!r} names a column. {unknown_column(name, known)}")
    if roles.weight is None and table.weight not in (None, target.name, *roles.drop, *roles.keep):
        roles = replace(roles, weight=table.weight)
    groups = _role(table, target, "groups", roles.groups)
    weight = _role(table, target, "weight", roles.weight)
    time = _role(table, target, "time", roles.time)
    features = table.drop(*roles.drop, *roles.columns)
    if not features.n_columns:
        raise InputError("No column is left to learn from. Drop fewer.")
    # A sparse matrix holds measurements or counts of words, and making columns of it would be large.
    suspects = [] if features.sparse is not None else identifiers(features.columns)
    numbering = [s for s in suspects if s.column not in roles.keep]
    if len(numbering) == features.n_columns:
        numbering = []
    names = [s.column for s in numbering]
    words = [f"{s.words}, and was left out. keep={s.column!r} keeps it." for s in numbering[:1]]
    if len(numbering) > 1:
        words = [
            f"{quoted_names(names)} number or name the rows, like identifiers, and were left out. keep=[…] keeps them."
        ]
    if roles.groups is None and features.sparse is None:
        others = [c for c in features.columns if c.name not in (*names, *roles.keep)]
        words += _groups_words(others) or _alike_words(others, target)
    return Assigned(
        features.drop(*names),
        target,
        groups,
        None if weight is None else np.asarray(weight.values, dtype=np.float64),
        None if time is None else _moments(time),
        tuple(names),
        tuple(words),
    )


def _groups_words(columns: Sequence[Column]) -> list[str]:
    """What is to be done about columns that name things of several rows each: such rows are alike, and those that a
    learner is tested on should not be of things that it has seen."""
    return [
        f"'{short_name(column.name, 60)}' looks like an identifier of things that have about {number(round(rows, 1))} "
        f"rows each, some to learn from and some to test on. groups={column.name!r} keeps them together."
        for column in columns
        if (rows := rows_of_each(column)) is not None
    ]


def _alike_words(columns: Sequence[Column], target: Column) -> list[str]:
    """What is to be done where rows of one number to predict seem to be of one thing that no column names."""
    found = column_shared_by_equal_targets(columns, target)
    if found is None:
        return []
    name, what = short_name(found.name, 60), short_name(target.name, 60)
    return [
        f"Rows of the same '{what}' share '{name}' in {percent(found.shared)} of cases, any two rows in "
        f"{percent(found.by_chance)}: they may be of one household or the like, some to learn from and some to test "
        f"on. groups={found.name!r} keeps them together."
    ]


def _role(table: Table, target: Column, what: str, given: Any) -> Column | None:
    if given is None:
        return None
    if isinstance(given, str):
        if given == target.name:
            raise InputError(f"{what}={given!r} is the column to predict. Name another.")
        if given not in table:
            raise InputError(f"{what}={given!r} names a column. {unknown_column(given, table.names)}")
        column = table[given]
    else:
        column = to_vector(given, what)
    if len(column) != table.n_rows:
        raise InputError(f"{what} has {len(column)} values, the table {table.n_rows} rows. Expected one for each.")
    if what == "weight" and column.kind != "numeric":
        raise InputError(f"Column {column.name!r} is {column.kind}. Weights are numbers. Name a numeric column.")
    if column.missing.any():
        row = int(np.flatnonzero(column.missing)[0])
        raise InputError(
            f"{int(column.missing.sum())} row(s) have no {what} ({column.name!r}), first row {row}. "
            "Fill them in or leave those rows out."
        )
    return column


def _moments(column: Column) -> Array:
    """What rows are sorted by: numbers, the order of an ordinal column, or dates that begin with the year."""
    if column.kind in ("numeric", "ordinal"):
        return column.values
    labels = [str(label) for label in column.categories]
    odd = [label for label in labels if not _DATE.fullmatch(label.strip())]
    if odd:
        raise InputError(
            f"time={column.name!r} holds {short_name(odd[0], 40)!r}, which has no order. "
            "Expected numbers, or dates as 2026-01-31."
        )
    rank = np.argsort(np.argsort(np.array([label.strip() for label in labels]), kind="stable"), kind="stable")
    moments: Array = rank[column.values]
    return moments


def role_words(roles: Roles, dropped: Sequence[str]) -> list[str]:
    """Sentences on what was asked for."""
    found = []
    for what, role in (
        ("kept together by", roles.groups),
        ("weighted by", roles.weight),
        ("in the order of", roles.time),
    ):
        if role is not None:
            called = f"'{short_name(role, 60)}'" if isinstance(role, str) else "the array given"
            found.append(f"Rows are {what} {called}.")
    if dropped:
        found.append(f"Left out as asked: {quoted_names(dropped)}.")
    return found


def quoted_names(names: Sequence[str]) -> str:
    """Columns in a sentence, of many the first."""
    return list_of([f"'{short_name(name, 60)}'" for name in names], most=4)
