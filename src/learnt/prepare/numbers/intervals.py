"""Intervals in words: (−∞, 20], (20, 30], (30, ∞)."""

from __future__ import annotations

import math
from itertools import pairwise

from learnt.data.form import Form
from learnt.data.table import Array
from learnt.data.value_text import bound_text
from learnt.show.numbers import MINUS

#: Digits that show a cut between measured values; more only where two cuts would read alike.
_DIGITS = 7


def interval_labels(cuts: Array, form: Form | None = None) -> tuple[str, ...]:
    """The intervals between rising cuts, open below and closed above.

    >>> import numpy as np
    >>> interval_labels(np.array([-2.5, 20.0]))
    ('(−∞, −2.5]', '(−2.5, 20]', '(20, ∞)')
    """
    for digits in range(_DIGITS, 18):
        told = [bound_text(form, float(cut), _text(float(cut), digits)) for cut in cuts]
        if len(set(told)) == len(told):
            break
    else:
        if form is not None:  # more than one cut within a day
            return interval_labels(cuts)
    ends = [MINUS + "∞", *told, "∞"]
    return tuple(f"({low}, {high}{')' if high == '∞' else ']'}" for low, high in pairwise(ends))


def _text(cut: float, digits: int) -> str:
    size = abs(cut)
    if 1e6 <= size < 1e15:  # whole digits are never dropped for an exponent, nor the half between whole numbers
        digits = max(digits, math.floor(math.log10(size)) + 2)
    return (MINUS if cut < 0 else "") + f"{size:.{digits}g}"
