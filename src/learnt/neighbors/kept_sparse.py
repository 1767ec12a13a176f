"""Sparse rows that a learner keeps, as a file can hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import SavedModelError
from learnt.storable import storable


@storable
@dataclass(frozen=True)
class KeptSparse:
    """The cells that are stored, their columns, and where each row starts: columns ascending, none twice."""

    values: Array
    places: Array
    start: Array

    @classmethod
    def of(cls, matrix: Any) -> KeptSparse:
        """A copy of a CSR matrix."""
        own = matrix.copy()
        own.sum_duplicates()
        kind = np.float32 if own.dtype == np.float32 else np.float64
        return cls(own.data.astype(kind), own.indices.astype(np.int32), own.indptr.astype(np.int64))

    @property
    def n_rows(self) -> int:
        return len(self.start) - 1

    def matrix(self, n_columns: int) -> Any:
        from scipy.sparse import csr_array

        return csr_array((self.values, self.places, self.start), shape=(self.n_rows, n_columns))

    def check(self, n_columns: int) -> None:
        """Raise if a file holds cells that no sparse matrix has: kernels read where they say."""
        parts = (self.values, self.places, self.start)
        right = all(part.ndim == 1 for part in parts) and len(self.start) > 1 and len(self.values) == len(self.places)
        right = right and self.values.dtype in (np.float32, np.float64) and self.places.dtype == np.int32
        right = right and self.start.dtype == np.int64 and self.start[0] == 0 and self.start[-1] == len(self.values)
        if not right or np.any(np.diff(self.start) < 0):
            raise SavedModelError("The sparse rows kept make no sense.")
        inner = np.ones(len(self.places), dtype=bool)
        inner[self.start[:-1][self.start[:-1] < len(inner)]] = False  # where a row starts, columns start again
        ascending = np.all(np.diff(self.places)[inner[1:]] > 0) if len(self.places) else True
        if (
            not ascending
            or np.any((self.places < 0) | (self.places >= n_columns))
            or not np.isfinite(self.values).all()
        ):
            raise SavedModelError("The sparse rows kept do not fit the columns.")
