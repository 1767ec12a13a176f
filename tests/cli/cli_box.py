"""The command line inside this process: quick, with its output as bytes and its exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

from learnt.cli import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Command = Callable[..., Done]


class Pipe(io.BufferedReader):
    """Standard input that gives a few bytes at a time, as pipes do."""

    def __init__(self, content: bytes, piece: int = 7):
        super().__init__(io.BytesIO(content))
        self._piece = piece

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size, self._piece) if size and size > 0 else size)


def commands(capfdbinary, monkeypatch) -> Command:
    """`command("show", "model.learnt")` runs it; `stdin` is what it finds on standard input."""

    def run(*args: object, stdin: bytes = b"") -> Done:
        feed = io.TextIOWrapper(Pipe(stdin))
        monkeypatch.setattr(sys, "stdin", feed)
        try:
            main([str(arg) for arg in args])
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        captured = capfdbinary.readouterr()
        return Done(code, captured.out.decode(), captured.err.decode())

    return run
