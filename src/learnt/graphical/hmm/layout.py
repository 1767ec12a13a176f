"""Which column is emitted how, and the cells of a table in that order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table, unknown_column
from learnt.errors import InputError, KindError, ParameterError
from learnt.show.words import list_of
from learnt.storable import storable

#: Rows whose cells are missing in the same columns, and which columns are there.
Groups = list[tuple[Array, Array]]
BLOCK = 1 << 15  # rows at a time

#: How a column can be emitted.
KINDS = ("gaussian", "full", "mixture", "poisson", "categorical")


@dataclass(frozen=True)
class Cells:
    """The cells of all rows: numbers of independent Gaussians, counts, codes, and numbers that vary together."""

    x: Array  # n × p
    y: Array  # n × r
    codes: Array  # n × q
    full: Array  # n × columns of one Gaussian with covariances
    mixed: Array  # n × columns of one mixture

    @property
    def rows(self) -> int:
        return len(self.x)

    @cached_property
    def full_groups(self) -> Groups:
        """Rows of `full` by which of their cells are there: they do not change while learning."""
        return patterns(self.full)

    def log_factorials(self) -> Array:
        """What every state's log-likelihood of a row lacks: −Σ log y! of its counts."""
        from scipy.special import gammaln

        found: Array = -np.nansum(gammaln(self.y + 1), axis=1) if self.y.shape[1] else np.zeros(self.rows)
        return found


@storable
@dataclass(frozen=True)
class Layout:
    """Places of columns by how they are emitted, and the number of categories of each coded one."""

    gaussian: tuple[int, ...]
    poisson: tuple[int, ...]
    categorical: tuple[int, ...]
    full: tuple[int, ...]
    mixture: tuple[int, ...]
    levels: tuple[int, ...]

    @classmethod
    def of(cls, schema: Schema, kinds: Mapping[str, str]) -> Layout:
        places: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for j, column in enumerate(schema):
            kind = kinds[column.name]
            if column.coded != (kind == "categorical"):
                raise KindError(
                    f"Column {column.name!r} is {column.kind}, and cannot be emitted as {kind!r}. "
                    + ("Expected 'categorical'." if column.coded else f"Expected one of {KINDS[:4]}.")
                )
            places[kind].append(j)
        levels = tuple(len(schema.columns[j].categories) for j in places["categorical"])
        return cls(**{kind: tuple(found) for kind, found in places.items()}, levels=levels)

    def kind(self, j: int) -> str:
        """How the column at a place is emitted."""
        return next(kind for kind in KINDS if j in getattr(self, kind))

    def cells(self, table: Table) -> Cells:
        codes = np.full((table.n_rows, len(self.categorical)), -1, np.int32)
        for m, j in enumerate(self.categorical):
            codes[:, m] = table.columns[j].values
        counts = _numbers(table, self.poisson)
        return Cells(
            _numbers(table, self.gaussian), counts, codes, _numbers(table, self.full), _numbers(table, self.mixture)
        )

    def check_counts(self, table: Table) -> None:
        """Raise if a column of counts has a cell that counts nothing."""
        for j in self.poisson:
            values = np.asarray(table.columns[j].values, dtype=np.float64)
            with np.errstate(invalid="ignore"):
                wrong = np.flatnonzero((values < 0) | ((values != np.floor(values)) & ~np.isnan(values)))
            if len(wrong):
                raise InputError(
                    f"Column {table.names[j]!r} is emitted as counts, but has {values[wrong[0]]:g} in row {wrong[0]}. "
                    "Expected whole numbers from 0 on. Emit it as 'gaussian'."
                )


def _numbers(table: Table, places: tuple[int, ...]) -> Array:
    matrix = table.matrix
    if matrix is not None and matrix.dtype == np.float64 and places == tuple(range(matrix.shape[1])):
        return matrix
    found = np.empty((table.n_rows, len(places)))
    for at, j in enumerate(places):
        found[:, at] = table.columns[j].values
    return found


def emission_kinds(emissions: Any, schema: Schema) -> dict[str, str]:
    """How each column is emitted: as said, and "gaussian" or "categorical" by its kind where nothing is said."""
    said: Mapping[str, str] = emissions if isinstance(emissions, Mapping) else {}
    for name, kind in said.items():
        if schema.place(name) is None:
            raise ParameterError(f"emissions names a column. {unknown_column(name, schema.names)}")
        if kind not in KINDS:
            raise ParameterError(
                f"emissions[{name!r}]={kind!r} is not allowed. Expected one of {list_of(KINDS, 'or')}."
            )
    numeric = "gaussian" if isinstance(emissions, Mapping) or emissions in ("auto", "categorical") else emissions
    found = {}
    for column in schema:
        every = "categorical" if column.coded or emissions == "categorical" else numeric
        found[column.name] = said.get(column.name, every)
    return found


def patterns(x: Array) -> Groups:
    """Rows whose cells are missing in the same columns, some at a time, and which columns are there."""
    missing = np.isnan(x)
    if not missing.any():
        everything = np.ones(x.shape[1], dtype=bool)
        return [(np.arange(a, min(a + BLOCK, len(x))), everything) for a in range(0, len(x), BLOCK)]
    kinds, which = np.unique(missing, axis=0, return_inverse=True)
    which = which.ravel()
    found = []
    for e, gone in enumerate(kinds):
        rows = np.flatnonzero(which == e)
        found += [(rows[a : a + BLOCK], ~gone) for a in range(0, len(rows), BLOCK)]
    return found
