"""Where answers are written to: standard output, or a file that appears when it is whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from learnt.cli.terminal.streams import ReaderGone
from learnt.whole_file import whole_file


@contextmanager
def sink(output: Path | None, what: str = "The answers") -> Iterator[BinaryIO]:
    """Where the answers go. A file appears under its name when it is whole, so that it may also replace the input."""
    if output is None:
        sys.stdout.flush()
        # A notebook's standard output takes text only.
        out: Any = getattr(sys.stdout, "buffer", None) or _TextOnly()
        yield out
        out.flush()
        return
    try:
        with whole_file(output, what) as out:
            yield out
    except BrokenPipeError as error:  # it was a pipe
        raise ReaderGone from error


class _TextOnly:
    """Standard output where it takes text and no bytes."""

    def write(self, content: bytes) -> None:
        sys.stdout.write(content.decode("utf-8"))

    def flush(self) -> None:
        sys.stdout.flush()
