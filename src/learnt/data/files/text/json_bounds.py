"""Limits for JSON from strangers, checked before it is parsed: depth, and keys that differ from object to object."""

from __future__ import annotations

import re
from collections.abc import Iterator

from learnt.errors import FileError

DEEPEST = 64  # levels of brackets inside each other; tables need two
MOST_KEYS = 100_000
MOST_CELLS = 1 << 24  # of one block, the empty ones of absent keys included
_KEY = re.compile(rb'"((?:[^"\\]|\\.)*+)"\s*+:')
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[][{}]', re.S)


def is_deep(block: bytes) -> bool:
    """Whether an object is nested deeper than any table is; parsers would go down with it."""
    if block.count(b"[") + block.count(b"{") < block.count(b"\n") + DEEPEST:
        return False
    return any(
        line.count(b"[") + line.count(b"{") > DEEPEST and depth_of(line) > DEEPEST for line in block.splitlines()
    )


def depth_of(text: bytes) -> int:
    deepest = depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        sign = found[0]
        if sign in (b"{", b"["):
            depth += 1
            deepest = max(deepest, depth)
        elif sign in (b"}", b"]"):
            depth -= 1
    return deepest


class Keys:
    """The keys met so far, and how many cells they fill."""

    def __init__(self, file: str):
        self._file, self._seen, self._filled, self._rows = file, set[bytes](), 0, 0

    def narrow_blocks(self, block: bytes) -> Iterator[bytes]:
        """The block, cut into as many as it takes for all its keys to be columns of all its rows."""
        keys = _KEY.findall(block)
        different = set(keys)
        rows = max(block.count(b"\n"), 1)
        self._seen |= different
        self._filled += len(keys)
        self._rows += rows
        cells = self._rows * len(self._seen)
        if len(self._seen) > MOST_KEYS or (cells > 4 * MOST_CELLS and 100 * self._filled < cells):
            raise FileError(
                f"The objects have {len(self._seen):,} different keys, few of them in any one. Keys are columns: the "
                "same ones in every object were expected.",
                self._file,
            )
        step = max(1, MOST_CELLS // len(different)) if different else rows
        if rows <= step:
            yield block
            return
        lines = block.splitlines(keepends=True)
        for start in range(0, len(lines), step):
            yield b"".join(lines[start : start + step])
