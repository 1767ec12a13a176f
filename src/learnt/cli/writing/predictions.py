"""What a model says of many rows, written as CSV or JSON, batch by batch and on several threads."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from learnt.cli.writing.csv_cells import PLAIN, CsvStyle, csv_cell
from learnt.data.table import Array, Column, Table
from learnt.learner.base import Classifier
from learnt.show.words import plain

T = TypeVar("T")
S = TypeVar("S")


class Predictions:
    """The columns a model adds to a row: `prediction`, and with `proba` one probability per class."""

    def __init__(self, model: Any, *, proba: bool = False, beside: Sequence[str] = (), style: CsvStyle = PLAIN):
        self._model, self._proba = model, proba
        self._labels = [_text(label) for label in model.classes_] if hasattr(model, "classes_") else []
        self.style = style.able_to_write(self._labels)
        self._beside = list(beside)
        wanted = ["prediction", *(f"p({label})" for label in self._labels)] if proba else ["prediction"]
        self.names = [unlike(name, self._beside) for name in wanted]
        # Classes are chosen by their probabilities, unless a classifier has another rule.
        self._by_argmax = type(model).predict is Classifier.predict

    def header(self) -> bytes:
        line = self.style.line([*self._beside, *self.names])
        return self.style.mark + self.style.encoded(line.encode())

    def of(self, table: Table) -> list[Any]:
        """Arrow columns of the answers: numbers, or text that is safe in a CSV file."""
        import pyarrow as pa

        columns: list[Any] = []
        probabilities = self._model.predict_proba(table) if self._proba or self._by_argmax else None
        if self._by_argmax and probabilities is not None:
            cells = pa.array([self.style.cell(label) for label in self._labels], pa.string())
            columns.append(cells.take(pa.array(probabilities.argmax(axis=1))))
        else:
            columns.append(_answers(self._model.predict(table), self.style))
        if self._proba and probabilities is not None:
            columns += [pa.array(np.ascontiguousarray(part)) for part in probabilities.T]
        return columns

    def values(self, table: Table) -> list[list[Any]]:
        """The answers as they are, column by column."""
        columns = [list(self._model.predict(table))]
        if self._proba:
            columns += self._model.predict_proba(table).T.tolist()
        return columns

    def objects(self, table: Table) -> str:
        """JSON objects, one per row and line, with commas between them."""
        answers = self._model.predict(table)
        shares = self._model.predict_proba(table) if self._proba else None
        lines = []
        for i, answer in enumerate(answers):
            told = {"prediction": plain(answer)}
            if shares is not None:
                told["probabilities"] = dict(zip(self._labels, shares[i].tolist(), strict=True))
            lines.append(json.dumps(told, default=str))
        return ",\n".join(lines)


def csv_bytes(columns: Sequence[Any], style: CsvStyle = PLAIN) -> bytes:
    """The lines of Arrow columns whose texts are cells already; joined in Arrow, outside Python's lock."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [c if pa.types.is_string(c.type) else _number_texts(c, style.decimal) for c in columns]
    if len(texts) > 1:
        texts = [pc.binary_join_element_wise(*texts, style.delimiter, null_handling="replace", null_replacement="")]
    lines = pc.binary_join_element_wise(texts[0], "", style.line_end, null_handling="replace", null_replacement="")
    return style.encoded(b"".join(_content(chunk) for chunk in getattr(lines, "chunks", [lines])))


def _number_texts(values: Any, decimal: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = values.cast(pa.string())
    return texts if decimal == "." else pc.replace_substring(texts, ".", decimal)


def _content(lines: Any) -> bytes:
    """All texts of an Arrow array, one after the other, as they lie in its buffer."""
    if not len(lines):
        return b""
    offsets = np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(lines.buffers()[2])[offsets[0] : offsets[-1]])


def safe_texts(texts: Any, style: CsvStyle = PLAIN) -> Any:
    """An Arrow column of text from a file, each cell made safe for CSV. Numbers, as most cells are, pass untouched."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        pc.cast(texts.slice(0, 1), pa.float64())  # a long column of text takes long to fail
        pc.cast(texts, pa.float64())
        return texts
    except pa.ArrowInvalid:
        pass
    encoded = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    encoded = encoded.dictionary_encode()
    cells = pa.array([None if t is None else style.cell(t) for t in encoded.dictionary.to_pylist()], pa.string())
    return cells.take(encoded.indices)


def table_texts(table: Table) -> list[Any]:
    """The columns of a table as Arrow columns, texts safe for CSV; missing cells are empty."""
    return [_cells(column) for column in table.columns]


def _cells(column: Column) -> Any:
    import pyarrow as pa

    if column.form is not None and column.form.temporal:
        return pa.array([None if cell is None else str(cell) for cell in column.labels()], pa.string())
    if column.kind == "numeric":
        return pa.array(np.ascontiguousarray(column.values), from_pandas=True)
    cells = pa.array([csv_cell(_text(label)) for label in column.categories], pa.string())
    return cells.take(pa.array(column.values, mask=column.values < 0))


def _answers(values: Array, style: CsvStyle) -> Any:
    import pyarrow as pa

    if values.dtype.kind in "fiu":
        return pa.array(values)
    return pa.array([None if v is None else style.cell(_text(v)) for v in values], pa.string())


def _text(label: Any) -> str:
    """A class as it is written in a file: 1 and not 1.0."""
    label = plain(label)
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def unlike(name: str, others: Sequence[str]) -> str:
    """A name that no other column has."""
    number = 2
    found = name
    while found in others:
        found, number = f"{name}_{number}", number + 1
    return found


def in_order(function: Callable[[S], T], items: Iterable[S], workers: int) -> Iterator[T]:
    """`function` of each item, on several threads, in the order of the items; a few are held at a time."""
    with ThreadPoolExecutor(workers) as threads:
        pending: deque[Future[T]] = deque()
        try:
            for item in items:
                pending.append(threads.submit(function, item))
                if len(pending) > workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
