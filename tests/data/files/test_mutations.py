"""Nasty files after any mutation are a table or an error in one line that names the file: no crash, no hang."""

from __future__ import annotations

import io
import json
import random
import time
from pathlib import Path

import pytest

from learnt.data import read
from learnt.errors import LearntError

FOLDER = Path(__file__).parents[1] / "nasty"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
TOKENS = [b'"', b",", b";", b"\n", b"\r", b"\0", b"\t", b"'", b"?", b"{", b"}", b"[", b"@data\n", b"\xff\xfe",
          b"1e999", b"-", b"2024-13-45", b"%", b"#", b"sep=", b"\xef\xbb\xbf", b"9" * 400, b",,,,", b"\\",
          b" ", b"\xe9"]  # fmt: skip


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The same bytes with a few of them changed, cut out, doubled or put in."""
    for _ in range(chance.choice([1, 1, 2, 5])):
        a = chance.randrange(len(content) + 1)
        b = min(len(content), a + chance.choice([1, 1, 2, 8, 64]))
        match chance.randrange(6):
            case 0:
                content = content[:a] + bytes([chance.randrange(256)]) + content[a + 1 :]
            case 1:
                content = content[:a] + content[b:]
            case 2:
                content = content[:b] + content[a:b] * chance.choice([1, 3, 50]) + content[b:]
            case 3:
                content = content[:a] + chance.choice(TOKENS) + content[a:]
            case 4:
                content = content[:a]
            case _:
                lines = content.splitlines(keepends=True)
                chance.shuffle(lines)
                content = b"".join(lines)
    return content


def check(name: str, count: int, seed: int = 0) -> None:
    original = (FOLDER / name).read_bytes()
    settings = dict(EXPECTED[name]["settings"])
    settings.pop("table", None)
    chance = random.Random(f"{name} {seed}")
    for i in range(count):
        held = io.BytesIO(mutated(original, chance))
        held.name = name
        begun = time.process_time()
        error = error_of(held, settings)
        spent = time.process_time() - begun
        assert error is None or ("\n" not in error and name in error), f"{name}, mutation {i} of seed {seed}: {error}"
        assert spent < 2, f"{name}, mutation {i} of seed {seed}"


def error_of(held: io.BytesIO, settings: dict) -> str | None:
    """What the reader says about a file, None if it reads it; any error but learnt's own is let through."""
    try:
        table = read(held, **settings)
    except LearntError as error:
        return str(error)
    return None if all(len(column) == table.n_rows for column in table.columns) else "columns of unequal length"


@pytest.mark.parametrize("name", EXPECTED)
def test_a_mutated_file_is_a_table_or_an_error_in_one_line(name):
    check(name, 12)


@pytest.mark.slow
def test_a_hundred_thousand_mutations():
    for name in EXPECTED:
        check(name, 100_000 // len(EXPECTED) + 1, seed=1)
