"""The file around a model: safetensors, written whole or not at all, read with every figure checked first.

    8 bytes    length of the header, little-endian
    header     JSON: a dtype, a shape and a place for each tensor; the model document as metadata
    data       the tensors, one after the other, without gaps

The package of that name would read it too, but it decides by itself how much to allocate. Here nothing is allocated
that the file does not really contain. And it would write it, but under permissions of its own, and never to a link.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from learnt.whole_file import whole_file

Array = np.ndarray[Any, Any]

MAX_HEADER = 32 * 2**20
JSON_WEIGHT = 80
MAX_DEPTH = 200  # of brackets; deeper JSON could exhaust the C stack of the parser
METADATA_KEY = "learnt"

DTYPES = {  # in the order of the package, which decides the order of tensors
    "BOOL": np.dtype(np.bool_),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "I16": np.dtype("<i2"),
    "U16": np.dtype("<u2"),
    "F16": np.dtype("<f2"),
    "I32": np.dtype("<i4"),
    "U32": np.dtype("<u4"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
    "U64": np.dtype("<u8"),
}


class Refused(ValueError):
    """Something in a file is not as it must be. `load` turns it into a SavedModelError with the path."""


def write_container(path: Path, tensors: dict[str, Array], document: str) -> None:
    """The same bytes as the package would write: wide types first, so that all lie at multiples of their size."""
    order = sorted(tensors, key=lambda name: (-list(DTYPES).index(_dtype_name(tensors[name])), name))
    header: dict[str, Any] = {"__metadata__": {METADATA_KEY: document}}
    end = 0
    for name in order:
        tensor = tensors[name]
        start, end = end, end + tensor.nbytes
        header[name] = {"dtype": _dtype_name(tensor), "shape": list(tensor.shape), "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with whole_file(path, "The model") as out:
        out.write(len(text).to_bytes(8, "little"))
        out.write(text)
        for name in order:
            little = np.ascontiguousarray(tensors[name], DTYPES[_dtype_name(tensors[name])])
            out.write(little.reshape(-1).view(np.uint8).data)


def _dtype_name(tensor: Array) -> str:
    dtype = tensor.dtype.newbyteorder("<")
    return next(name for name, known in DTYPES.items() if known == dtype)


class Tensor(NamedTuple):
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    stop: int


class Container:
    """An open file with its checked header. `take` reads one tensor and hands it out once."""

    def __init__(self, file: BinaryIO, max_bytes: int):
        self._file = file
        self._budget = max_bytes
        header, self._data_start = self._header()
        metadata = header.pop("__metadata__", None)
        document = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
        if not isinstance(document, str):
            raise Refused("It is a safetensors file, but not one that learnt.save wrote")
        self.document: Any = parse_json(document)
        self._tensors = {name: _tensor(name, entry) for name, entry in header.items()}
        self._check_places()

    def spend(self, n_bytes: int) -> None:
        """Account for memory about to be used; refuse what goes beyond the caller's limit."""
        self._budget -= n_bytes
        if self._budget < 0:
            raise Refused("It needs more memory than max_bytes allows")

    def _header(self) -> tuple[dict[str, Any], int]:
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Refused("It is not a regular file")
        self._size = status.st_size
        start = self._file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > self._size - 8:
            raise Refused(_what_else(start))
        if length > MAX_HEADER:
            raise Refused(f"Its header claims {length} bytes; at most {MAX_HEADER} are read")
        # Values take up to this many times their JSON text, the worst being many empty lists.
        self.spend(JSON_WEIGHT * length)
        header = parse_json(self._exactly(length).decode("utf-8"))
        if not isinstance(header, dict):
            raise Refused("Its header is not a JSON object")
        return header, 8 + length

    def _exactly(self, count: int) -> bytes:
        content = self._file.read(count)
        if len(content) != count:
            raise Refused("It is cut short")
        return content

    def _check_places(self) -> None:
        """Tensors must cover the data exactly: no gap to hide in, no byte in two of them."""
        reached = 0
        for tensor in sorted(self._tensors.values(), key=lambda t: (t.start, t.stop)):
            if tensor.start != reached:
                raise Refused("Its tensors overlap or leave gaps")
            reached = tensor.stop
        if reached != self._size - self._data_start:
            raise Refused("Its tensors do not fill the file: it is cut short or has something appended")

    def take(self, name: Any) -> Array:
        """A tensor as a fresh, contiguous, writable array. Each can be taken once."""
        tensor = self._tensors.pop(name, None) if isinstance(name, str) else None
        if tensor is None:
            raise Refused(f"Tensor {str(name)[:80]!r} is not there, or used twice")
        n_bytes = tensor.stop - tensor.start
        self.spend(n_bytes)
        buffer = np.empty(n_bytes, dtype=np.uint8)
        self._file.seek(self._data_start + tensor.start)
        if self._file.readinto(buffer.data) != n_bytes:  # type: ignore[attr-defined]
            raise Refused("It is cut short")
        if tensor.dtype == np.bool_ and n_bytes and buffer.max() > 1:
            raise Refused(f"Tensor {name[:80]!r} holds booleans other than 0 and 1")
        values = buffer.view(tensor.dtype).reshape(tensor.shape)
        return values.astype(tensor.dtype.newbyteorder("="), copy=False)

    def check_all_taken(self) -> None:
        if self._tensors:
            raise Refused(f"Tensor {next(iter(self._tensors))[:80]!r} belongs to nothing")


def _what_else(start: bytes) -> str:
    """What a file is that does not begin with the length of a header."""
    if start[:2] == b"PK":
        return "It is a zip archive, not a model saved by learnt.save"
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05":
        return "It is a pickle, which can run any code and is not opened; learnt.save writes no pickles"
    return "It is cut short, or not a model saved by learnt.save"


def _tensor(name: str, entry: Any) -> Tensor:
    """One entry of the header, its figures checked against each other."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise Refused(f"Tensor {name[:80]!r} is not described by dtype, shape and data_offsets")
    dtype = DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise Refused(f"Tensor {name[:80]!r} has the unknown dtype {str(entry['dtype'])[:40]!r}")
    shape, places = entry["shape"], entry["data_offsets"]
    if not (_counts(shape) and len(shape) <= 32 and _counts(places) and len(places) == 2):
        raise Refused(f"Tensor {name[:80]!r} has a shape or place that is not a list of whole numbers")
    start, stop = places
    if stop - start != math.prod(shape) * dtype.itemsize:
        raise Refused(f"Tensor {name[:80]!r} does not fit its place")
    return Tensor(dtype, tuple(shape), start, stop)


def _counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(v) is int and 0 <= v < 2**63 for v in value)


# Strings are matched whole, to the end of the text if they never close, so that scanning is linear.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def parse_json(text: str) -> Any:
    """JSON as its standard has it: no key twice, no NaN or Infinity, no endless numbers, not too deep."""
    depth = 0
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        depth += (first in "[{") - (first in "]}")
        if depth > MAX_DEPTH:
            raise Refused(f"Its JSON is nested more than {MAX_DEPTH} deep")
    return json.loads(
        text,
        object_pairs_hook=_object,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_finite,
    )


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise Refused(f"Its JSON has the key {key[:80]!r} twice")
        result[key] = value
    return result


def _no_constant(text: str) -> Any:
    raise Refused(f"Its JSON has {text}, which is not JSON")


def _integer(text: str) -> int:
    if len(text) > 20:
        raise Refused("Its JSON has a whole number of more than 20 digits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text) if len(text) <= 40 else math.inf
    if math.isinf(value):
        raise Refused("Its JSON has a number beyond the range of floating point")
    return value
