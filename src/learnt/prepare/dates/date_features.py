"""Dates taken apart."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import ParameterError, SavedModelError
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, Flag, OneOf
from learnt.prepare.cell_counts import CountCells
from learnt.prepare.dates.date_parts import PARTS, usual_parts
from learnt.show.words import list_of, spell


class PartNames(Domain):
    """A list of parts of a date, each once."""

    words = f"a list of {list_of([spell(part) for part in PARTS], 'or')}"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(v, str) for v in value):
            return False
        return len(value) > 0 and set(value) <= set(PARTS) and len(set(value)) == len(value)


class DateFeatures(Transformer):
    """Give year, month, day, weekday and hour of each column of dates as columns of their own.

        signup 2022-06-01 ↦ signup year 2022, signup month June, signup weekday Wednesday, …

    >>> import datetime as dt
    >>> shop = {"signup": [dt.date(2022, 6, 1), None], "price": [9.5, 8.0]}
    >>> DateFeatures(parts=["year", "weekday"]).fit_transform(shop).to_dict()
    {'signup year': [2022.0, None], 'signup weekday': ['Wednesday', None], 'price': [9.5, 8.0]}

    Other columns pass, and so do durations; a missing date has missing parts. Month and weekday are ordinal columns
    with names, the other parts are numbers. Times with a zone are taken apart in UTC.

    {settings}

    Attributes: `parts_`, by column of dates the parts that are given.

    Reference: J. D. Cryer, K.-S. Chan, Time Series Analysis, 2nd ed., 2008, section 3.3 (seasonal means).
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})
    takes_text = "ignored"

    parts: Sequence[str] | None = setting(
        OneOf(None) | PartNames(),
        "the parts of each date, in this order; None for those that can differ: of dates year, month, day, day of "
        "year and weekday, of moments the hour too, of times of day hour and minute",
        default=None,
    )
    keep: bool = setting(Flag(), "whether the dates themselves stay, before their parts", default=False)

    parts_: dict[str, list[str]] = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        yield CountCells()  # the columns are known; this finds infinite cells
        self.parts_ = {c.name: parts for c in training.schema if (parts := self._parts_of(c))}
        names = [column.name for column in self._columns_out(training.schema)]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise ParameterError(f"DateFeatures: the table has a column {twice!r} already. Rename it.")

    def _parts_of(self, column: ColumnSchema) -> list[str]:
        if column.form is None or not column.form.temporal or column.form.sort == "duration":
            return []
        usual = usual_parts(column.form)
        return list(usual) if self.parts is None else list(self.parts)

    def _columns_out(self, schema: Schema) -> list[ColumnSchema]:
        columns = []
        for column in schema:
            parts = self.parts_.get(column.name, [])
            columns += [column] if self.keep or not parts else []
            columns += [PARTS[part].schema(f"{column.name} {part}") for part in parts]
        return columns

    def _transform(self, table: Table) -> Table:
        if not self.parts_:
            return table
        columns = []
        for column in table.columns:
            parts = self.parts_.get(column.name, [])
            columns += [column] if self.keep or not parts else []
            columns += [PARTS[part].column(f"{column.name} {part}", column) for part in parts]
        return Table.of_columns(columns, n_rows=table.n_rows, named=self._schema.named)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: `signup year`, `signup month`, …"""
        given = super().get_feature_names_out(input_features)
        if not self.parts_:
            return given
        return np.array([column.name for column in self._columns_out(self._schema)], dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        for name, parts in self.parts_.items():
            if self._schema.place(name) is None or not parts or not set(parts) <= set(PARTS):
                raise SavedModelError("The parts are not those of the columns of dates.")
