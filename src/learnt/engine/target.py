"""Targets: class labels as codes, numbers as float64, missing ones an error."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from learnt.data.table import Array, Column
from learnt.errors import InputError, KindError
from learnt.show.words import spell


@overload
def class_codes(y: Array | Column, classes: None = None, first_row: int = 0) -> tuple[Array, Array]: ...
@overload
def class_codes(y: Array | Column, classes: Array, first_row: int = 0) -> Array: ...
def class_codes(y: Array | Column, classes: Array | None = None, first_row: int = 0) -> Any:
    """int32 codes and the labels they stand for (sorted; in declared order for an ordinal column).

    With `classes` given, only the codes into those.
    """
    if isinstance(y, Column) and y.kind != "numeric":
        _reject_missing(y.values < 0, first_row)
        labels, order = _present_labels(y)
        place = np.full(len(y.categories) + 1, -1, np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        codes = place[y.values]
    else:
        values = y.values if isinstance(y, Column) else y
        if values.dtype.kind == "f":
            _reject_missing(np.isnan(values), first_row)
            values = _whole_labels(values, keep_floats=not isinstance(y, Column))
        labels, codes = _few_integers(values) if values.dtype.kind in "iu" and len(values) else _sorted(values)
    if classes is None:
        return codes, labels
    known = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([known[label] for label in labels.tolist()], dtype=np.int32)[codes]


def _sorted(values: Array) -> tuple[Array, Array]:
    labels, inverse = np.unique(values, return_inverse=True)
    return labels, inverse.astype(np.int32, copy=False)


def _few_integers(values: Array) -> tuple[Array, Array]:
    """Whole numbers close together are counted instead of sorted, a tenth of the work."""
    low, high = int(values.min()), int(values.max())
    if high - low >= min(len(values), 1 << 20) or not values.dtype.isnative:
        return _sorted(values)
    start = values.dtype.type(low)
    # Differences wrap around their type, as of −100 and 100 in int8, and are right again without the sign.
    places = (values - start).view(f"u{values.dtype.itemsize}").astype(np.intp)
    present = np.zeros(high - low + 1, bool)
    present[places] = True
    rank = np.cumsum(present, dtype=np.int32) - 1
    return np.flatnonzero(present).astype(values.dtype) + start, rank.astype(np.int32, copy=False)[places]


def _present_labels(column: Column) -> tuple[Array, Array]:
    """The labels with at least one row, and their codes in label order."""
    present = np.unique(column.values)
    if column.kind == "nominal":
        try:
            order = sorted(present.tolist(), key=lambda code: column.categories[code])
        except TypeError:
            kinds = sorted({type(column.categories[code]).__name__ for code in present.tolist()})
            raise KindError(
                f"The target's labels are of types {kinds}, which have no common order. Make them all text."
            ) from None
        present = np.array(order, dtype=np.int64)
    labels = [column.categories[code] for code in present.tolist()]
    array = np.array(labels)
    if array.dtype.kind in "US":  # as scikit-learn keeps text labels of lists: object arrays print badly
        return array, present
    if any(type(a) is not type(b) for a, b in zip(array.tolist(), labels, strict=True)):
        array = np.array(labels, dtype=object)
    return array, present


def _whole_labels(values: Array, *, keep_floats: bool) -> Array:
    """Float labels that are whole numbers; a column's own floats stand for the user's integers."""
    if not np.isfinite(values).all():
        raise InputError("Input y contains infinity. Class labels must be finite.")
    whole = np.round(values)
    if (whole != values).any():
        row = int(np.flatnonzero(whole != values)[0])
        raise InputError(
            f"Unknown label type: continuous. The target holds numbers such as {spell(values[row])} (row {row}), "
            "which are no class labels. Use a regressor, or turn the numbers into classes first."
        )
    if keep_floats:
        return values
    if np.abs(values).max(initial=0) >= 2**53:
        row = int(np.abs(values).argmax())
        raise InputError(
            f"The target holds labels as large as {int(values[row])} (row {row}), which numbers of a column cannot "
            "all tell apart. Expected less than 2**53. Give the labels as text, or y as an integer array."
        )
    return whole.astype(np.int64)


def regression_values(y: Array | Column, first_row: int = 0) -> Array:
    """The target as finite float64."""
    if isinstance(y, Column):
        if y.kind not in ("numeric", "boolean"):
            raise KindError(
                f"The target is {y.kind} (labels such as {y.categories[:3]}), but a regressor needs numbers. "
                "Use a classifier, or give numbers."
            )
        _reject_missing(y.missing, first_row)
        y = y.values
    if y.dtype.kind not in "fiub":
        raise KindError(f"The target holds {y.dtype.name} values, but a regressor needs numbers.")
    values: Array = np.require(y, np.float64, ["C", "A"])
    if not np.isfinite(values).all():
        _reject_missing(np.isnan(values), first_row)
        row = int(np.flatnonzero(np.isinf(values))[0]) + first_row
        raise InputError(f"Input y contains infinity (row {row}). Replace it or leave the row out.")
    return values


def within_counted(target: Array, weights: Array | None) -> Array:
    """The target with that of rows of weight 0 brought between those of the others: squares of theirs may be none."""
    if weights is None or weights.all():
        return target
    counted = target[weights > 0]
    return np.clip(target, counted.min(), counted.max()) if len(counted) else np.zeros_like(target)


def _reject_missing(missing: Array, first_row: int) -> None:
    if missing.any():
        rows = np.flatnonzero(missing)
        raise InputError(
            f"Input y contains NaN: {len(rows)} missing target(s), first in row {int(rows[0]) + first_row}. "
            "A learner cannot learn from rows without a target. Leave those rows out."
        )
