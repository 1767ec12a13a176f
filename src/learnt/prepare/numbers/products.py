"""All products of columns up to a degree: which there are, how many, and their values.

A product is a parent of one degree less times one more factor that does not come before the parent's last one. So
products are ordered by degree, then by their factors, and the children of a parent stand next to each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.storable import storable

#: Cells of a block of rows that are multiplied together: about as many as a processor keeps near.
_BLOCK = 1 << 17


@storable
@dataclass(frozen=True, eq=False)
class Products:
    """`following[j]` is the first column that may come after j in a product: j itself where powers are wanted, the
    first column of the next variable where j is one of several indicators, whose products are all 0."""

    following: Array
    degree: int

    def __post_init__(self) -> None:
        m = len(self.following)
        places = np.arange(m)
        if self.following.shape != (m,) or self.following.dtype != np.int64 or self.degree < 1:
            raise ValueError("Products need a degree and a place for each column.")
        if ((self.following < places) | (self.following > m)).any() or (np.diff(self.following) < 0).any():
            raise ValueError("A column may be followed by itself or by those after it.")

    def count(self, most: float = math.inf) -> int:
        """How many there are, without making any; of more than `most`, and more than 1000 factors, perhaps not all."""
        m = len(self.following)
        most = most if self.degree > 1000 else math.inf
        if self.degree > most and (self.following == np.arange(m)).any():
            return self.degree  # as many powers
        ending = np.ones(m, dtype=object)  # products that end in each column
        total = m
        for _ in range(1, self.degree):
            if not ending.any() or total > most:
                break
            so_far = np.concatenate([np.zeros(1, object), np.cumsum(ending)])
            # Column k may come after every j with following[j] ≤ k.
            ending = so_far[np.searchsorted(self.following, np.arange(len(ending)), side="right")]
            total += int(ending.sum())
        return int(total)

    def levels(self) -> Iterator[tuple[Array, Array]]:
        """Degree by degree: the place of each product's parent in the degree before, and its last factor."""
        m = len(self.following)
        last = np.arange(m)
        yield np.zeros(m, np.int64), last
        for _ in range(1, self.degree):
            first = self.following[last]
            width = m - first
            parent = np.repeat(np.arange(len(last)), width)
            starts = np.cumsum(width) - width
            last = np.arange(len(parent)) - np.repeat(starts - first, width)
            yield parent, last

    def factors(self) -> Iterator[Array]:
        """Degree by degree the factors of each product, a row of columns in rising order."""
        chosen = np.zeros((1, 0), np.int64)
        for parent, last in self.levels():
            chosen = np.column_stack([chosen[parent], last])
            yield chosen

    def of_rows(self, x: Array, out: Array) -> None:
        """Overwrite `out`, rows × products, with the products of the columns of `x`."""
        levels = list(self.levels())
        ends = np.cumsum([0, *(len(last) for _, last in levels)])
        step = max(1, _BLOCK // max(out.shape[1], 1))

        def block(start: int) -> None:
            rows, part = np.asarray(x[start : start + step], np.float64), out[start : start + step]
            part[:, : ends[1]] = rows
            for d in range(1, len(levels)):
                parent, last = levels[d]
                before = part[:, ends[d - 1] : ends[d]]
                _multiply(before[:, parent], rows[:, last], part[:, ends[d] : ends[d + 1]])

        pool = ThreadPoolExecutor(_core.get_threads())  # NumPy multiplies without holding the lock
        try:
            for _ in pool.map(block, range(0, len(x), step)):
                pass
        finally:
            pool.shutdown(cancel_futures=True)

    def of_sparse_rows(self, x: Any) -> Any:
        """The same for CSR: only products of stored cells are made, the others are 0."""
        from scipy.sparse import csr_matrix, hstack

        x = x.tocsr().astype(np.float64)
        x.sort_indices()
        n, m = x.shape
        stored = np.diff(x.indptr).astype(np.int64)
        row, column, value = np.repeat(np.arange(n), stored), x.indices.astype(np.int64), x.data
        last, width, parts = column, m, [x]
        for _ in range(1, self.degree):
            # Each product so far meets every stored cell of its row.
            meets = stored[row]
            term = np.repeat(np.arange(len(row)), meets)
            cell = np.arange(len(term)) - np.repeat(np.cumsum(meets) - meets - x.indptr[row], meets)
            fits = x.indices[cell] >= self.following[last[term]]
            term, cell = term[fits], cell[fits]
            starts, width = self._starts(width, len(parts))
            column = starts[column[term]] + x.indices[cell] - self.following[last[term]]
            with np.errstate(over="ignore"):
                row, value, last = row[term], value[term] * x.data[cell], x.indices[cell].astype(np.int64)
            parts.append(csr_matrix((value, (row, column)), shape=(n, width)))
        return hstack(parts, format="csr") if len(parts) > 1 else x

    def _starts(self, n_parents: int, degree: int) -> tuple[Array, int]:
        """Where the children of each product of a degree begin among those of the next, and how many these are."""
        last = list(self.levels())[degree - 1][1]
        assert len(last) == n_parents
        widths = len(self.following) - self.following[last]
        ends = np.cumsum(widths)
        return ends - widths, int(ends[-1]) if len(ends) else 0


def _multiply(a: Array, b: Array, out: Array) -> None:
    """a·b; what is beyond all numbers is infinite, and 0 times that is 0."""
    try:
        with np.errstate(over="ignore", invalid="raise"):  # each thread has its own
            np.multiply(a, b, out=out)
    except FloatingPointError:
        with np.errstate(over="ignore", invalid="ignore"):
            np.multiply(a, b, out=out)
        out[(a == 0) & np.isinf(b) | np.isinf(a) & (b == 0)] = 0.0
