"""What `fit` was given, made ready: features, target and weights of a table in memory or of a scan."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from learnt.data.files.pieces import Piece, each_piece, row_counts
from learnt.data.files.scan import Scan
from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.data.workers import Workers
from learnt.engine.cluster.context import as_scan
from learnt.engine.passes import Batch
from learnt.engine.rows_seen import RowsSeen, checked_batches
from learnt.engine.sizes import check_small_span
from learnt.engine.survey import check_finite
from learnt.engine.target import class_codes, regression_values, within_counted
from learnt.errors import InputError, KindError, data_conversion_warning
from learnt.show.words import spell

Needs = Literal["classes", "numbers", None]


@dataclass(frozen=True)
class CountedLabels:
    """Of a scan with rows of weight 0: the labels by column, and the classes, that other rows have too."""

    columns: Mapping[str, tuple[Any, ...]]
    classes: Array | None  # all of them
    codes: Array | None  # what the code of each becomes; 0 for those of rows that do not count

    def table(self, table: Table) -> Table:
        """A batch in these labels: cells of others are missing."""
        if not self.columns:
            return table
        columns = [c.recoded(self.columns[c.name]) if c.name in self.columns else c for c in table.columns]
        return Table.of_columns(columns, n_rows=table.n_rows, named=table.schema.named)


@dataclass(frozen=True)
class Training:
    """Features with target and weights. `classes` are the labels whose codes the target holds, or None."""

    source: Table | Scan  # features and, for a scan, the columns of target and weights too
    schema: Schema  # of the features
    target: Any = None  # an array, or a column name of the scan
    weights: Any = None  # an array, or a column name of the scan
    classes: Array | None = None
    n_labels: int = 0  # classes the target declares, with rows or without
    check_cells: bool = False  # whether infinite cells are looked for here, since fitting itself does not
    squares: bool = False  # whether targets are checked for differences that have no squares
    counted: CountedLabels | None = None  # of a scan, where labels are left out
    words: Any = None  # a learner's `TextColumns`, where columns of text become others; batches of a scan go through it
    first_row: int = 0  # of a piece of a larger scan

    @property
    def in_memory(self) -> bool:
        return isinstance(self.source, Table)

    @property
    def is_matrix(self) -> bool:
        """Whether the rows are a dense matrix of numbers in memory."""
        return isinstance(self.source, Table) and self.source.matrix is not None

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are a sparse matrix in memory."""
        return isinstance(self.source, Table) and self.source.sparse is not None

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    @property
    def workers(self) -> Workers | None:
        """Who works on the rows of a scan, if not this process."""
        return self.source.workers if isinstance(self.source, Scan) else None

    def batches(self) -> Iterator[Batch]:
        if isinstance(self.source, Table):
            return self.rows()
        return checked_batches(self)

    def rows(self) -> Iterator[Batch]:
        """The batches, without a look at what all of them together must have."""
        for batch in self._rows():
            if self.check_cells:
                check_finite(batch.table, batch.first_row)
            yield batch

    def seen(self, batch: Batch) -> RowsSeen:
        """What a batch adds to what all rows together must have."""
        return RowsSeen.of(batch, ends=self.squares)

    def check(self, seen: RowsSeen) -> None:
        """Raise if all rows of a scan together lack something."""
        if seen.rows == 0:
            raise InputError(no_rows("The scan"))
        if not seen.weighted:
            raise InputError(ALL_ZERO)
        check_small_span(seen.low, seen.high)

    def pieces(self) -> list[Training]:
        """A scan in small ones that know which of its rows they have."""
        assert isinstance(self.source, Scan)
        scans = self.source.pieces()
        starts = accumulate(row_counts(self.workers, scans), initial=0)
        return [replace(self, source=scan, first_row=start) for scan, start in zip(scans, starts, strict=False)]

    def _rows(self) -> Iterator[Batch]:
        if isinstance(self.source, Table):
            yield Batch(self.source, 0, self.target, self.weights)
            return
        first_row = self.first_row
        for table in self.source.batches():
            table = table if self.counted is None else self.counted.table(table)
            target = None if self.target is None else self._targets(table[self.target], first_row)
            weights = None if self.weights is None else checked_weights(table[self.weights], table.n_rows, first_row)
            if target is not None and self.classes is None:
                target = within_counted(target, weights)
            yield Batch(self._features(table), first_row, target, weights)
            first_row += table.n_rows

    def _features(self, table: Table) -> Table:
        if self.words is None:
            return table.select(self.schema.names)
        made: Table = self.words.spread(table.select(self.words.given.names))
        return made

    def _targets(self, column: Column, first_row: int) -> Array:
        if self.classes is None:
            return regression_values(column, first_row)
        if self.counted is None or self.counted.codes is None or self.counted.classes is None:
            return class_codes(column, self.classes, first_row)
        codes: Array = self.counted.codes[class_codes(column, self.counted.classes, first_row)]
        return codes


