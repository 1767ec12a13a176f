"""A sample of rows by the hashes of their numbers: the same rows, however the table was cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.convert.out import join_tables
from learnt.data.table import Array, Table
from learnt.engine.passes import Statistic


def hash_rows(seed: int, first_row: int, n_rows: int) -> Array:
    """A number between 0 and 1 for each row from `first_row` on, that depends on seed and row number alone."""
    found = np.empty(n_rows)
    _core.hash_uniform(seed, first_row, found)
    return found


def hash_numbers(rows: Array) -> Array:
    """Row numbers to evenly spread 64-bit keys by SplitMix64's finaliser.

    Beside `hash_rows` because numbers need not be consecutive here, and because another hash is another sample.
    """
    z = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def smallest_keys(keys: Array, limit: int) -> Array:
    """The places of the `limit` smallest keys, rising; of equal ones the first."""
    if len(keys) <= limit:
        return np.arange(len(keys))
    if limit == 0:
        return np.empty(0, np.int64)
    last = np.partition(keys, limit - 1)[limit - 1]
    below = keys < last
    ties = np.flatnonzero(keys == last)[: limit - int(np.count_nonzero(below))]
    below[ties] = True
    return np.flatnonzero(below)


def sample_places(n_rows: int, limit: int, seed: int) -> Array:
    """The places of at most `limit` rows of a table in memory, rising."""
    return np.arange(n_rows) if n_rows <= limit else smallest_keys(hash_rows(seed, 0, n_rows), limit)


@dataclass(frozen=True)
class HashedSample(Statistic):
    """The `limit` rows of the smallest keys; None: all rows, without keys.

    `taken` is what was kept of the rows: arrays, CSR matrices or tables with an entry for each, or None.
    """

    rows: int  # all that were seen
    limit: int | None
    key: Array
    taken: tuple[Any, ...]

    @classmethod
    def of(cls, limit: int | None, key: Array, *taken: Any, rows: int | None = None) -> HashedSample:
        """Of rows with these keys; `rows` were seen, if more than have a key."""
        return cls(len(key) if rows is None else rows, limit, key, taken).cut()

    @property
    def exact(self) -> bool:
        return True

    @property
    def complete(self) -> bool:
        """Whether no row was left out."""
        return self.rows == len(self.key)

    def _shape(self) -> tuple[int, ...]:
        return (-1 if self.limit is None else self.limit, len(self.taken))

    def _merge(self, other: HashedSample) -> HashedSample:
        return self.joined(other).cut()

    def joined(self, *others: HashedSample) -> HashedSample:
        """The rows of all of them, none left out."""
        samples = (self, *others)
        taken = tuple(_stack(parts) for parts in zip(*(s.taken for s in samples), strict=True))
        return HashedSample(sum(s.rows for s in samples), self.limit, np.concatenate([s.key for s in samples]), taken)

    def cut(self) -> HashedSample:
        """Without the rows beyond the limit."""
        if self.limit is None or len(self.key) <= self.limit:
            return self
        kept = smallest_keys(self.key, self.limit)
        return HashedSample(self.rows, self.limit, self.key[kept], tuple(_take(part, kept) for part in self.taken))


def _stack(parts: Sequence[Any]) -> Any:
    if any(part is None for part in parts):
        return None
    if isinstance(parts[0], Table):
        return join_tables(parts)
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def _take(part: Any, kept: Array) -> Any:
    if part is None:
        return None
    return part.take(kept) if isinstance(part, Table) else part[kept]
