"""The columns that a key asks for, and words about those a table has and has not."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Number
from typing import Any

import numpy as np

from learnt.errors import KindError


def unknown_column(name: Any, names: Sequence[str]) -> str:
    """An error message for a column that is not there, with the nearest name that is."""
    import difflib

    near = difflib.get_close_matches(name, names, 1) if isinstance(name, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else f" The table has {some_names(names)}."
    return f"There is no column {name!r}.{hint}"


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
