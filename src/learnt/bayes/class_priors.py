"""Prior probabilities of the classes: from the data, equal, or given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.bayes.priors import Priors
from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.learner.parameters import Domain, OneOf
from learnt.show.words import spell

#: What the setting `priors` may be: None for the shares of the classes, "uniform", or probabilities.
CLASS_PRIORS: Domain = OneOf(None, "uniform") | Priors()


def log_priors(given: Any, classes: Array, class_weight: Array, owner: str) -> Array:
    """The logarithm of each class's prior; −inf for a class without rows, or given none."""
    labels, k = classes.tolist(), len(classes)
    if given is None:
        prior = class_weight / class_weight.sum()
    elif isinstance(given, str):
        prior = np.full(k, 1 / k)
    else:
        if isinstance(given, Mapping):
            absent = [label for label in (*labels, *given) if label not in given or label not in labels]
            if absent:
                raise ParameterError(
                    f"{owner}: priors are given for {list(given)!r}, the classes are {labels!r}. "
                    f"Expected one for each. Look at {spell(absent[0])}."
                )
            given = [given[label] for label in labels]
        if len(given) != k:
            raise ParameterError(
                f"{owner}: {len(given)} priors are given, but there are {k} classes: {labels!r}. Expected one for each."
            )
        prior = np.asarray(given, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs: Array = np.log(prior)
    return logs
