"""Bytes with a few of them changed: the one set of mutators that all fuzzers of files share."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

#: What means something to a reader of text: signs of cells, lines, quotes, numbers, encodings, headers.
TEXT = [
    *(b",", b";", b"\t", b"|", b" ", b'"', b'""', b"'", b"\\", b"\n", b"\r", b"\r\n", b"\0", b",,,,", b":", b"[", b"]"),
    *(b"{", b"}", b"?", b"#", b"%", b"\xff", b"\xfe", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc2", b"\xe9", b"\xe2\x80\x83"),
    *(b"0", b"1e", b"1e999", b"1e999999999", b"-", b"+", b".", b"nan", b"NA", b"inf", b"null", b"9" * 30, b"9" * 400),
    *(b"2024-13-45", b"12:61", b"sep=;\n", b"@data\n", b"@attribute x numeric\n", b"\xed\xa0\x80", b"[" * 300),
    *(b'{"a":' * 40, b"@attribute d date 'yyyy yyyy'\n", b"4294967296:1", b"-1:1", b"true", b"$", b"\xe2\x88\x92"),
]
#: Whole numbers at the ends of their types, where sizes, offsets and counts go wrong.
EDGES = (0, 1, 2, 127, 128, 255, 256, 2**15 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63)
MOST = 100_000  # bytes; longer cases are cut


def mutate_bytes(content: bytes, chance: random.Random, tokens: Sequence[bytes] = TEXT) -> bytes:
    """A few of: bytes changed, put in, cut out, doubled, moved or swapped, lines shuffled, the end cut off."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
        content = _mutate_once(content, chance, tokens)
    return content[:MOST]


def _mutate_once(content: bytes, chance: random.Random, tokens: Sequence[bytes]) -> bytes:
    a = chance.randrange(len(content) + 1)
    b = min(len(content), a + chance.choice((1, 1, 2, 4, 8, 64, max(1, len(content) // 3))))
    match chance.randrange(11):
        case 0:
            return content[:a] + bytes([chance.randrange(256)]) + content[a + 1 :]
        case 1:
            return flip_bits(content, chance)
        case 2 | 3:
            return content[:a] + chance.choice(tokens) + content[a:]
        case 4:
            return content[:a] + content[b:]
        case 5:
            return content[:b] + content[a:b] * chance.choice((1, 1, 2, 3, 50)) + content[b:]
        case 6:
            return content[:a]
        case 7:
            return content[a:b] + content[:a] + content[b:]
        case 8:
            lines = content.splitlines(keepends=True)
            chance.shuffle(lines)
            return b"".join(lines)
        case 9:
            return content[:a] + chance.choice(tokens) + content[b:]
        case _:
            return put_edge(content, chance)


def flip_bits(content: bytes, chance: random.Random) -> bytes:
    """The same bytes with one, two or eight bits flipped."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8)) if content else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def put_edge(content: bytes, chance: random.Random) -> bytes:
    """A whole number of 1 to 8 bytes from the ends of its type, at a place a binary format might have one."""
    size = chance.choice((1, 2, 4, 4, 8))
    if len(content) < size:
        return content
    value = chance.choice(EDGES) + chance.choice((-1, 0, 0, 1))
    packed = struct.pack("<q", (value + 2**63) % 2**64 - 2**63)[:size]
    at = chance.randrange(len(content) - size + 1)
    at -= at % size if chance.random() < 0.7 else 0
    return content[:at] + packed + content[at + size :]
