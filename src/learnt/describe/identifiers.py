"""Columns that number or name the rows, or things that have several rows each: the rules, for everybody who asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from learnt.data.schema import Kind
from learnt.data.table import Array, Column

SURELY_MANY = 20  # labels that all differ are not an accident from here on
WORDS_OF_A_TEXT = 4  # in a cell, on average
A_FEW = (1.5, 20.0)  # rows of a thing that has several, on average
MOSTLY = 0.9  # of the labels look like codes

_CALLED_SO = re.compile(
    r"(?i:(^|[^a-z])(id|ids|uid|uuid|guid|index|idx|key|nr|no|row|record|serial)\W*$|^unnamed: ?\d+$)|[a-z](Id|ID)$"
)
#: Whole numbers that all differ and yet say something: when it was, or who came before whom.
_ORDERED = re.compile(
    r"(^|[^a-z])(t|x|date|time|timestamp|year|month|day|week|quarter|hour|age|rank|position|step|period)([^a-z]|$)",
    re.IGNORECASE,
)
#: Those of whom there may be several rows.
_SOMEBODY = re.compile(
    r"(^|[^a-z])(individual|subject|patient|participant|person|respondent|customer|client|user|member|student|pupil|"
    r"employee|household|family|group|animal|plant|specimen|device|machine|sensor|account|session|visitor|author|"
    r"speaker|player)([^a-z]*|_?(id|no|nr|number|code|name))$",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?=.*\d)[\w.\-/:#]+")


def is_identifier(column: Column) -> bool:
    """Whether a column numbers or names the rows, each by a value of its own."""
    if column.form is not None and (column.form.temporal or column.form.sort == "text"):
        return False  # every row has its own, and it says something
    if column.kind == "numeric":
        return _numbers_rows(column)
    tally = np.bincount(column.values[column.values >= 0], minlength=1)
    return labels_rows(column.kind, tally) and not reads_like_text(column)


def labels_rows(kind: Kind, tally: Array) -> bool:
    """Whether a nominal column gives nearly every row a label of its own."""
    count = float(tally.sum())
    return kind == "nominal" and count >= SURELY_MANY and int(np.count_nonzero(tally)) >= 0.95 * count


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


def repeated_identifiers(columns: Sequence[Column]) -> list[Column]:
    """Columns that name things of several rows each, such as the patient of a visit."""
    return [column for column in columns if rows_of_each(column) is not None]


def rows_of_each(column: Column) -> float | None:
    """How many rows each thing has on average that a column names; None if it names none.

    It has many values, each of a few rows, and its name says so, or its labels are codes, or of labels each has as many
    rows as the others.
    """
    if column.kind not in ("numeric", "nominal") or column.form is not None:
        return None
    here = column.values[~column.missing]
    if column.kind == "numeric" and (not np.isfinite(here).all() or (here % 1 != 0).any()):
        return None
    values, tally = np.unique(here, return_counts=True)
    if len(values) < SURELY_MANY or not A_FEW[0] <= tally.mean() <= A_FEW[1]:
        return None
    name = column.name[-200:].strip()
    told = bool(_SOMEBODY.search(name) or _CALLED_SO.search(name))
    if column.kind == "nominal":
        labels = [str(column.categories[code]) for code in values[:: max(1, len(values) // 200)].tolist()]
        codes = sum(_CODE.fullmatch(label) is not None for label in labels) >= MOSTLY * len(labels)
        told = told or codes or (tally[0] > 1 and bool((tally == tally[0]).all()))
    return float(tally.mean()) if told else None
