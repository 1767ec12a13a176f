"""Tests whether two columns are independent given others: Pearson's χ² and G² (likelihood ratio).

    χ² = Σ (N − E)² / E,   G² = 2 Σ N log(N / E),   E = N_x·N_z / N within each configuration of the others

Degrees of freedom are (rows − 1)(columns − 1) summed over configurations, of the rows and columns that are not empty.
Rows with a missing cell in one of the columns are left out of a test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from learnt.data.table import Array

TESTS = ("chi2", "g2")


def known_cells(table: Array, states: Sequence[int]) -> Array:
    """A table without what counts missing cells, which stands last along each axis."""
    return table[tuple(slice(size) for size in states)]


def independence_test(table: Array, test: str) -> tuple[float, float, float]:
    """Statistic, degrees of freedom and p-value of configurations × x × z."""
    from scipy.special import chdtrc

    counts = table.reshape(-1, *table.shape[-2:]).astype(np.float64)
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    total = rows.sum(axis=1)
    free = np.maximum((rows > 0).sum(axis=1) - 1, 0) * np.maximum((columns > 0).sum(axis=1) - 1, 0)
    df = float(free.sum())
    expected = rows[:, :, None] * columns[:, None, :] / np.where(total > 0, total, 1)[:, None, None]
    there = expected > 0
    if test == "g2":
        ratio = np.divide(counts, expected, out=np.ones_like(counts), where=there & (counts > 0))
        statistic = 2 * float((counts * np.log(ratio)).sum())
    else:
        parts = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(counts), where=there)
        statistic = float(parts.sum())
    statistic = max(statistic, 0.0)
    p = 1.0 if df == 0 else float(chdtrc(df, statistic))
    return statistic, df, p if math.isfinite(p) else 1.0
