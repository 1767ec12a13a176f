"""Room in memory for what would otherwise be on disk, or be read again."""

from __future__ import annotations

import threading


class Room:
    """So many bytes, taken and given back; by several threads, if need be."""

    def __init__(self, size: int):
        self.size, self.used = size, 0
        self._lock = threading.Lock()

    def take(self, n_bytes: int) -> bool:
        """Whether there was room for so many more; if so they are taken."""
        with self._lock:
            fits = self.used + n_bytes <= self.size
            self.used += n_bytes if fits else 0
        return fits

    def give_back(self, n_bytes: int) -> None:
        with self._lock:
            self.used -= n_bytes
