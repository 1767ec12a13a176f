"""Rows of weight 0 are no rows: the labels and classes that only they have are not learnt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.column import Column
from learnt.data.table import Array, Table
from learnt.engine.training import Training


def without_weightless_labels(training: Training, X: Any, y: Any) -> Training:
    """The same rows of a table in memory, in the labels and classes of those of positive weight.

    Labels that `X` itself declares, as a pandas Categorical and an ordinal column do, stay: they are there without a
    single row. Cells of other labels become missing, and targets of other classes the first one; both are of rows that
    do not count.
    """
    weights = training.weights
    if not isinstance(training.source, Table) or weights is None or bool(weights.all()):
        return training
    counts = weights > 0
    declaring = _declaring_columns(X)
    table = _relabelled(training.source, counts, declaring)
    training = replace(training, source=table, schema=table.schema)
    if training.classes is None:
        return training
    declared = y in declaring if isinstance(y, str) else hasattr(getattr(y, "dtype", None), "categories")
    return _reclassed(training, counts, declared=declared)


def _relabelled(table: Table, counts: Array, declared: Collection[str]) -> Table:
    if table.of_one_block or not any(c.kind == "nominal" for c in table.schema):
        return table
    texts = {c.name for c in table.schema if c.kind_name == "text"}
    columns = [
        c if c.kind != "nominal" or c.name in declared or c.name in texts else _counted_labels(c, counts)
        for c in table.columns
    ]
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    return Table.of_columns(columns, n_rows=table.n_rows, named=table.schema.named)


def _counted_labels(column: Column, counts: Array) -> Column:
    """The column without the labels that rows have, but none of positive weight."""
    here = np.zeros((2, len(column.categories) + 1), bool)  # one more for the code −1
    here[0, column.values] = True
    here[1, column.values[counts]] = True
    lost = (here[0] & ~here[1])[:-1]
    if not lost.any():
        return column
    return column.recoded(tuple(label for label, gone in zip(column.categories, lost, strict=True) if not gone))


def _reclassed(training: Training, counts: Array, *, declared: bool) -> Training:
    assert training.classes is not None
    present = np.bincount(training.target[counts], minlength=len(training.classes)) > 0
    if present.all():
        return training
    codes = np.where(present, np.cumsum(present) - 1, 0).astype(np.int32)
    n_labels = training.n_labels if declared else training.n_labels - int(np.sum(~present))
    return replace(training, target=codes[training.target], classes=training.classes[present], n_labels=n_labels)


def _declaring_columns(X: Any) -> set[str]:
    """Names of the columns of a frame that list their labels, with rows or without."""
    dtypes: Any = getattr(X, "dtypes", None)
    if hasattr(dtypes, "items"):  # pandas
        return {str(name) for name, dtype in dtypes.items() if hasattr(dtype, "categories")}
    fields: Any = getattr(X, "schema", None) if hasattr(X, "to_batches") else None  # Arrow
    return set() if fields is None else {field.name for field in fields if hasattr(field.type, "index_type")}
