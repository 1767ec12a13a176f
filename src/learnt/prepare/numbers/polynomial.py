"""Products of columns."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.files.scan import Scan
from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, Whole
from learnt.learner.text.counting import TextUse
from learnt.prepare.cell_counts import CountCells
from learnt.prepare.numbers.products import Products

MOST_COLUMNS = 1_000_000
MOST_CELLS = 2**31  # 16 GB

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class PolynomialFeatures(Transformer):
    """Add the products of columns, up to a degree: what a straight line over them bends to.

        a, b ↦ 1, a, b, a², a·b, b²

    >>> PolynomialFeatures().fit_transform({"a": [2.0, 3.0], "b": [5.0, 7.0]})
          1        a        b       a²      a·b       b²
    numeric  numeric  numeric  numeric  numeric  numeric
          1        2        5        4       10       25
          1        3        7        9       21       49
    2 rows × 6 columns

    Nominal columns take part as indicators, `town=Bern`, all 0 where the cell is missing; ordinal and boolean ones as
    numbers 0, 1, …. Products of indicators of one column are always 0, and powers of them or of a boolean nothing
    new: they are left out. A product with a missing number is missing.

    {settings}

    Attributes: `powers_`, products × columns: how often each is a factor; `n_output_features_`.

    More than a million columns, or 16 GB of them, are refused with their number. Sparse tables, and those of many
    categories, give sparse rows: there a product with 0 is 0, even where the other number is missing.

    Reference: J. D. Gergonne, Application de la méthode des moindres quarrés à l'interpolation des suites, 1815.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})
    takes_text: ClassVar[TextUse] = "left out"

    degree: int = setting(Whole(1), "most factors of a product", default=2, kw_only=False)
    interaction_only: bool = setting(Flag(), "whether each column is in a product once at most: no a²", default=False)
    include_bias: bool = setting(Flag(), "whether a column `1` of ones comes first, as an intercept", default=True)

    n_output_features_: int = attribute()
    _design: Design = attribute()
    _products: Products = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        self._design = _design(training.schema)
        alone = [self.interaction_only or c.kind == "boolean" for c in training.schema]
        self._products = Products(_following(self._design, alone), self.degree)
        count = self._products.count(MOST_COLUMNS) + bool(self.include_bias)
        if count > MOST_COLUMNS:
            raise InputError(
                f"PolynomialFeatures: {self._design.n_columns} columns have {count} products of degree up to "
                f"{self.degree}. Expected at most {MOST_COLUMNS}. Lower the degree, set interaction_only=True, or "
                "choose columns first."
            )
        self.n_output_features_ = count
        yield CountCells()  # what is known of the columns is enough; this finds infinite cells

    def transform(self, X: Any) -> Any:
        """The rows of `X` with their products: a `Table` or an array, or the frame chosen by `set_output`."""
        schema = self._fitted_schema()
        if schema.named or not schema.all_numeric or isinstance(X, Scan):
            return super().transform(X)
        return self._framed(self._matrix(self._matched(X)), X)  # half a million names would take seconds

    def _transform(self, table: Table) -> Table:
        names = [str(name) for name in self.get_feature_names_out()]
        return Table.of_matrix(self._matrix(table), names, named=self._schema.named)

    def _matrix(self, table: Table) -> Any:
        if table.sparse is not None or self._design.sparse:
            return self._sparse_rows(table)
        cells = table.n_rows * self.n_output_features_
        if cells > MOST_CELLS:
            raise InputError(
                f"PolynomialFeatures: {table.n_rows} rows of {self.n_output_features_} products take "
                f"{cells * 8 / 1e9:.0f} GB. Expected at most {MOST_CELLS * 8 / 1e9:.0f}. Transform fewer rows at a "
                "time, or lower the degree."
            )
        out = np.empty((table.n_rows, self.n_output_features_))
        first = int(self.include_bias)
        out[:, :first] = 1.0
        self._products.of_rows(self._design.encode(_in_ranks(table)), out[:, first:])
        return out

    def _sparse_rows(self, table: Table) -> Any:
        from scipy.sparse import csr_matrix, hstack

        rows = self._products.of_sparse_rows(self._design.encode(_in_ranks(table)))
        if not self.include_bias:
            return rows
        return hstack([csr_matrix(np.ones((table.n_rows, 1))), rows], format="csr")

    @property
    def powers_(self) -> Array:
        """How often each column of the numeric table (indicators among them) is a factor of each product."""
        self._fitted_schema()
        powers = np.zeros((self.n_output_features_, self._design.n_columns), np.int64)
        start = int(self.include_bias)
        for factors in self._products.factors():
            rows = np.arange(start, start + len(factors))
            np.add.at(powers, (rows[:, None], factors), 1)
            start += len(factors)
        return powers

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the products: `a·b`, `a²`, `1`."""
        given = super().get_feature_names_out(input_features)
        single = self._design.names
        if input_features is not None and self._schema.all_numeric:
            single = tuple(str(name) for name in given)
        rows = [row for factors in self._products.factors() for row in factors.tolist()]
        names = [*(["1"] if self.include_bias else []), *(_name(single, row) for row in rows)]
        if len(set(names)) < len(names):  # a column is called "1" or "a²" already
            bracketed = [f"({name})" for name in single]
            products = (_name(bracketed if len(row) > 1 else single, row) for row in rows)
            names = [*(["(1)"] if self.include_bias else []), *products]
        return np.array(names, dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._design.schema.names != self._schema.names:
            raise SavedModelError("The design is not that of the columns.")
        count = self._products.count(self.n_output_features_) + bool(self.include_bias)
        if len(self._products.following) != self._design.n_columns or count != self.n_output_features_:
            raise SavedModelError("The products are not those of the columns.")


def _name(single: Sequence[str], factors: list[int]) -> str:
    powers = ((single[j], len(list(same))) for j, same in groupby(factors))
    return "·".join(name + (str(power).translate(_RAISED) if power > 1 else "") for name, power in powers)


def _design(schema: Schema) -> Design:
    """Indicators of nominal columns, nothing for a missing one; ranks and numbers as they are, gaps included."""
    ranked = Schema(
        tuple(replace(c, kind="ordinal") if c.kind == "boolean" else c for c in schema.columns), schema.named
    )
    m = len(schema)
    fill = np.where([c.kind == "nominal" for c in schema], -1.0, np.nan)
    design = Design(ranked, fill, np.zeros(m), np.ones(m), np.full(m, -1, np.int32), sparse=False)
    return replace(design, sparse=design.wide)


def _in_ranks(table: Table) -> Table:
    """The table in the kinds of the design: booleans as ranks."""
    if table.schema.all_numeric:
        return table
    columns = [Column(c.name, "ordinal", c.values, c.categories) if c.kind == "boolean" else c for c in table.columns]
    return Table.of_columns(columns, n_rows=table.n_rows)


def _following(design: Design, alone: list[bool]) -> Array:
    """The first column that may come after each: see `Products`."""
    ends = np.append(design.starts[1:], design.n_columns)
    single = np.array([c.kind == "nominal" for c in design.schema]) | np.array(alone)
    places = np.arange(design.n_columns)
    return np.where(single[design.owner], ends[design.owner], places).astype(np.int64)
