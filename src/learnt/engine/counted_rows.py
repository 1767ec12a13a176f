"""Rows of weight 0 are no rows: the labels and classes that only they have are not learnt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np

from learnt.data.column import Column
from learnt.data.files.pieces import Piece, each_piece
from learnt.data.files.scan import Scan
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.target import class_codes
from learnt.engine.training import CountedLabels, Training, checked_weights


def without_weightless_labels(training: Training, X: Any, y: Any) -> Training:
    """The same rows in the labels and classes of those of positive weight; of a scan it takes one more look.

    Labels that `X` itself declares, as a pandas Categorical and an ordinal column do, stay: they are there without a
    single row. Cells of other labels become missing, and targets of other classes the first one; both are of rows that
    do not count.
    """
    weights = training.weights
    if isinstance(training.source, Scan):
        return training if weights is None else _counted_scan(training, training.source)
    if weights is None or bool(weights.all()):
        return training
    counts = weights > 0
    declaring = _declaring_columns(X)
    table = _relabelled(training.source, counts, declaring)
    training = replace(training, source=table, schema=table.schema)
    if training.classes is None:
        return training
    declared = y in declaring if isinstance(y, str) else hasattr(getattr(y, "dtype", None), "categories")
    return _reclassed(training, counts, declared=declared)


#: Takes the place of the rows where only what is known of them is sent.
_ELSEWHERE = Table.of_columns(())


def _counted_scan(training: Training, scan: Scan) -> Training:
    """One look at the weights, the target and the columns that have labels."""
    labelled = [c for c in training.schema if c.kind == "nominal" and c.kind_name != "text"]
    classes = training.classes
    found_here = each_piece(
        scan, partial(_labels_that_count, replace(training, source=_ELSEWHERE), [c.name for c in labelled])
    )
    uneven = any(one.uneven for one in found_here)
    seen = {c.name: reduce(np.logical_or, [one.labels[c.name] for one in found_here]) for c in labelled}
    present: Array = reduce(np.logical_or, [one.classes for one in found_here])
    if not uneven or (classes is not None and not present.any()):  # without any weight: told while fitting
        return training
    columns = {c.name: kept for c in labelled if (kept := _kept_labels(c.categories, seen[c.name])) != c.categories}
    schema = Schema(
        tuple(replace(c, categories=columns[c.name]) if c.name in columns else c for c in training.schema),
        training.schema.named,
    )
    found = replace(training, schema=schema, counted=CountedLabels(columns, None, None))
    if classes is None or present.all():
        return found if columns else training
    return replace(
        found,
        classes=classes[present],
        n_labels=training.n_labels - int(np.sum(~present)),
        counted=CountedLabels(columns, classes, _new_codes(present)),
    )


@dataclass(frozen=True)
class _Counted:
    """Of a piece: the labels of each column that rows have, and those that count; classes; whether any row does not."""

    labels: dict[str, Array]
    classes: Array
    uneven: bool


def _labels_that_count(training: Training, names: list[str], piece: Piece) -> _Counted:
    schema, classes, target = training.schema, training.classes, training.target
    seen = {name: np.zeros((2, len(schema[name].categories) + 1), bool) for name in names}  # one more for the code −1
    present, uneven, first_row = np.zeros(0 if classes is None else len(classes), bool), False, piece.first_row
    roles = [training.weights, *([] if classes is None else [target])]
    for table in piece.scan.batches([*seen, *roles]):
        weights = checked_weights(table[training.weights], table.n_rows, first_row)
        counts = weights > 0
        uneven = uneven or not bool(counts.all())
        for name, here in seen.items():
            _mark(here, table[name].values, counts)
        if classes is not None:
            present[class_codes(table[target], classes, first_row)[counts]] = True
        first_row += table.n_rows
    return _Counted(seen, present, uneven)


def _mark(here: Array, codes: Array, counts: Array) -> None:
    """Mark in 2 × (labels + 1) which codes rows have, and which those that count."""
    here[0, codes] = True
    here[1, codes[counts]] = True


def _kept_labels(labels: tuple[Any, ...], here: Array) -> tuple[Any, ...]:
    """Without those that rows have, but none that counts."""
    lost = (here[0] & ~here[1])[:-1]
    return tuple(label for label, gone in zip(labels, lost, strict=True) if not gone) if lost.any() else labels


def _new_codes(present: Array) -> Array:
    return np.where(present, np.cumsum(present) - 1, 0).astype(np.int32)


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
    _mark(here, column.values, counts)
    return column.recoded(_kept_labels(column.categories, here))


def _reclassed(training: Training, counts: Array, *, declared: bool) -> Training:
    assert training.classes is not None
    present = np.bincount(training.target[counts], minlength=len(training.classes)) > 0
    if present.all():
        return training
    n_labels = training.n_labels if declared else training.n_labels - int(np.sum(~present))
    return replace(
        training, target=_new_codes(present)[training.target], classes=training.classes[present], n_labels=n_labels
    )


def _declaring_columns(X: Any) -> set[str]:
    """Names of the columns of a frame that list their labels, with rows or without."""
    dtypes: Any = getattr(X, "dtypes", None)
    if hasattr(dtypes, "items"):  # pandas
        return {str(name) for name, dtype in dtypes.items() if hasattr(dtype, "categories")}
    fields: Any = getattr(X, "schema", None) if hasattr(X, "to_batches") else None  # Arrow
    return set() if fields is None else {field.name for field in fields if hasattr(field.type, "index_type")}
