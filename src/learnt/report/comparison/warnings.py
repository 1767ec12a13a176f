"""What in the table may make every score below too good, or too hard to reach."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Column
from learnt.describe.notices import name
from learnt.describe.pairs import correlation_ratio
from learnt.report.comparison.understood import Understood
from learnt.show.numbers import percent
from learnt.show.words import count_of, label

DRIFT = 0.25  # relation of the target with the row number
ENOUGH = 30  # rows; below, perfect agreement is not a surprise
UNEVEN = 4  # times as many rows in the largest class as in the smallest
DATE = re.compile(r"\d{4}-\d{1,2}(-\d{1,2})?([T ].*)?|\d{1,2}[./]\d{1,2}[./](\d{2}|\d{4})|\d{4}/\d{1,2}/\d{1,2}")
TIME_NAMES = re.compile(r"(^|[^a-z])(date|time|timestamp|year|month|day|week|quarter)([^a-z]|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Warning:
    """`grave` ones may make the scores wrong; `names` are the columns that `words` quotes."""

    sort: str
    words: str
    names: tuple[str, ...] = ()
    grave: bool = True


#: The notices of `learnt.describe` under the headings of this page.
SORTS = {
    "target": ("Target", False),
    "infinite": ("Infinite cells", True),
    "empty": ("Empty column", False),
    "identifier": ("Identifier", True),
    "constant": ("Constant", False),
    "missing": ("Missing cells", False),
    "levels": ("Many labels", False),
    "unused": ("Unused labels", False),
    "outliers": ("Outliers", False),
    "correlated": ("Same content", False),
}


def warnings(understood: Understood, in_order: bool = False, keep: Sequence[str] = ()) -> list[Warning]:
    """Everything worth a warning, what may spoil the scores first; `in_order` says that later rows were tested.

    `keep` are columns that are meant, though they know the target well.
    """
    timely = () if in_order else time_order(understood)
    found = [*leakage(understood, keep), *repeated_rows(understood), *timely, *imbalance(understood)]
    for notice in understood.description.notices:
        sort, grave = SORTS.get(notice.what, ("Note", False))
        names = tuple(n for n in _quoted_columns(notice.words, understood) if n) or (notice.column,)
        found.append(Warning(sort, notice.words, names, grave))
    found += same_cells(understood)
    return sorted(found, key=lambda w: not w.grave)


def _quoted_columns(words: str, understood: Understood) -> list[str]:
    """The columns a notice about two of them quotes."""
    if "say nearly the same" not in words:
        return []
    return [c.name for c in understood.columns if name(c.name) in words][:2]


def leakage(understood: Understood, keep: Sequence[str] = ()) -> Iterator[Warning]:
    """Columns that know the target too well, but for those that the user said are meant."""
    for suspect in understood.description.suspects:
        if suspect.column not in keep:
            words = f"{suspect.words} Is it known before the target is? If not, leave it out and compare again."
            yield Warning("Leakage suspect", words, (suspect.column,))


def repeated_rows(understood: Understood) -> Iterator[Warning]:
    """Rows that stand there twice, and rows that contradict each other."""
    target, n = understood.target, len(understood.target)
    if n < 2 or not understood.columns:
        return
    rows = row_marks(understood.columns)
    both = row_marks([*understood.columns, target])
    again = n - len(np.unique(both))
    if again:
        words = (
            f"{count_of(again, 'row')} ({percent(again / n, 1)}) {'repeats' if again == 1 else 'repeat'} an earlier "
            "row, target included. If they are the same case, a learner is tested on what it was trained on."
        )
        yield Warning("Duplicates", words, grave=again >= 0.05 * n)
    if target.kind == "numeric":
        return
    group = np.unique(rows, return_inverse=True)[1].astype(np.int64)
    k = len(target.categories)
    cells, times = np.unique(group * k + target.values, return_counts=True)  # of each group and class, in order
    starts = np.flatnonzero(np.diff(cells // k, prepend=-1))
    classes, rows_of = np.diff(starts, append=len(cells)), np.add.reduceat(times, starts)
    torn = int(rows_of[classes > 1].sum())
    if torn:
        ceiling = float(np.maximum.reduceat(times, starts).sum() / n)
        words = (
            f"{count_of(torn, 'row')} agree in every column with a row of another class. "
            f"No learner can be right for more than {percent(ceiling, 1)} of these rows."
        )
        yield Warning("Contradictions", words, grave=False)


def row_marks(columns: list[Column] | tuple[Column, ...]) -> Array:
    """A number for each row, equal for equal rows; others are equal only by a chance of 1 in 2⁶⁴ a pair."""
    marks = np.full(len(columns[0]), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for column in columns:
        if column.kind == "numeric":
            cells = np.where(column.missing, np.nan, column.values).astype(np.float64) + 0.0  # −0 becomes 0
            bits = np.where(np.isnan(cells), np.uint64(1), cells.view(np.uint64))
        else:
            bits = column.values.astype(np.int64).view(np.uint64)
        marks = (marks ^ bits) * np.uint64(0xBF58476D1CE4E5B9)
        marks ^= marks >> np.uint64(29)
        marks = marks * np.uint64(0x94D049BB133111EB)
        marks ^= marks >> np.uint64(32)
    return marks


def time_order(understood: Understood) -> Iterator[Warning]:
    """Signs that rows come in the order in which things happened."""
    n, target = len(understood.target), understood.target
    if n < ENOUGH:
        return
    advice = (
        "If new rows will come later than these, random folds let learners see the future: "
        "hold out the last rows instead, and expect less."
    )
    timed = next((c for c in understood.columns if looks_like_time(c)), None)
    rising = next((c for c in understood.columns if rises(c)), None)
    if timed is not None:
        yield Warning("Time order", f"{name(timed.name)} looks like a time. {advice}", (timed.name,))
    elif rising is not None:
        words = f"{name(rising.name)} never falls from row to row, so rows may be in order of time. {advice}"
        yield Warning("Time order", words, (rising.name,), grave=False)
    numbers = np.arange(n, dtype=np.float64)
    if target.kind == "numeric":
        spread = target.values.std()
        drift = abs(float(np.corrcoef(numbers, target.values)[0, 1])) if spread > 0 else 0.0
    else:
        drift = correlation_ratio(target.values, numbers, np.ones(n))
    if drift >= DRIFT and n >= 2 * ENOUGH:
        sorted_by = "Rows are sorted by the target" if drift > 0.9 else "The target changes along the rows"
        words = f"{sorted_by} (relation with the row number: {drift:.2f})."
        yield Warning("Order of rows", f"{words} Folds were drawn at random, so this does not favour any.", grave=False)


def looks_like_time(column: Column) -> bool:
    """Labels that read like dates, or numbers under a name of time that never fall from row to row."""
    if column.kind == "nominal":
        some = [c for c in column.categories[:50] if c is not None]
        return len(some) >= 10 and all(isinstance(c, str) and DATE.fullmatch(c.strip()) for c in some)
    return column.kind == "numeric" and bool(TIME_NAMES.search(column.name[:200])) and rises(column)


def rises(column: Column) -> bool:
    """Whether a numeric column never falls, though half of its cells differ."""
    if column.kind != "numeric" or column.missing.any():
        return False
    steps = np.diff(column.values)
    return bool((steps >= 0).all()) and int((steps > 0).sum()) >= len(steps) / 2


def imbalance(understood: Understood) -> Iterator[Warning]:
    target = understood.target
    if target.kind == "numeric":
        return
    tally = np.bincount(target.values, minlength=len(target.categories))
    most, least = int(tally.argmax()), int(tally.argmin())
    if tally[most] >= UNEVEN * max(tally[least], 1):
        words = (
            f"{label(target.categories[most])} is the class of {percent(tally[most] / tally.sum(), 1)} of the rows, "
            f"{label(target.categories[least])} of {percent(tally[least] / tally.sum(), 1)}: a learner that ignores "
            "the rare class can still score well. Look at balanced accuracy too."
        )
        yield Warning("Imbalance", words, grave=bool(tally[most] >= 0.9 * tally.sum()))


def same_cells(understood: Understood) -> Iterator[Warning]:
    """Columns of categories that hold the same cells; numbers are covered by their correlations."""
    seen: dict[tuple[object, bytes], str] = {}
    for column in understood.columns:
        if column.kind == "numeric" or len(column.categories) < 2:
            continue
        key = (column.categories, column.values.tobytes())
        if key in seen:
            words = f"{name(seen[key])} and {name(column.name)} hold the same cells."
            yield Warning("Same content", words, (seen[key], column.name), grave=False)
        seen.setdefault(key, column.name)