def prepare(
    X: Any,
    y: Any,
    sample_weight: Any,
    needs: Needs,
    owner: str,
    *,
    check_cells: bool = False,
    with_target: bool = False,
) -> Training:
    """Sort out what `fit(X, y, sample_weight)` means and check it, before any work.

    `with_target`: the target that a table declares is a column like the others.
    """
    X, y, sample_weight = as_scan(X, y, sample_weight)
    source: Table | Scan = X if isinstance(X, Table | Scan) else Table(X)
    if isinstance(y, str) and y not in source.schema.names:
        raise InputError(f"y={spell(y)} names the target. {unknown_column(y, source.schema.names)}")
    if y is None and not with_target:
        y = source.target
        if y is None and needs is not None:
            raise InputError(
                f"{owner} requires y to be passed, but the target y is None. "
                "Give y as an array or as the name of a column of the table."
            )
    if sample_weight is None:
        sample_weight = source.weight
    if isinstance(sample_weight, str) and sample_weight not in source.schema.names:
        raise InputError(
            f"sample_weight={sample_weight!r} names a column. {unknown_column(sample_weight, source.schema.names)}"
        )
    if isinstance(source, Scan):
        training = _prepare_scan(source, y, sample_weight, needs)
    else:
        training = _prepare_table(source, y, sample_weight, needs)
    return replace(training, check_cells=check_cells)


def _prepare_table(table: Table, y: Any, sample_weight: Any, needs: Needs) -> Training:
    roles = [role for role in (y, sample_weight) if isinstance(role, str)]
    features = table.drop(*roles) if roles else table
    if table.n_rows == 0:
        raise InputError(no_rows("The table"))
    if features.n_columns == 0:
        raise InputError(
            f"0 feature(s) (shape={features.shape}) while a minimum of 1 is required: "
            "the table has no columns to learn from."
        )
    weights: Any = table[sample_weight] if isinstance(sample_weight, str) else sample_weight
    weights = None if weights is None else checked_weights(weights, table.n_rows)
    if weights is not None and not weights.any():
        raise InputError(ALL_ZERO)
    if needs is None:
        return Training(features, features.schema, None, weights)
    values = table[y] if isinstance(y, str) else _vector(y)
    if len(values) != table.n_rows:
        raise InputError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {table.n_rows} rows, y has {len(values)}. Give one target per row."
        )
    if needs == "numbers":
        target = within_counted(regression_values(values), weights)
        return Training(features, features.schema, target, weights)
    codes, classes = class_codes(values)
    declared = len(values.categories) if isinstance(values, Column) else 0
    return Training(features, features.schema, codes, weights, classes, max(declared, len(classes)))


