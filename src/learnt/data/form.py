"""The form of a column: what its numbers stand for outside, where that is more than a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from learnt.storable import storable

Array = np.ndarray[Any, Any]
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

#: Signs and codes of money, as they stand before or behind an amount.
CURRENCIES = (
    *("US$", "A$", "C$", "R$", "€", "$", "£", "¥", "₹", "₽", "₩", "₺", "₪", "฿", "₫", "₴", "₦", "₱"),
    *(
        "EUR",
        "USD",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "AUD",
        "CAD",
        "kr",
        "zł",
        "Fr.",
    ),
)


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


def finest_resolution(ticks: Array, per_day: int, coarsest: str) -> str:
    """The coarsest resolution, from `coarsest` on, that whole ticks of a day need not be cut for."""
    names = list(RESOLUTIONS)
    for name in names[names.index(coarsest) :]:
        if RESOLUTIONS[name] >= per_day or not (ticks % (per_day // RESOLUTIONS[name])).any():
            return name
    return names[-1]


def moments_form(ticks: Array, per_day: int, *, zoned: bool = False) -> Form:
    """Of moments counted in ticks: dates where all of them are midnights."""
    resolution = finest_resolution(ticks, per_day, "day")
    return DATE if resolution == "day" else Form("timestamp", resolution=resolution, zoned=zoned)


def clock_form(sort: Literal["time", "duration"], ticks: Array, per_day: int) -> Form:
    """Of times of day and of durations."""
    return Form(sort, resolution=finest_resolution(ticks, per_day, "minute"))


DATE = Form("date")
TEXT = Form("text")
