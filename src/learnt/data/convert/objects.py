"""Lists of Python objects become columns: the kind follows from the types of the cells."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

import numpy as np

from learnt.data.form import Form, clock_form, moments_form
from learnt.data.long_texts import form_of_texts
from learnt.data.schema import BOOLEAN_CATEGORIES, Kind
from learnt.data.table import Array, Column
from learnt.errors import InputError, KindError

Sort = Literal["missing", "boolean", "number", "text", "date", "duration", "time", "complex", "nested", "other"]
NANOSECONDS_PER_DAY = 86_400 * 10**9
MICROSECONDS_PER_DAY = 86_400 * 10**6
COMPLEX_MESSAGE = "Complex data not supported: {} holds complex numbers. Give real and imaginary parts as two columns."


def column_of_objects(name: str, values: Sequence[Any]) -> Column:
    """A column of cells of any scalar types; None, NaN, NaT and pandas' NA are missing."""
    cells = values if isinstance(values, list) else list(values)
    types = set(map(type, cells))
    sorts = {sort_of(t) for t in types} - {"missing"}
    if len(sorts) > 1 or any(sort_of(t) == "missing" for t in types - {type(None)}):
        _refuse_nested(name, cells, sorts)
        cells = [None if is_missing(cell) else cell for cell in cells]
        types = set(map(type, cells))
        sorts = {sort_of(t) for t in types} - {"missing"}
    if not sorts:
        return Column(name, "numeric", np.full(len(cells), np.nan))
    if len(sorts) > 1:
        return coded_column(name, [None if cell is None else text_of(cell) for cell in cells])
    (sort,) = sorts
    _refuse_nested(name, cells, sorts)
    if sort == "number":
        return Column(name, "numeric", _floats(name, cells))
    if sort == "boolean":
        codes = {False: 0, True: 1, None: -1}
        values32 = np.fromiter((codes[cell] for cell in cells), np.int32, len(cells))
        return Column(name, "boolean", values32, BOOLEAN_CATEGORIES)
    if sort in ("date", "duration", "time"):
        days = np.fromiter(map(_days, cells), np.float64, len(cells))
        return Column(name, "numeric", days, (), _moments_form(sort, days, cells))
    if types <= {str, type(None)}:
        return coded_column(name, cells)
    cells = [None if is_missing(cell) else text_of(cell) for cell in cells]
    return coded_column(name, cells)


def coded_column(name: str, labels: list[Any]) -> Column:
    """A nominal column of text with None for missing; categories sorted, so that row order never matters."""
    categories = sorted(set(labels) - {None})
    codes: dict[str | None, int] = {label: code for code, label in enumerate(categories)}
    codes[None] = -1
    values = np.fromiter(map(codes.__getitem__, labels), np.int32, len(labels))
    return Column(name, "nominal", values, tuple(categories), form_of_texts(categories, int((values >= 0).sum())))


def is_missing(cell: Any) -> bool:
    if cell is None or sort_of(type(cell)) == "missing":
        return True
    try:
        return bool(cell != cell)
    except Exception:  # an object that cannot be compared with itself is at least there
        return False


def text_of(cell: Any) -> str:
    """The label of a cell that is not, or need not stay, a number: bytes are decoded, text is itself."""
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "backslashreplace")
    return str.__str__(cell) if isinstance(cell, str) else str(cell)


def label_of(category: Any) -> Any:
    """A category as a Python scalar: text, integer, float or boolean; anything else as its text."""
    if isinstance(category, np.generic) and sort_of(type(category)) in ("boolean", "number"):
        return category.item()
    return category if type(category) in (bool, int, float, str) else text_of(category)


def labelled_column(name: str, codes: Array, labels: Iterable[Any], *, ordered: bool) -> Column:
    """A column of declared categories in their declared order; labels that turn out equal become one."""
    labels = list(labels)
    kind: Kind = "ordinal" if ordered else "nominal"
    if set(map(type, labels)) in ({int}, {str}) and len(set(labels)) == len(labels):  # thousands, mostly
        return Column(name, kind, codes.astype(np.int32, copy=False), tuple(labels))
    place: dict[Any, int] = {}
    moved = np.full(len(labels) + 1, -1, np.int32)  # the last entry serves code −1
    for code, label in enumerate(labels):
        if not is_missing(label):
            moved[code] = place.setdefault(label_of(label), len(place))
    same = len(place) == len(labels)
    values = codes.astype(np.int32, copy=False) if same else moved[codes]
    return Column(name, kind, values, tuple(place))


