"""A column that is dates because the user says so, whatever it came as."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.form import DATE
from learnt.data.kinds.dates import as_date
from learnt.data.kinds.decision import Decision
from learnt.data.kinds.options import ReadOptions
from learnt.data.kinds.seen import Seen
from learnt.data.raw import Words
from learnt.data.table import Array, Column
from learnt.errors import FileError, KindError
from learnt.show.words import spell


def as_dates(column: Column) -> Column:
    """Texts by what they say; numbers as 20241231, as years, or as days since 1970, whichever all of them can be."""
    if column.kind != "numeric":
        decision = _decision(column.name, [str(label) for label in column.categories])
        if decision is None or decision.reading is None:
            raise _not_dates(column)
        by_code = np.append(decision.reading.numbers([str(label) for label in column.categories]), np.nan)
        return Column(column.name, "numeric", by_code[column.values], (), decision.form)
    here = ~np.isnan(column.values)
    levels, places = np.unique(column.values[here], return_inverse=True)
    texts = [str(int(v)) if v.is_integer() else "" for v in levels.tolist()]
    decision = _decision(column.name, texts) if len(texts) and _look_like_dates(levels) else None
    if decision is None or decision.reading is None:
        return replace(column, form=DATE)
    values = np.full(len(column), np.nan)
    values[here] = decision.reading.numbers(texts)[places]
    return Column(column.name, "numeric", values, (), decision.form)


def _look_like_dates(levels: Array) -> bool:
    """Whether numbers can be years or dates of eight figures."""
    compact = (levels >= 10_000_101) & (levels <= 99_991_231)
    years = (levels >= 1500) & (levels <= 2200)
    return bool(compact.all() or years.all())


def _decision(name: str, texts: list[str]) -> Decision | None:
    """None where not all texts are dates."""
    words = Words(
        tuple(texts), np.zeros(len(texts), bool), np.ones(len(texts), np.int64), np.zeros(len(texts), np.int64)
    )
    try:
        return as_date(Seen(name, words, 0, 0, ReadOptions()), said=True)
    except FileError:
        return None


def _not_dates(column: Column) -> KindError:
    example = spell(str(column.categories[0])) if column.categories else "nothing"
    return KindError(
        f"Column {column.name!r} holds {example} and cannot be read as dates. Expected dates of one writing, as "
        "2024-12-31, 31.12.2024 or Dec 31, 2024. Correct the cells or make them missing."
    )
