"""One column of two tables: does it hold the same, and if not, what changed most?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Column
from learnt.data.value_text import value_text
from learnt.show.numbers import number, percent
from learnt.show.words import label, short_name

#: Cells of a χ² test that expect fewer rows than these are taken together.
FEW = 5
#: With fewer rows than these of either table all labels may be rare, and are compared one by one.
FEW_ROWS = 20
#: Beyond these rows the exact distribution of the Kolmogorov–Smirnov statistic is not needed, and slow.
EXACT_ROWS = 5_000


@dataclass(frozen=True)
class ColumnDrift:
    """How far a column moved, and how surprising that is if nothing happened.

    | field | meaning |
    |---|---|
    | `distance` | 0 to 1: numbers by the largest difference of their cumulative shares (Kolmogorov–Smirnov), labels by the share of rows that would have to change (total variation), texts by the word whose share of rows changed most; a change of missing cells counts as well |
    | `p_value`, `adjusted` | of a Kolmogorov–Smirnov or a χ² test; the second corrected for the number of columns |
    | `then`, `now` | in words: quartiles, the share of the larger of two numbers, or of the label, or of the rows with the word, that changed most |
    | `missing` | shares of missing cells, then and now |
    | `unseen` | labels of the new table that the old one does not have; of texts, words of every hundredth row |
    """  # noqa: E501  a table's rows cannot be broken

    name: str
    kind: str
    test: str
    distance: float
    p_value: float
    adjusted: float
    then: str
    now: str
    missing: tuple[float, float]
    unseen: tuple[str, ...] = ()


def compare_columns(old: Column, new: Column) -> ColumnDrift:
    """Two columns of numbers, or two of labels; the p-value is not yet corrected for others."""
    return _numbers(old, new) if old.kind == "numeric" else _labels(old, new)


def _numbers(old: Column, new: Column) -> ColumnDrift:
    a, b = (np.sort(column.values[np.isfinite(column.values)]) for column in (old, new))
    missing = (1 - len(a) / max(1, len(old)), 1 - len(b) / max(1, len(new)))
    distance, p = _kolmogorov_smirnov(a, b)
    if any(missing):
        counts = np.array([[len(a), len(old) - len(a)], [len(b), len(new) - len(b)]], float)
        p = min(1.0, 2 * min(p, chi_squared(counts)))  # two tests of one column
    values = np.union1d(a, b)
    if len(values) == 2 and old.form is None and max(len(np.unique(a)), len(np.unique(b))) == 2:
        texts = [_share(cells, float(values[1])) for cells in (a, b)]  # quartiles rarely change
    else:
        texts = [_quartiles(column, cells) for column, cells in ((old, a), (new, b))]
    far = max(distance, abs(missing[0] - missing[1]))
    name = old.schema.kind_name
    return ColumnDrift(old.name, name, "Kolmogorov–Smirnov", far, p, p, texts[0], texts[1], missing)


def _share(cells: Array, value: float) -> str:
    return f"{percent(float(np.mean(cells == value)), 0)} are {number(value)}" if len(cells) else "all missing"


def _quartiles(column: Column, cells: Array) -> str:
    if not len(cells):
        return "all missing"
    low, middle, high = (value_text(column.form, float(q)) for q in np.quantile(cells, (0.25, 0.5, 0.75)))
    return f"{middle} ({low} … {high})"


def _kolmogorov_smirnov(a: Array, b: Array) -> tuple[float, float]:
    from scipy import stats

    if not len(a) or not len(b):
        return 0.0, 1.0
    found: Any = stats.ks_2samp(a, b, method="auto" if max(len(a), len(b)) <= EXACT_ROWS else "asymp")
    return float(found.statistic), float(found.pvalue)


def _labels(old: Column, new: Column) -> ColumnDrift:
    texts = [[str(cell) for cell in column.categories] for column in (old, new)]
    every = list(dict.fromkeys([*texts[0], *texts[1]]))
    place = {text: k for k, text in enumerate(every)}
    counts = np.zeros((2, len(every) + 1))  # the last: missing cells
    for row, (column, names) in enumerate(zip((old, new), texts, strict=True)):
        codes = np.array([*(place[text] for text in names), len(every)])
        counts[row] = np.bincount(codes[column.values], minlength=len(every) + 1)  # −1, missing, is the last
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    p = chi_squared(counts)
    most = int(np.abs(shares[1] - shares[0]).argmax())
    what = "missing" if most == len(every) else label(short_name(every[most], 30))
    then, now = (f"{what} {percent(share, 0)}" for share in shares[:, most])
    seen = counts[0, :-1] > 0
    unseen = tuple(text for text, known, count in zip(every, seen, counts[1], strict=False) if not known and count)
    distance = _total_variation(counts)
    missing = (float(shares[0, -1]), float(shares[1, -1]))
    return ColumnDrift(old.name, old.schema.kind_name, "χ²", distance, p, p, then, now, missing, unseen)


def chi_squared(counts: Array) -> float:
    """The p-value that two rows of counts come from one distribution, rare cells taken together."""
    from scipy.special import chdtrc

    if not counts.sum(axis=1).all():
        return 1.0
    counts = _rare_together(counts)
    expected = _expected(counts)
    freedom = counts.shape[1] - 1
    if freedom < 1 or expected.min() <= 0:
        return 1.0
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chdtrc(freedom, statistic)) if math.isfinite(statistic) else 1.0


def _rare_together(counts: Array) -> Array:
    """Cells that expect few rows as one cell; none that expects none at all."""
    counts = counts[:, counts.sum(axis=0) > 0]
    rare = _expected(counts).min(axis=0) < FEW
    return np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)]) if rare.any() else counts


def _expected(counts: Array) -> Array:
    n = counts.sum(axis=1)
    return np.asarray(np.outer(n, counts.sum(axis=0)) / n.sum())


def _total_variation(counts: Array) -> float:
    """The share of rows that would have to change; of rare labels all together, or each would look moved by chance."""
    together = _rare_together(counts)
    n = counts.sum(axis=1, keepdims=True)
    shares = (together if together.shape[1] > 1 or n.min() >= FEW_ROWS else counts) / np.maximum(1, n)
    return float(np.abs(shares[1] - shares[0]).sum() / 2)
