"""The last steps of a command: what one of them cannot write does not keep the others from being done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from learnt.cli.terminal.streams import ReaderGone
from learnt.errors import WriteError


class Steps:
    """Hours of work are not lost to one full disk: the other files are written, the result is shown, then it fails.

    >>> done = []
    >>> with Steps().all() as steps:
    ...     with steps.one():
    ...         raise WriteError("The report cannot be written.")
    ...     done.append("the model")
    Traceback (most recent call last):
        ...
    learnt.errors.WriteError: The report cannot be written.
    >>> done
    ['the model']
    """

    def __init__(self) -> None:
        self._first: Exception | None = None

    @contextmanager
    def all(self) -> Iterator[Steps]:
        """At its end the first failure is raised."""
        yield self
        if self._first is not None:
            raise self._first

    @contextmanager
    def one(self) -> Iterator[None]:
        try:
            yield
        except (ReaderGone, WriteError) as error:
            self._first = self._first or error
