"""libsvm's sparse format: `label index:value index:value …`, comments after #.

The label is the column `target`; feature 7 is the column `x7`, whether the file counts from 0 or 1.
Features a row does not mention are zero. A file never says how many features there are: columns
that are asked for and not mentioned are zero too. Query numbers (`qid:3`) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.files.part import Part, Survey
from learnt.data.files.source import clear_errors
from learnt.data.table import Array, Table
from learnt.errors import FileError, InputError
from learnt.lazy import cached_property
from learnt.show.words import count_of

_BLOCK_BYTES = 8 << 20
_MOST_COLUMNS = 10_000_000  # a typing error in one index must not cost all memory
#: Columns cost 250 bytes each, whether a row mentions them or not: so many may any file have, and more for each of its
#: values, of which files with millions of features have more than columns.
_FREE_COLUMNS, _COLUMNS_PER_VALUE = 200_000, 10
_NUMBER = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|nan|infinity)"
_TOKEN = re.compile(r"\S+")
_COMMENT, _QUERY = re.compile(rb"#[^\n]*"), re.compile(rb"(?m)^([ \t]*\S+[ \t]+)qid:\d+(?=\s|\Z)")


@dataclass(frozen=True)
class _Rows:
    """Some rows as parallel arrays: feature numbers as the file counts them."""

    labels: Array
    starts: Array  # n + 1: where each row begins in the next two
    features: Array
    values: Array


class LibsvmPart(Part):
    """One file in libsvm's format, read into sparse tables."""

    may_lack = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self._names(self._blocks())

    def _names(self, blocks: Iterable[_Rows]) -> tuple[str, ...]:
        low, high, row, count, n_values = 1, 0, 0, 0, 0
        for rows in blocks:
            if len(rows.features):
                last = int(rows.features.argmax())
                if rows.features[last] > high:
                    row = count + int(np.searchsorted(rows.starts, last, "right")) - 1
                low, high = min(low, int(rows.features.min())), max(high, int(rows.features[last]))
            count += len(rows.labels)
            n_values += len(rows.features)
        if count == 0:
            raise FileError("The file is empty. A table was expected.", self.source.name)
        most = _FREE_COLUMNS + _COLUMNS_PER_VALUE * n_values
        if high > most:
            raise FileError(
                f"The index {high} in row {row} is too large for a file of {count_of(n_values, 'value')}. At most "
                f"{most} was expected. Correct it, or say which columns you need: columns=['target', 'x1', 'x2'].",
                self.source.name,
            )
        self.n_rows = count
        return ("target", *(f"x{j}" for j in range(low, high + 1)))

    def survey(self, known: Mapping[str, str]) -> Survey:
        names = self.names
        return Survey(dict.fromkeys(names, frozenset(("number",))), n_rows=self.n_rows)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        places = _places(columns)
        for rows in self._blocks():
            matrix = _matrix(rows, places, columns)
            for start in range(0, matrix.shape[0], batch_rows):
                yield Table.of_matrix(matrix[start : start + batch_rows], columns, target=_target(columns))

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        from scipy import sparse

        blocks = list(self._blocks())
        names = self._names(blocks) if columns is None else columns
        places = _places(names)
        matrices = [_matrix(rows, places, names) for rows in blocks]
        return Table.of_matrix(sparse.vstack(matrices, format="csr"), names, target=_target(names))

    def _blocks(self) -> Iterator[_Rows]:
        with clear_errors(self.source.name), self.source.open() as stream:
            line, rest = 1, b""
            while piece := stream.read(_BLOCK_BYTES):
                cut = piece.rfind(b"\n") + 1
                if not cut:
                    rest += piece
                    continue
                block, rest = rest + piece[:cut], piece[cut:]
                yield self._parsed(block, line)
                line += block.count(b"\n")
            if rest.strip():
                yield self._parsed(rest, line)

    def _parsed(self, text: bytes, first_line: int) -> _Rows:
        block = _COMMENT.sub(b"", text) if b"#" in text else text
        block = _QUERY.sub(rb"\1", block) if b"qid:" in block else block
        rows = _parse(block)
        if rows is None:
            raise self._mistake(block, first_line)
        return rows

    def _mistake(self, block: bytes, first_line: int) -> FileError:
        """The first line of the block that breaks the rules, by reading slowly."""
        for number, line in enumerate(block.decode("utf-8", "replace").split("\n"), first_line):
            seen: set[int] = set()
            for place, token in enumerate(_TOKEN.finditer(line)):
                wrong = _wrong(token[0], seen) if place else _wrong_label(token[0])
                if wrong:
                    return FileError(wrong, self.source.name, number, token.start() + 1)
        return FileError("The file is not in libsvm's format.", self.source.name, first_line)


