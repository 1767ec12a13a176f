"""Standard input, output and error as they may come: closed, full, or a pipe that nobody reads any more.

Results go to standard output: where they cannot, the command fails with one line, or in silence if the reader has had
enough. Standard error only comments on the work: where it cannot be written, the work goes on.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from learnt.errors import FileError, WriteError
from learnt.unwritable import FULL


class ReaderGone(Exception):
    """Whoever read our output has closed the pipe. No OSError: those of pipes are ended by others, with other codes."""


@contextmanager
def standard_streams() -> Iterator[None]:
    """`sys.stdout` fails in words and `sys.stderr` never, as long as the block lasts."""
    _fill_closed_places()
    former = sys.stdin, sys.stdout, sys.stderr
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks ▇ shall show ? and not fail
            stream.reconfigure(errors="replace")
    sys.stdout = _Output(sys.stdout or _writer(1))
    sys.stderr = _Comments(sys.stderr or _writer(2))
    former_hook, sys.unraisablehook = sys.unraisablehook, _say_unless_unwritable(sys.unraisablehook)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = former
        sys.unraisablehook = former_hook


def _say_unless_unwritable(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What a library fails to write again, when its objects are tidied up after a failure, is no news."""

    def say(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, OSError):
            hook(unraisable)

    return say


def standard_input() -> BinaryIO:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise FileError("Standard input is closed, and - asks for rows from it. Pipe a file in, or name one.")
    return cast(BinaryIO, _Input(sys.stdin.buffer))


def discard(stream: Any) -> None:
    """What is still to be flushed goes nowhere, so that it does not fail again when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _fill_closed_places() -> None:
    """Where 0, 1 or 2 are closed, the next file opened would take their place and be written to as if it were them."""
    for place in (0, 1, 2):
        try:
            os.fstat(place)
        except OSError:
            # The first free number is given; output is opened for reading, so that writing to it fails.
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY if place == 1 else os.O_RDWR), True)


def _writer(place: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(open(place, "wb", closefd=False), encoding="utf-8")


class _Around:
    """Another stream in all but writing and flushing."""

    def __init__(self, stream: Any):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Input(_Around):
    """Rows that come in."""

    def read(self, size: int = -1) -> bytes:
        try:
            return bytes(self._stream.read(size))
        except OSError as error:
            raise FileError(f"Standard input cannot be read: {error.strerror}. Name a file instead of -.") from error


class _Output(_Around):
    """Results. `buffer` is where their bytes go."""

    @property
    def buffer(self) -> _Output:
        return _Output(self._stream.buffer)

    def write(self, content: Any) -> int:
        with _in_words():
            return int(self._stream.write(content))

    def flush(self) -> None:
        with _in_words():
            self._stream.flush()


class _Comments(_Around):
    """Progress, warnings and errors; nothing is lost if they are."""

    def write(self, content: Any) -> int:
        try:
            return int(self._stream.write(content))
        except OSError:
            discard(self._stream)
            return len(content)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            discard(self._stream)


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error
    except OSError as error:
        why = "the disk is full" if error.errno in FULL else error.strerror or str(error)
        if error.errno == errno.EBADF:
            why = "it is closed"
        told = WriteError(f"Standard output cannot be written to: {why}. Send it to another place.")
        told.errno = error.errno
        raise told from error
