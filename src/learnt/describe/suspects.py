"""Columns that no honest model should learn from: numbers of rows, and what gives the target away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from learnt.data.table import Array, Column
from learnt.describe.one_column import skill
from learnt.describe.pairs import correlation_ratio, cramers_v
from learnt.describe.summaries import SURELY_MANY, labels_rows
from learnt.show.words import short_name

Sort = Literal["identifier", "copy", "alone", "gaps"]

ENOUGH = 30  # rows; below, perfect agreement is no surprise
FEW = 5  # rows of the rarest class that a copy must agree on
OTHERS = 10  # rows that are not of the commonest class
TELLING = {True: 0.96, False: 0.98}  # of the errors of guessing (of classes, of numbers) one column avoids
EASY = 0.9  # where another column alone gets so much right, the task is easy and nothing is suspect
TELLING_GAPS = 0.9  # relation of the target with where cells are missing
MOST_ROWS = 20_000  # looked at for what one column tells
WORDS_OF_A_TEXT = 4  # in a cell, on average

_CALLED_SO = re.compile(
    r"(?i:(^|[^a-z])(id|ids|uid|uuid|guid|index|idx|key|nr|no|row|record|serial)\W*$|^unnamed: ?\d+$)|[a-z](Id|ID)$"
)
#: Whole numbers that all differ and yet say something: when it was, or who came before whom.
_ORDERED = re.compile(
    r"(^|[^a-z])(t|x|date|time|timestamp|year|month|day|week|quarter|hour|age|rank|position|step|period)([^a-z]|$)",
    re.IGNORECASE,
)


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
    found = []
    for column in columns:
        if column.form is not None and (column.form.temporal or column.form.sort == "text"):
            continue  # every row has its own, and it says something
        if column.kind == "numeric" and _numbers_rows(column):
            words = f"{_name(column)} gives every row a number of its own, like an identifier"
            found.append(Suspect(column.name, "identifier", words))
        elif column.kind == "nominal" and labels_rows(column.kind, _tally(column)) and not reads_like_text(column):
            words = f"{_name(column)} gives nearly every row a label of its own, like an identifier"
            found.append(Suspect(column.name, "identifier", words))
    return found


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
    gaps = column.missing
    if 4 * gaps.sum() < ENOUGH or 4 * (~gaps).sum() < ENOUGH:
        return
    weights = np.ones(len(gaps))
    relation = correlation_ratio if target.kind == "numeric" else cramers_v
    if relation(gaps.astype(np.int32), target.values, weights) >= TELLING_GAPS:
        yield Suspect(column.name, "gaps", f"Whether {_name(column)} is filled in tells {_name(target)}.")


def _numbers_rows(column: Column) -> bool:
    """Whole numbers that all differ: consecutive ones in their order or out of it, or any under a telling name."""
    values = column.values[np.isfinite(column.values)]
    n = len(values)
    if n < max(SURELY_MANY, 0.95 * len(column)) or _ORDERED.search(column.name[:200]) or (values % 1 != 0).any():
        return False
    if len(np.unique(values[:1000])) < min(n, 1000):  # most columns are settled by their first rows
        return False
    ordered = np.sort(values)
    if (np.diff(ordered) == 0).any():
        return False
    spread = float(ordered[-1] - ordered[0]) + 1
    in_order = bool((np.diff(values) > 0).all())
    return spread <= (1.5 if in_order else 1.1) * n or bool(_CALLED_SO.search(column.name[-200:].strip()))


def reads_like_text(column: Column) -> bool:
    """Whether cells of labels that mostly differ are documents, of several words each."""
    return words_of_a_cell(column) >= WORDS_OF_A_TEXT


def words_of_a_cell(column: Column) -> float:
    """Words of a cell on average, of a column whose cells mostly differ; else 0."""
    cells: Array = column.values[column.values >= 0]
    if len(column.categories) < 0.5 * len(cells) or not len(cells):
        return 0.0
    some = [column.categories[code] for code in cells[:: max(1, len(cells) // 500)].tolist()]
    return float(np.mean([len(text.split()) if isinstance(text, str) else 1 for text in some]))


def _take(column: Column, rows: Array) -> Column:
    return Column.like(column, column.values[rows])


def _tally(column: Column) -> Array:
    return np.bincount(column.values[column.values >= 0], minlength=1)


def _some_rows(n: int) -> Array | None:
    """Rows that are looked at, in their order; None for all."""
    return None if n <= MOST_ROWS else np.sort(np.random.default_rng(0).choice(n, MOST_ROWS, replace=False))


def _name(column: Column) -> str:
    return f"'{short_name(column.name, 60)}'"
