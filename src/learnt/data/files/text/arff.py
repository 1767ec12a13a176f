"""Weka's ARFF: a header that declares the columns, then dense or sparse rows.

Declared labels keep their order. In a sparse row an omitted number is 0 and an omitted label is the
first declared one, as in Weka. Weights in braces at the ends of rows become a last column `weight`,
which weighs the rows. The last attribute is what is predicted, if it has labels.
"""

from __future__ import annotations

import codecs
import io
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from learnt.data.cells import TEMPORAL
from learnt.data.files.part import Part, Survey
from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text.arff_header import QUOTED_MARK, Attribute, Header, parsed_header, unquoted
from learnt.data.files.text.arff_sparse import BATCH_CELLS, SparseCells, check_size, filled
from learnt.data.notes import Note
from learnt.data.table import Array, Column, Table
from learnt.errors import FileError
from learnt.lazy import cached_property
from learnt.show.words import count_of

# Without ever giving back what was taken (*+): lines of blanks would else be tried in all ways.
_QUOTED = r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\""""
_CELL = re.compile(rf"""\s*+(?:{_QUOTED}|([^,'"\s][^,]*+|))\s*+(,|$)""")
_SPARSE_CELL = re.compile(rf"""\s*+(\d{{1,18}})\s++(?:{_QUOTED}|([^,'"\s][^,]*+))\s*+(,|$)""")
_WEIGHT = re.compile(r"\{\s*+([^\s{}]++)\s*+\}$")
_Line = tuple[int, str]


class ArffPart(Part):
    """One ARFF file."""

    def __init__(self, source: Source, encoding: str | None):
        super().__init__(source)
        self._given_encoding = encoding

    @cached_property
    def _header(self) -> Header:
        return parsed_header(self._lines(), self.source.name)

    @cached_property
    def _weighted(self) -> bool:
        """Whether rows carry weights: the first one decides."""
        first = next(self._data(), (0, ""))[1]
        return bool(_WEIGHT.search(first)) and not (first.startswith("{") and first.count("{") == 1)

    @property
    def names(self) -> tuple[str, ...]:
        declared = tuple(attribute.name for attribute in self._header.attributes)
        return (*declared, self._weight_name) if self._weighted else declared

    @property
    def _weight_name(self) -> str:
        taken = {attribute.name for attribute in self._header.attributes}
        return "weight" if "weight" not in taken else "instance weight"

    @property
    def target(self) -> str | None:
        """The last attribute if it has labels, as in Weka; or the one that is called class."""
        attributes = self._header.attributes
        if attributes[-1].type == "nominal":
            return attributes[-1].name
        return next((attribute.name for attribute in attributes if attribute.name.lower() == "class"), None)

    @property
    def weight(self) -> str | None:
        return self._weight_name if self._weighted else None

    @property
    def notes(self) -> tuple[Note, ...]:
        if not self._weighted:
            return ()
        text = f"The weights in braces became the column {self._weight_name!r}, which weighs the rows."
        return (Note(self._weight_name, text),)

    def survey(self, known: Mapping[str, str]) -> Survey:
        found = dict.fromkeys(self.names, frozenset(("number",)))
        labels = {}
        for attribute in self._header.attributes:
            if attribute.type == "nominal":
                found[attribute.name] = frozenset(("declared", "text"))
                labels[attribute.name] = attribute.labels
            elif attribute.type == "date":
                found[attribute.name] = TEMPORAL
            elif attribute.type == "string":
                found[attribute.name] = frozenset(("text",))
        return Survey(found, labels, n_rows=None)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        lines = self._data()
        few = max(1, min(batch_rows, BATCH_CELLS // max(1, len(columns))))  # sparse rows grow as they are filled up
        while block := list(itertools.islice(lines, few)):
            yield self._table(block, columns)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        return self._table(list(self._data()), columns)

    # From lines to cells.

    @cached_property
    def _encoding(self) -> str:
        if self._given_encoding:
            return self._given_encoding
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        with clear_errors(self.source.name), self.source.open() as stream:
            try:
                while piece := stream.read(1 << 20):
                    decoder.decode(piece)
            except UnicodeDecodeError:
                return "latin-1"
        return "utf-8-sig"

    def _lines(self) -> Iterator[_Line]:
        """Numbered lines but empty ones and comments."""
        encoding = self._encoding
        # The text is closed itself: left early, a text that only wraps an open file is let go of before that is closed.
        with clear_errors(self.source.name), io.TextIOWrapper(self.source.open(), encoding=encoding) as text:
            for number, line in enumerate(text, 1):
                line = line.strip()
                if line and line[0] != "%":
                    yield number, line

    def _data(self) -> Iterator[_Line]:
        start = self._header.data_line
        return ((number, line) for number, line in self._lines() if number > start)

    def _table(self, lines: list[_Line], columns: Sequence[str]) -> Table:
        width = len(self._header.attributes)
        rows: list[list[str] | dict[int, str]] = []
        weights = []
        for number, line in lines:
            if self._weighted or line[-1] == "}":
                line, weight = self._without_weight(number, line)
                weights.append(weight)
            if line[0] == "{":
                rows.append(self._sparse_row(number, line))
                continue
            if "'" in line or '"' in line or "\\" in line:
                row = self._quoted_row(number, line)
            else:
                row = [cell.strip() for cell in line.split(",")]
                if len(row) == 1 < width:
                    row = line.split()
            if len(row) != width:
                raise self._misfit(number, line, row)
            rows.append(row)
        column_of = self._columns_of(rows, lines, len(columns))
        places = {attribute.name: j for j, attribute in enumerate(self._header.attributes)}
        finished = []
        for name in columns:
            if name in places:
                finished.append(column_of(places[name]))
            else:
                finished.append(Column(name, "numeric", np.array(weights, dtype=np.float64)))
        target, weighs = (role if role in columns else None for role in (self.target, self.weight))
        return Table.of_columns(finished, n_rows=len(lines), target=target, weight=weighs)

    def _columns_of(
        self, rows: list[list[str] | dict[int, str]], lines: list[_Line], n_columns: int
    ) -> Callable[[int], Column]:
        """The column of each attribute, whether the rows are dense or some of them sparse."""
        attributes = self._header.attributes
        dense = [row for row in rows if isinstance(row, list)]
        if len(dense) == len(rows):
            cells = list(zip(*dense, strict=True)) if rows else [()] * len(attributes)
            return lambda j: self._column(attributes[j], cells[j], lines)
        check_size(len(rows), n_columns, self.source.name)
        by_column = SparseCells(rows)

        def column_of(j: int) -> Column:
            at, texts = by_column.stored(j)
            column = self._column(attributes[j], texts, [lines[i] for i in at])
            return filled(attributes[j], column, at, len(rows))

        return column_of

    def _without_weight(self, number: int, line: str) -> tuple[str, float]:
        found = None if line[0] == "{" and line.count("{") == 1 else _WEIGHT.search(line)
        row = line if found is None else line[: found.start()].rstrip().removesuffix(",").rstrip()
        if found is None or not row:
            return line, 1.0
        try:
            weight = float(found[1])
        except ValueError:
            message = f"The weight is {found[1]!r}. A number was expected."
            raise FileError(message, self.source.name, number, found.start(1) + 1) from None
        if not self._weighted:
            raise FileError(
                f"The row has a weight, {found[1]}, but the first row has none. Give the first row a weight "
                "too (1 is the usual one), or no row.",
                self.source.name,
                number,
                found.start(1) + 1,
            )
        return row, weight

    def _quoted_row(self, number: int, line: str) -> list[str]:
        row, place, more = [], 0, True
        while more:
            found = _CELL.match(line, place)
            if found is None:
                raise FileError(
                    f"A quoted cell is not closed or is followed by text: {line[place : place + 20]!r}. "
                    "Put a backslash before quotes inside a cell.",
                    self.source.name,
                    number,
                    place + 1,
                )
            row.append(_cell_text(found[1], found[2], found[3]))
            place, more = found.end(), found[4] == ","
        return row

    def _sparse_row(self, number: int, line: str) -> dict[int, str]:
        width = len(self._header.attributes)
        row: dict[int, str] = {}
        end = len(line) - 1
        place, more = 1, bool(line[1:end].strip())
        if line[-1] != "}":
            raise FileError("A sparse row has no closing brace.", self.source.name, number, len(line))
        line = line[:end]
        while more:
            found = _SPARSE_CELL.match(line, place)
            if found is None:
                message = (
                    f"There is {line[place:end][:20]!r}. An index and a value, as in {{0 1.5, 3 yes}}, was expected."
                )
                raise FileError(message, self.source.name, number, place + 1)
            j = int(found[1])
            if j >= width or j in row:
                problem = "stands twice in one row" if j in row else f"is too large, columns go to {width - 1}"
                raise FileError(f"The index {j} {problem}.", self.source.name, number, found.start(1) + 1)
            row[j] = _cell_text(found[2], found[3], found[4])
            place, more = found.end(), found[5] == ","
        return row

    # From cells to columns.

    def _column(self, attribute: Attribute, cells: Sequence[str], lines: list[_Line]) -> Column:
        if attribute.type in ("numeric", "date"):
            value_of = float if attribute.type == "numeric" else attribute.days
            try:
                values = np.array([np.nan if cell == "?" else value_of(cell) for cell in cells], dtype=np.float64)
            except ValueError:
                raise self._bad_cell(attribute, cells, lines) from None
            if attribute.type == "numeric" and any("_" in cell for cell in cells):  # Python's, no one else's
                raise self._bad_cell(attribute, cells, lines)
            return Column(attribute.name, "numeric", values, (), attribute.form)
        labels = attribute.labels
        if attribute.type == "string":
            labels = tuple(sorted({_plain(cell) for cell in cells if cell != "?"}))
        place = {QUOTED_MARK if label == "?" else label: code for code, label in enumerate(labels)} | {"?": -1}
        try:
            codes: Array = np.array([place[cell] for cell in cells], dtype=np.int32)
        except KeyError:
            raise self._bad_cell(attribute, cells, lines) from None
        return Column(attribute.name, "nominal", codes, labels)

    def _bad_cell(self, attribute: Attribute, cells: Sequence[str], lines: list[_Line]) -> FileError:
        i = next(i for i, cell in enumerate(cells) if not attribute.accepts(cell))
        number, line = lines[i]
        j = self._header.attributes.index(attribute)
        return FileError(
            f"Column {attribute.name!r} holds {cells[i]!r}. Expected {attribute.expected}. "
            "Correct the cell, or write ? for a missing one.",
            self.source.name,
            number,
            _place_of_cell(line, j),
        )

    def _misfit(self, number: int, line: str, row: list[str]) -> FileError:
        width = len(self._header.attributes)
        return FileError(
            f"The row has {count_of(len(row), 'cell')}. Expected {width}, one per attribute. "
            "Check for a missing or surplus comma, or quote the cell that holds it.",
            self.source.name,
            number,
            _place_of_cell(line, width) if len(row) > width else len(line) + 1,
        )


def _cell_text(single: str | None, double: str | None, bare: str | None) -> str:
    if single is None and double is None:
        return (bare or "").strip()
    text = unquoted(single if single is not None else double or "")
    return QUOTED_MARK if text == "?" else text


def _plain(cell: str) -> str:
    return "?" if cell == QUOTED_MARK else cell


def _place_of_cell(line: str, j: int) -> int | None:
    """Where the cell of column j begins in a dense row, from 1."""
    if line[0] == "{":
        found = re.search(rf"(?:\{{|,)\s*{j}\s+", line)
        return found.end() + 1 if found else 1
    place = 0
    for _ in range(j):
        cell = _CELL.match(line, place)
        if cell is None:
            return None
        place = cell.end()
    return place + len(line[place:]) - len(line[place:].lstrip()) + 1
