"""Factors and biases of users and items, padded as the kernels want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array

UNIT = 16  # of the kernels: vectors are padded by zeros to a multiple of it


@dataclass(eq=False)
class SideFactors:
    """One side: vectors, n × width, of which `rank` numbers count, and biases or None. Solvers write on them."""

    vectors: Array
    bias: Array | None
    rank: int

    @classmethod
    def zeros(cls, n: int, rank: int, biases: bool, real: Any) -> SideFactors:
        width = (rank + UNIT - 1) // UNIT * UNIT
        return cls(np.zeros((n, width), real), np.zeros(n, real) if biases else None, rank)

    @classmethod
    def of(cls, vectors: Array, bias: Array | None) -> SideFactors:
        """Padded again, from factors without padding."""
        made = cls.zeros(len(vectors), vectors.shape[1], bias is not None, vectors.dtype)
        made.vectors[:, : made.rank] = vectors
        made.bias = None if bias is None else np.ascontiguousarray(bias)
        return made

    def copy(self) -> SideFactors:
        return SideFactors(self.vectors.copy(), None if self.bias is None else self.bias.copy(), self.rank)

    def draw(self, rng: np.random.Generator, size: float, nonnegative: bool) -> None:
        """Start at random: numbers of standard deviation `size`, or their magnitudes."""
        drawn = rng.standard_normal((len(self.vectors), self.rank)) * size
        self.vectors[:, : self.rank] = np.abs(drawn) if nonnegative else drawn

    @property
    def plain(self) -> Array:
        """The vectors without padding."""
        return np.ascontiguousarray(self.vectors[:, : self.rank])

    def squares(self) -> Array:
        """|z|² of each row, its bias included."""
        found: Array = np.einsum("nk,nk->n", self.vectors, self.vectors, dtype=np.float64)
        return found if self.bias is None else found + self.bias.astype(np.float64) ** 2

    def augmented(self, rows: Any = slice(None)) -> Array:
        """Rows (y, 1), or y alone without biases, in double precision."""
        vectors = self.vectors[rows, : self.rank].astype(np.float64)
        return vectors if self.bias is None else np.concatenate([vectors, np.ones((*vectors.shape[:-1], 1))], axis=-1)


@dataclass(frozen=True, eq=False)
class WholeSums:
    """Sums over a whole side that implicit feedback needs: Σ y yᵀ, Σ (y, 1), Σ o (y, 1), Σ o², o the biases."""

    gram: Array
    sums: Array
    pull: Array
    square: float

    @classmethod
    def of(cls, side: SideFactors) -> WholeSums:
        width = side.vectors.shape[1]
        sums = np.zeros((width + 2, width + 2))
        _core.sum_side(side.vectors, side.bias, sums)
        sums = np.triu(sums) + np.triu(sums, 1).T
        gram = np.ascontiguousarray(sums[:width, :width].astype(side.vectors.dtype))
        return cls(gram, sums[: width + 1, width].copy(), sums[: width + 1, width + 1].copy(), float(sums[-1, -1]))


def rate_pairs(users: Array, items: Array, x: SideFactors, y: SideFactors) -> Array:
    """b + c + x·y of pairs of places, −1 being unknown."""
    out = np.empty(len(users))
    who, what = np.ascontiguousarray(users, np.int32), np.ascontiguousarray(items, np.int32)
    _core.rate_pairs(who, what, x.vectors, x.bias, y.vectors, y.bias, out)
    return out
