"""Ctrl-C while learners run: heard even where Python drops it."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self


class Interrupts:
    """Remembers a Ctrl-C, which is an exception: raised while a finaliser runs, Python prints and forgets it.

    Only where Ctrl-C would have raised KeyboardInterrupt: handlers of the user's are left in place.
    """

    def __init__(self) -> None:
        self._heard = self._ours = False

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()  # others cannot have handlers
        self._ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._ours:
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *error: object) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def check(self) -> None:
        """Raise what was dropped."""
        if self._heard:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._heard = True
        signal.default_int_handler(number, frame)
