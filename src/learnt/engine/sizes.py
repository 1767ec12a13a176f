"""Numbers whose squares are none: so large that they overflow, or so small that they vanish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError

#: Squares of differences below the first are 0, or have lost digits; beyond the second sums of them may overflow.
SMALLEST, LARGEST = 3e-154, 1e151
#: The square of a number beyond this, or of a few times as much, is none.
LARGEST_CELL = 1e153


def squares_overflow(what: str) -> InputError:
    """The error of numbers too large; `what` holds them."""
    return InputError(f"{what} holds values so large that their squares overflow. Scale it down first.")


@contextmanager
def refused_overflow() -> Iterator[None]:
    """While fitting: numbers that leave their range, and matrices that rounding has spoilt, which sound rows never
    cause, are an error in one line."""
    try:
        with np.errstate(over="raise"):
            yield
    except (np.linalg.LinAlgError, FloatingPointError) as error:
        what = "Numbers, weights or settings are too large, or differ too much in size"
        why = " ".join(str(error).split())
        raise InputError(f"{what} ({why}). Scale them first, or leave out the wrong ones.") from error


def sums_beyond(x: Array, weights: Array, constant: Array | float = 0.0) -> Array:
    """x·weights + constant where terms overflow: infinities of both signs have no sum, terms made smaller do."""
    unit, most = 2.0**540, np.finfo(np.float64).max  # products of two such parts are numbers
    with np.errstate(over="ignore"):
        found: Array = (np.clip(x, -most, most) / unit @ (weights / unit) + constant / unit / unit) * unit * unit
    return found


def vanishing_columns(mean: Array, variance: Array) -> Array:
    """Which columns vary so little around so small a mean that their variance has vanished.

    A mean above 1e-140 has no neighbours as near as that: there, a variance of 0 is that of a constant.
    """
    with np.errstate(invalid="ignore"):
        found: Array = (variance < SMALLEST**2) & (mean != 0) & (np.abs(mean) < 1e-140)
    return found


def check_columns(names: Sequence[str], mean: Array, variance: Array) -> None:
    """Raise for the first column whose squares leave the range of numbers; `names` are those of the columns."""
    large, small = ~np.isfinite(variance), vanishing_columns(mean, variance)
    if not (large.any() or small.any()):
        return
    j = int(np.flatnonzero(large | small)[0])
    if large[j]:
        raise squares_overflow(f"Column {names[j]!r}")
    raise InputError(f"Column {names[j]!r} holds values so small that their squares vanish. Scale it up first.")


def check_sums(names: Sequence[str], mean: Array, weight: float) -> None:
    """Raise for the first column whose sum overflows, be all its cells the same."""
    large = np.abs(mean) > np.finfo(np.float64).max / (4 * max(weight, 1.0))
    if large.any():
        j = int(np.flatnonzero(large)[0])
        raise InputError(f"Column {names[j]!r} holds values so large that their sums overflow. Scale it down first.")


def check_sizes(table: Table, weights: Array | None = None) -> None:
    """Raise for the first column with a number, in a row that counts, whose square leaves the range of numbers."""
    for column in table.columns:
        there = ~column.missing if weights is None else ~column.missing & (weights > 0)
        if not column.schema.coded and np.any(np.abs(column.values[there].astype(np.float64)) > LARGEST_CELL):
            raise squares_overflow(f"Column {column.name!r}")


def check_target(
    target: Array, weights: Array | None, ends: tuple[float, float] = (np.inf, -np.inf)
) -> tuple[float, float]:
    """Raise for targets whose differences overflow when squared; their ends, together with `ends` of earlier ones."""
    there = target if weights is None else target[weights > 0]
    low, high = ends
    if len(there):
        low, high = min(low, float(there.min())), max(high, float(there.max()))
    check_large_span(low, high)
    return low, high


def check_large_span(low: float, high: float) -> None:
    """Raise for targets between these ends if their differences overflow when squared."""
    if high - low > LARGEST:
        raise squares_overflow("The target")


def check_small_span(low: float, high: float) -> None:
    """Raise for targets between these ends if their differences vanish when squared."""
    if 0 < high - low < SMALLEST:
        raise InputError("The target holds values so small that their squares vanish. Scale it up first.")
