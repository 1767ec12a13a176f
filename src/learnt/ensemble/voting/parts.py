"""What each column of a row adds to the answer of a member, where the member can tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain.class_parts import ClassParts
from learnt.learner.foreign import ForeignRegressor
from learnt.tree import TreeRegressor

#: How far sums may be from the answer and still be the arithmetic behind it; what is left is rounding.
NEAR = 1e-6


def class_parts_of(member: Any, row: Table, said: Array) -> ClassParts | None:
    """Parts of the probabilities `said` of a table's only row; None where the member knows none that add up to it."""
    found: ClassParts | None = member._class_parts(row)
    if found is None or not (np.isfinite(found.base).all() and np.isfinite(found.parts).all()):
        return None
    found = found.in_probabilities()
    if found.total.shape != said.shape or np.abs(found.total - said).max() > NEAR:
        return None
    return found.ending_at(said)


def number_parts_of(member: Any, row: Table, said: float) -> tuple[float, Array] | None:
    """Where the sum of a regressor begins, and what each column adds; None where its evidence is of something else."""
    if isinstance(member, ForeignRegressor):
        return None
    # A tree explains itself by the path of the row, and attributes its answer to the columns when asked to.
    told = member._attribute(row)[0] if isinstance(member, TreeRegressor) else member.explain(row)[0]
    if [e.column for e in told.evidence] != list(row.names):
        return None
    parts = np.array([e.contribution for e in told.evidence])
    scale = abs(told.base) + np.abs(parts).sum()
    if not abs(told.add_up() - said) <= NEAR * max(scale, abs(said)):
        return None
    return told.base, parts
