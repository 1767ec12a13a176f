"""What every index answers, and how its questions are checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.show.words import spell

Kind = Literal["brute", "kd_tree", "vp_tree", "scan"]
Lists = tuple[Array, Array, Array]


class Index(ABC):
    """Rows kept so that the nearest of them are found fast.

    Neighbours come in the order of their distance, those equally far by their row number; no index
    knows better than another, they differ in time and memory alone. `kind` says which it is, `why`
    in words what it was chosen for, `nbytes` what it holds beside the rows it was given.
    """

    kind: Kind
    why: str
    n_rows: int

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held beside the caller's own rows."""

    def query(self, X: Any, k: int, exclude_self: Any = None) -> tuple[Array, Array]:
        """The k nearest rows of each row of X: distances (n, k) and row numbers (n, k).

        `exclude_self=True` says that row i of X is row i of the index and no neighbour of itself; an
        array names for each row of X the row it shall not get, −1 for none.
        """
        queries, n = self._encoded(X)
        skip = self._skipped_rows(exclude_self, n)
        there = self.n_rows - (skip is not None and bool(np.any(skip >= 0)))
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 0 <= k <= there:
            raise ParameterError(
                f"k is {spell(k)}. Expected a whole number from 0 to {there}: "
                f"the index holds {self.n_rows} rows{', of which one is left out' if there < self.n_rows else ''}."
            )
        if k == 0 or n == 0:
            return np.empty((n, k)), np.empty((n, k), np.int64)
        with np.errstate(over="ignore"):  # rows of 1e300 are infinitely far
            return self._nearest(queries, int(k), skip)

    def radius(self, X: Any, r: Any, exclude_self: Any = None) -> Lists:
        """The rows within distance r of each row of X, as (indptr, rows, distances).

        Neighbours of row i stand at indptr[i] up to indptr[i + 1], nearest first. r is one number, or
        one for each row of X.
        """
        queries, n = self._encoded(X)
        radii = np.ascontiguousarray(np.broadcast_to(np.asarray(r, dtype=np.float64), (n,)))
        if not np.all(radii >= 0):
            bad = int(np.flatnonzero(~(radii >= 0))[0])
            raise ParameterError(f"The radius of row {bad} is {radii[bad]}. Expected a number of at least 0.")
        if n == 0:
            return np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0)
        with np.errstate(over="ignore"):
            return self._within(queries, radii, self._skipped_rows(exclude_self, n))

    def _skipped_rows(self, exclude_self: Any, n: int) -> Array | None:
        if exclude_self is None or exclude_self is False:
            return None
        if exclude_self is True:
            if n != self.n_rows:
                raise InputError(
                    f"exclude_self=True needs the index's own {self.n_rows} rows, but {n} came. "
                    "Pass an array with the row that each of them shall not get."
                )
            return np.arange(n, dtype=np.int64)
        skip = np.ascontiguousarray(exclude_self, dtype=np.int64)
        if skip.shape != (n,) or np.any(skip < -1) or np.any(skip >= self.n_rows):
            raise InputError(
                f"exclude_self has the shape {skip.shape}. Expected one row number from −1 to {self.n_rows - 1} "
                f"for each of the {n} rows."
            )
        return skip

    @abstractmethod
    def _encoded(self, X: Any) -> tuple[Any, int]:
        """Rows to be asked about as the index reads them, and how many; wrong ones are refused."""

    @abstractmethod
    def _nearest(self, queries: Any, k: int, skip: Array | None) -> tuple[Array, Array]: ...

    @abstractmethod
    def _within(self, queries: Any, radii: Array, skip: Array | None) -> Lists: ...

    def __repr__(self) -> str:
        return f"<{self.kind} index of {self.n_rows} rows, {self.nbytes} bytes: {self.why}>"
