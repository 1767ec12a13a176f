"""Days as dates and times, as Python has them and as people write them."""

from __future__ import annotations

import math
from datetime import UTC
from typing import Any

import numpy as np

from learnt.data.form import RESOLUTIONS, Form

Array = np.ndarray[Any, Any]

_MICROSECONDS = 86_400 * 10**6  # of a day
_FARTHEST = 1e8  # days: beyond, NumPy's dates overflow


def python_moments(values: Array, form: Form) -> list[Any]:
    """Cells as Python's date, datetime, time or timedelta, None where missing; what none can hold stays a number."""
    fine = np.isfinite(values) & (np.abs(values) < _FARTHEST)
    ticks = microseconds(np.where(fine, values, 0.0), form)
    if form.sort == "duration":
        cells: list[Any] = ticks.astype("m8[us]").tolist()
    elif form.sort == "date":
        cells = ticks.astype("M8[us]").astype("M8[D]").tolist()
    elif form.sort == "time":
        cells = [moment.time() for moment in (ticks % _MICROSECONDS).astype("M8[us]").tolist()]
    else:
        cells = ticks.astype("M8[us]").tolist()
        if form.zoned:
            cells = [cell.replace(tzinfo=UTC) if hasattr(cell, "replace") else cell for cell in cells]
    if not fine.all():
        for i in np.flatnonzero(~fine).tolist():
            cells[i] = None if math.isnan(values[i]) else float(values[i])
    return [float(value) if isinstance(cell, int) else cell for cell, value in zip(cells, values, strict=True)]


def microseconds(days: Array, form: Form) -> Array:
    """Whole microseconds of days; a float holds them to a third of one since 1970."""
    per_day = min(RESOLUTIONS[form.resolution] or 1, _MICROSECONDS)
    if form.sort == "date":
        per_day = 1
    whole = np.floor(days)
    ticks = whole * per_day + np.round((days - whole) * per_day)
    found: Array = ticks.astype(np.int64) * (_MICROSECONDS // per_day)
    return found


def floored_moment(value: float, form: Form) -> float:
    """The last moment of the column's resolution that is not after `value`."""
    if not math.isfinite(value) or abs(value) >= _FARTHEST:
        return value
    if form.resolution == "month":
        month = np.datetime64(math.floor(value), "D").astype("M8[M]")
        return float(month.astype("M8[D]").astype(np.int64))
    per_day = 1 if form.sort == "date" else min(RESOLUTIONS[form.resolution], _MICROSECONDS)
    rounding = min(0.5, 2.0**-51 * abs(value) * per_day)  # a moment of the column may lie that much below itself
    return math.floor(value * per_day + rounding) / per_day


def moment_text(value: float, form: Form) -> str:
    """A moment or a duration as people write it, at the resolution of its column.

    >>> moment_text(19144.0, Form("date")), moment_text(19144.51, Form("timestamp", resolution="minute"))
    ('2022-06-01', '2022-06-01 12:14')
    >>> moment_text(0.75, Form("time", resolution="minute")), moment_text(1.5, Form("duration", resolution="second"))
    ('18:00', '36:00:00')
    """
    if not math.isfinite(value) or abs(value) >= _FARTHEST:
        return "missing" if math.isnan(value) else f"{value:g} days"
    ticks = int(microseconds(np.array([value]), form)[0])
    if form.sort == "duration":
        return _duration_text(ticks, form)
    stamp = str(np.datetime64(ticks, "us"))  # 2022-06-01T12:14:24.000000
    day, _, clock = stamp.partition("T")
    if form.sort == "date":
        return day.rpartition("-")[0] if form.resolution == "month" else day
    clock = _clock(clock, form)
    if form.sort == "time":
        return clock
    return f"{day} {clock}{' UTC' if form.zoned else ''}"


_LENGTHS = {"minute": 5, "second": 8, "millisecond": 12, "microsecond": 15, "nanosecond": 15, "day": 5, "month": 5}


def _clock(clock: str, form: Form) -> str:
    return clock[: _LENGTHS[form.resolution]]


def _duration_text(ticks: int, form: Form) -> str:
    minutes, rest = divmod(abs(ticks), 60 * 10**6)
    hours, minutes = divmod(minutes, 60)
    seconds = f":{rest // 10**6:02d}.{rest % 10**6:06d}"
    text = f"{hours}:{minutes:02d}" + seconds[: max(0, _LENGTHS[form.resolution] - 5)]
    return f"−{text}" if ticks < 0 else text
