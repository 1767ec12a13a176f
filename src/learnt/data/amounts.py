"""Numbers that know the unit of their column."""

from __future__ import annotations

from typing import Any

from learnt.data.form import Form


class Amount(float):
    """A number of a column with a unit: a float in every way, `shown` as people write it.

    >>> Amount(5.5, Form("number", "€", True, 2)).shown, Amount(5.5, Form("number", "kg")) + 1
    ('€5.50', 6.5)
    """

    form: Form

    def __new__(cls, value: float, form: Form) -> Amount:
        self = super().__new__(cls, value)
        self.form = form
        return self

    @property
    def shown(self) -> str:
        from learnt.data.value_text import value_text

        return value_text(self.form, float(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Amount, (float(self), self.form)
