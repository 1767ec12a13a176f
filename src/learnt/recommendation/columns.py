"""Which columns of a table say who rated what: by name, else by place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.override import changed_kind
from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.engine.sizes import check_target
from learnt.engine.training import checked_weights
from learnt.errors import InputError
from learnt.show.words import spell

#: Names that need not be told, without case and signs.
KNOWN = {
    "user": ("user", "userid", "username"),
    "item": ("item", "itemid", "itemname"),
    "rating": ("rating", "ratings"),
    "weight": ("weight", "sampleweight"),
    "time": ("time", "timestamp", "date", "datetime"),
}


@dataclass(frozen=True)
class Roles:
    """The names of columns; without `rating`, every row is one event."""

    user: str
    item: str
    rating: str | None = None
    weight: str | None = None

    @property
    def names(self) -> list[str]:
        return [name for name in (self.user, self.item, self.rating, self.weight) if name is not None]


def known_column(role: str, names: Sequence[str]) -> str | None:
    """The column that is called as the role is."""
    plain = {"".join(c for c in name.casefold() if c.isalnum()): name for name in reversed(names)}
    return next((plain[word] for word in KNOWN[role] if word in plain), None)


def find_roles(schema: Schema, *, rated: bool, **told: str | None) -> Roles:
    """What columns are for: as told, else by name, else the first two that are left, and, where the table must hold
    ratings (`rated`), the third."""
    names = list(schema.names)
    found: dict[str, str | None] = {}
    for role in ("user", "item", "rating", "weight"):
        name = told.get(role)
        if name is not None and (not isinstance(name, str) or name not in names):
            raise InputError(f"{role}={spell(name)} names a column. {unknown_column(name, names)}")
        found[role] = name
    for role in ("user", "item", "rating", "weight"):
        free = [name for name in names if name not in found.values()]
        if found[role] is None and schema.named:
            found[role] = known_column(role, free)
    time = known_column("time", names) if schema.named else None
    wanted = ("user", "item", "rating") if rated else ("user", "item")
    for role in wanted:
        if found[role] is None:
            left = [name for name in names if name not in found.values() and name != time]
            if not left:
                events = ' Where rows are clicks or sales, say feedback="implicit".' if role == "rating" else ""
                raise InputError(
                    f"No column holds the {role}s. The table has {spell(names[:6])}. Name it: {role}=….{events}"
                )
            found[role] = left[0]
    user, item = found["user"], found["item"]
    assert user is not None
    assert item is not None
    taken = [name for name in found.values() if name is not None]
    if len(set(taken)) < len(taken):
        raise InputError(f"Two roles have one column: {spell({k: v for k, v in found.items() if v})}. Name others.")
    return Roles(user, item, found["rating"], found["weight"])


@dataclass(frozen=True, eq=False)
class RatedRows:
    """The rows of a batch that count: the ids as columns, what was rated, and weights (None: all 1)."""

    user: Column
    item: Column
    values: Array
    weights: Array | None
    n_left_out: int  # without a user, an item or a rating


def rated_rows(table: Table, roles: Roles, ratings: Any = None, weights: Any = None, first_row: int = 0) -> RatedRows:
    """A batch as ratings; `ratings` and `weights` may be arrays instead of columns of the table."""
    n, user, item = table.n_rows, table[roles.user], table[roles.item]
    if ratings is None and roles.rating is not None:
        ratings = table[roles.rating]
    values = np.ones(n) if ratings is None else _numbers(ratings, n, first_row)
    if weights is None and roles.weight is not None:
        weights = table[roles.weight]
    checked = None if weights is None else checked_weights(weights, n, first_row)
    there = ~(user.missing | item.missing | np.isnan(values))
    counts = there if checked is None else there & (checked > 0)
    if not counts.all():
        user, item = (Column.like(column, column.values[counts]) for column in (user, item))
        values, checked = values[counts], None if checked is None else checked[counts]
    return RatedRows(user, item, values, checked, int((~there).sum()))


def _numbers(ratings: Any, n: int, first_row: int) -> Array:
    column = ratings if isinstance(ratings, Column) else to_vector(ratings, "rating")
    if len(column) != n:
        raise InputError(f"There are {n} rows and {len(column)} ratings. Give one for each row.")
    values: Array = np.asarray(changed_kind(column, "numeric").values, np.float64)
    endless = np.isinf(values)
    if endless.any():
        row = int(np.flatnonzero(endless)[0])
        raise InputError(
            f"Column {column.name!r} holds an infinite rating in row {row + first_row}. Replace it, or make it missing."
        )
    check_target(values[~np.isnan(values)], None)
    return values
