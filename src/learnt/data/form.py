"""The form of a column: what its numbers stand for outside, where that is more than a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learnt.storable import storable

Sort = Literal["number", "date", "timestamp", "time", "duration", "text"]

#: From coarse to fine, with how many of them make a day; a month has no fixed length.
RESOLUTIONS: dict[str, int] = {
    "month": 0,
    "day": 1,
    "minute": 1440,
    "second": 86_400,
    "millisecond": 86_400 * 10**3,
    "microsecond": 86_400 * 10**6,
    "nanosecond": 86_400 * 10**9,
}


@storable
@dataclass(frozen=True, slots=True)
class Form:
    """How cells look to people. Inside they are days since 1970, days, or numbers of a unit; text is nominal."""

    sort: Sort
    unit: str = ""  # of numbers: "€", "%", "kg"
    unit_first: bool = False  # "€5", not "5 €"
    decimals: int | None = None  # of numbers, as many as the column was written with; None: as many as are needed
    resolution: str = "day"  # of dates, times and durations: the finest that differs between cells
    zoned: bool = False  # of timestamps: they were written with a zone, and are shown in UTC

    def __post_init__(self) -> None:
        if self.resolution not in RESOLUTIONS:
            raise ValueError(f"A form has no resolution {self.resolution[:40]!r}")

    @property
    def temporal(self) -> bool:
        """Whether cells are days, since 1970 or of a duration."""
        return self.sort in ("date", "timestamp", "time", "duration")


DATE = Form("date")
TEXT = Form("text")
