"""Where documents come from: a list of texts, the column of a table, or the batches of a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from learnt.data.convert import is_a
from learnt.data.files.pieces import row_counts
from learnt.data.files.scan import Scan
from learnt.data.table import Table, unknown_column
from learnt.data.texts import Texts, texts_of
from learnt.data.workers import Workers
from learnt.engine.cluster.context import as_scan
from learnt.engine.passes import Batch
from learnt.engine.rows_seen import RowsSeen, checked_batches
from learnt.errors import InputError


@dataclass(frozen=True)
class TextSource:
    """What an engine needs to know of documents: those of one container, or of the batches of a scan."""

    column: str | None
    given: Any  # Texts, or a Scan
    lowercase: bool
    first_row: int = 0  # of a piece of a larger scan

    @property
    def in_memory(self) -> bool:
        return isinstance(self.given, Texts)

    @property
    def n_rows(self) -> int | None:
        count: int | None = self.given.n_rows
        return count

    def texts(self) -> Iterator[Texts]:
        if isinstance(self.given, Texts):
            yield self.given
            return
        assert self.column is not None
        for cells in self.given.cells(self.column):
            yield texts_of(cells, f"column {self.column!r}", lowercase=self.lowercase)

    @property
    def workers(self) -> Workers | None:
        """Who works on the documents of a scan, if not this process."""
        return self.given.workers if isinstance(self.given, Scan) else None

    def batches(self) -> Iterator[Batch]:
        """The documents as an engine takes them."""
        return checked_batches(self)

    def rows(self) -> Iterator[Batch]:
        """The same, without a look at what all of them together must have."""
        first_row = self.first_row
        for texts in self.texts():
            table: Any = texts  # has rows like a table, and nothing else is asked of it
            yield Batch(table, first_row)
            first_row += texts.n_rows

    def seen(self, batch: Batch) -> RowsSeen:
        return RowsSeen.of(batch, ends=False)

    def check(self, seen: RowsSeen) -> None:
        if seen.rows == 0:
            raise no_documents("BagOfWords")

    def pieces(self) -> list[TextSource]:
        """The documents of a scan in small ones that know which of its rows they have."""
        scans = self.given.pieces()
        starts = accumulate(row_counts(self.workers, scans), initial=0)
        return [replace(self, given=scan, first_row=start) for scan, start in zip(scans, starts, strict=False)]


def text_source(X: Any, column: str | None, others: Sequence[str] = (), *, lowercase: bool = True) -> TextSource:
    """The documents of `X`; of a table with several columns, besides the `others`, those of `column`."""
    X, *_ = as_scan(X, None, None)
    if isinstance(X, Scan):
        return TextSource(_text_column(X.column_names, column, others), X, lowercase)
    if isinstance(X, Table) or len(getattr(X, "shape", ())) == 2 or isinstance(X, dict) or _has_columns(X):
        table = X if isinstance(X, Table) else Table(X)
        name = _text_column(table.names, column, others)
        return TextSource(name, texts_of(table[name], f"column {name!r}", lowercase=lowercase), lowercase)
    return TextSource(None, texts_of(X, lowercase=lowercase), lowercase)


def _has_columns(X: Any) -> bool:
    if is_a(X, "pyarrow", "Table") or is_a(X, "pyarrow", "RecordBatch"):
        return True
    return isinstance(X, list) and len(X) > 0 and isinstance(X[0], dict)


def _text_column(names: Sequence[str], column: str | None, others: Sequence[str]) -> str:
    left = [name for name in names if name not in others]
    if column is not None:
        if column not in names:
            raise InputError(f"column={column!r} names the text. {unknown_column(column, names)}")
        return column
    if len(left) != 1:
        raise InputError(
            f"The table has {len(left)} columns, {', '.join(map(repr, left[:6]))}. Expected one, of text. "
            "Name it by the setting 'column'."
        )
    return left[0]


def no_documents(owner: str) -> InputError:
    return InputError(
        f"Found array with 0 sample(s) while a minimum of 1 is required by {owner}: there is no document."
    )


def column_names_of(X: Any) -> tuple[str, ...]:
    """The names of the columns of a table; none of a list, an array or a series."""
    if isinstance(X, Table):
        return X.names
    names = getattr(X, "columns", None) if len(getattr(X, "shape", ())) == 2 else None
    if names is None:
        names = getattr(X, "column_names", None) if len(getattr(X, "shape", ())) == 2 else None
    if names is None and isinstance(X, dict):
        names = list(X)
    if names is None and isinstance(X, list) and X and isinstance(X[0], dict):
        names = list(X[0])
    return () if names is None else tuple(str(name) for name in names)
