"""How a mixture sees a table: numbers in units of their spread, categories as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.survey import Survey
from learnt.errors import InputError
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class MixtureView:
    """Numbers enter as z = (x − shift) · scale, the other columns by their codes.

    Components, priors and regularisation are all in z: no unit and no origin of a column matters, and numbers of
    10^±150 are squared without harm.
    """

    numbers: Array  # places of the columns taken as numbers; ordinal ones by rank
    coded: Array  # places of the columns taken as codes
    levels: Array  # how many categories each of these has
    shift: Array
    scale: Array
    constant: Array  # which of the numbers never varied
    silent: bool = False  # whether such columns count as missing

    def __post_init__(self) -> None:
        places = np.concatenate([self.numbers, self.coded])
        if places.dtype != np.int64 or sorted(places.tolist()) != list(range(len(places))):
            raise ValueError("A mixture sees each column of its table once.")
        if self.levels.shape != self.coded.shape or self.levels.dtype != np.int64 or (self.levels < 0).any():
            raise ValueError("The categories do not fit the columns.")
        if self.shift.shape != self.numbers.shape or self.scale.shape != self.numbers.shape:
            raise ValueError("The units do not fit the columns.")
        if self.constant.shape != self.numbers.shape or self.constant.dtype != np.bool_:
            raise ValueError("The constant columns do not fit the columns.")
        if not (np.isfinite(self.shift).all() and np.isfinite(self.scale).all() and (self.scale > 0).all()):
            raise ValueError("A unit is not a finite number above 0.")

    @classmethod
    def of(cls, survey: Survey, numbers: Array, *, one_unit: bool = False, silent: bool = False) -> MixtureView:
        """The view of a surveyed table; `one_unit` gives all numbers the same scale, so that spheres stay spheres."""
        coded = np.setdiff1d(np.arange(len(survey.schema)), numbers)
        mean, spread = survey.mean[numbers], np.sqrt(survey.variance[numbers])
        if not np.isfinite(spread).all():
            name = survey.schema.names[int(numbers[np.flatnonzero(~np.isfinite(spread))[0]])]
            raise InputError(f"The variance of column {name!r} is beyond all floating-point numbers. Use larger units.")
        # Rounding may leave a trace of spread in a column that never varies; such a one is measured by its own size.
        size = np.abs(mean)
        varies = spread > 1e-14 * size
        unit = np.where(varies, spread, np.where(size > 0, size, 1.0))
        if one_unit and len(unit):
            among = spread[varies] if varies.any() else unit
            largest = float(among.max())
            unit = np.full(len(unit), largest * float(np.sqrt(np.mean((among / largest) ** 2))))
        unit = np.clip(unit, 1e-300, 1e300)
        levels = np.array([len(survey.schema.columns[j].categories) for j in coded], dtype=np.int64)
        return cls(numbers.astype(np.int64), coded.astype(np.int64), levels, mean, 1 / unit, ~varies, silent)

    @property
    def n_columns(self) -> int:
        return len(self.numbers) + len(self.coded)

    def cells(self, table: Table) -> Array:
        """Rows × numbers, NaN where missing: the table's own matrix where it has one."""
        quiet = np.flatnonzero(self.constant) if self.silent else ()
        if table.matrix is not None and len(self.coded) == 0 and len(quiet) == 0:
            return table.matrix
        x = np.empty((table.n_rows, len(self.numbers)))
        for at, j in enumerate(self.numbers.tolist()):
            column = table.columns[j]
            x[:, at] = column.values
            if column.kind != "numeric":
                x[column.values < 0, at] = np.nan
        x[:, quiet] = np.nan
        return x

    def codes(self, table: Table) -> Array:
        """Rows × coded columns, −1 where missing."""
        codes = np.empty((table.n_rows, len(self.coded)), np.int32)
        for at, j in enumerate(self.coded.tolist()):
            codes[:, at] = table.columns[j].values
        return codes

    def scaled(self, x: Array) -> Array:
        """z of given numbers."""
        z: Array = (np.asarray(x, dtype=np.float64) - self.shift) * self.scale
        return z

    def total_log_units(self, survey: Survey) -> float:
        """Σ log scale over all cells of the surveyed table that count."""
        weight = survey.weight[self.numbers]
        return float(np.where(self.constant & self.silent, 0.0, weight) @ np.log(self.scale))

    def unscaled(self, z: Array) -> Array:
        """Numbers of given z; of a column that never varied, its one value."""
        x: Array = np.where(self.constant, 0.0, z) / self.scale + self.shift
        return x

    def log_units(self, x: Array) -> Any:
        """What to add to a log density of z for that of x: Σ log scale over the cells that are there."""
        logs = np.log(self.scale)
        gaps = np.isnan(x)
        return np.where(gaps, 0.0, logs).sum(axis=1) if gaps.any() else float(logs.sum())


def number_places(schema: Schema, kinds: tuple[str, ...]) -> Array:
    """The places of the columns of these kinds."""
    return np.array([j for j, column in enumerate(schema) if column.kind in kinds], dtype=np.int64)


def counted(values: Any, weights: Array | None) -> Any:
    """The values of the rows that are rows: one of weight 0 may lie so far off that 0 times it is not a number."""
    return values if values is None or weights is None or weights.all() else values[weights > 0]
