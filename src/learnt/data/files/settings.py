"""The settings of `read` and `scan` that say how a file is written, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from learnt.data.files.text.dialect import Options
from learnt.errors import ParameterError
from learnt.show.words import spell


def options_of(
    *,
    missing: Iterable[str] | None,
    date_order: str | None,
    skip_bad: int,
    kinds: Mapping[str, Any] | None,
    ordinal: Mapping[str, Any] | None,
    **others: Any,
) -> Options:
    """What the user says about a file."""
    if isinstance(missing, str):
        raise ParameterError(f"missing={missing!r} is one text. A list of texts was expected. Give [{missing!r}].")
    if date_order not in (None, "day", "month"):
        raise ParameterError(f"date_order={spell(date_order)} is not known. Expected 'day', 'month' or None.")
    if isinstance(skip_bad, bool) or not isinstance(skip_bad, int) or skip_bad < 0:
        raise ParameterError(f"skip_bad={spell(skip_bad)} is no count. Expected a whole number, 0 or more.")
    for name, fewest in (("delimiter", 1), ("quote", 0), ("decimal", 1)):
        sign = others.get(name)
        if sign is not None and not (isinstance(sign, str) and fewest <= len(sign) <= 1):
            raise ParameterError(f"{name}={spell(sign)} cannot be used. One character was expected, such as ';'.")
    texts = None if missing is None else tuple(missing)
    for text in texts or ():
        if not isinstance(text, str):
            raise ParameterError(f"missing holds {spell(text)}. Texts were expected, as they stand in the file.")
    return Options(
        missing=texts,
        date_order=date_order,
        skip_bad=skip_bad,
        kinds=kinds if isinstance(kinds, Mapping) else {},
        ordinal=ordinal if isinstance(ordinal, Mapping) else {},
        **others,
    )
