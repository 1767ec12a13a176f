"""A column cut into a few parts that people can name: its labels, or quarters of its numbers; missing is a part."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Column
from learnt.data.value_text import bound_text, value_text
from learnt.report.comparison.words import short
from learnt.show.numbers import number
from learnt.show.words import label

FEW_NUMBERS = 6  # different numbers that are parts by themselves
MOST_LABELS = 12
LABEL_WIDTH = 30


@dataclass(frozen=True, eq=False)
class Bins:
    """`codes` give the part of each row, −1 for none; `words` say what holds for the rows of each part."""

    column: str
    codes: Array
    words: tuple[str, ...]


def bins(column: Column, least: int) -> Bins:
    """The parts with at least so many rows."""
    codes, words = _numbers(column) if column.kind == "numeric" else _labels(column)
    if column.missing.any():
        codes = np.where(column.missing, len(words), codes)
        words = [*words, "is missing"]
    sizes = np.bincount(codes[codes >= 0], minlength=len(words))
    kept = np.flatnonzero((sizes >= least) & (sizes < len(codes)))
    place = np.full(len(words) + 1, -1)
    place[kept] = np.arange(len(kept))
    return Bins(column.name, place[codes], tuple(words[i] for i in kept))


def _numbers(column: Column) -> tuple[Array, list[str]]:
    values = column.values.astype(np.float64)
    seen = values[np.isfinite(values)]
    levels = np.unique(seen)
    if len(levels) <= FEW_NUMBERS:
        codes = np.searchsorted(levels, values)
        known = np.isin(values, levels)
        return np.where(known, codes, -1), [f"= {value_text(column.form, x)}" for x in levels.tolist()]
    cuts = np.unique(np.quantile(seen, [0.25, 0.5, 0.75], method="lower"))
    cuts = cuts[cuts < levels[-1]]
    ends = [bound_text(column.form, x, number(x)) for x in cuts.tolist()]
    words = [f"≤ {ends[0]}", *(f"from above {a} to {b}" for a, b in itertools.pairwise(ends)), f"> {ends[-1]}"]
    return np.searchsorted(cuts, values), words


def _labels(column: Column) -> tuple[Array, list[str]]:
    """The most frequent labels; others belong to no part."""
    tally = np.bincount(column.values[column.values >= 0], minlength=len(column.categories))
    top = np.sort(np.argsort(-tally, kind="stable")[:MOST_LABELS])
    place = np.full(len(column.categories) + 1, -1)
    place[top] = np.arange(len(top))
    return place[column.values], [f"= {short(label(column.categories[c]), LABEL_WIDTH)}" for c in top.tolist()]