def _prepare_scan(scan: Scan, y: Any, sample_weight: Any, needs: Needs) -> Training:
    for what, role in (("y", y), ("sample_weight", sample_weight)):
        if role is not None and not isinstance(role, str):
            raise InputError(f"With a scan, {what} is the name of one of its columns, not {type(role).__name__}.")
    roles = [role for role in (y, sample_weight) if role is not None]
    schema = scan.schema.without(*roles)
    if len(schema) == 0:
        raise InputError("The scan has no columns to learn from.")
    classes, declared = None, 0
    if needs == "classes":
        classes = _scan_classes(scan, y)
        declared = max(len(scan.schema[y].categories), len(classes))
    return Training(scan, schema, y if needs else None, sample_weight, classes, declared)


def _scan_classes(scan: Scan, y: str) -> Array:
    """The labels that occur, from one look at the target column, as a table's own target would give them."""
    present = np.unique(np.concatenate(each_piece(scan, partial(_present_labels, y))))
    column = scan.schema[y]
    values = present if column.kind == "numeric" else present.astype(np.int32)
    return class_codes(Column.like(column, values).renamed(y))[1]


def _present_labels(y: str, piece: Piece) -> Array:
    present: Array = np.zeros(0, np.int64)
    first_row = piece.first_row
    for table in piece.scan.batches([y]):
        class_codes(table[y], first_row=first_row)  # raises for what cannot be a class
        present = np.unique(np.concatenate([present, table[y].values]))
        first_row += table.n_rows
    return present


def no_rows(what: str) -> str:
    return f"{what} has no rows: Found array with 0 sample(s) while a minimum of 1 is required."


def _vector(y: Any) -> Any:
    """y as something 1-D with a length: left alone where it is an array, else a column."""
    from learnt.data.convert import to_vector

    if isinstance(y, np.ndarray) or len(getattr(y, "shape", ())) == 2:
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(data_conversion_warning(), stacklevel=4)
            y = y[:, 0]
        if y.ndim != 1:
            raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
        if y.dtype.kind == "c":
            raise InputError("Complex data not supported: y holds complex numbers.")
        if y.dtype != object:
            return y
    return to_vector(y, "y")


#: Larger weights times squares may overflow.
LARGEST_WEIGHT = 1e100
#: Smaller ones count as 0: products of theirs vanish, and divisions by them overflow.
SMALLEST_WEIGHT = 1e-120
ALL_ZERO = (
    "All sample weights are zero, or below 1e-120: there is nothing to learn from. Give at least one row a weight "
    "above 0."
)


def checked_weights(weights: Any, n_rows: int, first_row: int = 0) -> Array:
    """Weights as float64: one per row, finite, none negative; those next to 0 are 0."""
    from learnt.data.convert import to_vector

    if np.isscalar(weights) and not isinstance(weights, str):
        weights = np.full(n_rows, weights)
    if not isinstance(weights, np.ndarray) or weights.dtype == object:
        column = to_vector(weights, "sample_weight")
        if column.kind not in ("numeric", "boolean"):
            raise KindError(f"Sample weights must be numbers, got {column.kind} values.")
        weights = np.where(column.missing, np.nan, column.values)
    if weights.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got an array of shape {weights.shape}.")
    if len(weights) != n_rows:
        raise InputError(f"sample_weight.shape == ({len(weights)},), expected ({n_rows},): one weight per row.")
    if weights.dtype.kind not in "fiub":
        raise KindError(f"Sample weights must be numbers, got {weights.dtype}.")
    checked: Array = np.require(weights, np.float64, ["C", "A"])
    bad = ~(np.isfinite(checked) & (checked >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"Sample weights must be finite and not negative, but row {row + first_row} has {checked[row]}."
        )
    if checked.max(initial=0.0) > LARGEST_WEIGHT:
        row = int(checked.argmax())
        raise InputError(
            f"Sample weights beyond {LARGEST_WEIGHT:g} overflow when they are added up, and row {row + first_row} has "
            f"{checked[row]}. Divide all of them by the same number."
        )
    lost = (checked < SMALLEST_WEIGHT) & (checked > 0)
    return np.where(lost, 0.0, checked) if lost.any() else checked
