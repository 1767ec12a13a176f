"""SQLite's files: pages, cells and counts that lie."""

from __future__ import annotations

import random
import sqlite3

from tools.fuzz.fuzzers.files import FileFuzzer
from tools.fuzz.mutate import flip_bits, mutate_bytes, put_edge


class Sqlite(FileFuzzer):
    name = "sqlite"
    endings = (".sqlite", ".db")

    def others(self) -> dict[str, bytes]:
        base = sqlite3.connect(":memory:")
        base.execute("PRAGMA page_size = 512")
        base.execute("CREATE TABLE t (a REAL, b TEXT, c INTEGER, d BLOB)")
        rows = [(1.5, "x", 1, b"\0"), (None, "ü", 2**62, None), ("word", 7, None, b"abc"), (float("inf"), "", -1, b"")]
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows * 5)
        base.commit()
        return {"made.sqlite": base.serialize()}

    def mutate(self, name: str, content: bytes, chance: random.Random) -> bytes:
        for _ in range(chance.choice((1, 2, 4, 8))):
            content = chance.choice((flip_bits, flip_bits, put_edge, mutate_bytes))(content, chance)
        return content
