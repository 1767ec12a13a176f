"""A learner that holds whatever it is given, and files made and unmade by hand, for the tests of saving."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from learnt.learner import registry
from learnt.learner.settings import Settings


class Box(Settings):
    """Fitted as soon as it has `content_`."""

    size_: int

    def __init__(self, *, setting: Any = None, inner: Any = None):
        self.setting = setting
        self.inner = inner

    def __sklearn_is_fitted__(self) -> bool:
        return "content_" in vars(self)

    def _check_fitted_state(self) -> None:
        if "size_" in vars(self) and self.size_ != len(vars(self)["content_"]):
            raise ValueError("size_ is not the length of content_")

    def predict(self) -> Any:
        return vars(self)["content_"]

    @cached_property
    def derived_(self) -> object:
        return object()


registry.register(Box, "transformation", frozenset())


def holding(content: Any, **settings: Any) -> Box:
    box = Box(**settings)
    vars(box)["content_"] = content
    return box


def same(a: Any, b: Any) -> bool:
    """Equal in type, value and, for arrays, dtype, shape and layout; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if (a.dtype, a.shape) != (b.dtype, b.shape) or not b.flags.writeable:
            return False
        if a.flags.f_contiguous != b.flags.f_contiguous:
            return False
        if a.dtype.kind == "O":
            return all(same(x, y) for x, y in zip(a.ravel(), b.ravel(), strict=True))
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fmM"))
    if isinstance(a, np.generic):
        return a.dtype == b.dtype and bool(a == b or (a != a and b != b))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return same(list(a), list(b)) and same(list(a.values()), list(b.values()))
    if isinstance(a, Box):
        return same(vars(a), vars(b))
    return bool(a == b or (a != a and b != b))


def pack(header: Any, data: bytes = b"") -> bytes:
    """A file of this header, given as JSON or as its very text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """Header without the document, the document, and the data of a file."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    document = json.loads(header.pop("__metadata__")["learnt"])
    return header, document, content[8 + length :]


def edited(content: bytes, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> bytes:
    """The file with header and document changed by hand."""
    header, document, data = unpack(content)
    change(header, document)
    return pack({"__metadata__": {"learnt": json.dumps(document)}, **header}, data)


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
