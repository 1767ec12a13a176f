"""What the cells of a text column can be read as: numbers, booleans, dates, or only text.

Files without types say nothing but the text of each cell. A column's candidates are the readings
that fit all its cells; looking at more cells (another block, another file) can only narrow them, so
candidates of two parts are joined by intersection, and the order of parts does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from learnt.data.schema import Kind

# Most specific first: the first candidate left is what the column is read as.
READINGS = ("number", "boolean", "date", "timestamp", "nanostamp", "zoned", "declared", "text")
ANYTHING = frozenset(READINGS)  # what a column without any cell could be
TEMPORAL = frozenset(("date", "timestamp", "nanostamp", "zoned"))

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "?", "-", ".")
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")


def reading(candidates: frozenset[str]) -> str:
    """How a column with these candidates is read; one without any cell counts as numeric."""
    return next(name for name in READINGS if name in candidates)


def kind_of(reading: str) -> Kind:
    if reading == "boolean":
        return "boolean"
    return "nominal" if reading in ("text", "declared") else "numeric"


def arrow_type(reading: str) -> Any:
    """The Arrow type that holds cells read this way."""
    import pyarrow as pa

    types = {
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
        "nanostamp": pa.timestamp("ns"),
        "zoned": pa.timestamp("us", "UTC"),
    }
    return types.get(reading, pa.dictionary(pa.int32(), pa.string()))


def trim_texts(texts: Any, missing: Iterable[str]) -> Any:
    """Texts without the space around them, null where they are a marker of a missing cell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(texts)
    markers = pc.is_in(texts, pa.array(list(missing), pa.string()))
    return pc.if_else(markers, pa.scalar(None, texts.type), texts)


def candidates(texts: Any, decimal: str = ".") -> frozenset[str]:
    """The readings that fit every one of these trimmed texts."""
    import pyarrow.compute as pc

    texts = pc.drop_null(texts)
    if len(texts) == 0:
        return ANYTHING
    found = {"text"}
    for name in ("number", "boolean", *sorted(TEMPORAL)):
        if _read_as(texts, name, decimal) is not None:
            found.add(name)
            if name in ("number", "boolean"):  # neither is ever anything else
                break
    return frozenset(found)


def convert_texts(texts: Any, reading: str, decimal: str = ".") -> Any:
    """Trimmed texts as an Arrow array of their reading."""
    if reading in ("text", "declared"):
        return texts
    values = _read_as(texts, reading, decimal)
    if values is None:
        raise ValueError(f"cells are not all of the kind {reading!r}")
    return values


def _read_as(texts: Any, reading: str, decimal: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if reading == "boolean":
        known = pc.is_in(texts, pa.array([*TRUE, *FALSE]), skip_nulls=True)
        if pc.any(pc.and_(pc.is_valid(texts), pc.invert(known))).as_py():
            return None
        return pc.if_else(pc.is_valid(texts), pc.is_in(texts, pa.array(TRUE)), pa.scalar(None, pa.bool_()))
    if reading == "number" and decimal == ",":  # "1.5" is not a number there: make it unreadable
        texts = pc.replace_substring(pc.replace_substring(texts, ".", "!"), ",", ".")
    try:
        return pc.cast(texts, arrow_type(reading))
    except pa.ArrowInvalid:
        return None
