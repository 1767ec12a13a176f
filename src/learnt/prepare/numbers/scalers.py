"""Numbers in other units: between 0 and 1, or with mean 0 and standard deviation 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.engine.passes import Batch
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, Flag, Whole
from learnt.learner.partial import OnePass
from learnt.learner.text.counting import TextUse
from learnt.prepare.numbers.column_spread import ColumnSpread, column_spread
from learnt.storable import Numbers


class Scaler(OnePass, Transformer, abstract=True):
    """x ↦ (x − center) / divisor in each numeric column. Members write `solve`, which says how to find the two."""

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})

    takes_text: ClassVar[TextUse] = "ignored"

    scale_: Numbers = attribute()  # the divisor per column, NaN where a column is not numeric or has no cell: it passes
    _center: Numbers = attribute()

    def summarize(self, batch: Batch) -> ColumnSpread:
        return column_spread(batch)

    def inverse_transform(self, X: Any) -> Any:
        """The rows that `transform` made into `X`: a table, an array or a frame in the columns that come out."""
        table = self._scaled_table(self._matched(X), back=True)
        return self._in_container(table, X)

    def _transform(self, table: Table) -> Table:
        return self._scaled_table(table, back=False)

    def _scaled_table(self, table: Table, *, back: bool) -> Table:
        known = np.isfinite(self.scale_)
        center, divisor = np.where(known, self._center, 0.0), np.where(known, self.scale_, 1.0)
        names, named = self._schema.names, self._schema.named
        if table.sparse is not None and not center.any():
            rows = table.sparse.astype(np.float64)  # a copy
            by_cell = divisor[rows.indices]
            rows.data = rows.data * by_cell if back else rows.data / by_cell
            return Table.of_matrix(rows, names, named=named)
        matrix = table.matrix if table.sparse is None else table.sparse.toarray()
        if matrix is not None:
            return Table.of_matrix(_scale_values(matrix, center, divisor, back), names, named=named)
        columns = [
            Column(c.name, c.kind, _scale_values(c.values, center[j], divisor[j], back), (), c.form if back else None)
            if c.kind == "numeric"
            else c
            for j, c in enumerate(table.columns)
        ]
        return Table.of_columns(columns, n_rows=table.n_rows, named=named)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if any(a.shape != (len(self._schema),) for a in (self.scale_, self._center)):
            raise SavedModelError("There is not one center and scale per column.")


def _scale_values(values: Array, center: Any, divisor: Any, back: bool) -> Array:
    with np.errstate(over="ignore"):  # what is beyond all numbers is infinite, and found by whoever learns from it
        if back:
            out: Array = np.multiply(values, divisor, dtype=np.float64)
            out += center
            return out
        out = np.subtract(values, center, dtype=np.float64)
        out /= divisor
        return out


def _checked_ranges(schema: Schema, found: ColumnSpread, low: Array, high: Array) -> None:
    """Raise where numbers lie so far apart that their difference is not a number."""
    with np.errstate(over="ignore"):
        beyond = np.flatnonzero((found.weight > 0) & np.isinf(high - low))
    for j in beyond:
        raise InputError(
            f"Column {schema.names[j]!r} reaches from {low[j]:g} to {high[j]:g}. Expected numbers whose differences "
            "are below 1.8e308. Divide the column first."
        )


class Groups(Domain):
    """What `groups` may be; whether the columns are there is known at fit."""

    words = "None, or a dict from names of groups to lists of columns, each column in one group at most"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Mapping):
            return value is None
        if not all(isinstance(columns, list | tuple) and columns for columns in value.values()):
            return False
        columns = [column for group in value.values() for column in group]
        return bool(columns) and all(isinstance(c, str) for c in columns) and len(set(columns)) == len(columns)


class MinMaxScaler(Scaler):
    """Move each numeric column to the range from 0 to 1; columns of a group share one range.

        x ↦ (x − min) / (max − min)

    >>> MinMaxScaler().fit_transform({"km": [10.0, 30.0, 20.0]}).to_dict()
    {'km': [0.0, 1.0, 0.5]}
    >>> flat = {"length": [4.0, 8.0], "width": [2.0, 6.0]}
    >>> MinMaxScaler(groups={"metres": ["length", "width"]}).fit_transform(flat).to_dict()["length"]
    [0.3333333333333333, 1.0]

    Other columns pass, missing cells stay missing. Numbers beyond those of the fitted rows land outside 0 … 1. A
    column of one number becomes 0.

    {settings}

    Attributes: `data_min_` and `data_max_`, the ends of each column's range, or of its group's; `scale_`, their
    difference, 1 where that is 0. NaN for columns that are not numeric or hold nothing.

    One pass, over a `scan` too; `partial_fit` widens the ranges. `inverse_transform` is the way back.

    Reference: C. C. Aggarwal, Data Mining: The Textbook, 2015, section 2.3.3.
    """

    groups: Mapping[str, Any] | None = setting(
        Groups(),
        "columns measured alike, by a name for each group: they share the smallest and largest number",
        default=None,
    )

    data_min_: Array = attribute()
    data_max_: Array = attribute()

    def solve(self, found: ColumnSpread) -> None:
        low, high, there = found.low.copy(), found.high.copy(), found.weight > 0
        for places in self._groups():
            low[places], high[places] = low[places].min(), high[places].max()
            there[places] = there[places].any()
        low[~there] = high[~there] = np.nan
        _checked_ranges(self._schema, found, low, high)
        self.data_min_, self.data_max_ = low, high
        self._center, self.scale_ = low, np.where(high == low, 1.0, high - low)

    def _groups(self) -> list[list[int]]:
        schema, found = self._schema, []
        for columns in ({} if self.groups is None else self.groups).values():
            for name in columns:
                if schema.place(name) is None:
                    raise ParameterError(f"MinMaxScaler: groups name columns. {unknown_column(name, schema.names)}")
                if schema[name].coded:
                    raise ParameterError(
                        f"MinMaxScaler: groups name the column {name!r}, which is {schema[name].kind}. "
                        "Expected numeric columns. Leave it out."
                    )
            found.append([schema._places[name] for name in columns])
        return found


class StandardScaler(Scaler):
    """Give each numeric column mean 0 and standard deviation 1.

        x ↦ (x − mean) / s,        s = √(Σ (x − mean)² / (n − ddof))

    >>> StandardScaler().fit_transform({"km": [10.0, 30.0]}).to_dict()
    {'km': [-1.0, 1.0]}

    Other columns pass, missing cells stay missing. A column of one number becomes 0.

    {settings}

    With weights, n is their sum.

    Attributes: `mean_`, `var_` and `scale_`, the standard deviation or 1 for a column of one number; NaN for
    columns that are not numeric or hold nothing.

    One pass, over a `scan` too; `partial_fit` takes more rows. `inverse_transform` is the way back.

    Reference: T. F. Chan, G. H. Golub, R. J. LeVeque, Algorithms for computing the sample variance, 1983.
    """

    with_mean: bool = setting(
        Flag(), "whether the mean is subtracted; sparse rows stay sparse only without", default=True
    )
    with_std: bool = setting(Flag(), "whether the standard deviation is divided by", default=True)
    ddof: int = setting(
        Whole(0, 1), "0: squares are divided by n, as in scikit-learn; 1: by n − 1, as of a sample", default=0
    )

    mean_: Array = attribute()
    var_: Array = attribute()

    def solve(self, found: ColumnSpread) -> None:
        _checked_ranges(self._schema, found, found.low, found.high)
        there, constant = found.weight > 0, found.low >= found.high
        self._check_weight(found, constant)
        freedom = np.where(constant, 1.0, found.weight - self.ddof)
        deviation = np.where(constant, 0.0, found.spread * np.sqrt(np.where(constant, 0.0, found.weight) / freedom))
        self.mean_ = np.where(there, np.where(constant, found.low, found.mean), np.nan)
        with np.errstate(over="ignore", under="ignore"):
            self.var_ = np.where(there, deviation**2, np.nan)
        # The deviation of numbers next to 0 may have vanished.
        divisor = np.where((deviation == 0) | (not self.with_std), 1.0, deviation)
        self.scale_ = np.where(there, divisor, np.nan)
        self._center = self.mean_ if self.with_mean else np.zeros(len(there))

    def _check_weight(self, found: ColumnSpread, constant: Array) -> None:
        for j in np.flatnonzero(~constant & (found.weight <= self.ddof)):
            raise InputError(
                f"Column {self._schema.names[j]!r} has rows of weight {found.weight[j]:g} in all, and ddof=1 divides "
                "by one less. Expected more than 1. Use ddof=0, or weights that count rows."
            )
