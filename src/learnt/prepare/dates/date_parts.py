"""What a date is made of: year, month, weekday, hour …, each as a column of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from learnt.data.form import RESOLUTIONS, Form
from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Column

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MINUTES = 1440  # of a day
_FARTHEST = 1e8  # days; beyond, NumPy's dates overflow


@dataclass(frozen=True)
class DatePart:
    """One part of a date: from whole days and minutes of the day to a number, or to the place of a label."""

    of: Callable[[Array, Array], Array]
    labels: tuple[str, ...] = ()

    def schema(self, name: str) -> ColumnSchema:
        return ColumnSchema(name, "ordinal" if self.labels else "numeric", self.labels)

    def column(self, name: str, column: Column) -> Column:
        """The part of each cell, missing where that is."""
        there = np.isfinite(column.values) & (np.abs(column.values) < _FARTHEST)
        cells = np.where(there, column.values, 0.0).astype(np.float64)
        days = np.floor(cells)
        # A minute that began a rounding error later has begun.
        minutes = np.floor((cells - days) * _MINUTES + 1e-6)
        late = minutes >= _MINUTES
        found = self.of((days + late).astype(np.int64), np.where(late, 0, minutes).astype(np.int64))
        if self.labels:
            return Column(name, "ordinal", np.where(there, found, -1).astype(np.int32), self.labels)
        return Column(name, "numeric", np.where(there, found, np.nan))


def _months(days: Array) -> Array:
    """Months since 1970."""
    months: Array = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return months


def _since(days: Array, unit: str) -> Array:
    """Days since the first of the month or of the year."""
    dates = days.astype("M8[D]")
    begun: Array = (dates - dates.astype(f"M8[{unit}]").astype("M8[D]")).astype(np.int64)
    return begun


PARTS: dict[str, DatePart] = {
    "year": DatePart(lambda days, _: _months(days) // 12 + 1970),
    "quarter": DatePart(lambda days, _: _months(days) % 12 // 3 + 1),
    "month": DatePart(lambda days, _: _months(days) % 12, MONTHS),
    "day": DatePart(lambda days, _: _since(days, "M") + 1),
    "day of year": DatePart(lambda days, _: _since(days, "Y") + 1),
    "weekday": DatePart(lambda days, _: (days + 3) % 7, WEEKDAYS),  # 1970 began on a Thursday
    "hour": DatePart(lambda _, minutes: minutes // 60),
    "minute": DatePart(lambda _, minutes: minutes % 60),
}


def usual_parts(form: Form) -> tuple[str, ...]:
    """The parts that can differ between moments of a form."""
    if form.sort == "duration":
        return ()
    if form.sort == "time":
        return ("hour", "minute")
    if form.resolution == "month":
        return ("year", "month")
    dated = ("year", "month", "day", "day of year", "weekday")
    return dated if RESOLUTIONS[form.resolution] <= 1 else (*dated, "hour")
