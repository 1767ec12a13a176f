"""Describing a scan: exact sums over all batches, and a sample of rows for what needs sorting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.files.pieces import Piece, each_piece
from learnt.data.files.scan import Scan
from learnt.data.table import Column, Table, unknown_column
from learnt.describe import describe_table, without_weights
from learnt.describe.description import Description
from learnt.describe.identifiers import labels_rows
from learnt.describe.notices import notices
from learnt.describe.sample import frequencies_of, limits_of_mean
from learnt.describe.summaries import NumericSummary, Summary, numbers_rows, whole
from learnt.errors import InputError, ParameterError
from learnt.statistics.moments import Moments
from learnt.statistics.sample import HashedSample, hash_numbers
from learnt.watch import report, watching

Array = np.ndarray[Any, Any]

SAMPLE_ROWS = 100_000
SAMPLE_CELLS = 20_000_000
LARGEST_KEY = np.uint64(2**64 - 1)


class Totals:
    """Moments or counts per column, added up over batches."""

    def __init__(self) -> None:
        self.n_rows = 0
        self.weight = 0.0
        self.columns: dict[str, Any] = {}

    def add(self, table: Table, weights: Array | None) -> None:
        self.n_rows += table.n_rows
        self.weight += table.n_rows if weights is None else float(weights.sum())
        for column in table.columns:
            found = _one(column, weights)
            before = self.columns.get(column.name)
            self.columns[column.name] = found if before is None else before + found

    def join(self, other: Totals) -> None:
        self.n_rows += other.n_rows
        self.weight += other.weight
        for name, found in other.columns.items():
            before = self.columns.get(name)
            self.columns[name] = found if before is None else before + found

    def correct(self, summary: Summary, column: Column, level: float) -> Summary:
        """A summary of the sampled `column` with all that is known exactly put in its place.

        Counts that come from the sample are scaled to the whole.
        """
        exact = self.columns[summary.name]
        if not isinstance(summary, NumericSummary):
            return replace(
                summary,
                rows=whole(float(exact.sum())),
                missing=whole(float(exact[0])),
                tally=exact[1:],
                identifier_like=summary.kind_name != "text" and labels_rows(summary.kind, exact[1:]),
            )
        m: Moments = exact
        times = self.weight / summary.rows
        seen = column.values[np.isfinite(column.values)]
        return replace(
            summary,
            rows=whole(m.weight + m.missing + m.infinite),
            missing=whole(m.missing),
            infinite=whole(m.infinite),
            distinct=max(summary.distinct, 1 + (m.minimum < m.maximum)) if m.weight else 0,
            mean=m.mean,
            variance=m.variance,
            confidence=limits_of_mean(m.mean, m.variance, m.weight, level),
            skewness=m.skewness,
            minimum=m.minimum,
            maximum=m.maximum,
            commonest=(summary.commonest[0], min(m.weight, summary.commonest[1] * times)),
            outliers=replace(
                summary.outliers,
                count=round(summary.outliers.count * times),
                far=round(summary.outliers.far * times),
            ),
            histogram=replace(summary.histogram, counts=summary.histogram.counts * times),
            identifier_like=0 < len(seen) == summary.distinct and numbers_rows(seen, m.weight),
        )


def _one(column: Column, weights: Array | None) -> Any:
    if column.kind == "numeric":
        return Moments.of(column.values, weights)
    return np.bincount(column.values + 1, weights, minlength=len(column.categories) + 1)


class Sampling:
    """The sample of a scan, as its batches come: rows beyond the largest key so far are not even copied."""

    def __init__(self, size: int, limit: Any = LARGEST_KEY) -> None:
        self.size = size
        self.parts: list[HashedSample] = []
        self.limit = limit

    @property
    def n_rows(self) -> int:
        return sum(len(part.key) for part in self.parts)

    def add(self, rows: Array, table: Table, weights: Array | None) -> None:
        keys = hash_numbers(rows)
        kept = np.flatnonzero(keys <= self.limit)
        taken = rows[kept], table.take(kept), None if weights is None else weights[kept]
        self.parts.append(HashedSample.of(self.size, keys[kept], *taken))
        self._cut()

    def join(self, other: Sampling) -> None:
        self.parts += other.parts
        self._cut()

    def _cut(self) -> None:
        if self.n_rows > 2 * self.size:
            self.parts = [self._total()]
            self.limit = self.parts[0].key.max()

    def _total(self) -> HashedSample:
        return self.parts[0].joined(*self.parts[1:]).cut()

    def drawn_rows(self, target: str | None) -> tuple[Array, Table, Array | None]:
        rows, table, weights = self._total().taken
        return rows, Table.of_columns(table.columns, target=target), weights


@dataclass(frozen=True)
class _Look:
    """What is looked for in a piece; of its rows, none with a larger key than the limit is in the sample."""

    weight: str | None
    size: int
    limit: Any = LARGEST_KEY
    whole: int | None = None  # rows

    def __call__(self, piece: Piece) -> tuple[Totals, Sampling]:
        totals, sample, n_read = Totals(), Sampling(self.size, self.limit), piece.first_row
        for batch in piece.scan.batches():
            rows = np.arange(n_read, n_read + batch.n_rows)
            n_read += batch.n_rows
            weights = None
            if self.weight is not None:
                batch, weights = without_weights(batch, self.weight)
                weights = frequencies_of(weights, len(weights), "sample_weight")
                kept = np.flatnonzero(weights)  # a row of weight 0 does not count
                batch, weights, rows = batch.take(kept), weights[kept], rows[kept]
            totals.add(batch, weights)
            sample.add(rows, batch, weights)
            if watching():
                report("describe", iteration=n_read, total=self.whole)
        return totals, sample


def _looked_over(scan: Scan, weight: str | None, size: int) -> tuple[Totals, Sampling]:
    """All pieces. Of each comes only what the sample will need of it, as far as the number of rows tells."""
    look = _Look(weight, size, whole=scan.n_rows)
    if scan.workers is not None and scan.n_rows is not None:
        share = 1.2 * (size + 100) / max(scan.n_rows, 1)
        look = replace(look, limit=LARGEST_KEY if share >= 1 else np.uint64(share * 2.0**64))
    totals, sample = _joined(each_piece(scan, look), size)
    if sample.n_rows < min(size, totals.n_rows):  # many rows of weight 0
        totals, sample = _joined(each_piece(scan, replace(look, limit=LARGEST_KEY)), size)
    return totals, sample


def _joined(found: list[tuple[Totals, Sampling]], size: int) -> tuple[Totals, Sampling]:
    totals, sample = found[0]
    for more, sampled in found[1:]:
        totals.join(more)
        sample.join(sampled)
    return totals, sample


def describe_scan(scan: Scan, target: str | None, sample_weight: Any, level: float) -> Description:
    if not (sample_weight is None or isinstance(sample_weight, str)):
        raise ParameterError("sample_weight holds values, but a scan is read in batches. Name a column of weights.")
    if target is not None and scan.schema.place(target) is None:
        raise InputError(unknown_column(target, scan.schema.names))
    size = max(1000, min(SAMPLE_ROWS, SAMPLE_CELLS // max(1, len(scan.schema))))
    totals, sample = _looked_over(scan, sample_weight, size)
    if totals.n_rows == 0:
        return describe_table(_no_rows(scan, target, sample_weight), None, level)
    rows, table, weights = sample.drawn_rows(target)
    found = describe_table(table, weights, level, rows)
    if table.n_rows == totals.n_rows:
        return found
    summaries = {name: totals.correct(s, table[name], level) for name, s in found.summaries.items()}
    return replace(
        found,
        summaries=summaries,
        n_rows=totals.n_rows,
        weight=whole(totals.weight),
        notices=notices(summaries, found.correlations, target),
        sampled=table.n_rows,
    )


def _no_rows(scan: Scan, target: str | None, without: str | None) -> Table:
    columns = [
        Column.like(c, np.empty(0, np.int32 if c.coded else np.float64)) for c in scan.schema if c.name != without
    ]
    return Table.of_columns(columns, target=target)
