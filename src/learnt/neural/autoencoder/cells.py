"""The cells of a table as a net takes them in and gives them back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.neural.autoencoder.scales import MiddleAndEnds, scales_of
from learnt.storable import Counts, Flags, Numbers, storable

#: Dense cells that a table of few stored cells may become at most.
MOST_CELLS = 2**29


class Places(NamedTuple):
    """Columns of each sort by their numbers in the table, and the first input of each."""

    numbers: list[int]
    pairs: list[int]
    groups: list[int]
    starts: dict[int, int]


@storable
@dataclass(frozen=True, eq=False)
class TableCells:
    """Inputs of a net, in this order; it gives back all but the last ones.

    | column | inputs | a missing cell |
    |---|---|---|
    | numeric, ordinal | one number (of ordinal ones the rank), centred and scaled | NaN |
    | two categories | one number, −1 or 1 | 0 |
    | more | an indicator each; beyond `most`, the rarest share the last one | zeros |
    | with gaps in the rows fitted (`gaps`) | one indicator of cells that are missing | 1 |

    A column that did not vary is given back as it was: `still` holds its number or code, NaN if all was missing.
    `places` has the output of each category, and `stands` the category of each output, column after column.
    """

    schema: Schema
    varies: Flags
    gaps: Flags
    most: int
    places: Counts
    stands: Counts
    still: Numbers
    scales: MiddleAndEnds

    def __post_init__(self) -> None:
        p = len(self.schema)
        sizes = sum(len(self.schema.columns[j].categories) for j in self._coded)
        fits = (self.varies.shape, self.gaps.shape, self.still.shape) == ((p,), (p,), (p,))
        if not fits or len(self.places) != sizes or len(self.stands) != sum(self.widths):
            raise ValueError("The cells of a table do not fit its columns.")
        if len(self.scales.center) != len(self.sorts.numbers):
            raise ValueError("There is not one scale per column of numbers.")
        for j, width, places, stands in self._codings():
            size = len(self.schema.columns[j].categories)
            outside = places.min() < 0 or places.max() >= width or stands.min() < 0 or stands.max() >= size
            if outside:
                raise ValueError("Categories are given back that a column does not have.")

    @classmethod
    def of(cls, table: Table, weights: Array | None, *, scaling: Any, most: int) -> TableCells:
        """Looks at the rows of a table once; `scaling` is "robust", True (mean and spread) or False."""
        if table.sparse is not None:
            table = dense_table(table)
        varies, gaps, still = _looked_through(table)
        places: list[Array] = []
        stands: list[Array] = []
        for j, column in enumerate(table.schema):
            if varies[j] and column.kind in ("nominal", "boolean"):
                values = table.columns[j].values
                there = values >= 0
                own = None if weights is None else weights[there]
                counts = np.bincount(values[there], own, len(column.categories))
                place, stand = _by_frequency(counts, most)
                places.append(place)
                stands.append(stand)
        numbers = [j for j, c in enumerate(table.schema) if varies[j] and c.kind in ("numeric", "ordinal")]
        scales = scales_of(table, numbers, weights, scaling)
        return cls(table.schema, varies, gaps, most, _joined(places), _joined(stands), still, scales)

    # Where the columns stand

    @cached_property
    def _coded(self) -> list[int]:
        kinds = ("nominal", "boolean")
        return [j for j, c in enumerate(self.schema) if self.varies[j] and c.kind in kinds]

    @cached_property
    def widths(self) -> list[int]:
        """Of each nominal column that varies: how many outputs its categories have."""
        return [min(len(self.schema.columns[j].categories), self.most) for j in self._coded]

    def _codings(self) -> list[tuple[int, int, Array, Array]]:
        """Column, width, the output of each category, the category of each output."""
        sizes = [len(self.schema.columns[j].categories) for j in self._coded]
        places = np.split(self.places, np.cumsum(sizes)[:-1]) if sizes else []
        stands = np.split(self.stands, np.cumsum(self.widths)[:-1]) if sizes else []
        return list(zip(self._coded, self.widths, places, stands, strict=True))

    @cached_property
    def sorts(self) -> Places:
        numbers = [j for j, c in enumerate(self.schema) if self.varies[j] and c.kind in ("numeric", "ordinal")]
        pairs = [j for j, width in zip(self._coded, self.widths, strict=True) if width == 2]
        groups = [j for j, width in zip(self._coded, self.widths, strict=True) if width > 2]
        starts = {j: at for at, j in enumerate([*numbers, *pairs])}
        at = len(starts)
        for j in groups:
            starts[j] = at
            at += self.widths[self._coded.index(j)]
        return Places(numbers, pairs, groups, starts)

    @property
    def group_widths(self) -> tuple[int, ...]:
        return tuple(width for width in self.widths if width > 2)

    @property
    def n_outputs(self) -> int:
        return len(self.sorts.numbers) + len(self.sorts.pairs) + sum(self.group_widths)

    @property
    def n_dense(self) -> int:
        """Inputs, as `Net.start` asks for them; none are embedded."""
        return self.n_outputs + int(self.gaps.sum())

    categories: ClassVar[tuple[int, ...]] = ()
    dims: ClassVar[tuple[int, ...]] = ()

    # What the core scales by

    @cached_property
    def center(self) -> Array:
        return np.concatenate([self.scales.center, np.zeros(self.n_dense - len(self.scales.center))])

    @cached_property
    def scale(self) -> Array:
        return np.concatenate([self.scales.scale, np.ones(self.n_dense - len(self.scales.scale))])

    @property
    def clip(self) -> float:
        return self.scales.clip

    # Rows

    def encode(self, table: Table) -> Array:
        """Inputs before they are centred and scaled, rows × inputs."""
        if table.sparse is not None:
            table = dense_table(table)
        if table.matrix is not None and self._plain:
            return table.matrix
        numbers, at = self.sorts.numbers, self.n_outputs
        x = np.zeros((table.n_rows, self.n_dense))
        if table.matrix is not None:
            x[:, : len(numbers)] = table.matrix[:, numbers]
            x[:, at:] = np.isnan(table.matrix[:, self.gaps])
            return x
        columns = table.columns
        for k, j in enumerate(numbers):
            x[:, k] = np.where(columns[j].missing, np.nan, columns[j].values)
        for j, width, places, _ in self._codings():
            there = np.flatnonzero(~columns[j].missing)
            codes, first = places[columns[j].values[there]], self.sorts.starts[j]
            if width == 2:
                x[there, first] = 2 * codes - 1
            else:
                x[there, first + codes] = 1
        for k, j in enumerate(np.flatnonzero(self.gaps).tolist()):
            x[:, at + k] = columns[j].missing
        return x

    @cached_property
    def _plain(self) -> bool:
        """Whether a matrix of numbers is its own input."""
        return self.schema.all_numeric and bool(self.varies.all()) and not self.gaps.any()

    def scaled(self, x: Array) -> Array:
        """Inputs as the net sees them, in float64; 0 where a number is missing. Indicators are pulled in as numbers
        are, a little."""
        k = len(self.sorts.numbers)
        numbers = np.nan_to_num(self.scales.scaled(x[:, :k]), nan=0.0)
        return np.concatenate([numbers, self.scales.pulled_in(x[:, k:])], axis=1, dtype=np.float64)

    def decode(self, f: Array) -> Table:
        """What scores f (rows × outputs) say, in the user's columns: numbers in their units, ordered categories of the
        nearest rank, the most probable category of all others."""
        starts, columns = self.sorts.starts, self.schema.columns
        values: list[Array] = [np.zeros(0)] * len(columns)
        numbers = self.scales.unscaled(f[:, : len(self.sorts.numbers)])
        for k, j in enumerate(self.sorts.numbers):
            values[j] = numbers[:, k]
        for j, width, _, stands in self._codings():
            first = starts[j]
            best = f[:, first] > 0 if width == 2 else f[:, first : first + width].argmax(axis=1)
            values[j] = stands[best.astype(np.int64)].astype(np.int32)
        for j in np.flatnonzero(~self.varies).tolist():
            values[j] = np.full(len(f), self.still[j])
        for j, column in enumerate(columns):
            if column.kind == "ordinal" and self.varies[j]:
                values[j] = np.clip(np.rint(values[j]), 0, len(column.categories) - 1)
            if column.coded and values[j].dtype != np.int32:
                values[j] = np.where(np.isnan(values[j]), -1, values[j]).astype(np.int32)
        if self.schema.all_numeric:
            matrix = np.column_stack(values) if values else np.zeros((len(f), 0))
            return Table.of_columns(
                [Column.like(c, matrix[:, j]) for j, c in enumerate(columns)], n_rows=len(f), named=self.schema.named
            )
        return Table.of_columns(
            [Column.like(c, v) for c, v in zip(columns, values, strict=True)], named=self.schema.named
        )


def dense_table(table: Table) -> Table:
    """A sparse table with all its zeros, which shall be given back too, if there is room for them."""
    if table.n_rows * table.n_columns > MOST_CELLS:
        raise InputError(
            f"The table has {table.n_rows:,} rows of {table.n_columns:,} columns, and an autoencoder takes all cells, "
            "zeros too. Reduce the columns first, e.g. by LatentSemanticAnalysis, or give fewer rows."
        )
    assert table.sparse is not None
    return Table.of_matrix(table.sparse.toarray())


def _looked_through(table: Table) -> tuple[Array, Array, Array]:
    """Of each column: whether it has two values, whether some of its cells are missing, and its value if it has one."""
    if table.matrix is not None:
        missing = np.isnan(table.matrix)
        low = np.where(missing, np.inf, table.matrix).min(axis=0, initial=np.inf)
        high = np.where(missing, -np.inf, table.matrix).max(axis=0, initial=-np.inf)
        none, several = np.asarray(missing.all(axis=0)), np.asarray(low < high)
        one = np.where(none | several, np.nan, low).astype(np.float64)
        return several, np.asarray(missing.any(axis=0) & ~none), one
    varies, gaps, still = [], [], []
    for column in table.columns:
        missing = column.missing
        there = column.values[~missing]
        varies.append(bool(len(there) and (there != there[0]).any()))
        gaps.append(bool(missing.any() and len(there)))
        still.append(float(there[0]) if len(there) and not varies[-1] else np.nan)
    return np.array(varies, dtype=bool), np.array(gaps, dtype=bool), np.array(still, dtype=np.float64)


def _joined(parts: list[Array]) -> Array:
    return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)


def _by_frequency(counts: Array, most: int) -> tuple[Array, Array]:
    """The output of each category, and the category of each output: where there are more than `most`, the most frequent
    have one each, and the last one is shared, and stands for the most frequent of the rest."""
    size = len(counts)
    if size <= most:
        return np.arange(size), np.arange(size)
    order = np.argsort(-counts, kind="stable")
    kept = np.sort(order[: most - 1])
    places = np.full(size, most - 1)
    places[kept] = np.arange(most - 1)
    return places, np.append(kept, order[most - 1])