def sort_of(t: type) -> Sort:
    """What cells of a type are; subclasses count as their parents."""
    return _sorts.get(t) or _sorts.setdefault(t, _find_sort(t))


_sorts: dict[type, Sort] = {}


def _find_sort(t: type) -> Sort:
    if t is type(None) or t.__name__ in ("NAType", "NaTType"):
        return "missing"
    if issubclass(t, (bool, np.bool_)):
        return "boolean"
    if issubclass(t, (np.datetime64, np.timedelta64)):  # the latter is a NumPy integer: ask before numbers
        return "date" if issubclass(t, np.datetime64) else "duration"
    if issubclass(t, numbers.Real) or t.__name__ == "Decimal":
        return "number"
    if issubclass(t, numbers.Complex):
        return "complex"
    if issubclass(t, (str, bytes)):
        return "text"
    for parent, sort in ((date, "date"), (timedelta, "duration"), (time, "time")):
        if issubclass(t, parent):
            return sort  # type: ignore[return-value]
    nested = issubclass(t, (list, tuple, Mapping, set, frozenset)) or hasattr(t, "__array__")
    return "nested" if nested or not issubclass(t, Hashable) else "other"


def _refuse_nested(name: str, cells: Sequence[Any], sorts: set[Sort]) -> None:
    if "complex" in sorts:
        raise InputError(COMPLEX_MESSAGE.format(f"column {name!r}"))
    if "nested" in sorts:
        row = next(i for i, cell in enumerate(cells) if sort_of(type(cell)) == "nested")
        raise KindError(
            f"Column {name!r} holds a {type(cells[row]).__name__} in row {row}. "
            "Every cell of the argument must be one string, number, boolean or date. "
            "Spread nested values over columns of their own."
        )


def _floats(name: str, cells: list[Any]) -> Array:
    try:
        return np.array(cells, dtype=np.float64)  # None becomes NaN
    except OverflowError:
        row = next(i for i, cell in enumerate(cells) if cell is not None and abs(cell) > 2**1023)
        raise InputError(
            f"Column {name!r} holds an integer too large for a float in row {row}. "
            "Numbers are kept in double precision. Give it as text, or take its logarithm."
        ) from None


def _moments_form(sort: str, days: Array, cells: Sequence[Any]) -> Form:
    here = days[~np.isnan(days)]
    ticks = np.round((here - np.floor(here)) * MICROSECONDS_PER_DAY).astype(np.int64)
    if sort == "date":
        zoned = any(getattr(cell, "tzinfo", None) is not None for cell in cells)
        return moments_form(ticks, MICROSECONDS_PER_DAY, zoned=zoned)
    return clock_form("time" if sort == "time" else "duration", ticks, MICROSECONDS_PER_DAY)


_EPOCH = datetime(1970, 1, 1)


def _days(cell: Any) -> float:
    """Days since 1970-01-01 of a date or moment, days of a duration, fraction of a day of a time."""
    if cell is None or cell != cell:
        return math.nan
    if isinstance(cell, np.generic):
        from learnt.data.convert.numpy import days_of

        return float(days_of("", np.array([cell]))[0])
    if isinstance(cell, time):
        cell = timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second, microseconds=cell.microsecond)
    elif isinstance(cell, datetime):
        cell = (cell.astimezone(UTC).replace(tzinfo=None) if cell.tzinfo else cell) - _EPOCH
    elif isinstance(cell, date):
        return float(cell.toordinal() - _EPOCH.toordinal())
    rest = (cell.seconds * 10**6 + cell.microseconds) * 1000 + getattr(cell, "nanoseconds", 0)
    return float(cell.days + rest / NANOSECONDS_PER_DAY)
