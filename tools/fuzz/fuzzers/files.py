"""What fuzzers of readers share: a damaged file is read at once or in batches, and gives a table or names the file."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tools.fuzz.case import ROOT, Case, Fuzzer, shorter_bytes
from tools.fuzz.mutate import MOST, mutate_bytes

from learnt.data import read, scan
from learnt.errors import LearntError

NASTY = ROOT / "tests" / "data" / "nasty"
_EXPECTED: dict[str, Any] = json.loads((NASTY / "expected.json").read_text(encoding="utf-8"))
_SETTINGS = {name: {k: v for k, v in said["settings"].items() if k != "table"} for name, said in _EXPECTED.items()}


_WIDE = 1000  # columns; a line of libsvm's format may name a million


class FileFuzzer(Fuzzer):
    """Files of the tests, and others, with some bytes changed. A case's kind is how it is read and the file's name."""

    endings: tuple[str, ...]

    def others(self) -> dict[str, bytes]:
        """Files beside those of the tests, by name."""
        return {}

    @cached_property
    def seeds(self) -> dict[str, bytes]:
        names = sorted(name for name in _EXPECTED if name.endswith(self.endings))
        return {name: (NASTY / name).read_bytes() for name in names} | self.others()

    def begin(self) -> None:
        for name, content in self.seeds.items():
            for how in ("read", "scan"):
                with contextlib.suppress(Exception):  # found again, and told, when its turn comes
                    self.attempt(Case(self.name, f"{how} {name}", content))

    def make(self, chance: random.Random) -> Case:
        name = chance.choice(list(self.seeds))
        how = chance.choice(("read", "read", "scan"))
        return Case(self.name, f"{how} {name}", self.mutate(name, self.seeds[name], chance)[:MOST])

    def mutate(self, name: str, content: bytes, chance: random.Random) -> bytes:
        return mutate_bytes(content, chance)

    def attempt(self, case: Case) -> None:
        how, name = case.kind.split(" ", 1)
        try:
            (_read if how == "read" else _scan)(name, case.content)
        except LearntError as error:
            if name not in str(error):
                raise AssertionError(f"the error does not name the file: {error}") from error
            raise

    def smaller(self, case: Case) -> Iterator[Case]:
        for content in shorter_bytes(case.content):
            yield Case(case.fuzzer, case.kind, content)


def _read(name: str, content: bytes) -> None:
    held = io.BytesIO(content)
    held.name = name
    table = read(held, **_SETTINGS.get(name, {}))
    assert all(len(column) == table.n_rows for column in table.columns), "columns of unequal length"
    if table.n_columns <= _WIDE:
        table.to_dict()


def _scan(name: str, content: bytes) -> None:
    """The same from the disk, in batches, which must agree on the columns and have all rows of the whole."""
    path = Path(_scratch().name) / name
    path.write_bytes(content)
    try:
        source = scan(path, batch_rows=3, **_SETTINGS.get(name, {}))
        n_rows = sum(batch.n_rows for batch in source.batches())
        whole = read(path, **_SETTINGS.get(name, {}))
        assert (n_rows, source.names) == (whole.n_rows, whole.names), "a scan and a read do not agree"
    finally:
        path.unlink()  # what still maps it keeps it; the next one of the name is another file


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """One folder for all cases: making and removing one took as long as reading some files."""
    return tempfile.TemporaryDirectory(prefix="fuzz-")
