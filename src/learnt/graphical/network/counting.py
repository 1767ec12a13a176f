"""How often states came together, and tables of probabilities from such counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt.data.table import Array


def family_counts(codes: Array, family: Sequence[int], counts: Sequence[int], weights: Array | None) -> Array:
    """The weight of each combination of the family's states (itself last), rows with a missing cell left out."""
    shape = tuple(counts[v] for v in family)
    place = np.zeros(len(codes), np.int64)
    whole = np.ones(len(codes), bool)
    for v, k in zip(family, shape, strict=True):
        place = place * k + codes[:, v]
        whole &= codes[:, v] >= 0
    if whole.all():
        found = np.bincount(place, weights, int(np.prod(shape, dtype=np.int64)))
    else:
        part = None if weights is None else weights[whole]
        found = np.bincount(place[whole], part, int(np.prod(shape, dtype=np.int64)))
    return found.astype(np.float64).reshape(shape)


def pseudo_count(prior: str | float | None, shape: Sequence[int], equivalent_sample_size: float) -> float:
    """What is added to every entry: 0 for maximum likelihood, 1 by K2, s/(entries) by BDeu, or a number as it is."""
    if prior is None:
        return 0.0
    if prior == "k2":
        return 1.0
    if prior == "bdeu":
        return equivalent_sample_size / float(np.prod(np.array(shape, dtype=np.float64)))
    return float(prior)


def table_from_counts(counts: Array, added: float) -> Array:
    """Each row divided by its sum; rows without any weight are uniform."""
    whole = counts + added
    total = whole.sum(axis=-1, keepdims=True)
    made: Array = np.divide(whole, total, out=np.full(whole.shape, 1.0 / whole.shape[-1]), where=total > 0)
    return made
