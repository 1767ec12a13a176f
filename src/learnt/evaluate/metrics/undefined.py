"""Saying aloud that a figure is undefined for the rows given."""

from __future__ import annotations

import math
import warnings
from typing import Any

from learnt.errors import ParameterError


class UndefinedMetricWarning(UserWarning):
    """A metric is 0/0 for these rows; the message says why and what is returned instead."""


def warn_undefined(message: str) -> None:
    warnings.warn(message, UndefinedMetricWarning, stacklevel=3)


def zero_division_value(zero_division: Any, name: str) -> float:
    """What stands for 0/0: 0 for "warn"; 0, 1 or NaN as given."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, (int, float)) and (zero_division in (0, 1) or math.isnan(zero_division)):
        return float(zero_division)
    raise ParameterError(f"{name}: zero_division={zero_division!r} is not allowed. Expected 'warn', 0, 1 or NaN.")
