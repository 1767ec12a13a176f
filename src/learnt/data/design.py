"""The design matrix: a table's columns as numbers, and the way back to the columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.lazy import cached_property
from learnt.storable import Codes, Numbers, storable

if TYPE_CHECKING:
    from learnt.engine.survey import Survey

#: From this many indicator columns on, and if rows are mostly zeros, the matrix is kept sparse.
WIDE = 200


@storable
@dataclass(frozen=True, eq=False)
class Design:
    """How each column of a table becomes columns of a matrix.

    | kind | columns of the matrix | a missing cell counts as |
    |---|---|---|
    | numeric | one, (x − center) · scale | the column's mean |
    | ordinal | one, the rank from 0, then as numeric | the mean rank |
    | nominal, boolean | one indicator per category, the reference left out | the most frequent category |

    A category that was not there when the learner was fitted is treated as a missing cell.

    `reference` holds per column the code whose indicator is left out, −1 for none; `fill` the value
    or code of missing cells. Made by `Design.of(survey, …)`.
    """

    schema: Schema
    fill: Numbers
    center: Numbers
    scale: Numbers
    reference: Codes
    sparse: bool
    _widths: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        m = len(self.schema)
        if any(a.shape != (m,) for a in (self.fill, self.center, self.scale, self.reference)):
            raise ValueError("A design needs one fill, center, scale and reference per column.")
        sizes = np.array([len(c.categories) for c in self.schema], dtype=np.int64)
        if np.any(self.reference >= sizes) or np.any(self.reference < -1):
            raise ValueError("A reference category is out of range.")
        indicators = np.array([c.kind in ("nominal", "boolean") for c in self.schema], dtype=bool)
        codes = self.fill[indicators]  # kernels index by them
        if np.any(codes != np.floor(codes)) or np.any(codes < -1) or np.any(codes >= sizes[indicators]):
            raise ValueError("A fill of a nominal column is not the code of one of its categories.")
        widths = np.where(indicators, sizes - (self.reference >= 0), 1)
        object.__setattr__(self, "_widths", np.maximum(widths, 0))

    @classmethod
    def of(cls, survey: Survey, *, drop_reference: bool, standardize: bool = False, center: bool = False) -> Design:
        """The design for a surveyed table.

        `drop_reference` leaves out one level per nominal column, the most frequent (False for a
        boolean), as an intercept requires. `standardize` divides numeric and ordinal columns by their
        standard deviation (over n), `center` subtracts their mean; sparse designs are never centred.
        """
        m = len(survey.schema)
        fill, shift, scale = np.zeros(m), np.zeros(m), np.ones(m)
        reference = np.full(m, -1, np.int32)
        spread = np.sqrt(survey.variance)
        for j, column in enumerate(survey.schema):
            if column.kind in ("nominal", "boolean"):
                weights = survey.categories[j]
                fill[j] = int(weights.argmax()) if len(weights) and weights.any() else -1
                if drop_reference and len(weights):
                    reference[j] = 0 if column.kind == "boolean" else max(int(fill[j]), 0)
                continue
            fill[j] = survey.mean[j]
            if center:
                shift[j] = survey.mean[j]
            if standardize and spread[j] > 0:
                scale[j] = 1 / spread[j]
        design = cls(survey.schema, fill, shift, scale, reference, sparse=False)
        if design.wide:
            return cls(survey.schema, fill, np.zeros(m), scale, reference, sparse=True)
        return design

    @property
    def n_columns(self) -> int:
        return int(self._widths.sum())

    @property
    def wide(self) -> bool:
        """Whether rows are mostly zeros, of many indicators."""
        indicators = self.n_columns - sum(c.kind in ("numeric", "ordinal") for c in self.schema)
        return indicators >= WIDE and len(self.schema) < self.n_columns / 4

    @cached_property
    def starts(self) -> Array:
        """The first matrix column of each table column."""
        return np.concatenate([[0], np.cumsum(self._widths)[:-1]]).astype(np.int64)

    @cached_property
    def owner(self) -> Array:
        """Which column of the table each column of the matrix comes from."""
        return np.repeat(np.arange(len(self.schema)), self._widths)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the matrix columns: `age`, `town=Bern`."""
        names: list[str] = []
        for column, reference in zip(self.schema, self.reference.tolist(), strict=True):
            if column.kind in ("nominal", "boolean"):
                names += [f"{column.name}={label}" for c, label in enumerate(column.categories) if c != reference]
            else:
                names.append(column.name)
        return tuple(names)

    @cached_property
    def plain(self) -> bool:
        """Whether numbers pass as they are: nothing coded, centred or scaled."""
        return self.schema.all_numeric and not self.center.any() and bool(np.all(self.scale == 1))

    def encode(self, table: Table) -> Any:
        """The matrix of a table in this schema: dense, or CSR for wide designs and sparse tables.

        A numeric table that needs no change is its own matrix and is not copied.
        """
        if table.sparse is not None:
            return self._encode_sparse(table.sparse)
        if table.matrix is not None and self.plain and _core.all_finite(table.matrix):
            return table.matrix
        plan = self._kernel_arguments(table)
        if not self.sparse:
            single = all(c.dtype == np.float32 for c in plan[0]) and self.plain
            out = np.empty((table.n_rows, self.n_columns), np.float32 if single else np.float64)
            _core.encode_dense(*plan, out)
            return out
        from scipy.sparse import csr_matrix

        indptr = np.zeros(table.n_rows + 1, np.int64)
        _core.count_csr(*plan, indptr)
        indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
        _core.encode_csr(*plan, indptr, indices, data)
        if indptr[-1] < 2**31:  # SciPy wants both index arrays of one type, and the kernels int32 columns
            indptr = indptr.astype(np.int32)
        return csr_matrix((data, indices, indptr), shape=(table.n_rows, self.n_columns), copy=False)

    def _kernel_arguments(self, table: Table) -> tuple[list[Array], Array, Array, Array, Array, Array, Array]:
        """What `encode_*` needs, for the columns that have a place in the matrix at all."""
        used = np.flatnonzero(self._widths)
        kinds = [c.kind in ("nominal", "boolean") for c in self.schema]
        return (
            [table.columns[j].values for j in used],
            self.starts[used],
            np.where(np.array(kinds, dtype=bool)[used], self._widths[used], 0),
            self.fill[used],
            self.center[used],
            self.scale[used],
            self.reference[used].astype(np.int32),
        )

    def _encode_sparse(self, x: Any) -> Any:
        if np.isnan(x.data).any():
            x = x.copy()
            gaps = np.isnan(x.data)
            x.data[gaps] = self.fill[x.indices[gaps]]
        if not np.all(self.scale == 1):
            x = x.multiply(self.scale).tocsr()
        return x

    def moments(self, survey: Survey) -> tuple[Array, Array]:
        """Mean and variance (over n) of each column of the matrix, missing cells filled."""
        mean, variance = np.zeros(self.n_columns), np.zeros(self.n_columns)
        whole = max(survey.row_weight, np.finfo(np.float64).tiny)
        if self.schema.all_numeric:  # of which there may be a hundred thousand
            return (self.fill - self.center) * self.scale, survey.deviation / whole * self.scale**2
        for j, column in enumerate(self.schema):
            at, width = int(self.starts[j]), int(self._widths[j])
            if column.kind in ("nominal", "boolean"):
                share = survey.categories[j] / whole
                if self.fill[j] >= 0:
                    share[int(self.fill[j])] += 1 - survey.weight[j] / whole
                share = np.delete(share, self.reference[j]) if self.reference[j] >= 0 else share
                mean[at : at + width] = share * self.scale[j]
                variance[at : at + width] = share * (1 - share) * self.scale[j] ** 2
            else:
                mean[at] = (self.fill[j] - self.center[j]) * self.scale[j]
                variance[at] = survey.deviation[j] / whole * self.scale[j] ** 2
        return mean, variance

    def fold(self, contributions: Array) -> Array:
        """Contributions of matrix columns (rows × n_columns), added up per column of the table."""
        folded = np.zeros((len(contributions), len(self.schema)))
        np.add.at(folded.T, self.owner, contributions.T)
        return folded
