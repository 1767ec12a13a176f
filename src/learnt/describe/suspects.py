"""Columns that no honest model should learn from: numbers of rows, and what gives the target away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from learnt.data.table import Array, Column
from learnt.describe.identifiers import is_identifier
from learnt.describe.one_column import skill
from learnt.describe.pairs import correlation_ratio, cramers_v
from learnt.show.words import label, short_name

Sort = Literal["identifier", "copy", "alone", "gaps"]

ENOUGH = 30  # rows; below, perfect agreement is no surprise
FEW = 5  # rows of the rarest class that a copy must agree on
OTHERS = 10  # rows that are not of the commonest class
TELLING = {True: 0.96, False: 0.95}  # of the errors of guessing (of classes, of numbers) one column avoids
EASY = 0.9  # where another column alone gets so much right, the task is easy and nothing is suspect
TELLING_GAPS = 0.9  # relation of the target with where cells are missing
MOST_ROWS = 20_000  # looked at for what one column tells


@dataclass(frozen=True, slots=True)
class Suspect:
    """A column, the sort of suspicion, and a sentence."""

    column: str
    sort: Sort
    words: str


def suspects(columns: Sequence[Column], target: str) -> tuple[Suspect, ...]:
    """The leaks of a table, those columns left aside that only number its rows."""
    numbering = {s.column for s in identifiers(columns)}
    features = [c for c in columns if c.name != target and c.name not in numbering]
    return tuple(leaks(features, next(c for c in columns if c.name == target)))


def identifiers(columns: Sequence[Column]) -> list[Suspect]:
    """Columns that number or name the rows."""
    what = {True: "every row a number", False: "nearly every row a label"}
    return [
        Suspect(c.name, "identifier", f"{_name(c)} gives {what[c.kind == 'numeric']} of its own, like an identifier")
        for c in columns
        if is_identifier(c)
    ]


def leaks(columns: Sequence[Column], target: Column) -> list[Suspect]:
    """Columns that know the target too well to be true, identifiers not among them."""
    known = np.isfinite(target.values) if target.kind == "numeric" else ~target.missing
    if known.sum() < ENOUGH:
        return []
    if not known.all():
        here = np.flatnonzero(known)
        columns, target = [_take(c, here) for c in columns], _take(target, here)
    rows = _some_rows(len(target))
    y = target.values if rows is None else target.values[rows]
    copies = [
        Suspect(c.name, "copy", f"{_name(c)} is {_name(target)} once more, value for value.")
        for c in columns
        if (rows is None or is_copy(_take(c, rows), _take(target, rows))) and is_copy(c, target)
    ]
    taken = {s.column for s in copies}
    gaps = [s for c in columns if c.name not in taken for s in _telling_gaps(c, target)]
    taken |= {s.column for s in gaps}
    if target.kind != "numeric" and len(y) - np.bincount(y).max() < OTHERS:
        return [*copies, *gaps]
    skills = {c.name: skill(c, target, rows) for c in columns if c.name not in taken}
    enough = TELLING[target.kind != "numeric"]
    telling = [name for name, value in skills.items() if value >= enough]
    easy = any(EASY <= value < enough for value in skills.values())
    alone = [
        Suspect(name, "alone", f"'{short_name(name, 60)}' alone tells {_name(target)} almost perfectly.")
        for name in ([] if easy else telling)
    ]
    return [*copies, *gaps, *alone]


def is_copy(column: Column, target: Column) -> bool:
    """Whether every value of the column stands for one value of the target and the other way round."""
    here = ~column.missing
    if here.sum() < max(ENOUGH, 0.5 * len(target)):
        return False
    x = np.unique(column.values[here], return_inverse=True)[1]
    values, y = np.unique(target.values[here], return_inverse=True)
    if len(values) < 2 or x.max() + 1 != len(values):
        return False
    if len(np.unique(x.astype(np.int64) * len(values) + y)) != len(values):
        return False
    if target.kind != "numeric":
        return int(np.bincount(y).min()) >= FEW
    if len(values) < min(ENOUGH, 0.5 * len(y)):  # a handful of numbers may be codes of the same thing
        return int(np.bincount(y).min()) >= FEW
    steps = np.diff(x[np.argsort(y, kind="stable")])  # numbers: the same order, or the opposite one
    return bool((steps >= 0).all() or (steps <= 0).all()) and column.kind == "numeric"


def _telling_gaps(column: Column, target: Column) -> Iterator[Suspect]:
    """What was filled in afterwards, such as the day of a discharge: nearly always, or only, for one class."""
    gaps = column.missing
    if 4 * gaps.sum() < ENOUGH or 4 * (~gaps).sum() < ENOUGH:
        return
    weights = np.ones(len(gaps))
    relation = correlation_ratio if target.kind == "numeric" else cramers_v
    if relation(gaps.astype(np.int32), target.values, weights) >= TELLING_GAPS:
        yield Suspect(column.name, "gaps", f"Whether {_name(column)} is filled in tells {_name(target)}.")
    elif target.kind != "numeric":
        filled = target.values[~gaps]
        expected = len(filled) * float(np.mean(target.values != filled[0]))  # of the other classes, by chance
        if (filled == filled[0]).all() and expected >= OTHERS:
            where = f"where {_name(target)} is {label(target.categories[filled[0]])}"
            yield Suspect(column.name, "gaps", f"{_name(column)} is filled in only {where}.")


def _take(column: Column, rows: Array) -> Column:
    return Column.like(column, column.values[rows])


def _some_rows(n: int) -> Array | None:
    """Rows that are looked at, in their order; None for all."""
    return None if n <= MOST_ROWS else np.sort(np.random.default_rng(0).choice(n, MOST_ROWS, replace=False))


def _name(column: Column) -> str:
    return f"'{short_name(column.name, 60)}'"
