"""Random tables of all kinds of columns, with missing cells and declared categories that have no rows."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Column, Table


def mixed_table(seed, n=80, *, missing=0.1, classes=3):
    """A table and class codes that depend on its columns, but not only."""
    rng = np.random.default_rng(seed)
    lost = rng.random((4, n)) < missing
    x = np.round(rng.normal(size=n), 1)
    sky = rng.integers(0, 4, n)
    size = rng.integers(0, 5, n)
    wet = rng.integers(0, 2, n)
    score = 1.5 * (x > 0.3) + (sky == 2) + 0.5 * size * wet + rng.normal(size=n)
    codes = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)).astype(np.int32)
    columns = [
        Column("x", "numeric", np.where(lost[0], np.nan, x)),
        Column("sky", "nominal", np.where(lost[1], -1, sky).astype(np.int32), ("sun", "rain", "snow", "fog", "hail")),
        Column("size", "ordinal", np.where(lost[2], -1, size).astype(np.int32), tuple("SMLXY")),
        Column("wet", "boolean", np.where(lost[3], -1, wet).astype(np.int32), (False, True)),
    ]
    return Table.of_columns(columns), codes
