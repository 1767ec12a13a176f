"""What Parquet, Arrow and JSON files share: columns that come with Arrow types."""

from __future__ import annotations

import json
from typing import Any

from learnt.data.cells import ANYTHING, TEMPORAL
from learnt.data.convert import to_table
from learnt.data.table import Table
from learnt.errors import FileError, KindError

_NUMBER, _BOOLEAN, _TEXT = frozenset(("number",)), frozenset(("boolean",)), frozenset(("text",))


def candidates_of_type(type_: Any) -> frozenset[str]:
    """What a column of this Arrow type can be read as; its type leaves little choice."""
    import pyarrow as pa

    is_a = pa.types
    if is_a.is_null(type_):
        return ANYTHING
    if is_a.is_boolean(type_):
        return _BOOLEAN
    if is_a.is_integer(type_) or is_a.is_floating(type_) or is_a.is_decimal(type_):
        return _NUMBER
    if is_a.is_temporal(type_):
        return TEMPORAL
    if is_a.is_dictionary(type_):
        return frozenset(("declared", "text"))
    return _TEXT


def index_columns(schema: Any) -> set[str]:
    """Columns that pandas wrote to keep its row labels, which are not data."""
    stored = (schema.metadata or {}).get(b"pandas")
    try:
        labels = json.loads(stored)["index_columns"] if stored else []
    except (ValueError, KeyError, TypeError):  # metadata is anyone's to write
        labels = []
    made_up = {name for name in labels if isinstance(name, str) and name.startswith("__index_level_")}
    return made_up & set(schema.names)


def table_from(arrow: Any, name: str) -> Table:
    """A Table of Arrow data; an error about a column also names the file."""
    try:
        return to_table(arrow)
    except KindError as error:
        raise type(error)(f"{error} (file {name!r})") from None


def refuse_nested(schema: Any, name: str) -> None:
    """Say so before reading when a column holds lists or records, or has a name that is lost on the way."""
    import pyarrow as pa

    for field in schema:
        if "\0" in field.name:  # which ends names where Arrow hands them over
            raise FileError(f"The name of column {field.name!r} holds a zero byte. The file is probably damaged.", name)
        if pa.types.is_nested(field.type):
            raise KindError(
                f"Column {field.name!r} holds nested values of type {field.type}. Cells are numbers, booleans, "
                f"text or dates. Spread them over columns of their own, or leave the column out with columns=. "
                f"(file {name!r})"
            )
