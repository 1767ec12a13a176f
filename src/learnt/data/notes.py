"""What was done to a table's columns while it was read: one sentence each, with how to undo it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One thing a reader did, in words: `Note("class", "383 cells '-' are missing.", "--missing ''", "missing=[]")`."""

    column: str | None  # None: the file as a whole
    text: str  # a whole sentence that names the column
    flag: str | None = None  # what undoes it on the command line
    setting: str | None = None  # what undoes it in `read` and `scan`
    missing: tuple[str, ...] = ()  # texts of the column that it took as missing, which new rows may hold too
    date_order: str | None = None  # "day" or "month", where it settled what stands first

    def __str__(self) -> str:
        return f"{self.text} Undo: {self.flag}" if self.flag else self.text
