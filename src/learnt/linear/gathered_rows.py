"""Encoded rows brought together, for solvers that go through the columns of a wide matrix many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic


@dataclass(frozen=True)
class Rows(Statistic):
    """Blocks of encoded rows, in order, with their targets (zeros where there are none) and weights."""

    rows: int
    blocks: tuple[Any, ...]
    targets: tuple[Array, ...]
    weights: tuple[Array, ...]  # none at all, or one for each block

    def _shape(self) -> tuple[int, ...]:
        return (self.blocks[0].shape[1], bool(self.weights))

    def _merge(self, other: Rows) -> Rows:
        return Rows(
            self.rows + other.rows,
            self.blocks + other.blocks,
            self.targets + other.targets,
            self.weights + other.weights,
        )

    def joined(self) -> tuple[Any, Array, Array | None]:
        """Matrix, targets and weights; a matrix of one block is not copied."""
        y = np.concatenate(self.targets)
        w = np.concatenate(self.weights) if self.weights else None
        if len(self.blocks) == 1:
            return self.blocks[0], y, w
        if isinstance(self.blocks[0], np.ndarray):
            return np.concatenate(self.blocks), y, w
        from scipy.sparse import vstack

        return vstack(self.blocks, format="csr"), y, w


class GatherRows(Pass):
    gathers = True

    def __init__(self, design: Design):
        self.design = design

    def summarize(self, batch: Batch) -> Rows:
        target = np.zeros(batch.n_rows) if batch.target is None else batch.target
        weights = () if batch.weights is None else (batch.weights,)
        return Rows(batch.n_rows, (self.design.encode(batch.table),), (target,), weights)
