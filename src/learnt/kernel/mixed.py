"""Rows of a mixed table as the mixed kernel takes them: numbers scaled, labels by their codes, gaps as averages.

    k(x, z) = Π_j k_j(x_j, z_j),     k_j = exp(−γ (x − z)²) of numbers in units of their spread,
                                     k_j = 1 for the same label and exp(−2γ) for another

so that two different labels are as far apart as two numbers drawn by chance are on average: E(x − z)² = 2. A missing
cell is neither like nor unlike any other: it stands for the average of all cells of its column. Of labels those are the
fitted ones, of numbers a Gaussian of the same mean and spread:

    k_j(x, missing) = E k_j(x, Z),     k_j(missing, missing) = E k_j(Z, Z'),     Z, Z' drawn apart

It is positive semidefinite. Each k_j is the inner product of features φ_j of cells (Gaussians and ρ + (1 − ρ) [x = z]
are kernels); that of a missing cell is the feature E φ_j(Z), whose inner products are the averages above. So every k_j,
missing cells included, is an inner product, and products of kernels are kernels (Schur).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.sizes import check_columns
from learnt.engine.survey import Survey, survey
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.storable import Flags, Numbers, storable

#: Stands for a missing cell in the matrix; the core knows it by this number. Numbers of tables are kept below it.
MISSING = 2.0**31
_FARTHEST = 1e9
#: |x − z|² of two different labels.
_DIFFERENT = 2.0


@storable
@dataclass(frozen=True, eq=False)
class MixedDesign:
    """How rows become rows of a matrix: the cells of each column, numbers first, those without gaps before the others.

    A column with gaps becomes two: its cells, and for each of them −log k_j(cell, missing) / γ, of a missing one
    −log k_j(missing, missing) / γ. Rows with gaps where the fitted ones have none are `widened`, to pairs throughout.
    `scale` is 0 for columns of labels, and for numbers that do not vary, which are left out. `shares` are those of all
    labels, column by column.
    """

    schema: Schema
    gamma: float
    mean: Numbers
    scale: Numbers
    spread: Numbers
    shares: Numbers
    gapped: Flags

    def __post_init__(self) -> None:
        m = len(self.schema)
        if any(a.shape != (m,) for a in (self.mean, self.scale, self.spread, self.gapped)):
            raise ValueError("The mixed kernel needs one mean, scale and spread per column.")
        if len(self.shares) != sum(len(c.categories) for c in self.schema):
            raise ValueError("The mixed kernel needs one share per label.")
        if not 0 < self.gamma < np.inf:
            raise ValueError("The mixed kernel needs a gamma above 0.")

    @classmethod
    def of(cls, found: Survey, gamma: float | None, *, standardize: bool = True) -> MixedDesign:
        """For a surveyed table. `gamma` None is 1 over the sum of the variances, each label being an indicator."""
        found.check_finite()
        if found.rows_with_weight > 1:
            check_columns(found.schema.names, found.mean, found.variance)
        numeric = np.array([_is_number(c.kind) for c in found.schema], dtype=bool)
        spread = np.where(numeric, np.sqrt(found.variance), 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            scale = np.where(numeric & (spread > 1e-13 * np.abs(found.mean)), 1 / spread if standardize else 1.0, 0.0)
        scale[~np.isfinite(scale)] = 0.0
        shares = [w / w.sum() if w.sum() > 0 else np.zeros(len(w)) for w in found.categories]
        flat = np.concatenate([np.zeros(0), *shares])
        made = cls(found.schema, 1.0, found.mean, scale, np.minimum(spread * scale, 1e150), flat, found.missing > 0)
        return replace(made, gamma=1 / made.variance if gamma is None else min(float(gamma), 1e300))

    @property
    def variance(self) -> float:
        """Of all columns together; 1 where nothing varies."""
        squares = sum(1 - float(s @ s) for j, s in enumerate(self._shares) if j in self._codes)
        return float((self.spread[self._numbers] ** 2).sum()) + squares or 1.0

    # The layout

    @cached_property
    def _shares(self) -> list[Array]:
        ends = np.cumsum([len(c.categories) for c in self.schema])
        return np.split(self.shares, ends[:-1]) if len(ends) else []

    @cached_property
    def _numbers(self) -> list[int]:
        """Columns of numbers in their order in the matrix."""
        return self._without_gaps_first([j for j, c in enumerate(self.schema) if self.scale[j] > 0])

    @cached_property
    def _codes(self) -> list[int]:
        labels = [j for j, c in enumerate(self.schema) if not _is_number(c.kind)]
        return self._without_gaps_first([j for j in labels if np.count_nonzero(self._shares[j]) > 1])

    def _without_gaps_first(self, columns: list[int]) -> list[int]:
        return sorted(columns, key=lambda j: bool(self.gapped[j]))

    @property
    def n_varying(self) -> int:
        """How many columns count."""
        return len(self._numbers) + len(self._codes)

    def counts(self, width: int) -> tuple[int, int, int, int]:
        """Numbers, codes, numbers with gaps and codes with gaps of a matrix so wide, as the core wants them."""
        if width == 2 * self.n_varying and width != self.n_columns:
            return 0, 0, len(self._numbers), len(self._codes)
        numbers, codes = (sum(bool(self.gapped[j]) for j in columns) for columns in (self._numbers, self._codes))
        return len(self._numbers) - numbers, len(self._codes) - codes, numbers, codes

    @property
    def n_columns(self) -> int:
        """Of the matrix of the fitted rows."""
        order = [*self._numbers, *self._codes]
        return len(order) + sum(bool(self.gapped[j]) for j in order)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that count."""
        return tuple(self.schema.columns[j].name for j in (*self._numbers, *self._codes))

    # Rows

    def encode(self, table: Table) -> Array:
        """The matrix of a table in this schema."""
        if table.sparse is not None:
            raise InputError(
                "The mixed kernel was given a sparse matrix, which it does not take: it compares all cells. "
                "Pass X.toarray() if that fits into memory, or use another kernel."
            )
        cells = [(j, self._cells(table, j)) for j in (*self._numbers, *self._codes)]
        wide = any(not self.gapped[j] and bool((x == MISSING).any()) for j, x in cells)
        return self._laid_out(table.n_rows, cells, wide)

    def widened(self, matrix: Array) -> Array:
        """Rows as pairs throughout."""
        if matrix.shape[1] == 2 * self.n_varying:
            return matrix
        cells, at = [], 0
        for j in (*self._numbers, *self._codes):
            cells.append((j, matrix[:, at]))
            at += 1 + bool(self.gapped[j])
        return self._laid_out(len(matrix), cells, True)

    def _laid_out(self, n: int, cells: list[tuple[int, Array]], wide: bool) -> Array:
        columns: list[Array] = []
        for j, x in cells:
            columns.append(x)
            if wide or self.gapped[j]:
                columns.append(self._averages(j, x))
        return np.column_stack(columns) if columns else np.zeros((n, 0))

    def _cells(self, table: Table, j: int) -> Array:
        values, kind = table.columns[j].values, self.schema.columns[j].kind
        x = np.asarray(values, dtype=np.float64)
        missing = np.isnan(x) if kind == "numeric" else x < 0
        if _is_number(kind):
            x = np.clip((x - self.mean[j]) * self.scale[j], -_FARTHEST, _FARTHEST)
        found: Array = np.where(missing, MISSING, x)
        return found

    def _averages(self, j: int, x: Array) -> Array:
        """−log k_j(x, missing) / γ of each cell."""
        gamma, there = self.gamma, x != MISSING
        if j in self._numbers:
            widths = gamma * float(self.spread[j]) ** 2
            found = np.where(there, x, 0.0) ** 2 / (1 + 2 * widths) + np.log1p(2 * widths) / (2 * gamma)
            both = np.log1p(4 * widths) / (2 * gamma)
        else:
            shares = self._shares[j]
            unlike = np.append(1 - shares, 1 - shares @ shares)  # P(another label): of each label, and of two draws
            likeness = -np.log1p(unlike * np.expm1(-_DIFFERENT * gamma)) / gamma
            found, both = likeness[np.where(there, x, 0.0).astype(np.intp)], likeness[-1]
        averages: Array = np.where(there, found, both)
        return averages

    def square_lengths(self, matrix: Array) -> Array:
        """k(x, x): below 1 for a row with gaps, of which nobody knows what it is."""
        counts, total, at = self.counts(matrix.shape[1]), np.zeros(len(matrix)), 0
        for paired, count in zip((False, True, False, True), (counts[0], counts[2], counts[1], counts[3]), strict=True):
            for _ in range(count):
                if paired:
                    total += np.where(matrix[:, at] == MISSING, matrix[:, at + 1], 0.0)
                at += 1 + paired
        lengths: Array = np.exp(-self.gamma * total)
        return lengths


def mixed_design(table: Table, gamma: float | None) -> MixedDesign:
    """For a table at hand; `gamma` None is 1 over the number of columns that vary."""
    found = MixedDesign.of(survey(table), gamma)
    return found if gamma is not None else replace(found, gamma=1.0 / max(found.n_varying, 1))


def _is_number(kind: str) -> bool:
    return kind in ("numeric", "ordinal")
