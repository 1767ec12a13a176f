"""The columns that a key asks for, and words about those a table has and has not."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Number
from typing import Any

import numpy as np

from learnt.errors import KindError


def unknown_column(name: Any, names: Sequence[str]) -> str:
    """An error message for a column that is not there, with the nearest name that is."""
    near = nearest_name(name, names)
    hint = f" Did you mean {near!r}?" if near is not None else f" The table has {some_names(names)}."
    return f"There is no column {name!r}.{hint}"


def nearest_name(name: Any, names: Sequence[str]) -> str | None:
    """The name that is most like another; case, spaces and signs make little difference.

    >>> nearest_name("heigth", ["weight", "height"]), nearest_name("sepal_length", ["Sepal Length", "sepal_width"])
    ('height', 'Sepal Length')
    """
    import difflib

    if not isinstance(name, str):
        return None
    if near := difflib.get_close_matches(name, names, 1, cutoff=0.8):
        return near[0]
    alike = {_plainly(other): other for other in reversed(names)}
    if near := difflib.get_close_matches(_plainly(name), alike, 1):
        return alike[near[0]]
    near = difflib.get_close_matches(name, names, 1)
    return near[0] if near else None


def _plainly(name: str) -> str:
    """A name without case and without signs, unless nothing is left then."""
    return "".join(sign for sign in name.casefold() if sign.isalnum()) or name


def absent_columns(absent: Sequence[str], there: Sequence[str], wanted: Sequence[str], most: int = 4) -> str:
    """A sentence about columns that a model needs and a table lacks, each with the free column that is most like it.

    >>> absent_columns(["height", "age"], ["Height", "sex"], ["height", "age", "sex"])
    "There is no column 'height' (is it 'Height'?), nor 'age'. The model needs them."
    """
    free = [name for name in there if name not in set(wanted)]
    told = []
    for name in absent[:most]:
        near = nearest_name(name, free)
        told.append(f"{name!r} (is it {near!r}?)" if near is not None else repr(name))
    more = f", nor {len(absent) - most:,} more" if len(absent) > most else ""
    has = "" if any("(is it" in words for words in told) else f" The table has {some_names(there)}."
    return (
        f"There is no column {', nor '.join(told)}{more}.{has} The model needs {'it' if len(absent) == 1 else 'them'}."
    )


def wrong_key(key: Any, names: Sequence[str]) -> str:
    """An error message for what stands in the brackets of a table and picks neither columns nor rows."""
    shown = f"{key}" if isinstance(key, Number) or key is None else f"a value of type {type(key).__name__}"
    first = names[0] if names else "age"
    if isinstance(key, Integral):
        instead = f"For row {key} write table[{key}:{int(key) + 1}]" if int(key) >= 0 else "For rows write table[0:1]"
        return f"A table is not indexed by {shown}. {instead}, for a column its name, table[{first!r}]."
    return (
        f"A table is not indexed by {shown}. Expected a name, table[{first!r}], a list of names, table[[{first!r}]], "
        "or a slice of rows, table[0:2]. Rows by their positions, or where an array says so, are table.take(rows)."
    )


def some_names(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def names_in_key(key: Any, names: Sequence[str]) -> list[str]:
    """The columns that `table[key]` asks for: a list, a tuple or an array of names that are there."""
    asked = key.tolist() if isinstance(key, np.ndarray) and key.dtype.kind in "UOT" else key
    if not isinstance(asked, (list, tuple)) or not all(isinstance(name, str) for name in asked):
        raise KindError(wrong_key(key, names))
    there = set(names)
    absent = next((name for name in asked if name not in there), None)
    if absent is not None:
        raise KeyError(unknown_column(absent, names))
    return list(asked)
