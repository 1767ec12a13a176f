"""Missing cells filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.convert.out import join_tables
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.engine.engines import Plan
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Needs, Training, prepare
from learnt.engine.whole import InMemory, TakeWhole, WholeTable
from learnt.errors import ParameterError, SavedModelError
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Whole
from learnt.prepare.cell_counts import CellCounts, CountCells
from learnt.prepare.missing.fill_by_model import fit_fillers, refill
from learnt.prepare.missing.fills import FillByClass, filled_columns, find_middles, usual_code
from learnt.prepare.missing.imputer_settings import STRATEGIES, FillValue, Strategies, constant_fill

SORTED_OR_MODELLED = InMemory("looks at all cells of a column at once", "use 'mean', 'class' or 'constant'")


class Imputer(Transformer):
    """Fill missing cells: with a column's mean, median or most frequent value, a constant, or a prediction.

        x_ij missing ↦ mean_j,   or the mean of the rows of the same class,   or what a tree says from the other columns

    >>> people = {"age": [20.0, None, 40.0], "town": ["Bern", "Bern", None]}
    >>> Imputer().fit_transform(people).to_dict()
    {'age': [20.0, 30.0, 40.0], 'town': ['Bern', 'Bern', 'Bern']}

    | `strategy` | numeric column | nominal, ordinal or boolean column |
    |---|---|---|
    | "mean" | mean | most frequent category |
    | "median" | median | most frequent category; of an ordinal column the one in the middle |
    | "most_frequent" | most frequent number, the smallest of several | most frequent category, the first of several |
    | "constant" | `fill_value`, or 0 | `fill_value`, or the new category "missing" of a nominal column |
    | "class" | mean of the rows of the same class `y` | their most frequent category |
    | "model" | a regression tree's prediction from the other columns | a classification tree's |

    {settings}

    With "class", `fit_transform` fills by the class of each row. `transform` does not know it, and fills with what
    all rows of the fitted table have in common, as "mean" does. A column without a single cell stays missing.

    Attributes: `fills_`, by column what a missing cell becomes (with "model": before the first tree, or where no cell
    was missing at fit); `class_fills_`, the same by class, a row per label of `classes_`, numbers of categories for
    coded columns; `n_iter_` and `converged_`, the rounds of "model".

    "mean", "constant" and "class" take a `scan` of files; the others need the table in memory.

    Reference: R. J. A. Little, D. B. Rubin, Statistical Analysis with Missing Data, 2002.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})

    strategy: str | Mapping[str, str] = setting(
        OneOf(*STRATEGIES) | Strategies(),
        "one for all columns, or a dict by column; columns it does not name stay as they are",
        default="mean",
        kw_only=False,
    )
    fill_value: Any = setting(
        OneOf(None) | FillValue(),
        'for "constant": a number for numeric columns, a label for the others, or a dict by column',
        default=None,
    )
    add_indicator: bool = setting(
        Flag(), "whether a column `age is missing` is added for each that had gaps when fitting", default=False
    )
    max_iter: int = setting(
        Whole(1),
        '"model": most rounds; filled cells help to predict those of other columns in the next round',
        default=5,
    )

    fills_: dict[str, Any] = attribute()
    _fill: Array = attribute()  # numbers and codes; NaN where cells stay missing
    _columns_out: Schema = attribute()
    _marked: list[int] = attribute()  # the columns that have an indicator

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The classes, where cells are filled by them."""
        return "classes" if "class" in self._named_strategies() else None

    def _named_strategies(self) -> list[str]:
        return list(self.strategy.values()) if isinstance(self.strategy, Mapping) else [self.strategy]

    # Fitting

    def _plan(self, training: Training) -> Plan:
        schema = training.schema
        chosen = self._strategies(schema)
        sorting = {j: s for j, s in chosen.items() if s in ("median", "most_frequent") and not schema.columns[j].coded}
        modelled = [j for j, s in chosen.items() if s == "model"]
        if sorting or modelled:
            strategy = chosen[[*sorting, *modelled][0]]
            SORTED_OR_MODELLED.check(training.source, f"An Imputer with strategy={strategy!r}")
        survey: Survey = yield TakeSurvey()
        fill = self._first_fills(survey, chosen)
        if sorting:
            rows: WholeTable = yield TakeWhole()
            for j, middle in find_middles(rows.batch, sorting).items():
                fill[j] = middle
        self._fill = fill
        columns = [self._with_constant(j, column, chosen.get(j)) for j, column in enumerate(schema)]
        self.fills_ = {c.name: _label(c, self._fill[j]) for j, c in enumerate(columns) if j in chosen}
        gaps = np.zeros(len(schema), np.int64)
        if self.add_indicator or modelled:
            counts: CellCounts = yield CountCells()
            gaps = counts.gaps
        self._marked = np.flatnonzero(gaps).tolist() if self.add_indicator else []
        marks = [ColumnSchema(f"{schema.names[j]} is missing", "boolean", (False, True)) for j in self._marked]
        self._columns_out = Schema((*columns, *marks), schema.named)
        if "class" in chosen.values():
            by_class = yield FillByClass(len(self.classes_))  # type: ignore[attr-defined]
            others = [j for j in range(len(schema)) if chosen.get(j) != "class"]
            self.class_fills_ = by_class.codes_and_means()
            self.class_fills_[:, others] = np.nan
        self.n_iter_, self.converged_ = 1, True
        if modelled:
            places = [j for j in modelled if gaps[j] and not np.isnan(fill[j])]
            found = fit_fillers((yield TakeWhole()).batch, fill, places, self.max_iter)
            self._places, self._models = found.places, found.models
            self.n_iter_, self.converged_ = max(found.rounds, 1), found.still

    def _strategies(self, schema: Schema) -> dict[int, str]:
        """The strategy of each column that is to be filled, by its place. A text that is missing has no words, and is
        left missing."""
        if not isinstance(self.strategy, Mapping):
            return dict.fromkeys((j for j, c in enumerate(schema) if c.kind_name != "text"), self.strategy)
        for name in self.strategy:
            if schema.place(name) is None:
                raise ParameterError(f"Imputer: strategy names columns. {unknown_column(name, schema.names)}")
            if schema[name].kind_name == "text":
                raise ParameterError(
                    f"Imputer: strategy names {name!r}, which holds long texts. A missing text has no words and "
                    f"needs no other. Leave it out, or take texts as labels: kinds={{{name!r}: 'nominal'}}."
                )
        return {j: self.strategy[name] for j, name in enumerate(schema.names) if name in self.strategy}

    def _first_fills(self, survey: Survey, chosen: dict[int, str]) -> Array:
        fill = np.full(len(survey.schema), np.nan)
        for j, strategy in chosen.items():
            column = survey.schema.columns[j]
            if column.coded:
                fill[j] = usual_code(survey.categories[j], middle=strategy == "median" and column.kind == "ordinal")
            elif survey.weight[j] > 0:
                fill[j] = survey.mean[j]
        return fill

    def _with_constant(self, j: int, column: ColumnSchema, strategy: str | None) -> ColumnSchema:
        """The column as it comes out; a constant that it lacks becomes a category of it."""
        if strategy != "constant":
            return column
        self._fill[j], categories = constant_fill(column, self.fill_value)
        return ColumnSchema(column.name, column.kind, categories, column.form)

    # Transforming

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the rows of `X` filled; with "class", each by the rows of its class."""
        self.fit(X, y, sample_weight)
        if "class" not in self._named_strategies():
            return self.transform(X)
        training = prepare(X, y, sample_weight, "classes", "Imputer")
        parts = [self._filled(self._matched(b.table), self.class_fills_[b.target]) for b in training.batches()]
        table = parts[0] if len(parts) == 1 else join_tables(parts)
        return self._in_container(table, X)

    def _given_schema(self) -> Schema:
        return super()._given_schema().without_documents  # texts pass, also those that fitting has not seen

    def _transform(self, table: Table) -> Table:
        return self._filled(table, None)

    def _filled(self, table: Table, by_row: Array | None) -> Table:
        named = self._schema.named
        models: list[Any] = self.__dict__.get("_models", [])
        if table.schema.all_numeric and by_row is None and not models and not self._marked:
            return self._filled_numbers(table)
        grown = {c.name: c.categories for c in self._columns_out if c.name in self.fills_}
        columns = filled_columns(table, self._fill, by_row, grown)
        if models:
            columns = refill(columns, table, self._places, models)
        for j, mark in zip(self._marked, self._columns_out.columns[table.n_columns :], strict=True):
            gaps = table.columns[j].missing.astype(np.int32)
            columns.append(Column(mark.name, "boolean", gaps, mark.categories))
        return Table.of_columns(columns, n_rows=table.n_rows, named=named)

    def _filled_numbers(self, table: Table) -> Table:
        names, named = self._schema.names, self._schema.named
        if table.sparse is not None:
            rows = table.sparse.astype(np.float64)  # a copy
            gaps = np.isnan(rows.data)
            rows.data[gaps] = self._fill[rows.indices[gaps]]
            return Table.of_matrix(rows, names, named=named)
        if table.matrix is None:
            return Table.of_columns(filled_columns(table, self._fill, None, {}), named=named)
        matrix = np.array(table.matrix, dtype=np.float64, order="C")
        for j in range(table.n_columns):
            column = matrix[:, j]
            column[np.isnan(column)] = self._fill[j]
        return Table.of_matrix(matrix, names, named=named)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: those of the fitted table, then the indicators."""
        super().get_feature_names_out(input_features)
        return np.array(self._columns_out.names, dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p = len(self._schema)
        if self._fill.shape != (p,) or self._columns_out.names[:p] != self._schema.names:
            raise SavedModelError("The fills are not those of the columns.")
        for j, column in enumerate(self._columns_out.columns[:p]):
            code = self._fill[j]
            if column.coded and not (np.isnan(code) or (code == int(code) and 0 <= code < len(column.categories))):
                raise SavedModelError("A fill is not a category of its column.")
        marks = len(self._columns_out) - p
        places = [*self._marked, *self.__dict__.get("_places", [])]
        if marks != len(self._marked) or any(not 0 <= j < p for j in places):
            raise SavedModelError("A column that is filled or marked is not there.")
        if len(self.__dict__.get("_places", [])) != len(self.__dict__.get("_models", [])):
            raise SavedModelError("The models are not one for each place.")


def _label(column: ColumnSchema, fill: float) -> Any:
    """What a missing cell becomes, in the user's words; None where it stays missing."""
    if np.isnan(fill):
        return None
    return column.categories[int(fill)] if column.coded else float(fill)
