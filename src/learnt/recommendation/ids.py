"""Users and items by number: ids of any type, counted while rows go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.override import changed_kind
from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Column
from learnt.errors import InputError
from learnt.show.words import plain, spell


class IdCounts:
    """The ids of a column and the weight of each, batch by batch.

    Ids are sorted numbers, or the categories of the column, which all batches share: the order of rows does not matter.
    """

    def __init__(self, like: ColumnSchema):
        self.like = like
        self.levels = np.zeros(0)
        self.weights = np.zeros(len(like.categories) if like.coded else 0)
        self.counts = np.zeros(len(self.weights), np.int64)

    def add(self, column: Column, weights: Array | None) -> None:
        """The ids of rows that count, none of them missing."""
        if self.like.coded:
            codes = column.values
        else:
            if np.isinf(column.values).any():
                raise InputError(f"Column {column.name!r} holds an infinite number, which is no id. Replace it.")
            levels, codes = _levels_and_codes(column.values)
            together = np.union1d(self.levels, levels)
            places = np.searchsorted(together, self.levels)
            for name in ("weights", "counts"):
                wider = np.zeros(len(together), getattr(self, name).dtype)
                wider[places] = getattr(self, name)
                setattr(self, name, wider)
            codes = np.searchsorted(together, levels)[codes]
            self.levels = together
        self.weights += np.bincount(codes, weights, len(self.weights))
        self.counts += np.bincount(codes, minlength=len(self.counts))

    def finish(self) -> Ids:
        """All that were there."""
        kept = np.flatnonzero(self.counts > 0)
        if self.like.coded:
            labels = tuple(self.like.categories[code] for code in kept.tolist())
            place = np.full(len(self.counts) + 1, -1, np.int32)
            place[kept] = np.arange(len(kept), dtype=np.int32)
        else:
            named = changed_kind(Column(self.like.name, "numeric", self.levels, (), self.like.form), "nominal")
            labels, place = named.categories, None
        schema = ColumnSchema(self.like.name, "nominal", labels)
        return Ids(schema, self.weights[kept], self.counts[kept], self.levels, place)


class Ids:
    """The ids found, in order; `codes` finds those of a column like the one they were found in."""

    def __init__(self, schema: ColumnSchema, weights: Array, counts: Array, levels: Array, place: Array | None):
        self.schema, self.weights, self.counts = schema, weights, counts
        self._levels, self._place = levels, place

    def __len__(self) -> int:
        return len(self.schema.categories)

    def codes(self, column: Column) -> Array:
        if self._place is not None:
            found: Array = self._place[column.values]
            return found
        if _are_close(self._levels, len(column)):
            lookup = np.zeros(int(self._levels[-1] - self._levels[0]) + 1, np.int32)
            lookup[(self._levels - self._levels[0]).astype(np.intp)] = np.arange(len(self._levels), dtype=np.int32)
            near: Array = lookup[(column.values - self._levels[0]).astype(np.intp)]
            return near
        return np.searchsorted(self._levels, column.values).astype(np.int32)


def _are_close(numbers: Array, n: int) -> bool:
    """Whether numbers are whole and so near each other that a table of n cells has room for all between them."""
    if not len(numbers) or np.abs(numbers).max() >= 2**53 or np.ptp(numbers) > max(4 * n, 1 << 16):
        return False
    return bool((numbers == np.floor(numbers)).all())


def _levels_and_codes(numbers: Array) -> tuple[Array, Array]:
    """Different numbers, sorted, and the place of each in them; whole ones near each other are counted, not sorted."""
    if not _are_close(numbers, len(numbers)):
        levels, codes = np.unique(numbers, return_inverse=True)
        return levels, codes.ravel()
    low = numbers.min()
    places = (numbers - low).astype(np.intp)
    there = np.bincount(places) > 0
    return np.flatnonzero(there) + float(low), (np.cumsum(there) - 1)[places]


# One table may hold numbers where another, for the sake of a single id with a letter, holds texts.


def find_id(known: Mapping[Any, int], given: Any) -> int:
    """The place of an id, −1 if it is not known; a number may be given as text, and the other way round."""
    value = plain(given)
    try:
        for written in (value, _number(value), str(value)):
            if written is not None and written in known:
                return known[written]
    except TypeError:
        raise InputError(f"{spell(given)} is no id. Expected a number or a text; of several, one at a time.") from None
    return -1


def as_known(column: Column, known: Mapping[Any, int]) -> Column:
    """A column whose ids are written as those that are known; others stay as they are."""
    kinds = {type(label) for label in known}
    if column.kind == "numeric" and str not in kinds:
        return column
    named = changed_kind(column, "nominal")
    if all(label in known for label in named.categories):
        return named
    labels = list(known)
    places = [find_id(known, label) for label in named.categories]
    written = [label if p < 0 else labels[p] for p, label in zip(places, named.categories, strict=True)]
    categories = {label: code for code, label in enumerate(dict.fromkeys(written))}
    codes = np.array([*(categories[label] for label in written), -1], np.int32)
    return Column(named.name, "nominal", codes[named.values], tuple(categories))


def _number(value: Any) -> float | int | None:
    try:
        return int(value) if isinstance(value, str) else None
    except ValueError:
        try:
            return float(value)
        except ValueError:
            return None
