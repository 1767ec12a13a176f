"""What the axes of a cloud of rows are found from, besides its scatter: products and orthogonal triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import dense, encoded_rows
from learnt.engine.passes import Batch, Pass
from learnt.statistics.sums import Sums
from learnt.statistics.triangle import RowTriangle, shrink_rows


@dataclass(frozen=True)
class Product(Sums):
    """Σ w (x − m) (x − m)ᵀ Q: the scatter times a few columns, without the scatter."""

    rows: int
    product: Array


class Multiply(Pass):
    """Sparse rows are not centred one by one: with y = X Q − m·Q, the product is Xᵀ y − m Σ y."""

    whole: ClassVar[bool] = False  # BLAS is held to one thread; blocks run side by side

    def __init__(self, design: Design, mean: Array, block: Array):
        self.design, self.mean, self.block = design, mean, block

    def summarize(self, batch: Batch) -> Product:
        total = np.zeros_like(self.block)
        level = self.mean @ self.block
        for x, part in encoded_rows(batch, self.design):
            w = part.weights
            sparse = not isinstance(x, np.ndarray)
            rows = x if sparse else x - self.mean
            y = rows @ self.block
            y = y - level if sparse else y
            y = y if w is None else y * w[:, None]
            total += rows.T @ y
            if sparse:
                total -= np.outer(self.mean, y.sum(axis=0))
        return Product(batch.n_rows, total)


class TakeRowTriangle(Pass):
    """Rows as a triangle: singular values of the triangle are those of the rows, small ones too."""

    whole: ClassVar[bool] = False

    def __init__(self, design: Design, mean: Array):
        self.design, self.mean = design, mean

    def summarize(self, batch: Batch) -> RowTriangle:
        r = np.zeros((0, len(self.mean)))
        step = max(4096, 2 * len(self.mean))
        for start in range(0, batch.n_rows, step):
            part = batch.rows(start, start + step)
            rows = dense(self.design.encode(part.table)) - self.mean
            if part.weights is not None:
                rows = rows[part.weights > 0] * np.sqrt(part.weights[part.weights > 0])[:, None]
            r = shrink_rows(np.vstack([r, rows]))
        return RowTriangle(batch.n_rows, r)
