"""Missing cells predicted from the other columns, each by a tree, round after round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Batch
from learnt.prepare.missing.fills import filled_columns
from learnt.watch import report, watching

#: Rows a leaf has at least: what a column is filled with is the middle of several rows, not one of them.
_LEAF = 5

#: Rounds end when no number moves by more than this share of its column's spread, and no category changes.
_STILL = 1e-3


@dataclass(frozen=True)
class Fillers:
    """Models in the order they were fitted, and the column each fills."""

    places: list[int]
    models: list[Any]
    rounds: int
    still: bool


def fit_fillers(batch: Batch, fill: Array, to_fill: list[int], max_iter: int) -> Fillers:
    """`fill` is what cells hold before the first round; `to_fill` are the columns to be filled by models."""
    table, weights = batch.table, batch.weights
    if weights is not None and not weights.all():
        table, weights = table.take(weights > 0), weights[weights > 0]
    columns = filled_columns(table, fill, None, {})
    if len(columns) < 2:
        return Fillers([], [], 0, still=True)  # there is nothing to predict from
    missing = {j: np.flatnonzero(table.columns[j].missing) for j in to_fill}
    gaps = {j: float(len(rows) if weights is None else weights[rows].sum()) for j, rows in missing.items()}
    order = sorted(to_fill, key=lambda j: (gaps[j], j))  # what is known best is of most use to the others
    limits = {j: _STILL * _deviation(columns[j], weights) for j in order}
    places: list[int] = []
    models: list[Any] = []
    for number in range(1, max_iter + 1):
        still = True
        for j in order:
            rows, before = missing[j], columns[j].values
            models.append(_fit_filler(columns, j, rows, weights))
            places.append(j)
            columns[j] = _with_predictions(columns, j, rows, models[-1])
            still = still and bool((np.abs(before[rows] / 2 - columns[j].values[rows] / 2) <= limits[j] / 2).all())
        if watching():
            report("round", learner="Imputer", iteration=number, total=max_iter)
        if still:
            break
    return Fillers(places, models, number, still)


def _deviation(column: Column, weights: Array | None) -> float:
    """The standard deviation of numbers; 0 of categories, which are the same or not."""
    if column.kind != "numeric":
        return 0.0
    unit = float(np.abs(column.values).max(initial=0.0)) or 1.0  # in which no square overflows
    values = column.values / unit
    return unit * float(np.sqrt(np.average((values - np.average(values, weights=weights)) ** 2, weights=weights)))


def _fit_filler(columns: list[Column], j: int, missing: Array, weights: Array | None) -> Any:
    from learnt.tree import DecisionTreeClassifier, DecisionTreeRegressor

    known = np.ones(len(columns[j]), bool)
    known[missing] = False
    kind = DecisionTreeRegressor if columns[j].kind == "numeric" else DecisionTreeClassifier
    tree = kind(min_samples_leaf=_LEAF)
    return tree.fit(
        _others(columns, j).take(known), columns[j].values[known], None if weights is None else weights[known]
    )


def _others(columns: list[Column], j: int) -> Table:
    return Table.of_columns(columns[:j] + columns[j + 1 :])


def _with_predictions(columns: list[Column], j: int, rows: Array, model: Any) -> Column:
    old = columns[j]
    values = old.values.copy()
    if len(rows):
        values[rows] = model.predict(_others(columns, j).take(rows))
    return Column.like(old, values)


def refill(columns: list[Column], table: Table, places: list[int], models: list[Any]) -> list[Column]:
    """`columns`, filled once, with what the models say of the cells that are missing in `table`, one after another."""
    missing = {j: np.flatnonzero(table.columns[j].missing) for j in set(places)}
    columns = list(columns)
    for j, model in zip(places, models, strict=True):
        if len(missing[j]):
            columns[j] = _with_predictions(columns, j, missing[j], model)
    return columns
