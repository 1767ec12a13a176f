"""Which words of a column are worth a column of their own.

A word counts that is in two rows or more. Of more than `MOST_WORDS` such words those are taken that tell most about the
target, by the presence of the word alone: Pearson's

    χ²_j = Σ_c (N_jc − n_j p_c)² / p_c · N / (n_j (N − n_j))
    t²_j = (Σ_{i with j} y_i − n_j ȳ)² / s² · N / (n_j (N − n_j))

for classes c with shares p_c and for numbers y, with N rows, n_j of them with word j, all by weight. Of equal ones the
more frequent comes first, then the first in the order of letters.
"""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.learner.text.word_sums import WordSums

MOST_WORDS = 300
FEWEST_ROWS = 2
_DIGITS = 6  # of a score: sums in another order of the rows differ in later ones


def frequent_words(found: WordSums, n_classes: int) -> Array:
    """The places of the words in two rows or more. A weight of 2 is a row twice; where weights below 1 occur, rows are
    counted in units of the smallest."""
    rows = found.sums.sum(axis=1) if n_classes else found.sums[:, 0]
    unit = min(1.0, found.least) if np.isfinite(found.least) else 1.0
    return np.flatnonzero(rows >= FEWEST_ROWS * unit * (1 - 1e-9))


def telling_words(found: WordSums, n_classes: int, most: int = MOST_WORDS) -> Array:
    """The places of the words that are counted, rising."""
    places = frequent_words(found, n_classes)
    if len(places) <= most:
        return places
    sums = found.sums[places]
    rows = sums.sum(axis=1) if n_classes else sums[:, 0]
    score = _class_scores(sums, rows, found.totals) if n_classes else _number_scores(sums, rows, found.totals)
    order = np.lexsort((places, -_rounded(rows), -_rounded(score)))
    return np.sort(places[order[:most]])


def _class_scores(sums: Array, rows: Array, totals: Array) -> Array:
    there = totals > 0
    whole = totals.sum()
    shares = totals[there] / whole
    apart = ((sums[:, there] - rows[:, None] * shares) ** 2 / shares).sum(axis=1)
    return _per_row(apart, rows, whole)


def _number_scores(sums: Array, rows: Array, totals: Array) -> Array:
    whole, mean = totals[0], totals[1] / totals[0]
    return _per_row((sums[:, 1] - rows * mean) ** 2, rows, whole)  # the variance is the same for all


def _per_row(apart: Array, rows: Array, whole: float) -> Array:
    left = rows * (whole - rows)
    score: Array = np.divide(apart, left, out=np.zeros(len(rows)), where=left > 1e-12 * whole**2)
    return score


def _rounded(values: Array) -> Array:
    size = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    scale = 10.0 ** (_DIGITS - 1 - size)
    return np.round(values * scale) / scale
