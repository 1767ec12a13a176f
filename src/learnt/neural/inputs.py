"""How a table's columns become the inputs of a net: scaled numbers, indicators, and codes of embedded categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.statistics.quantiles import frequency_quantiles
from learnt.statistics.sample import sample_places
from learnt.storable import Flags, Numbers, storable

#: Quartiles are found from at most so many rows.
QUARTILE_ROWS = 1000
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
#: Numbers scaled by quartiles are pulled in smoothly to at most so many of them from the middle.
CLIP = 3.0
#: An embedded category is so many numbers at most.
EMBEDDED_NUMBERS = 8
#: Dense cells that a table of few stored cells may become at most.
MOST_CELLS = 2**29


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
        if table.sparse is not None:
            table = dense_table(table)
        gaps = _columns_with_gaps(table)
        idle = _columns_at_rest(table, gaps)
        width = sum(_widths_of(table.schema, gaps, idle, most))
        plain = cls(table.schema, gaps, idle, most, np.zeros(width), np.ones(width), 0.0)
        if scaling is False:
            return plain
        center, scale = np.zeros(width), np.ones(width)
        numeric = [j for j, c in enumerate(table.schema) if c.kind in ("numeric", "ordinal") and not idle[j]]
        find = _quartile_scale if scaling == "robust" else _moment_scale
        places = plain.starts[numeric]
        center[places], scale[places] = find(table, numeric, weights)
        return cls(table.schema, gaps, idle, most, center, scale, CLIP if scaling == "robust" else 0.0)

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

    def encode(self, table: Table) -> tuple[Array, Array]:
        """Dense cells before they are centred and scaled (rows × n_dense), and codes (rows × embedded columns)."""
        n = table.n_rows
        if table.sparse is not None:
            table = dense_table(table)
        no_codes = np.zeros((n, 0), np.int32)
        if table.matrix is not None and self._plain:
            return table.matrix, no_codes
        x = np.zeros((n, self.n_dense))
        codes = np.empty((n, len(self.embedded)), np.int32) if self.embedded else no_codes
        for j, column in enumerate(table.columns):
            if not self.idle[j]:
                self._put(j, column.values, column.missing, x, codes)
        return x, codes

    @cached_property
    def _plain(self) -> bool:
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

    def scaled(self, x: Array) -> Array:
        """Dense cells as the net sees them, in float64."""
        z = (x.astype(np.float64) - self.center) * self.scale
        z = np.nan_to_num(z, nan=0.0)
        if self.clip > 0:
            z = np.clip(z, -1e6, 1e6)
            z /= np.sqrt(1 + (z / self.clip) ** 2)
        return z


def _is_embedded(column: ColumnSchema, most: int) -> bool:
    return column.kind in ("nominal", "boolean") and len(column.categories) > max(most, 2)


def dense_table(table: Table) -> Table:
    """A sparse table with all its zeros, if there is room for them."""
    if table.n_rows * table.n_columns > MOST_CELLS:
        raise InputError(
            f"The table has {table.n_rows:,} rows of {table.n_columns:,} columns, and a net takes all cells, zeros "
            "too. Reduce the columns first, e.g. by LatentSemanticAnalysis, or give fewer rows."
        )
    assert table.sparse is not None
    return Table.of_matrix(table.sparse.toarray())


def _columns_at_rest(table: Table, gaps: Array) -> Array:
    """Columns whose cells are all the same, or all missing. Of a matrix, most are seen to vary from a few rows."""
    found = np.ones(table.n_columns, dtype=bool)
    if table.matrix is not None:
        first = table.matrix[:64]
        found = ((first == first[0]) | np.isnan(first)).all(axis=0)
    for j in np.flatnonzero(found):
        values = table.matrix[:, j] if table.matrix is not None else table.columns[j].values
        missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
        found[j] = missing.all() if gaps[j] else np.all(values == values[0])
    return found


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


def _columns_with_gaps(table: Table) -> Array:
    if table.matrix is not None:
        if _core.all_finite(table.matrix):
            return np.zeros(table.n_columns, dtype=bool)
        return np.asarray(np.isnan(table.matrix).any(axis=0))
    return np.array([bool(c.missing.any()) for c in table.columns], dtype=bool)


def _cells(table: Table, j: int) -> Array:
    """A column of numbers or ranks, NaN where missing."""
    if table.matrix is not None:
        return np.asarray(table.matrix[:, j], dtype=np.float64)
    column = table.columns[j]
    return np.where(column.missing, np.nan, column.values.astype(np.float64))


def _quartile_scale(table: Table, columns: list[int], weights: Array | None) -> tuple[Array, Array]:
    """The median, and one over the distance of the quartiles; where that is 0, two over that of the ends."""
    center, scale = np.zeros(len(columns)), np.zeros(len(columns))
    places = sample_places(table.n_rows, QUARTILE_ROWS, 0)
    whole = len(places) == table.n_rows
    some = table if whole else table.take(places)
    w = weights if whole or weights is None else weights[places]
    quick = None
    if some.matrix is not None and w is None and not np.isnan(some.matrix).any():
        quick = np.quantile(some.matrix.astype(np.float64), SHARES, axis=0)
    for k, j in enumerate(columns):
        if quick is not None:
            low, q1, middle, q3, high = quick[:, j]
        else:
            x = _cells(some, j)
            there = ~np.isnan(x)
            if not there.any():
                continue
            order = np.argsort(x[there], kind="stable")
            own = None if w is None else w[there][order]
            low, q1, middle, q3, high = frequency_quantiles(x[there][order], SHARES, own)
        if q3 == q1 and low == high and not whole:
            x = _cells(table, j)
            low, high = np.nanmin(x), np.nanmax(x)
        center[k] = middle
        scale[k] = _one_over(q3 / 2 - q1 / 2) / 2 if q3 > q1 else _one_over(high / 2 - low / 2)
    return center, scale


def _moment_scale(table: Table, columns: list[int], weights: Array | None) -> tuple[Array, Array]:
    """The mean, and one over the standard deviation."""
    center, scale = np.zeros(len(columns)), np.zeros(len(columns))
    for k, j in enumerate(columns):
        x = _cells(table, j)
        there = ~np.isnan(x)
        if not there.any():
            continue
        x, w = x[there], None if weights is None else weights[there]
        size = float(np.abs(x).max()) or 1.0
        x = x / size
        mean = float(np.average(x, weights=w))
        spread = float(np.sqrt(np.average((x - mean) ** 2, weights=w)))
        center[k] = mean * size
        scale[k] = _one_over(spread * size) if spread > 1e-13 * abs(mean) else 0.0
    return center, scale


def _one_over(size: float) -> float:
    with np.errstate(divide="ignore", over="ignore"):
        found = float(np.float64(1) / np.float64(size))
    return found if np.isfinite(found) else 0.0
