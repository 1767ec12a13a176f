"""Class probabilities from the class weights of a node: as they are, or drawn towards what was known before."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from learnt.learner.parameters import Domain, OneOf, Real
from learnt.tree.arrays import TreeArrays

Array = np.ndarray[Any, Any]
Smoothing = Literal["laplace"] | float | None

SMOOTHING: Domain = OneOf(None, "laplace") | Real(0)


def class_shares(tree: TreeArrays, smoothing: Smoothing = None, nodes: Any = slice(None)) -> Array:
    """The probability of each class at the nodes, n_c being its weight there, N their sum and k their number.

    - None: n_c / N;
    - "laplace": (n_c + 1) / (N + k);
    - a number m, the m-estimate: (n_c + m·p_c) / (N + m), p_c the share of the class in the whole training table.

    A node that no row reached takes the shares of its parent.
    """
    smoothed = tree.value[nodes]
    if smoothing == "laplace":
        smoothed = smoothed + 1.0
    elif smoothing is not None:
        smoothed = smoothed + float(smoothing) * tree.value[0] / tree.value[0].sum()
    shares: Array = smoothed / smoothed.sum(axis=1, keepdims=True)
    return shares
