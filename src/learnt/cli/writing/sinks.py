"""Where answers are written to: standard output, or a file that appears when it is whole."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from learnt.errors import FileError


@contextmanager
def sink(output: Path | None) -> Iterator[BinaryIO]:
    """Where the answers go. A file appears under its name when it is whole, so that it may also replace the input."""
    if output is None:
        sys.stdout.flush()
        # A notebook's standard output takes text only.
        out: Any = getattr(sys.stdout, "buffer", None) or _TextOnly()
        yield out
        out.flush()
        return
    ordinary = output.is_file() or not output.exists()
    scratch = output.with_name(f".{output.name}.{secrets.token_hex(6)}.tmp") if ordinary else output
    try:
        with scratch.open("wb") as out:
            yield out
        if ordinary:
            os.replace(scratch, output)
    except OSError as error:
        raise FileError(
            f"The answers cannot be written: {error.strerror}. Choose another place.", str(output)
        ) from error
    finally:
        if ordinary:
            scratch.unlink(missing_ok=True)


class _TextOnly:
    """Standard output where it takes text and no bytes."""

    def write(self, content: bytes) -> None:
        sys.stdout.write(content.decode("utf-8"))

    def flush(self) -> None:
        sys.stdout.flush()
