"""Class weights: how much a row counts because of its class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain, OneOf, Real
from learnt.show.words import spell


class _ByClass(Domain):
    words = "a dict of class: weight ≥ 0"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(weight in Real(0) for weight in value.values())


#: What the setting `class_weight` takes.
CLASS_WEIGHTS: Domain = OneOf(None, "balanced") | _ByClass()


def class_factors(given: Any, classes: Array, counts: Array, owner: str) -> Array | None:
    """By class, what weights of its rows are multiplied with; None for ones.

    "balanced" gives each class the same total, that of all rows divided by the number of classes. Classes a dict
    does not name count once. `counts` are the weights of the classes.
    """
    if given is None:
        return None
    if isinstance(given, str):
        there = counts > 0
        share = counts.sum() / np.count_nonzero(there)
        balanced: Array = np.divide(share, counts, out=np.zeros_like(counts), where=there)
        return balanced
    labels = classes.tolist()
    strange = [label for label in given if label not in labels]
    if strange:
        raise ParameterError(
            f"{owner}: class_weight names {spell(strange[0])}, which is not a class. The classes are {labels[:6]!r}."
        )
    factors = np.array([float(given.get(label, 1.0)) for label in labels])
    if not (factors * counts > 0).any():
        raise ParameterError(f"{owner}: class_weight leaves no row any weight. Expected one class above 0.")
    return factors
