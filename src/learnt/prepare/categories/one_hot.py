"""Categories as indicator columns."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.convert.out import to_array
from learnt.data.design import Design
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import SavedModelError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.prepare.categories.decoding import encoded_columns, indicators_as_codes
from learnt.prepare.categories.unseen import Encoder
from learnt.prepare.cell_counts import CellCounts, CountCells

RARE, MISSING = "(rare)", "(missing)"


class OneHotEncoder(Encoder):
    """Give each category a column of its own, which is 1 where the cell holds it and 0 elsewhere.

        x_i,town=Bern = 1 if town_i = Bern, else 0

    >>> shirts = {"colour": ["red", "blue", "red"], "price": [9.5, 12.0, 8.0]}
    >>> OneHotEncoder().fit_transform(shirts)
    colour=blue  colour=red    price
        numeric     numeric  numeric
              0           1      9.5
              1           0       12
              0           1        8
    3 rows × 3 columns

    Nominal, ordinal and boolean columns are replaced in place; numeric ones pass, missing numbers stay missing.

    {settings}

    With "column", a column has the indicator `town=(missing)` if a cell was missing when fitting. Rare categories
    share `town=(rare)`.

    Attributes: `categories_`, by column the labels of its indicators, in the order of the columns that come out.

    `inverse_transform` is the way back. From 200 indicators on, the result is kept in sparse rows. A `scan` of files
    takes one pass.

    Reference: D. B. Suits, Use of dummy variables in regression equations, 1957.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})

    drop: str | None = setting(
        OneOf(None, "first", "if_binary"),
        '"first": the first category of each column has no indicator; "if_binary": of two only one has',
        default=None,
        kw_only=False,
    )
    handle_unknown: str = setting(
        OneOf("ignore", "error"),
        'a category that was not there when fitting is a missing cell, or an "error"',
        default="ignore",
    )
    missing: str = setting(
        OneOf("zeros", "column"),
        'all indicators of a missing cell are 0, or "column": an indicator of its own',
        default="zeros",
    )
    min_frequency: float | None = setting(
        OneOf(None) | Whole(1) | Real(above=0, below=1),
        "rarer categories share one indicator: a weight of rows, or a share below 1",
        default=None,
    )
    max_categories: int | None = setting(
        OneOf(None) | Whole(1),
        "the most indicators of a column: of the most frequent categories, the others share one",
        default=None,
    )

    categories_: dict[str, list[str]] = attribute()
    _codes: dict[str, Array] = (
        attribute()
    )  # per coded column the indicator of each category and of a missing cell, −1 for none
    _design: Design = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        counts: CellCounts = yield CountCells()
        self._codes, columns = {}, []
        for j, column in enumerate(training.schema):
            if column.coded:
                rare = self._rare(counts.categories[j], counts.row_weight)
                gap = self.missing == "column" and counts.gaps[j] > 0
                self._codes[column.name], labels = _merge_rare(column.categories, rare, gap)
                column = ColumnSchema(column.name, "nominal", labels)
            columns.append(column)
        self._design = _indicators(Schema(tuple(columns), training.schema.named), self.drop)
        Schema(tuple(ColumnSchema(name, "numeric") for name in self._design.names))  # two of one name are an error
        left_out = dict(zip(self._design.schema.names, self._design.reference.tolist(), strict=True))
        self.categories_ = {
            c.name: [label for code, label in enumerate(c.categories) if code != left_out[c.name]]
            for c in columns
            if c.coded
        }

    def _rare(self, weights: Array, row_weight: float) -> Array:
        rare = np.zeros(len(weights), bool)
        if self.min_frequency is not None:
            least = self.min_frequency * (row_weight if self.min_frequency < 1 else 1.0)
            rare = weights < least
        if self.max_categories is not None and np.count_nonzero(~rare) + rare.any() > self.max_categories:
            order = np.argsort(-weights, kind="stable")
            rare = np.ones(len(weights), bool)
            rare[order[: self.max_categories - 1]] = False
        return rare

    def _transform(self, table: Table) -> Table:
        if table.schema.all_numeric:
            whole = table.sparse is not None
            return table if whole else Table.of_columns(table.columns, named=self._schema.named)
        coded = [
            Column(c.name, "nominal", self._codes[c.name][c.values], new.categories) if c.kind != "numeric" else c
            for c, new in zip(table.columns, self._design.schema, strict=True)
        ]
        matrix = self._design.encode(Table.of_columns(coded, n_rows=table.n_rows))
        return Table.of_matrix(matrix, self._design.names, named=self._schema.named)

    def inverse_transform(self, X: Any) -> Any:
        """The labels whose indicators are 1 (or largest), in a table or a frame as `X` is.

        A row without an indicator has the category that `drop` left out, or else a missing cell. Rare categories that
        shared one come back as "(rare)".
        """
        schema = self._fitted_schema()
        given = encoded_columns(X, self._design.names, type(self).__name__)
        matrix = to_array(given)
        columns = []
        for j, (column, start) in enumerate(zip(schema, self._design.starts.tolist(), strict=True)):
            block = matrix[:, start : start + int(self._design._widths[j])]
            if column.coded:
                reference = int(self._design.reference[j])
                columns.append(indicators_as_codes(block, column, self._codes[column.name], reference, RARE))
            else:
                cells = block if isinstance(block, np.ndarray) else block.toarray()
                columns.append(Column(column.name, "numeric", cells[:, 0], (), column.form))
        return self._in_container(Table.of_columns(columns, n_rows=given.n_rows, named=schema.named), X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: `colour=red` for indicators."""
        super().get_feature_names_out(input_features)
        return np.array(self._design.names, dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        coded = [c for c in self._schema if c.coded]
        if self._design.schema.names != self._schema.names or list(self._codes) != [c.name for c in coded]:
            raise SavedModelError("The indicators are not those of the columns.")
        for column in coded:
            codes, size = self._codes[column.name], len(self._design.schema[column.name].categories)
            if codes.dtype != np.int32 or codes.shape != (len(column.categories) + 1,):
                raise SavedModelError("There is not one code for each category.")
            if codes.min() < -1 or codes.max() >= size:
                raise SavedModelError("A code stands for no indicator.")


def _merge_rare(categories: tuple[Any, ...], rare: Array, gap: bool) -> tuple[Array, tuple[str, ...]]:
    """The new code of each category and, last, of a missing cell; and the new labels."""
    kept = np.flatnonzero(~rare)
    codes = np.full(len(categories) + 1, -1, np.int32)
    codes[:-1][rare] = len(kept)
    codes[kept] = np.arange(len(kept), dtype=np.int32)
    labels = [str(categories[code]) for code in kept.tolist()]
    labels += [RARE] if rare.any() else []
    if gap:
        codes[-1] = len(labels)
        labels.append(MISSING)
    return codes, tuple(labels)


def _indicators(schema: Schema, drop: str | None) -> Design:
    """Numbers as they are, gaps included; an indicator per category, none for a missing cell."""
    m = len(schema)
    coded = np.array([c.coded for c in schema], dtype=bool)
    sizes = np.array([len(c.categories) for c in schema], dtype=np.int64)
    dropped = coded & ((sizes > 0) if drop == "first" else (sizes == 2) if drop == "if_binary" else False)
    reference = np.where(dropped, 0, -1).astype(np.int32)
    fill = np.where(coded, -1.0, np.nan)
    design = Design(schema, fill, np.zeros(m), np.ones(m), reference, sparse=False)
    return replace(design, sparse=design.wide)
