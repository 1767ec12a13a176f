"""What the settings of an `Imputer` may be, and which constant fills a column."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

from learnt.data.schema import ColumnSchema, Label
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain
from learnt.show.words import plain, spell

STRATEGIES = ("mean", "median", "most_frequent", "constant", "class", "model")

#: The category that says a cell was missing, where no constant is given.
MISSING = "missing"


class Strategies(Domain):
    words = "a dict from columns to these"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(isinstance(s, str) and s in STRATEGIES for s in value.values())


class FillValue(Domain):
    words = "a number, a label, or a dict of these by column"

    def __contains__(self, value: object) -> bool:
        if isinstance(value, Mapping):
            return all(_is_cell(v) for v in value.values())
        return _is_cell(value)


def _is_cell(value: object) -> bool:
    if isinstance(value, numbers.Real):
        try:
            return math.isfinite(value)
        except OverflowError:
            return False
    return isinstance(value, str)


def constant_fill(column: ColumnSchema, fill_value: Any) -> tuple[float, tuple[Label, ...]]:
    """The number or code that fills a column, and its categories, with the constant among them."""
    value = plain(fill_value.get(column.name) if isinstance(fill_value, Mapping) else fill_value)
    own = isinstance(fill_value, Mapping) and value is not None
    if not column.coded:
        if isinstance(value, str) and own:
            raise ParameterError(
                f"Imputer: fill_value={{{column.name!r}: {spell(value)}}}, but the column is numeric. Expected a "
                "number."
            )
        return (0.0 if value is None or isinstance(value, str) else float(value)), ()
    if value is None or not (own or isinstance(value, str | bool)):
        if column.kind != "nominal":
            raise ParameterError(
                f"Imputer: strategy='constant' has no label for the {column.kind} column {column.name!r}. Expected one "
                f"of {list(column.categories)[:6]}. Give fill_value={{{column.name!r}: …}}, or another strategy for it."
            )
        value = MISSING
    for code, label in enumerate(column.categories):
        if type(label) is type(value) and label == value:
            return float(code), column.categories
    if column.kind != "nominal":
        raise ParameterError(
            f"Imputer: fill_value={spell(value)} is not a category of the {column.kind} column {column.name!r}. "
            f"Expected one of {list(column.categories)[:6]}."
        )
    return float(len(column.categories)), (*column.categories, value)
