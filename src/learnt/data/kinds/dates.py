"""Columns of dates, times and durations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt.data.form import DATE, Form, clock_form, moments_form
from learnt.data.kinds.date_shapes import (
    MONTHLY,
    NANOSECONDS,
    SAID_SHAPES,
    SHAPES,
    DateWriting,
    Moments,
    any_fits,
    fits_orders,
    fits_shape,
    shape_pattern,
)
from learnt.data.kinds.decision import Decision
from learnt.data.kinds.missing import missing_notes, odd_words_note
from learnt.data.kinds.nearly import SHARE, nearly_all
from learnt.data.kinds.numeric import keep_known, not_readable
from learnt.data.kinds.seen import Seen
from learnt.data.kinds.wording import quoted_text, undone_by_kind
from learnt.data.moments import moment_text
from learnt.data.notes import Note
from learnt.show.words import count_of

_ENOUGH = 0.5  # of some texts have the shape: worth reading all


def as_date(seen: Seen, *, said: bool = False) -> Decision | None:
    """A date if all words, or nearly all cells, are of one shape; None if not."""
    n_words = int(seen.counts.sum())
    if said and seen.n_numbers:
        return Decision(seen.name, "numeric", as_words=True)
    if said and not len(seen.rest):
        return Decision(seen.name, "numeric", form=DATE)
    if not n_words or n_words < SHARE * (n_words + seen.n_numbers):
        return None
    shape = _likely_shape(seen, said)
    if shape is None:
        if said:
            raise not_readable(seen, seen.rest, "date")
        return None
    order = _order(seen, shape)
    moments = order.writing.moments(seen.texts)
    others = seen.rest[~moments.ok]
    n_read = int(seen.counts[moments.ok].sum())
    if said and len(others):
        raise not_readable(seen, others, "date")
    n_others = n_words - n_read + seen.n_numbers
    if not nearly_all(n_read, n_others, len(others) + (seen.n_numbers > 0)):
        return None
    form = form_of(moments, shape)
    keep_known(seen, order.writing, moments.values())
    notes = [*missing_notes(seen), *([] if said and shape != "figures" else [_note(seen, order, moments, form)])]
    if len(others):
        notes.append(odd_words_note(seen, others, "date"))
    if seen.n_numbers:
        count = "counts" if seen.n_numbers == 1 else "count"
        text = f"In {seen.name!r}, {count_of(seen.n_numbers, 'plain number')} {count} as missing."
        notes.append(undone_by_kind(seen.name, text, "nominal"))
    return Decision(seen.name, "numeric", form=form, reading=order.writing, notes=tuple(notes))


def _likely_shape(seen: Seen, said: bool) -> str | None:
    """The shape most of some texts have, if any has enough of them."""
    import pyarrow as pa

    shapes = [shape for shape in (*SHAPES, *(SAID_SHAPES if said else ())) if any_fits(seen.few, shape)]
    sample = pa.array(seen.sample if shapes else (), pa.large_string())
    best, most = None, 0
    for shape in shapes:
        found = int(fits_shape(sample, shape).sum())
        if found > most:
            best, most = shape, found
    return best if most and most >= _ENOUGH * len(sample) else None


@dataclass(frozen=True)
class _Order:
    """A way to write dates, and how sure it is."""

    writing: DateWriting
    guessed: bool = False  # both orders would do


def _order(seen: Seen, shape: str) -> _Order:
    """Which of two figures is the day: what more cells fit, then what the user says, then what is likely."""
    if shape != "figures":
        return _Order(DateWriting(shape))
    ways = [DateWriting(shape, month_first) for month_first in (False, True)]
    if settled := seen.options.date_orders.get(seen.name):
        return _Order(ways[int(settled == "month")])
    cells = [int(seen.counts[fits].sum()) for fits in fits_orders(seen.texts)]
    if cells[0] != cells[1]:
        return _Order(ways[int(cells[1] > cells[0])])
    if seen.options.date_order is not None:
        return _Order(ways[int(seen.options.date_order == "month")])
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.extract_regex(pa.array(seen.texts, pa.large_string()), shape_pattern(shape)).drop_null()
    first, second, sep, half = (
        pc.unique(pc.struct_field(parts, name)).to_pylist() for name in ("a", "b", "sep", "half")
    )
    if sep == ["."]:  # only ever day first
        return _Order(ways[0])
    firsts_of_months = len(second) == 1 and int(second[0]) == 1 and len(first) > 1
    american = "/" in sep and any(half)  # with am and pm
    return _Order(ways[int(firsts_of_months or american)], guessed=True)


def form_of(moments: Moments, shape: str) -> Form:
    """What the moments are, and how finely they must be shown to tell them apart."""
    nanoseconds = moments.nanoseconds[moments.ok]
    if shape in ("clock", "span"):
        long = shape == "span" or _are_durations(moments)
        return clock_form("duration" if long else "time", nanoseconds, NANOSECONDS)
    if shape in MONTHLY:
        return Form("date", resolution="month")
    return moments_form(nanoseconds, NANOSECONDS, zoned=moments.zoned)


def _are_durations(moments: Moments) -> bool:
    """Clocks that go beyond a day, or that are read to the second and never reach ten hours."""
    assert moments.hours is not None
    hours = moments.hours[moments.ok]
    seconds = bool((moments.nanoseconds[moments.ok] % (60 * 10**9)).any())
    return bool(hours.max(initial=0) >= 24) or (seconds and len(hours) > 5 and bool(hours.max() < 10))


_CALLED = {"date": "dates", "timestamp": "dates and times", "time": "times of day", "duration": "durations"}


def _note(seen: Seen, order: _Order, moments: Moments, form: Form) -> Note:
    first = int(np.argmax(moments.ok))
    written, shown = seen.texts[first], moment_text(float(moments.values()[first]), form)
    example = f", like {written}." if written == shown else f": {quoted_text(written)} is {shown}."
    now, other = ("month", "day") if order.writing.month_first else ("day", "month")
    said = f", {now} first" if order.writing.shape == "figures" else ""
    text = f"{seen.name!r} is read as {_CALLED[form.sort]}{said}{example}"
    settled = now if order.writing.shape == "figures" else None
    if order.guessed:
        text += " Both orders fit every cell."
        return Note(seen.name, text, f"--date-order {other}", f"date_order={other!r}", date_order=settled)
    return replace(undone_by_kind(seen.name, text, "nominal"), date_order=settled)
