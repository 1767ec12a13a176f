"""Documents, one text per row, from anything that holds text: for the kernels that count words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.convert import _arrow_array, _type_name, is_a
from learnt.data.table import Array, Column
from learnt.errors import InputError, KindError

#: Its lower case depends on the letters around it: σ, or ς at the end of a word. Python knows how.
_SIGMA = "Σ"

#: No character from here on makes words, nor has another case.
_LAST = 0x40000


@dataclass(frozen=True)
class Texts:
    """Documents as the kernels read them. Those of ASCII alone need no table of characters."""

    documents: Any
    ascii: bool

    @property
    def n_rows(self) -> int:
        return len(self.documents)


def texts_of(cells: Any, name: str = "the documents", *, lowercase: bool = True) -> Texts:
    """The cells of a list, an array, a series, a column of Arrow or of a table; a missing one is an empty document."""
    if isinstance(cells, Column):
        if cells.kind not in ("nominal", "ordinal") and not cells.missing.all():
            raise KindError(f"Column {cells.name!r} is {cells.kind}. Expected text. Name the column of text.")
        return _of_objects(cells.labels() if cells.kind != "numeric" else [None] * len(cells), name, lowercase)
    if is_a(cells, "narwhals", "Series"):
        cells = cells.to_native()
    if is_a(cells, "polars", "Series"):
        cells = cells.to_arrow()
    elif is_a(cells, "pandas", "Series") or is_a(cells, "pandas", "Index"):
        typed = getattr(cells.array, "__arrow_array__", None)
        cells = cells.tolist() if typed is None or isinstance(cells.dtype, np.dtype) else typed()
    if isinstance(cells, np.ndarray):
        if cells.ndim != 1:
            raise InputError(f"Expected 1D array of texts, got an array of shape {cells.shape}. Give one text per row.")
        return _of_objects(cells.tolist(), name, lowercase)
    if isinstance(cells, (list, tuple)):
        return _of_objects(cells, name, lowercase)
    if isinstance(cells, (str, bytes)):
        raise KindError("One text was given. Expected one text per row, such as a list of them. Put it into a list.")
    arrow = _arrow_array(cells)
    if arrow is not None:
        return _of_arrow(arrow, name, lowercase)
    if isinstance(cells, Iterable):
        return _of_objects(list(cells), name, lowercase)
    raise KindError(f"A {_type_name(cells)} holds no texts. Expected a list, an array or a series of text.")


def _of_objects(cells: Sequence[Any], name: str, lowercase: bool) -> Texts:
    try:
        plain = all(map(str.isascii, cells))
    except TypeError:
        plain = False
    if plain:
        return Texts(_core.Documents(tuple(cells)), True)
    encoded = tuple(_encoded_cell(cell, row, name, lowercase) for row, cell in enumerate(cells))
    return Texts(_core.Documents(encoded), all(isinstance(cell, str | None) for cell in encoded))


def _encoded_cell(cell: Any, row: int, name: str, lowercase: bool) -> str | bytes | None:
    if isinstance(cell, str):
        if cell.isascii():
            return cell
        text = cell.lower() if lowercase and _SIGMA in cell else cell
        return text.encode("utf-8", "surrogatepass")
    if cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, float) and cell != cell):
        return None
    raise KindError(
        f"Row {row} of {name} holds {cell!r:.40}, which is not text. Expected str, or None for no document. "
        "Convert it with str()."
    )


def _of_arrow(values: Any, name: str, lowercase: bool) -> Texts:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_null(kind):
        return _of_objects([None] * len(values), name, lowercase)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        raise KindError(f"The Arrow type of {name} is {values.type}. Expected text. Convert it to string.")
    values = values.cast(pa.large_string())
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    if lowercase and pc.any(pc.match_substring(values, _SIGMA)).as_py():
        return _of_objects(values.to_pylist(), name, lowercase)
    _, offsets, text = values.buffers()
    if text is None or len(values) == 0:
        return _of_objects([None] * len(values), name, lowercase)
    at = np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
    there = values.is_valid().to_numpy(zero_copy_only=False) if values.null_count else None
    return Texts(_core.Documents(np.frombuffer(text, np.uint8), at, there), False)


@cache
def characters() -> Any:
    """Word characters and lower cases as this Python has them, for the kernels."""
    import re

    codes = np.delete(np.arange(_LAST, dtype="<u4"), slice(0xD800, 0xE000))
    every = codes.tobytes().decode("utf-32-le")
    spans = np.array([match.span() for match in re.finditer(r"\w+", every)])
    ranges = np.column_stack([codes[spans[:, 0]], codes[spans[:, 1] - 1] + 1])  # surrogates are not word characters
    alone = np.array([c for c in codes.tolist() if c not in (0x130, ord(_SIGMA))], dtype="<u4")
    small = np.frombuffer(alone.tobytes().decode("utf-32-le").lower().encode("utf-32-le"), "<u4")
    changed = small != alone
    large = np.append(alone[changed], 0x130)  # İ is the one letter that becomes two
    first, second = (ord(c) for c in chr(0x130).lower())
    lower = np.append(small[changed], first)
    more = np.append(np.zeros(int(changed.sum()), "<u4"), second)
    return _core.Characters(*(np.ascontiguousarray(a, np.int32) for a in (ranges, large, lower, more)))


def decoded_terms(text: Array, ends: Array) -> list[str]:
    """Terms kept one after the other, as strings."""
    raw, stops = text.tobytes(), [0, *ends.tolist()]
    return [raw[a:b].decode("utf-8") for a, b in pairwise(stops)]


def encoded_terms(terms: Sequence[str]) -> tuple[Array, Array]:
    """Strings one after the other, and where each ends."""
    pieces = [term.encode("utf-8", "surrogatepass") for term in terms]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64) if pieces else np.zeros(0, np.int64)
    return np.frombuffer(b"".join(pieces), np.uint8), ends
