"""JSON: one object per line, or an array of objects; keys are columns, one that is absent is a missing cell."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from learnt.data.cells import ANYTHING, TEMPORAL, candidates, convert_texts, reading
from learnt.data.files.columnar.typed import candidates_of_type, table_from
from learnt.data.files.part import Part, Survey
from learnt.data.files.source import clear_errors
from learnt.data.files.text.json_array import array_objects, begins_array
from learnt.data.files.text.json_bounds import DEEPEST, Keys, depth_of, is_deep
from learnt.data.schema import ColumnSchema
from learnt.data.table import Table
from learnt.errors import FileError, KindError, LearntError
from learnt.lazy import cached_property
from learnt.show.words import spell

_SURVEY_ROWS = 1 << 15
_NESTED = frozenset(("nested",))
_TEXT_OR_TIME = TEMPORAL | {"text"}


class JsonPart(Part):
    """One file of JSON lines, or one array. Which columns there are only all its objects can tell."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._surveyed.candidates)

    def survey(self, known: Mapping[str, str]) -> Survey:
        self._refuse_nested(self.names)
        return self._surveyed

    @cached_property
    def _surveyed(self) -> Survey:
        found: dict[str, frozenset[str]] = {}
        n_rows = 0
        keys = Keys(self.source.name)
        blocks = (part for block in self._blocks(_SURVEY_ROWS) for part in keys.narrow_blocks(block))
        for block in blocks:
            arrow = self._parsed_block(block, None)
            n_rows += arrow.num_rows
            for name, here in self._candidates(block, arrow).items():
                found[name] = found.get(name, ANYTHING | _NESTED) & here
                if not found[name]:
                    raise self._mixed_types(name)
        if not found:
            raise FileError("The file is empty. One JSON object per line was expected.", self.source.name)
        return Survey(found, n_rows=n_rows)

    def _candidates(self, block: bytes, arrow: Any) -> dict[str, frozenset[str]]:
        """Numbers and booleans by their type, text by its cells: dates are text to JSON."""
        import pyarrow as pa

        def is_text(type_: Any) -> bool:
            return bool(pa.types.is_string(type_) or pa.types.is_timestamp(type_))

        texts = pa.schema([(field.name, pa.string()) for field in arrow.schema if is_text(field.type)])
        if any(pa.types.is_timestamp(field.type) for field in arrow.schema):
            written = self._parsed_block(block, texts)  # Arrow has made times of them: get the texts back
        else:
            written = arrow.select(texts.names)
        return {
            field.name: candidates(written.column(field.name).combine_chunks()) & _TEXT_OR_TIME
            if field.name in texts.names
            else _NESTED
            if pa.types.is_nested(field.type)
            else candidates_of_type(field.type) | (_NESTED if pa.types.is_null(field.type) else frozenset())
            for field in arrow.schema
        }

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        self._refuse_nested(columns)
        for block in self._blocks(batch_rows):
            yield self._table(block, {name: readings[name] for name in columns})

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        self._refuse_nested(columns)
        content = b"".join(self._blocks(_SURVEY_ROWS))
        return self._table(content, {name: reading(self._surveyed.candidates[name]) for name in columns})

    def _table(self, block: bytes, readings: Mapping[str, str]) -> Table:
        import pyarrow as pa

        types = {"number": pa.float64(), "boolean": pa.bool_()}
        arrow = self._parsed_block(
            block, pa.schema([(name, types.get(how, pa.string())) for name, how in readings.items()])
        )
        columns = {name: convert_texts(arrow.column(name), how) if how in TEMPORAL else arrow.column(name)
                   for name, how in readings.items()}  # fmt: skip
        return table_from(pa.table(columns), self.source.name)

    def reading_as(self, column: ColumnSchema) -> str:
        return reading(self._surveyed.candidates[column.name])

    @cached_property
    def _is_array(self) -> bool:
        return begins_array(self.source.head(1 << 12))

    def _blocks(self, rows: int) -> Iterator[bytes]:
        with clear_errors(self.source.name), self.source.open() as stream:
            if self._is_array:
                lines: Iterator[bytes] = (line for _, line in array_objects(stream, self.source.name))
            else:
                lines = (line for line in stream if not line.isspace())
            while block := b"".join(itertools.islice(lines, rows)):
                if not _is_utf8(block):
                    raise self._mistake("its text is not written in UTF-8")
                if b"\nnull" in block or re.match(rb"\s*null", block):  # pyarrow dies of a first row that is none
                    raise self._mistake("a line is not a JSON object")
                if is_deep(block):
                    raise self._mistake("values are nested too deep")
                yield block

    def _parsed_block(self, block: bytes, schema: Any) -> Any:
        import pyarrow as pa
        from pyarrow import json as arrow_json

        options = arrow_json.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior="ignore" if schema is not None else "infer"
        )
        size = arrow_json.ReadOptions(block_size=min(max(len(block) + 1, 1 << 16), (1 << 31) - 1))
        with clear_errors(self.source.name):
            try:
                return arrow_json.read_json(pa.BufferReader(block), read_options=size, parse_options=options)
            except pa.ArrowInvalid as error:
                raise self._mistake(str(error)) from error

    # Where a mistake is, by reading slowly.

    def _lines(self) -> Iterator[tuple[int, str]]:
        with clear_errors(self.source.name), self.source.open() as stream:
            lines = array_objects(stream, self.source.name) if self._is_array else enumerate(stream, 1)
            for number, line in lines:
                if not _is_utf8(line):
                    raise FileError("The line is not written in UTF-8, as JSON must be.", self.source.name, number)
                if line.strip():
                    yield number, line.decode("utf-8-sig")

    def _mistake(self, reason: str) -> LearntError:
        types: dict[str, str] = {}
        for number, line in self._lines():
            if depth_of(line.encode()) > DEEPEST:
                return FileError(f"Values are nested deeper than {DEEPEST} levels.", self.source.name, number)
            try:
                row = json.loads(line, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins)
            except json.JSONDecodeError as error:
                return FileError(
                    f"This is not JSON: {error.msg}. One object per line was expected.",
                    self.source.name,
                    number,
                    error.colno,
                )
            except ValueError as error:
                return FileError(f"{error} One object per line was expected.", self.source.name, number)
            if not isinstance(row, dict):
                return FileError(
                    f"The line holds {row!r:.30}. One object, in braces, was expected. "
                    "Write the rows of an array as lines of their own.",
                    self.source.name,
                    number,
                    1,
                )
            for name, value in row.items():
                kind = _json_type(value)
                if kind != types.setdefault(name, kind) and kind and types[name]:
                    return FileError(
                        f"Column {name!r} holds {_article(kind)}, {spell(value)}. Before, it held "
                        f"{_article(types[name])}. Give all its cells one type.",
                        self.source.name,
                        number,
                        line.find(json.dumps(name, ensure_ascii=False)) + 1 or None,
                    )
                types[name] = types[name] or kind
        return FileError(f"The file cannot be read: {reason}.", self.source.name)

    def _mixed_types(self, name: str) -> LearntError:
        return self._mistake(f"column {name!r} holds cells of different types")

    def _refuse_nested(self, columns: Sequence[str]) -> None:
        for name in columns:
            if self._surveyed.candidates[name] == _NESTED:
                raise KindError(
                    f"Column {name!r} holds nested values. Cells are numbers, booleans, text or dates. Spread them "
                    f"over columns of their own, or leave the column out with columns=. (file {self.source.name!r})"
                )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON. Write null for a missing number.")


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"The key {next(n for n in names if names.count(n) > 1)!r} stands twice in one object.")
    return row


def _json_type(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else {"str": "text"}.get(type(value).__name__, "nested value")


def _article(kind: str) -> str:
    return kind if kind == "text" else f"a {kind}"
