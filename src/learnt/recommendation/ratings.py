"""Ratings as solvers read them: by user and by item, each pair once, in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse

from learnt.data.table import Array
from learnt.errors import InputError, SavedModelError
from learnt.storable import Codes, Counts, storable

Side = Literal["user", "item"]
LARGEST_CONFIDENCE = 1e15  # beyond, single precision has no room beside it


@dataclass(frozen=True)
class Scaling:
    """What becomes of ratings before they are factorised.

    Explicit: (r − mean)/scale, so that units do not matter. Implicit: 1 where anything good was seen, of confidence
    1 + confidence·r, the r of several rows added.
    """

    implicit: bool
    mean: float = 0.0
    scale: float = 1.0
    confidence: float = 1.0

    def entries(self, weights: Array, sums: Array, real: Any) -> tuple[Array, Array | None]:
        """Targets and weights of pairs, from the sums of w and w·r of their rows."""
        if self.implicit:
            sure = 1 + self.confidence * np.abs(sums)
            if sure.max(initial=1.0) > LARGEST_CONFIDENCE:
                raise InputError(
                    f"A pair has confidence {sure.max():.3g}, more than {LARGEST_CONFIDENCE:g}. Divide the ratings, or "
                    "lower 'confidence'."
                )
            return (sums > 0).astype(real), sure.astype(real)
        if weights.max(initial=1.0) > LARGEST_CONFIDENCE:
            raise InputError(
                f"A pair has weight {weights.max():.3g}, more than {LARGEST_CONFIDENCE:g}. Divide all of them."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            values = (sums / weights - self.mean) / self.scale
        if not np.abs(values).max(initial=0.0) < np.sqrt(np.finfo(real).max):  # solvers square them
            raise InputError(
                f"A rating is {np.abs(values).max():.3g} times as far from the mean as they usually are, which "
                f"{np.dtype(real).name} cannot square. Mend it, or leave it out."
            )
        values = values.astype(real)
        least = np.finfo(real).tiny  # a weight that is there stays above 0
        return values, None if (weights == 1).all() else np.maximum(weights, least).astype(real)


@storable
@dataclass(frozen=True, eq=False)
class RatingBlock:
    """Some rows of ratings: row r has entries offsets[r] … offsets[r + 1], by the place of the other side."""

    offsets: Counts
    indices: Codes
    values: Array
    weights: Array | None = None

    def __post_init__(self) -> None:
        n, o = len(self.indices), self.offsets
        parts = [self.values] if self.weights is None else [self.values, self.weights]
        if o.ndim != 1 or not len(o) or o[0] != 0 or o[-1] != n or (np.diff(o) < 0).any():
            raise SavedModelError("The offsets of the ratings contradict them.")
        if any(part.shape != (n,) or part.dtype.char not in "fd" or not np.isfinite(part).all() for part in parts):
            raise SavedModelError("The ratings are not one finite number for each pair.")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_ratings(self) -> int:
        return len(self.indices)

    def row(self, r: int) -> tuple[Array, Array, Array]:
        """Places, targets and weights of a row."""
        part = slice(int(self.offsets[r]), int(self.offsets[r + 1]))
        values = self.values[part]
        return self.indices[part], values, np.ones_like(values) if self.weights is None else self.weights[part]

    def take(self, rows: Array) -> RatingBlock:
        """These rows alone, one after the other."""
        sizes = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        weights = None if self.weights is None else self.weights[places]
        return RatingBlock(offsets, self.indices[places], self.values[places], weights)

    @property
    def rows(self) -> Array:
        """The row of every entry."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def transposed(self, n_columns: int) -> RatingBlock:
        places = np.arange(self.n_ratings)  # SciPy counts where an argsort would compare
        turned = scipy.sparse.csr_array((places, self.indices, self.offsets), (len(self), n_columns)).tocsc()
        order = turned.data
        weights = None if self.weights is None else self.weights[order]
        return RatingBlock(
            turned.indptr.astype(np.int64), turned.indices.astype(np.int32, copy=False), self.values[order], weights
        )


def rating_block(
    rows: Array,
    others: Array,
    values: Array,
    weights: Array | None,
    shape: tuple[int, int],
    scaling: Scaling,
    real: Any,
) -> RatingBlock:
    """Rows of pairs, each pair once: rows of the same pair are added."""
    w = np.ones(len(rows)) if weights is None else weights
    sums = scipy.sparse.coo_array((w * values, (rows, others)), shape).tocsr()
    total = scipy.sparse.coo_array((w, (rows, others)), shape).tocsr()
    made, own = scaling.entries(total.data, sums.data, real)
    return RatingBlock(sums.indptr.astype(np.int64), sums.indices.astype(np.int32, copy=False), made, own)


class Ratings(Protocol):
    """What solvers ask of ratings, wherever they lie."""

    @property
    def weights(self) -> dict[Side, Array]:
        """Σ w of each user and each item."""
        ...

    def blocks(self, side: Side) -> Iterator[tuple[int, RatingBlock]]:
        """Blocks of users or items with the first of each, all of them in order."""
        ...


@dataclass(frozen=True, eq=False)
class MemoryRatings:
    """All of them in memory, once by user and once by item."""

    by_user: RatingBlock
    by_item: RatingBlock
    weights: dict[Side, Array]

    @classmethod
    def of(cls, by_user: RatingBlock, user_weights: Array, item_weights: Array) -> MemoryRatings:
        return cls(by_user, by_user.transposed(len(item_weights)), {"user": user_weights, "item": item_weights})

    def blocks(self, side: Side) -> Iterator[tuple[int, RatingBlock]]:
        yield 0, self.by_user if side == "user" else self.by_item


def joined_blocks(blocks: Sequence[RatingBlock]) -> RatingBlock:
    """Rows of blocks, one after the other."""
    starts = np.concatenate([[0], np.cumsum([block.n_ratings for block in blocks])])
    offsets = [block.offsets[:-1] + start for block, start in zip(blocks, starts, strict=False)]
    weighted = any(block.weights is not None for block in blocks)
    own = [np.ones_like(block.values) if block.weights is None else block.weights for block in blocks]
    return RatingBlock(
        np.concatenate([*offsets, starts[-1:]]).astype(np.int64),
        np.concatenate([block.indices for block in blocks]),
        np.concatenate([block.values for block in blocks]),
        np.concatenate(own) if weighted else None,
    )
