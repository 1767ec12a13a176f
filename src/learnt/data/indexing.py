"""Rows and columns at once: `table[rows, columns]`, each by position, by a mask or a slice, columns by name too.

This is how NumPy's arrays are indexed, and so scikit-learn's splitters take tables apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.naming import names_in_key, wrong_key
from learnt.errors import InputError, KindError

if TYPE_CHECKING:
    from learnt.data.table import Table


def cut_table(table: Table, key: tuple[Any, ...]) -> Table:
    """`table[rows, columns]`, always a table; `...` stands for all."""
    if len(key) != 2:
        raise KindError(wrong_key(key, table.names))
    rows, columns = key
    if columns is not Ellipsis and not (isinstance(columns, slice) and columns == slice(None)):
        table = table.select(_names(table, columns))
    if rows is Ellipsis:
        return table
    if isinstance(rows, slice):
        return table[rows]
    return table.take(_positions(np.atleast_1d(np.asarray(rows)), table.n_rows, "row", "rows"))


def _names(table: Table, columns: Any) -> list[str]:
    names = table.names
    if isinstance(columns, str):
        return names_in_key([columns], names)
    if isinstance(columns, slice):
        return list(names[columns])
    if isinstance(columns, list | tuple) and any(isinstance(name, str) for name in columns):
        return names_in_key(list(columns), names)
    asked = np.atleast_1d(np.asarray(columns))
    if asked.dtype.kind in "UOT":
        return names_in_key(asked, names)
    return [names[j] for j in _positions(asked, len(names), "column", "columns").tolist()]


def _positions(asked: np.ndarray[Any, Any], there: int, one: str, many: str) -> np.ndarray[Any, Any]:
    """Positions counted from 0, in range, of a list of positions or a mask."""
    if asked.size == 0 and asked.dtype != bool:
        return np.empty(0, np.intp)
    if asked.ndim != 1 or asked.dtype.kind not in "biu":
        raise KindError(
            f"The {many} of a table are asked for by {asked.ndim}-D {asked.dtype} values. Expected positions, a mask "
            f"of booleans or a slice{', or names' if one == 'column' else ''}."
        )
    if asked.dtype == bool:
        if len(asked) != there:
            raise InputError(f"A mask of {len(asked)} booleans came for {there} {many}. Expected one per {one}.")
        return np.flatnonzero(asked)
    beyond = asked[(asked < -there) | (asked >= there)]
    if len(beyond):
        raise InputError(f"There is no {one} {beyond[0]}. There are {there} {many}, counted from 0.")
    return np.where(asked < 0, asked + there, asked).astype(np.intp)
