"""The shapes dates and times are written in, and texts of one shape as days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from learnt.data.kinds.months import MONTHS
from learnt.data.table import Array

NANOSECONDS = 86_400 * 10**9  # of a day
_PIVOT = 69  # years of two digits from here on are of the twentieth century, as POSIX has it

_CLOCK = r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)? ?(?P<half>(?:[AaPp]\.?[Mm]\.?)?)"
_ZONE = r"(?P<zone>(?:Z|z|UTC|GMT|[-+]\d{2}(?::?\d{2})?)?)"
_TIME = rf"(?:(?:T|t|,? +){_CLOCK} ?{_ZONE})?"
_YEAR = r"(?P<y>\d{4}|\d{2})"
_WEEKDAY = r"(?:\pL{2,}\.?,? +)?"

#: Named so that a note can speak of them; the first that reads the most texts is taken.
SHAPES: dict[str, str] = {
    "year first": rf"^(?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}}){_TIME}$",
    "figures": rf"^(?P<a>\d{{1,2}})(?P<sep>[-/.]) ?(?P<b>\d{{1,2}})[-/.] ?{_YEAR}{_TIME}$",
    "day, name": rf"^{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?[-/ ]*(?:of |de )?(?P<name>\pL{{3,}})\.?,?[-/ ]*"
    rf"(?:del? )?{_YEAR}{_TIME}$",
    "name, day": rf"^{_WEEKDAY}(?P<name>\pL{{3,}})\.?[- ]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?[- ]+{_YEAR}{_TIME}$",
    "name, year": r"^(?P<name>\pL{3,})\.?(?:[-/ ]|, | de )(?P<y>\d{4})$",
    "name-year": r"^(?P<name>\pL{3})[-'](?P<y>\d{2})$",
    "year-month": r"^(?P<y>\d{4})[-/](?P<m>\d{2})$",
    "month/year": r"^(?P<m>\d{1,2})/(?P<y>\d{4})$",
    "clock": rf"^{_CLOCK.replace('{1,2}', '{1,4}', 1)}$",
    "span": r"^(?P<D>-?\d+) days?,? ?\+?(?P<H>\d{1,2}):(?P<M>\d{2}):(?P<S>\d{2})(?:\.(?P<f>\d{1,9}))?$",
}
#: Only where the user says that it is a date: these are numbers to anybody else.
SAID_SHAPES: dict[str, str] = {
    "figures only": r"^(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})(?:T?(?P<H>\d{2})(?P<M>\d{2})(?P<S>(?:\d{2})?))?$",
    "year": r"^(?P<y>\d{4})$",
}
MONTHLY = ("name, year", "name-year", "year-month", "month/year", "year")


@dataclass(frozen=True)
class Moments:
    """Texts as whole days and nanoseconds of a day; `ok` tells which were read."""

    days: Array
    nanoseconds: Array
    ok: Array
    zoned: bool = False
    hours: Array | None = None  # as written, of clocks

    def values(self) -> Array:
        """Days and their fraction, NaN where a text was not read; the same bits as any other source gives."""
        return np.where(self.ok, self.days + self.nanoseconds / NANOSECONDS, np.nan)


def shape_pattern(shape: str) -> str:
    return SHAPES.get(shape) or SAID_SHAPES[shape]


@cache
def _quick_pattern(shape: str) -> re.Pattern[str]:
    return re.compile(shape_pattern(shape).replace(r"\pL", r"[^\W\d_]"))


def any_fits(texts: Sequence[str], shape: str) -> bool:
    """Whether one of a few texts has the shape: Arrow compiles its patterns anew for each column."""
    return any(map(_quick_pattern(shape).match, texts))


def fits_shape(texts: Any, shape: str) -> Array:
    import pyarrow.compute as pc

    found: Array = pc.match_substring_regex(texts, shape_pattern(shape)).to_numpy(zero_copy_only=False)
    return found


def fits_orders(texts: Sequence[str]) -> tuple[Array, Array]:
    """Which texts of figures can have the day first, and which the month."""
    import pyarrow as pa

    part = _Parts(pa.array(texts, pa.large_string()), SHAPES["figures"])
    first, second, years = part.number("a"), part.number("b"), part.years("y")
    found = []
    for days, months in ((first, second), (second, first)):
        ok = part.ok.copy()
        _first_days(years, months, days, ok)
        found.append(ok)
    return found[0], found[1]


@dataclass(frozen=True)
class DateWriting:
    """One way to write dates: a shape and, where both day and month are figures, which of them is first."""

    shape: str
    month_first: bool = False

    def numbers(self, texts: Sequence[str]) -> Array:
        """Days since 1970, or days of a duration; NaN where a text is not written this way."""
        return self.moments(texts).values()

    def moments(self, texts: Sequence[str]) -> Moments:
        import pyarrow as pa

        cells = pa.array(texts, pa.large_string())
        if self.shape == "year first":
            fast = _iso_moments(cells)
            if fast is not None:
                return fast
        return self._slow_moments(cells)

    def _slow_moments(self, cells: Any) -> Moments:
        part = _Parts(cells, shape_pattern(self.shape))
        ok = part.ok
        hours, minutes, seconds = part.number("H"), part.number("M"), part.number("S")
        ok &= (minutes < 60) & (seconds < 60)
        ok &= (hours < 24) | (self.shape == "clock")
        clock = _on_24_hours(hours, part, ok)
        nanoseconds = ((clock * 60 + minutes) * 60 + seconds) * 10**9 + part.fraction("f")
        offsets, zoned = part.offsets("zone")
        nanoseconds = nanoseconds - offsets * 60 * 10**9
        days = self._days(part, ok)
        more, nanoseconds = np.divmod(nanoseconds, NANOSECONDS)
        return Moments(days + more, nanoseconds, ok, zoned, hours if self.shape == "clock" else None)

    def _days(self, part: _Parts, ok: Array) -> Array:
        if self.shape in ("clock", "span"):
            return part.number("D")
        years = part.years("y")
        if self.shape == "figures":
            months, days = part.number("a"), part.number("b")
            if not self.month_first:
                months, days = days, months
        else:
            months = part.months("name") if part.has("name") else part.number("m", 1)
            days = part.number("d", 1)
        return _first_days(years, months, days, ok) + days - 1


def _first_days(years: Array, months: Array, days: Array, ok: Array) -> Array:
    """The days since 1970 at which the months began; `ok` is made False where there is no such day."""
    ok &= (months >= 1) & (months <= 12) & (days >= 1) & (years >= 1)
    start = np.where(ok, (years - 1970) * 12 + months - 1, 0)
    first: Array = start.astype("M8[M]").astype("M8[D]").astype(np.int64)
    following = (start + 1).astype("M8[M]").astype("M8[D]").astype(np.int64)
    ok &= days <= following - first
    return first


def _iso_moments(cells: Any) -> Moments | None:
    """Dates as programs write them, by Arrow's parser, which is many times faster; None if one is written otherwise."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells, offset = _without_zone(cells)
    types = (pa.date32(), pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC"))
    for type_ in types if len(cells) else ():
        try:
            moments = pc.cast(cells, type_)
        except pa.ArrowInvalid:
            continue
        everything = np.ones(len(cells), dtype=bool)
        if pa.types.is_date32(type_) and offset is None:
            days = moments.cast(pa.int32()).to_numpy().astype(np.int64)
            return Moments(days, np.zeros(len(cells), np.int64), everything)
        if pa.types.is_date32(type_):
            return None  # a date with a zone
        per_day = 86_400 * (10**9 if type_.unit == "ns" else 10**6)
        ticks = moments.cast(pa.int64()).to_numpy() - (offset or 0) * (per_day // 1440)
        days, rest = np.divmod(ticks, per_day)
        zoned = offset is not None or type_.tz is not None
        return Moments(days, rest * (NANOSECONDS // per_day), everything, zoned=zoned)
    return None


def _without_zone(cells: Any) -> tuple[Any, int | None]:
    """Texts without the zone that all of them have, and how many minutes it is ahead of UTC; None without one.

    Arrow is several times faster on texts without zones.
    """
    import pyarrow.compute as pc

    zone = re.search(r":\d\d(?:\.\d+)?(Z|[-+]\d\d:?\d\d)$", cells[0].as_py()) if len(cells) else None
    if zone is None or not pc.all(pc.ends_with(cells, zone[1])).as_py():
        return cells, None
    return pc.utf8_slice_codeunits(cells, 0, -len(zone[1])), _offset(zone[1])


class _Parts:
    """The groups of a pattern, one array each."""

    def __init__(self, cells: Any, pattern: str):
        import pyarrow.compute as pc

        self._groups = pc.extract_regex(cells, pattern)
        self._names = {field.name for field in self._groups.type}
        self.ok: Array = self._groups.is_valid().to_numpy(zero_copy_only=False).copy()

    def has(self, name: str) -> bool:
        return name in self._names

    def texts(self, name: str) -> Any:
        import pyarrow.compute as pc

        return pc.struct_field(self._groups, name).fill_null("")

    def number(self, name: str, default: int = 0) -> Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self.has(name):
            return np.full(len(self.ok), default, np.int64)
        texts = self.texts(name)
        digits = pc.if_else(pc.equal(texts, ""), pa.scalar(str(default), texts.type), texts)
        found: Array = pc.cast(digits, pa.int64()).to_numpy(zero_copy_only=False)
        return found

    def years(self, name: str) -> Array:
        import pyarrow.compute as pc

        years = self.number(name)
        short = pc.utf8_length(self.texts(name)).to_numpy(zero_copy_only=False) == 2
        return np.where(short, years + np.where(years >= _PIVOT, 1900, 2000), years)

    def months(self, name: str) -> Array:
        import pyarrow.compute as pc

        encoded = pc.utf8_lower(self.texts(name)).dictionary_encode()
        months = np.array([MONTHS.get(text, 0) for text in encoded.dictionary.to_pylist()] or [0], dtype=np.int64)
        found: Array = months[encoded.indices.to_numpy(zero_copy_only=False)]
        return found

    def fraction(self, name: str) -> Array:
        """Digits behind the decimal sign of seconds, in nanoseconds."""
        import pyarrow.compute as pc

        if not self.has(name):
            return np.zeros(len(self.ok), np.int64)
        lengths = pc.utf8_length(self.texts(name)).to_numpy(zero_copy_only=False)
        scale: Array = 10 ** (9 - lengths.astype(np.int64))
        return self.number(name) * scale

    def halves(self, name: str) -> tuple[Array, Array]:
        """Which are of the morning and which of the afternoon, where that is said."""
        import pyarrow.compute as pc

        if not self.has(name):
            return np.zeros(len(self.ok), bool), np.zeros(len(self.ok), bool)
        letters = pc.utf8_lower(pc.utf8_slice_codeunits(self.texts(name), 0, 1))
        morning, afternoon = (pc.equal(letters, half).to_numpy(zero_copy_only=False) for half in "ap")
        return morning, afternoon

    def offsets(self, name: str) -> tuple[Array, bool]:
        """Minutes ahead of UTC, and whether any text names a zone."""
        import pyarrow.compute as pc

        if not self.has(name):
            return np.zeros(len(self.ok), np.int64), False
        encoded = self.texts(name).dictionary_encode()
        zones = encoded.dictionary.to_pylist()
        minutes = np.array([_offset(zone) for zone in zones] or [0], dtype=np.int64)
        return minutes[encoded.indices.to_numpy(zero_copy_only=False)], any(zones) and pc.any(self.ok).as_py()


def _offset(zone: str) -> int:
    if zone[:1] not in ("+", "-"):
        return 0
    digits = zone[1:].replace(":", "")
    return (int(digits[:2]) * 60 + int(digits[2:] or 0)) * (-1 if zone[0] == "-" else 1)


def _on_24_hours(hours: Array, part: _Parts, ok: Array) -> Array:
    """Hours of a clock of two halves on one of 24."""
    morning, afternoon = part.halves("half")
    halved = morning | afternoon
    ok &= ~halved | ((hours >= 1) & (hours <= 12))
    return np.where(halved, hours % 12 + np.where(afternoon, 12, 0), hours)
