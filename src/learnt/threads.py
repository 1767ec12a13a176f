"""How many threads the kernels use: `learnt.threads()` asks, `learnt.threads(2)` sets."""

from __future__ import annotations

import operator
import os
from types import TracebackType
from typing import SupportsIndex, overload

from learnt import _core
from learnt.errors import ParameterError
from learnt.show.words import spell

MOST_THREADS = 1024


class ThreadLimit:
    """What `threads(n)` returns: as a context manager it puts the former number back."""

    def __init__(self, n: int, former: int) -> None:
        self.n = n
        self._former = former

    def __enter__(self) -> ThreadLimit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _core.set_threads(self._former)

    def __repr__(self) -> str:
        return f"threads({self.n})"


@overload
def threads() -> int: ...
@overload
def threads(n: SupportsIndex) -> ThreadLimit: ...
def threads(n: SupportsIndex | None = None) -> int | ThreadLimit:
    """The number of threads in use, or, given a number, set it for this process from now on.

    It starts as the environment variable LEARNT_THREADS, else as the number of CPUs this process may use.
    Results do not depend on it.

    >>> with threads(1):
    ...     threads()
    1
    """
    check_environment()
    if n is None:
        return _core.get_threads()
    wanted = _whole_number(n)
    if wanted is None or not 1 <= wanted <= MOST_THREADS:
        raise ParameterError(
            f"The number of threads is {spell(n)}. Expected a whole number from 1 to {MOST_THREADS}. "
            "Call threads() without one to ask how many are in use."
        )
    former = _core.get_threads()
    _core.set_threads(wanted)
    return ThreadLimit(wanted, former)


def check_environment() -> None:
    """Refuse a LEARNT_THREADS that the kernels had to ignore."""
    setting = os.environ.get("LEARNT_THREADS", "").strip()
    if setting and not (setting.isascii() and setting.isdigit() and 1 <= int(setting) <= MOST_THREADS):
        raise ParameterError(
            f"The environment variable LEARNT_THREADS is {setting!r}. "
            f"Expected a whole number from 1 to {MOST_THREADS}. Correct or unset it."
        )


def _whole_number(n: object) -> int | None:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        return None
    return operator.index(n)
