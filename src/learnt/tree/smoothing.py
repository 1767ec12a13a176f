"""Class probabilities from the class weights of a node: as they are, or drawn towards what was known before."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from learnt.parameters import Domain, OneOf, Real
from learnt.tree.arrays import TreeArrays

Array = np.ndarray[Any, Any]
Smoothing = Literal["laplace"] | float | None

SMOOTHING: Domain = OneOf(None, "laplace") | Real(0)


def class_shares(tree: TreeArrays, smoothing: Smoothing = None) -> Array:
    """The probability of each class at every node, n_c being its weight there, N their sum and k their number.

    - None: n_c / N;
    - "laplace": (n_c + 1) / (N + k);
    - a number m, the m-estimate: (n_c + m·p_c) / (N + m), p_c the share of the class in the whole training table.

    A node that no row reached takes the shares of its parent.
    """
    counts, prior = tree.value, tree.value[0] / tree.value[0].sum()
    if smoothing is None:
        added: Any = 0.0
    elif smoothing == "laplace":
        added = 1.0
    else:
        added = float(smoothing) * prior
    smoothed = counts + added
    shares: Array = smoothed / smoothed.sum(axis=1, keepdims=True)
    return shares