def _parse(block: bytes) -> _Rows | None:
    """Rows of a block of whole lines; None when a line is malformed."""
    raw = np.frombuffer(block, np.uint8)
    colon = raw == ord(":")
    apart = colon | (raw <= ord(" "))
    begins = ~apart
    begins[1:] &= apart[:-1]
    tokens = np.flatnonzero(begins)
    numbers = _numbers(block)
    if numbers is None or len(numbers) != len(tokens):
        return None
    line = np.searchsorted(np.flatnonzero(raw == ord("\n")), tokens)
    opens = np.ones(len(tokens), bool)  # the first token of its line: the label
    opens[1:] = line[1:] != line[:-1]
    first = np.flatnonzero(opens)
    lengths = np.diff(np.append(first, len(tokens)))
    within = np.arange(len(tokens)) - np.repeat(first, lengths)
    # Label, then index and value in turn, with a colon between those two and nowhere else.
    after_colon = np.zeros(len(tokens), bool)
    after_colon[1:] = colon[tokens[1:] - 1]
    is_value = (within > 0) & (within % 2 == 0)
    if not np.array_equal(after_colon, is_value) or np.any(lengths % 2 == 0) or colon.sum() != is_value.sum():
        return None
    features = numbers[within % 2 == 1]
    if not np.all((features >= 0) & (features <= _MOST_COLUMNS) & (features == np.floor(features))):
        return None
    starts = np.concatenate(([0], np.cumsum(lengths // 2)))
    ordered = _in_order(starts, features.astype(np.int64), numbers[is_value])
    if ordered is None:
        return None
    return _Rows(numbers[opens], starts, *ordered)


def _numbers(block: bytes) -> Array | None:
    try:
        return np.fromstring(block.replace(b":", b" "), sep=" ")
    except (ValueError, DeprecationWarning):
        return None


def _in_order(starts: Array, features: Array, values: Array) -> tuple[Array, Array] | None:
    """Features ascending in every row; None when a row has one twice."""
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    same_row = row[1:] == row[:-1]
    if np.any(same_row & (features[1:] <= features[:-1])):
        order = np.lexsort((features, row))
        features, values = features[order], values[order]
        if np.any(same_row & (features[1:] == features[:-1])):
            return None
    return features, values


def _wrong_label(token: str) -> str | None:
    if "," in token:
        return f"The row has several labels, {token!r}. One label per row was expected."
    if ":" in token:
        return f"The row begins with {token!r}. A label was expected before the first index:value."
    if not re.fullmatch(_NUMBER, token, re.I):
        return f"The label is {token!r}. A number was expected."
    return None


def _wrong(token: str, seen: set[int]) -> str | None:
    index, colon, value = token.partition(":")
    if not colon or not re.fullmatch(r"\d+", index) or not re.fullmatch(_NUMBER, value, re.I):
        return f"There is {token!r}. An index:value pair of numbers was expected."
    if int(index) > _MOST_COLUMNS:
        return f"The index {index} is too large. At most {_MOST_COLUMNS} was expected."
    if int(index) in seen:
        return f"The index {index} stands twice in one row. Every index was expected once."
    seen.add(int(index))
    return None


def _target(columns: Sequence[str]) -> str | None:
    return "target" if "target" in columns else None


def _places(columns: Sequence[str]) -> Array:
    """Where feature j goes: its column, or −1; the last entry is the target's."""
    numbers = [-1 if name == "target" else _feature(name) for name in columns]
    places = np.full(max(numbers, default=0) + 2, -1, np.int64)
    places[numbers] = np.arange(len(numbers))
    return places


def _feature(name: str) -> int:
    if not (name[:1] == "x" and len(name) <= 9 and name.isascii() and name[1:].isdecimal()):
        raise InputError(f"There is no column {name!r}. Columns of libsvm files are 'target', 'x1', 'x2' and so on.")
    return int(name[1:])


def _matrix(rows: _Rows, places: Array, columns: Sequence[str]) -> Any:
    from scipy import sparse

    known = rows.features < len(places) - 1
    spot = np.where(known, places[np.where(known, rows.features, 0)], -1)
    keep = spot >= 0
    n = len(rows.labels)
    row = np.repeat(np.arange(n), np.diff(rows.starts))[keep]
    spot, values = spot[keep], rows.values[keep]
    if places[-1] >= 0:
        row = np.concatenate((np.arange(n), row))
        spot = np.concatenate((np.full(n, places[-1]), spot))
        values = np.concatenate((rows.labels, values))
    matrix = sparse.coo_array((values, (row, spot)), shape=(n, len(columns))).tocsr()
    matrix.sort_indices()
    return sparse.csr_matrix(matrix)
