"""Settings of trees: what they may be, and what they come to on a given table."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.errors import ParameterError
from learnt.parameters import Domain, OneOf, Real, Whole

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
    if isinstance(setting, Mapping):
        unknown = [name for name in setting if schema.place(name) is None]
        if unknown:
            raise ParameterError(
                f"{owner}: feature_costs names {unknown[0]!r}, which is no column. "
                f"The columns are {list(schema.names)[:6]}."
            )
        costs = np.array([float(setting.get(name, 1.0)) for name in schema.names])
    else:
        costs = np.array([float(cost) for cost in setting])
    if len(costs) != len(schema) or not (costs > 0).all():
        raise ParameterError(
            f"{owner}: feature_costs has {len(costs)} entries, the least of them {costs.min():g}. "
            f"Expected {len(schema)} positive numbers, one per column."
        )
    return costs


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
        raise ParameterError(f"class_weight names {unknown[0]!r}, which is no class. The classes are {labels[:6]}.")
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    if (factors < 0).any() or not factors[target].any():
        raise ParameterError(f"class_weight is {class_weight!r}. Expected weights of at least 0, not all of them 0.")
    return factors
