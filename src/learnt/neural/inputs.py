"""How a table's columns become the inputs of a net: scaled numbers, indicators, and codes of embedded categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.engine.survey import Survey
from learnt.lazy import cached_property
from learnt.neural.scaling import (
    columns_at_rest,
    columns_with_gaps,
    moment_scale,
    one_over,
    quartile_scale,
    sparse_scale,
)
from learnt.storable import Flags, Numbers, storable

#: Numbers scaled by quartiles are pulled in smoothly to at most so many of them from the middle.
CLIP = 3.0
#: What lies farther out is taken to be as far as this, here as in the core: sums over layers stay numbers.
FARTHEST = 1e18
#: An embedded category is so many numbers at most.
EMBEDDED_NUMBERS = 8


@storable
@dataclass(frozen=True, eq=False)
class NetInputs:
    """The inputs a column becomes.

    | column | inputs | a missing cell |
    |---|---|---|
    | numeric, ordinal | one number (of ordinal ones the rank), centred and scaled | the centre |
    | two categories | one number, −1 or 1 | 0 |
    | up to `most` categories | an indicator each | zeros |
    | more | the code of a vector that is learnt, an embedding | a code of its own, or zeros |

    A column with gaps in the rows fitted (`gaps`) has one indicator more, of cells that are missing; one that did not
    vary (`idle`) has no inputs. `center` and `scale` have one number per dense input; `clip` 0 pulls nothing in.
    Categories never seen are missing.
    """

    schema: Schema
    gaps: Flags
    idle: Flags
    most: int
    center: Numbers
    scale: Numbers
    clip: float

    def __post_init__(self) -> None:
        width = sum(self._widths)
        if any(a.shape != (len(self.schema),) for a in (self.gaps, self.idle)) or any(
            a.shape != (width,) for a in (self.center, self.scale)
        ):
            raise ValueError("The inputs of a net do not fit its columns.")

    @classmethod
    def of(cls, table: Table, weights: Array | None, *, scaling: Any, most: int) -> NetInputs:
        """Looks at the rows of a table once; `scaling` is "robust", True (mean and spread) or False."""
        gaps, idle = columns_with_gaps(table), columns_at_rest(table)
        if table.sparse is not None:
            return cls._scaled(table.schema, gaps, idle, most, scaling, lambda _: sparse_scale(table, weights, scaling))
        find = quartile_scale if scaling == "robust" else moment_scale
        return cls._scaled(table.schema, gaps, idle, most, scaling, lambda columns: find(table, columns, weights))

    @classmethod
    def of_look(
        cls, seen: Survey, ends: Array, sample: Table, weights: Array, *, scaling: Any, most: int
    ) -> NetInputs:  # fmt: skip
        """Of files: from a survey of all rows, the least and largest cell of each column, and a sample of rows."""
        gaps = seen.missing > 0
        idle = np.isnan(ends[0]) | (~gaps & (ends[0] == ends[1]))

        def find(columns: list[int]) -> tuple[Array, Array]:
            if scaling == "robust":
                even = None if np.ptp(weights) == 0 else weights
                return quartile_scale(sample, columns, even, ends)
            spread = np.sqrt(seen.variance[columns])
            steady = spread <= 1e-13 * np.abs(seen.mean[columns])
            return seen.mean[columns], np.where(steady, 0.0, [one_over(s) for s in spread])

        return cls._scaled(seen.schema, gaps, idle, most, scaling, find)

    @classmethod
    def _scaled(
        cls, schema: Schema, gaps: Array, idle: Array, most: int, scaling: Any,
        find: Callable[[list[int]], tuple[Array, Array]],
    ) -> NetInputs:  # fmt: skip
        width = sum(_widths_of(schema, gaps, idle, most))
        plain = cls(schema, gaps, idle, most, np.zeros(width), np.ones(width), 0.0)
        if scaling is False:
            return plain
        center, scale = np.zeros(width), np.ones(width)
        numeric = [j for j, c in enumerate(schema) if c.kind in ("numeric", "ordinal") and not idle[j]]
        places = plain.starts[numeric]
        center[places], scale[places] = find(numeric)
        return cls(schema, gaps, idle, most, center, scale, CLIP if scaling == "robust" else 0.0)

    # Where the columns stand

    @property
    def _widths(self) -> list[int]:
        """Dense inputs of each column."""
        return _widths_of(self.schema, self.gaps, self.idle, self.most)

    @cached_property
    def starts(self) -> Array:
        """The first dense input of each column."""
        return np.concatenate([[0], np.cumsum(self._widths)[:-1]]).astype(np.int64)

    @property
    def n_dense(self) -> int:
        return len(self.center)

    @cached_property
    def embedded(self) -> tuple[int, ...]:
        """The columns whose categories have vectors."""
        return tuple(j for j, c in enumerate(self.schema) if not self.idle[j] and _is_embedded(c, self.most))

    @property
    def categories(self) -> tuple[int, ...]:
        """How many vectors each embedded column has, that of missing cells included."""
        return tuple(len(self.schema.columns[j].categories) + int(self.gaps[j]) for j in self.embedded)

    @property
    def dims(self) -> tuple[int, ...]:
        """How many numbers a vector has."""
        return tuple(min(EMBEDDED_NUMBERS, size // 2) for size in self.categories)

    @cached_property
    def owner(self) -> Array:
        """Which column of the table each dense input comes from, then each number of the vectors."""
        dense = np.repeat(np.arange(len(self.schema)), self._widths)
        return np.concatenate([dense, np.repeat(np.array(self.embedded, np.int64), self.dims)]).astype(np.int64)

    # Rows

    def encode(self, table: Table) -> tuple[Any, Array]:
        """Cells before they are centred and scaled (rows × n_dense; of sparse tables CSR), and codes (rows × embedded
        columns)."""
        n = table.n_rows
        no_codes = np.zeros((n, 0), np.int32)
        if table.sparse is not None:
            return self._encode_sparse(table.sparse), no_codes
        if table.matrix is not None and self.is_plain:
            return table.matrix, no_codes
        x = np.zeros((n, self.n_dense))
        codes = np.empty((n, len(self.embedded)), np.int32) if self.embedded else no_codes
        for j, column in enumerate(table.columns):
            if not self.idle[j]:
                self._put(j, column.values, column.missing, x, codes)
        return x, codes

    def _encode_sparse(self, x: Any) -> Any:
        """Stored cells at their inputs; those that are missing have a cell more where there is an indicator."""
        if self.is_plain:
            return x
        from scipy.sparse import csr_matrix

        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        used = ~self.idle[x.indices]
        gap = used & np.isnan(x.data) & self.gaps[x.indices]
        rows = np.concatenate([row[used], row[gap]])
        places = np.concatenate([self.starts[x.indices[used]], self.starts[x.indices[gap]] + 1])
        values = np.concatenate([x.data[used], np.ones(np.count_nonzero(gap), x.dtype)])
        return csr_matrix((values, (rows, places)), shape=(x.shape[0], self.n_dense))

    @cached_property
    def is_plain(self) -> bool:
        """Whether a matrix of numbers is its own input."""
        return not (self.gaps.any() or self.idle.any()) and self.schema.all_numeric

    def _put(self, j: int, values: Array, missing: Array, x: Array, codes: Array) -> None:
        column, at, end = self.schema.columns[j], int(self.starts[j]), int(self.starts[j]) + self._widths[j]
        if _is_embedded(column, self.most):
            gap = len(column.categories) if self.gaps[j] else -1
            codes[:, self.embedded.index(j)] = np.where(missing, gap, values)
            return
        if column.kind in ("numeric", "ordinal"):
            x[:, at] = np.where(missing, np.nan, values)
        elif len(column.categories) == 2:
            x[:, at] = np.where(missing, 0, 2 * values - 1)
        else:
            there = np.flatnonzero(~missing)
            x[there, at + values[there]] = 1
        if self.gaps[j]:
            x[:, end - 1] = missing

    def scaled(self, x: Any) -> Array:
        """Dense cells as the net sees them, in float64."""
        z = (x if isinstance(x, np.ndarray) else x.toarray()).astype(np.float64)
        with np.errstate(over="ignore"):
            z = np.clip(np.nan_to_num((z - self.center) * self.scale, nan=0.0), -FARTHEST, FARTHEST)
        if self.clip > 0:
            z = np.clip(z, -1e6, 1e6)
            z /= np.sqrt(1 + (z / self.clip) ** 2)
        return z


def _is_embedded(column: ColumnSchema, most: int) -> bool:
    return column.kind in ("nominal", "boolean") and len(column.categories) > max(most, 2)


def _widths_of(schema: Schema, gaps: Array, idle: Array, most: int) -> list[int]:
    widths = []
    for column, gap, still in zip(schema, gaps.tolist(), idle.tolist(), strict=True):
        if still or _is_embedded(column, most):
            widths.append(0)
        elif column.kind in ("numeric", "ordinal") or len(column.categories) == 2:
            widths.append(1 + gap)
        else:
            widths.append(len(column.categories) + gap)
    return widths
