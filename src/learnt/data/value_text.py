"""A number of a column as people write it: a date, an amount of money, or just a number."""

from __future__ import annotations

import math

from learnt.data.form import CURRENCIES, Form
from learnt.data.moments import floored_moment, moment_text
from learnt.show.numbers import MINUS, number


def value_text(form: Form | None, value: float, scale: float = 0.0) -> str:
    """A value of a column, a mean of its values, or a quantile. `scale` is as for `number`.

    >>> from learnt.data.form import DATE
    >>> value_text(DATE, 19144.0), value_text(Form("number", "€", True, 2), -1234.5), value_text(None, 1234.5)
    ('2022-06-01', '−€1,234.50', '1234')
    """
    if form is None or math.isnan(value):
        return number(value, scale)
    if form.temporal:
        return moment_text(value, form)
    return with_unit(form, _amount(form, value, scale))


def spread_text(form: Form | None, value: float, scale: float = 0.0) -> str:
    """A difference of values: a standard deviation, half of an interval. Dates differ by days.

    >>> from learnt.data.form import DATE
    >>> spread_text(DATE, 30.5), spread_text(Form("number", "%"), 2.5)
    ('30.5 days', '2.5 %')
    """
    if form is None or not math.isfinite(value):
        return number(value, scale)
    if form.sort in ("time", "duration"):
        return moment_text(value, form if form.sort == "duration" else Form("duration", resolution=form.resolution))
    if form.temporal:
        return f"{number(value, scale)} {'day' if value == 1 else 'days'}"
    return with_unit(form, number(value, scale))


def bound_text(form: Form | None, value: float, digits: str) -> str:
    """An end of an interval that is open below and closed above: `x ≤ bound` and `x > bound` stay true as shown.

    A moment between two days is shown as the earlier one. `digits` is the end as a plain number.
    """
    if form is None or not math.isfinite(value):
        return digits
    if form.temporal:
        return moment_text(floored_moment(value, form), form)
    return with_unit(form, digits)


def with_unit(form: Form, digits: str) -> str:
    """Digits with the unit of their column, the sign in front of all."""
    if not form.unit:
        return digits
    if not form.unit_first:
        return f"{digits} {form.unit}"
    sign = MINUS if digits.startswith(MINUS) else ""
    return f"{sign}{form.unit}{' ' if form.unit[-1].isalpha() else ''}{digits.removeprefix(MINUS)}"


def _amount(form: Form, value: float, scale: float) -> str:
    """Money has its thousands set apart and all its decimals; other amounts are numbers."""
    if form.decimals is None or form.unit not in CURRENCIES or not math.isfinite(value):
        return number(value, scale)
    text = f"{abs(value):,.{form.decimals}f}"
    return (MINUS if value < 0 and text.strip("0.,") else "") + text
