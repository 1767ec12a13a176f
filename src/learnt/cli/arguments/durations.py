"""Times as people type them: 90s, 5m, 1h30m."""

from __future__ import annotations

import re

from learnt.errors import ParameterError

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}


def seconds_of(text: str) -> float:
    """The seconds of a duration; a number alone means seconds.

    >>> seconds_of("90"), seconds_of("5m"), seconds_of("1h30m"), seconds_of("0.5s")
    (90.0, 300.0, 5400.0, 0.5)
    """
    tidy = text.strip().lower().replace(" ", "")
    pattern = r"(?:(?P<h>\d+(?:\.\d+)?)h)?(?:(?P<m>\d+(?:\.\d+)?)m(?:in)?)?(?:(?P<s>\d+(?:\.\d+)?)s?)?"
    match = re.fullmatch(pattern, tidy, re.ASCII)
    total = sum(_UNITS[unit] * float(part) for unit, part in match.groupdict().items() if part) if match else 0.0
    if not 0 < total < float("inf"):
        raise ParameterError(f"The time is {text!r}. Expected a duration above 0 such as 90s, 5m or 1h30m.")
    return total
