"""Settings of trees: what they may be, and what they come to on a given table."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain, OneOf, Real, Whole

Array = np.ndarray[Any, Any]

_ROUNDING = 1 - 1e-9  # so that sums of fractions that should reach a limit do


class ByName(Domain):
    """Numbers by name: a dict, or with `in_order` also a list."""

    def __init__(self, words: str, *, in_order: bool = False):
        self.words, self.in_order = words, in_order

    def __contains__(self, value: object) -> bool:
        if isinstance(value, Mapping):
            return len(value) > 0 and all(v in Real() for v in value.values())
        if not self.in_order or not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
            return False
        return len(value) > 0 and all(v in Real() for v in value)


class Share(Real):
    """A part of the whole as a float: 1 counts, 1.0 is all."""

    def __contains__(self, value: object) -> bool:
        return super().__contains__(value) and not isinstance(value, numbers.Integral)


CLASS_WEIGHT: Domain = OneOf(None, "balanced") | ByName("a dict of weights by class")
COSTS: Domain = OneOf(None) | ByName("a dict of costs by column, or a list with one cost per column", in_order=True)
DIRECTIONS: Domain = OneOf(None) | ByName(
    "a dict of 1 (rising), -1 (falling) or 0 by column, or a list with one of them per column", in_order=True
)
MISSING: Domain = OneOf("learned", "fractional", "majority", "class_majority")
NOMINAL: Domain = OneOf("subset", "equals", "multiway")
SHARE_OR_COUNT: Domain = Whole(1) | Share(above=0, below=1)
SPLIT: Domain = Whole(2) | Share(above=0, high=1)
TRIED: Domain = OneOf(None, "sqrt", "log2") | Whole(1) | Real(above=0, high=1)
WINDOW: Domain = OneOf(None) | Whole(1) | Real(above=0, high=1)


def least_weight(setting: Any, total: float, free: int) -> float:
    """The least weight that a setting such as `min_samples_leaf` asks for: a number, or a share of the total.

    Up to `free` it asks for nothing, since any whole row is enough, however little it weighs.
    """
    if setting in Whole():
        return float(setting) * _ROUNDING if setting > free else 0.0
    return float(setting) * total * _ROUNDING


def columns_tried(setting: Any, n_columns: int) -> int | None:
    """How many columns `max_features` draws at each node; None for all."""
    if setting is None:
        return None
    if setting == "sqrt":
        number = math.isqrt(n_columns)
    elif setting == "log2":
        number = int(math.log2(n_columns))
    elif setting in Whole():
        number = int(setting)
    else:
        number = int(setting * n_columns)
    number = min(max(number, 1), n_columns)
    return None if number == n_columns else number


def column_costs(setting: Any, schema: Schema, owner: str) -> Array | None:
    """The cost of each column; 1 for those a dict leaves out."""
    if setting is None:
        return None
    costs = np.array([float(cost) for cost in _by_column("feature_costs", setting, schema, owner, rest=1.0)])
    if len(costs) != len(schema) or not (costs > 0).all():
        raise ParameterError(
            f"{owner}: feature_costs has {len(costs)} entries, the least of them {costs.min():g}. "
            f"Expected {len(schema)} positive numbers, one per column."
        )
    return costs


def column_directions(setting: Any, schema: Schema, owner: str) -> Array | None:
    """1 for columns the target rises with, −1 for those it falls with, 0 for the others; None if that is all."""
    if setting is None:
        return None
    wanted = _by_column("monotonic_cst", setting, schema, owner, rest=0)
    if len(wanted) != len(schema):
        raise ParameterError(
            f"{owner}: monotonic_cst has {len(wanted)} entries. Expected {len(schema)}, one per column."
        )
    for column, direction in zip(schema, wanted, strict=True):
        if direction not in (-1, 0, 1):
            raise ParameterError(
                f"{owner}: monotonic_cst is {direction!r} for column {column.name!r}. "
                "Expected 1 (rising), -1 (falling) or 0."
            )
        if direction and column.kind == "nominal":
            raise ParameterError(
                f"{owner}: monotonic_cst is {direction!r} for column {column.name!r}, whose categories have no order. "
                "Make the column ordinal or numeric, or leave it out."
            )
    return np.array(wanted, dtype=np.int32) if any(wanted) else None


def _by_column(name: str, setting: Any, schema: Schema, owner: str, rest: float) -> list[Any]:
    """What a dict says of each column, and `rest` of those it leaves out; a list as it is."""
    if not isinstance(setting, Mapping):
        return list(setting)
    unknown = [column for column in setting if schema.place(column) is None]
    if unknown:
        raise ParameterError(
            f"{owner}: {name} names {unknown[0]!r}, which is not a column. The columns are {list(schema.names)[:6]}."
        )
    return [setting.get(column, rest) for column in schema.names]


def class_factors(class_weight: Any, classes: Array, target: Array, weights: Array | None) -> Array:
    """What the weights of each class's rows are multiplied by: given by label, or "balanced"."""
    if isinstance(class_weight, str):
        present = np.bincount(target, weights, len(classes))
        factors = np.zeros(len(classes))
        np.divide(present.sum(), np.count_nonzero(present) * present, out=factors, where=present > 0)
        return factors
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ParameterError(f"class_weight names {unknown[0]!r}, which is not a class. The classes are {labels[:6]}.")
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    if (factors < 0).any() or not factors[target].any():
        raise ParameterError(f"class_weight is {class_weight!r}. Expected weights of at least 0, not all of them 0.")
    return factors
