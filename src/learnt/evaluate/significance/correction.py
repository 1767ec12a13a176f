"""p-values of many tests made together, raised so that the whole family keeps its promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError

Correction = Literal["holm", "bonferroni", "hochberg", "benjamini_hochberg"]


def adjust(p_values: Any, method: Correction | str = "holm") -> Any:
    """Adjusted p-values, in the order given; a dict of p-values gives a dict.

    >>> adjust({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}

    | method | what it keeps below α | holds |
    |---|---|---|
    | `"holm"` | the chance of a single false finding | always; never weaker than Bonferroni |
    | `"bonferroni"` | the same | always |
    | `"hochberg"` | the same, with a little more power | when the tests are independent or positively related |
    | `"benjamini_hochberg"` | the expected share of false findings among all findings | the same |

    Reference: S. Holm, A simple sequentially rejective multiple test procedure, 1979; Y. Hochberg 1988; Y. Benjamini,
    Y. Hochberg 1995.
    """
    if isinstance(p_values, Mapping):
        return dict(zip(p_values, adjust(list(p_values.values()), method).tolist(), strict=True))
    p = _checked_p_values(p_values)
    m = len(p)
    order = np.argsort(p, kind="stable")
    rank = np.arange(m)
    if method == "holm":  # smallest first; a p-value is never adjusted below a smaller one
        raised = np.maximum.accumulate(p[order] * (m - rank))
    elif method == "bonferroni":
        raised = p[order] * m
    elif method == "hochberg":  # largest first, the other way round
        raised = np.minimum.accumulate((p[order] * (m - rank))[::-1])[::-1]
    elif method == "benjamini_hochberg":
        raised = np.minimum.accumulate((p[order] * m / (rank + 1))[::-1])[::-1]
    else:
        known = ", ".join(map(repr, get_args(Correction)))
        raise ParameterError(f"There is no correction {method!r}. Expected one of {known}.")
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _checked_p_values(p_values: Any) -> Array:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"The p-values have shape {p.shape}. Expected a list of numbers.")
    wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(wrong):
        raise InputError(
            f"p-value {int(wrong[0])} is {p[wrong[0]]}. Expected numbers from 0 to 1. Leave out tests without a result."
        )
    return p
