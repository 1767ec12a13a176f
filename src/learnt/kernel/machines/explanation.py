"""What a score of a kernel machine is made of: columns of a linear one, support vectors of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import dense
from learnt.explain import Evidence

#: Support vectors named one by one; the others are one sum.
TOLD = 20


def column_evidence(
    design: Design, mean: Array, row: Table, coef: Array, intercept: float
) -> tuple[tuple[Evidence, ...], float]:
    """What each column adds to the score of the average row, and that score."""
    x = dense(design.encode(row)).astype(np.float64)
    parts = design.fold((x - mean) * coef)[0]
    told = tuple(
        Evidence(column.name, column.labels()[0], float(part)) for column, part in zip(row.columns, parts, strict=True)
    )
    return told, intercept + float(coef @ mean)


def support_evidence(support: Array, targets: Sequence[Any], parts: Array) -> tuple[Evidence, ...]:
    """The support vectors that speak loudest for and against, and all others in one sum."""
    order = np.argsort(-np.abs(parts), kind="stable")
    told = [Evidence(f"row {int(support[i])}", targets[i], float(parts[i])) for i in order[:TOLD]]
    rest = order[TOLD:]
    if len(rest):
        told.append(Evidence(f"{len(rest)} other support vectors", None, float(parts[rest].sum())))
    return tuple(told)
