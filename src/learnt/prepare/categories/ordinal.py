"""Categories as numbers."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf
from learnt.prepare.categories.decoding import encoded_columns, numbers_as_codes
from learnt.prepare.categories.unseen import Encoder
from learnt.prepare.cell_counts import CountCells


class OrdinalEncoder(Encoder):
    """Number the categories of each column 0, 1, 2, …: in their order if they have one, else as they sort.

        S, M, L ↦ 0, 1, 2        False, True ↦ 0, 1

    >>> from learnt import Table
    >>> shirts = Table({"size": ["M", "S", None], "price": [9.5, 8.0, 12.0]}, ordinal={"size": ["S", "M", "L"]})
    >>> OrdinalEncoder().fit_transform(shirts).to_dict()
    {'size': [1.0, 0.0, None], 'price': [9.5, 8.0, 12.0]}

    Columns keep their names, numeric ones pass, missing cells stay missing.

    {settings}

    Attributes: `categories_`, by column the labels in the order of their numbers. `inverse_transform` is the way back.

    A number says that one category is more than another. Where they have no order, use `OneHotEncoder`.

    Reference: S. S. Stevens, On the theory of scales of measurement, 1946.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})

    handle_unknown: str = setting(
        OneOf("ignore", "error"),
        'a category that was not there when fitting is a missing cell, or an "error"',
        default="ignore",
    )

    categories_: dict[str, list[Any]] = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        yield CountCells()  # the categories are known; this finds infinite cells
        self.categories_ = {c.name: list(c.categories) for c in training.schema if c.coded}

    def _transform(self, table: Table) -> Table:
        if table.sparse is not None:
            return table
        columns = [Column(c.name, "numeric", numbers(c), (), None if c.schema.coded else c.form) for c in table.columns]
        return Table.of_columns(columns, n_rows=table.n_rows, named=self._schema.named)

    def inverse_transform(self, X: Any) -> Any:
        """The labels that the numbers stand for, in a table or a frame as `X` is."""
        schema = self._fitted_schema()
        given = encoded_columns(X, schema.names, type(self).__name__)
        pairs = zip(given.columns, schema, strict=True)
        columns = [
            numbers_as_codes(c, s) if s.coded else Column(s.name, s.kind, c.values, (), s.form) for c, s in pairs
        ]
        return self._in_container(Table.of_columns(columns, n_rows=given.n_rows, named=schema.named), X)


def numbers(column: Column) -> Array:
    """The cells as floats, codes for categories, NaN where missing."""
    if column.kind == "numeric":
        return column.values
    values = column.values.astype(np.float64)
    values[column.values < 0] = np.nan
    return values
