"""Cells as bins: edges from a sketch of the rows, and tables as small whole numbers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.statistics.sketch import Sketch
from learnt.storable import storable

_MOST_BINS = 255  # of numbers: with the missing cells, codes fit a byte
_MOST_CATEGORIES = 65_534
_RARE = 10  # where categories are many, those of fewer rows share a bin: no test would pick them out


@dataclass(frozen=True)
class Codes:
    """The bins of some rows: bytes for columns of at most 256 bins, two bytes for the others, row by row."""

    narrow: Array
    wide: Array

    @property
    def n_rows(self) -> int:
        return len(self.narrow)

    def rows(self, start: int, stop: int) -> Codes:
        return Codes(self.narrow[start:stop], self.wide[start:stop])


@storable
@dataclass(frozen=True, eq=False)
class BinEdges:
    """What the bins of each column are. The last bin of every column holds its missing cells.

    | field | meaning |
    |---|---|
    | `n_bins` | by column, the bin of missing cells included |
    | `nominal` | by column, 1: a bin per category |
    | `edges`, `edge_start` | numbers and ordinal codes: `edges[start[j] : start[j + 1]]` rise; a cell has as code the \
number of edges below it |
    | `category_bins`, `category_start` | categories: the bin of each; rare and unseen ones share the last but one |
    """

    n_bins: Array
    nominal: Array
    edges: Array
    edge_start: Array
    category_bins: Array
    category_start: Array

    def __post_init__(self) -> None:
        types = (np.int32, np.uint8, np.float64, np.int64, np.int32, np.int64)
        for name, dtype in zip(self.__dataclass_fields__, types, strict=True):
            array = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            if array.ndim != 1:
                raise InputError(f"The {name!r} of bins has {array.ndim} dimensions. Expected 1.")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        try:
            self.kernel  # noqa: B018  checks that the fields fit each other
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def n_columns(self) -> int:
        return len(self.n_bins)

    @property
    def total_bins(self) -> int:
        """The cells of a histogram, gaps between columns included."""
        return int(self.kernel.total)

    @cached_property
    def kernel(self) -> Any:
        """The same for kernels."""
        return _core.BoostBins(
            self.n_bins, self.nominal, self.edges, self.edge_start, self.category_bins, self.category_start
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return BinEdges, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def edges_of(self, column: int) -> Array:
        """The edges of a column of numbers."""
        return self.edges[self.edge_start[column] : self.edge_start[column + 1]]

    def encode(self, table: Table) -> Codes:
        """The bins of a table's cells; it has the columns and categories the edges were made from."""
        return self.encode_cells([column.values for column in table.columns], table.n_rows)

    def encode_cells(self, columns: list[Array], n_rows: int) -> Codes:
        """The same of the cells of each column: numbers, or codes of categories."""
        # Rows of bytes are padded, so that few of them lie across two lines of the cache.
        narrow = np.empty((n_rows, -(-self.kernel.n_narrow // 8) * 8), np.uint8)
        wide = np.empty((n_rows, self.kernel.n_wide), np.uint16)
        _core.encode_bins(self.kernel, columns, narrow, wide)
        return Codes(narrow, wide)


def bin_edges(found: Sketch, max_bins: int = _MOST_BINS) -> BinEdges:
    """Bins of nearly equal weight, at most so many in a column of numbers."""
    if not 2 <= max_bins <= _MOST_BINS:
        raise InputError(f"max_bins is {max_bins}. Expected 2 to {_MOST_BINS}.")
    with ThreadPoolExecutor(_core.get_threads()) as pool:  # NumPy sorts without holding the lock
        numbers = pool.map(lambda j: _number_edges(found, j, max_bins), range(len(found.distinct)))
    codes = iter(found.categories)
    edges, bins, n_bins = [], [], []
    for column in found.schema:
        cuts, of = np.empty(0), np.empty(0, np.int32)
        if column.kind == "numeric":
            cuts = next(numbers)
        elif column.kind == "ordinal":
            weight = next(codes)
            there = np.flatnonzero(weight > 0)
            cuts = _core.edges_of_sorted(there.astype(np.float64), weight[there], max_bins)
        else:
            of = _category_bins(next(codes))
        edges.append(cuts)
        bins.append(of)
        nominal = column.kind in ("nominal", "boolean")
        n_bins.append(int(of.max(initial=-1)) + 3 if nominal else len(cuts) + 2)
        if nominal:  # those without a bin of their own go to the last but one
            bins[-1] = np.where(of < 0, n_bins[-1] - 2, of).astype(np.int32)
    return BinEdges(
        np.array(n_bins, np.int32),
        np.array([c.kind in ("nominal", "boolean") for c in found.schema], np.uint8),
        *_listed(edges, np.float64),
        *_listed(bins, np.int32),
    )


def with_cuts(found: BinEdges, cuts: dict[int, Array]) -> BinEdges:
    """The bins with some columns of categories as numbers, cut here."""
    p = range(found.n_columns)
    edges = [cuts.get(j, found.edges_of(j)) for j in p]
    bins = [found.category_bins[found.category_start[j] : found.category_start[j + (j not in cuts)]] for j in p]
    n_bins, nominal = found.n_bins.copy(), found.nominal.copy()
    n_bins[list(cuts)], nominal[list(cuts)] = [len(cut) + 2 for cut in cuts.values()], 0
    return BinEdges(n_bins, nominal, *_listed(edges, np.float64), *_listed(bins, np.int32))


def _listed(parts: list[Array], kind: type) -> tuple[Array, Array]:
    """Arrays behind each other, and where each starts."""
    return np.concatenate([np.empty(0, kind), *parts]), np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _number_edges(found: Sketch, column: int, max_bins: int) -> Array:
    numbers, sample_weights = found.sample.taken
    sample, weights = numbers[:, column], None
    if not found.many[column]:
        values, weights = found.distinct[column].T
    elif sample_weights is None:
        values = np.sort(sample)
    else:
        order = np.argsort(sample)
        values, weights = sample[order], sample_weights[order]
    there = np.searchsorted(values, np.nan)  # NaN is sorted to the end
    values = np.ascontiguousarray(values[:there], np.float64)
    weights = None if weights is None else np.ascontiguousarray(weights[:there])
    cuts: Array = _core.edges_of_sorted(values, weights, max_bins)
    return cuts


def _category_bins(weight: Array) -> Array:
    """The bin of each category, −1 for those that have none of their own."""
    kept = weight > 0
    if np.count_nonzero(kept) > _MOST_BINS - 1:
        kept &= weight >= _RARE
    if np.count_nonzero(kept) > _MOST_CATEGORIES:
        often = np.argsort(-weight, kind="stable")[:_MOST_CATEGORIES]
        kept = np.isin(np.arange(len(weight)), often)
    return np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
