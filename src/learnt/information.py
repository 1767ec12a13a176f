"""Information in bits: entropy and what follows from it, of weights, of label arrays and of contingency tables.

Numbers are weights: counts, probabilities or anything else that is not negative. They are always
divided by their sum, so that counts need not be turned into probabilities first. Labels are given as
`labels=`, or as two arrays `x, y`, with a weight per row if wished. A contingency table has a row per
label of x (the branches of a split) and a column per label of y (the classes).

>>> entropy([1/2, 1/4, 1/8, 1/8])
1.75
>>> table = [[21, 5], [8, 30]]                    # a split of 29 positive and 35 negative examples
>>> round(information_gain(table), 4)
0.2659

Terms with weight 0 count 0, as the limit of p·log p does. A distribution that another gives no room
for has an infinite cross entropy and divergence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Column
from learnt.engine.training import ALL_ZERO, checked_weights
from learnt.errors import InputError, KindError
from learnt.statistics.counts import weigh_pairs

__all__ = [
    "conditional_entropy",
    "contingency",
    "cross_entropy",
    "entropy",
    "gain_ratio",
    "gini",
    "information_gain",
    "kl_divergence",
    "mutual_information",
    "split_information",
]


def entropy(weights: Any = None, *, labels: Any = None, sample_weight: Any = None) -> float:
    """H(p) = −Σ p·log₂ p; of a two-dimensional table the joint entropy of its cells.

    >>> round(entropy([9, 5]), 4), round(entropy(labels=["yes"] * 9 + ["no"] * 5), 4)
    (0.9403, 0.9403)
    """
    p = _shares(weights, labels, sample_weight)
    return _bits(p)


def gini(weights: Any = None, *, labels: Any = None, sample_weight: Any = None) -> float:
    """1 − Σ p²: how often two draws differ.

    >>> gini([1, 1])
    0.5
    """
    p = _shares(weights, labels, sample_weight)
    return max(0.0, 1.0 - float(p @ p))


def cross_entropy(p: Any, q: Any) -> float:
    """−Σ p·log₂ q: bits a symbol costs when p draws it and the code was made for q.

    >>> cross_entropy([1/2, 1/2], [1/4, 3/4])
    1.207518749639422
    """
    p, q = _pair(p, q)
    some = p > 0
    with np.errstate(divide="ignore"):
        return float(-(p[some] @ np.log2(q[some]))) + 0.0


def kl_divergence(p: Any, q: Any) -> float:
    """Σ p·log₂(p/q): the bits lost by a code made for q. Never negative; 0 only where p = q.

    >>> kl_divergence([1, 0], [1/2, 1/2])
    1.0
    """
    p, q = _pair(p, q)
    some = p > 0
    with np.errstate(divide="ignore"):
        return max(0.0, float(p[some] @ (np.log2(p[some]) - np.log2(q[some]))))


def conditional_entropy(x: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    """H(Y|X) = H(X,Y) − H(X): what is left to learn of the columns once the row is known.

    >>> conditional_entropy([[4, 0], [0, 4]]), conditional_entropy("aabb", "uvuv")
    (0.0, 1.0)
    """
    return _joint(x, y, sample_weight).left_over


def mutual_information(x: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    """I(X;Y) = H(X) + H(Y) − H(X,Y), of a table or of two label arrays.

    >>> mutual_information(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    return _joint(x, y, sample_weight).shared


def information_gain(x: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    """The bits a split by x tells about the class y: H(Y) − H(Y|X), the mutual information by its name in trees.

    >>> round(information_gain([[18, 33], [11, 2]]), 4)
    0.1214
    """
    return _joint(x, y, sample_weight).shared


def split_information(x: Any = None, y: Any = None, *, labels: Any = None, sample_weight: Any = None) -> float:
    """The entropy of the split itself: of branch weights, of the rows of a table, or of labels.

    >>> split_information([7, 7]), split_information([[3, 4], [6, 1]])
    (1.0, 1.0)
    """
    if y is None and (labels is not None or np.ndim(x) != 2):
        return entropy(x, labels=labels, sample_weight=sample_weight)
    return _bits(_joint(x, y, sample_weight).rows)


def gain_ratio(x: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    """Information gain divided by split information; 0 for a split into one branch.

    >>> round(gain_ratio([[3, 4], [6, 1]]), 4)
    0.1518
    """
    joint = _joint(x, y, sample_weight)
    split = _bits(joint.rows)
    return joint.shared / split if split > 0 else 0.0


def contingency(x: Any, y: Any, *, sample_weight: Any = None) -> Array:
    """The weight of every pair of labels: a row per label of x, a column per label of y, both sorted.

    >>> contingency(["a", "b", "b"], [True, True, False])
    array([[0., 1.],
           [1., 1.]])
    """
    (a, n_a), (b, n_b), weights = _paired_codes(x, y, sample_weight)
    return weigh_pairs(a, n_a, b, n_b, weights)


@dataclass(frozen=True)
class _Joint:
    """Shares of the rows, of the columns, and of the cells that hold something."""

    rows: Array
    columns: Array
    cells: Array

    @property
    def left_over(self) -> float:
        return max(0.0, _bits(self.cells) - _bits(self.rows))

    @property
    def shared(self) -> float:
        return max(0.0, _bits(self.rows) + _bits(self.columns) - _bits(self.cells))


def _joint(x: Any, y: Any, sample_weight: Any) -> _Joint:
    if y is None:
        if sample_weight is not None:
            raise InputError("sample_weight weighs rows of labels, but a contingency table was given. Weigh its cells.")
        table = _checked_weights(x, "The contingency table")
        if table.ndim != 2:
            raise InputError(
                f"One array of shape {table.shape} came. Expected a contingency table of two dimensions, "
                "or two arrays of labels x, y."
            )
        return _Joint(table.sum(axis=1), table.sum(axis=0), table.ravel())
    (a, _), (b, n_b), weights = _paired_codes(x, y, sample_weight)
    # Only pairs that occur: two columns of 100,000 labels each have no table.
    _, pairs = np.unique(a * n_b + b, return_inverse=True)
    rows, columns, cells = (np.bincount(codes, weights).astype(np.float64) for codes in (a, b, pairs))
    whole = cells.sum()
    return _Joint(rows / whole, columns / whole, cells / whole)


def _bits(shares: Array) -> float:
    some = shares[shares > 0]
    return float(-(some @ np.log2(some))) + 0.0  # not −0.0


def _shares(weights: Any, labels: Any, sample_weight: Any) -> Array:
    if (weights is None) == (labels is None):
        raise InputError("Give either weights or labels=: numbers are weights, labels are counted.")
    if labels is None:
        if sample_weight is not None:
            raise InputError("sample_weight weighs rows of labels=, but weights were given. Multiply them yourself.")
        return _checked_weights(weights, "The weights").ravel()
    codes, _ = _codes(labels, "labels")
    counts = np.bincount(codes, _row_weights(sample_weight, len(codes))).astype(np.float64)
    shares: Array = counts / counts.sum()
    return shares


def _checked_weights(weights: Any, what: str) -> Array:
    """Weights as shares that sum to 1."""
    if isinstance(weights, Column):
        weights = weights.values if weights.kind == "numeric" else weights.labels()
    try:
        values = np.asarray(weights)
        numbers = values.dtype.kind in "fiub"
    except ValueError:  # rows of different lengths
        numbers = False
    if not numbers:
        raise KindError(
            f"{what} must be numbers that are not negative. To count labels, give them as labels= or as x, y."
        )
    values = values.astype(np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        place = np.argwhere(bad)[0].tolist()
        where = place[0] if len(place) == 1 else tuple(place)
        raise InputError(f"{what} must be finite and not negative, but entry {where} is {values[bad][0]}. Correct it.")
    largest = values.max(initial=0)
    if largest == 0:
        raise InputError(f"{what} sum to 0: there is nothing to divide. Give at least one entry above 0.")
    values = values / largest  # a sum of huge weights stays finite, and tiny ones stay apart
    shares: Array = values / values.sum()
    return shares


def _pair(p: Any, q: Any) -> tuple[Array, Array]:
    p, q = _checked_weights(p, "The weights p"), _checked_weights(q, "The weights q")
    if p.shape != q.shape:
        raise InputError(f"p has shape {p.shape} and q has shape {q.shape}. Expected one weight each per symbol.")
    return p.ravel(), q.ravel()


def _paired_codes(x: Any, y: Any, sample_weight: Any) -> tuple[tuple[Array, int], tuple[Array, int], Array | None]:
    a, b = _codes(x, "x"), _codes(y, "y")
    if len(a[0]) != len(b[0]):
        raise InputError(f"x has {len(a[0])} labels and y has {len(b[0])}. Expected a pair per row.")
    return a, b, _row_weights(sample_weight, len(a[0]))


def _row_weights(sample_weight: Any, n_rows: int) -> Array | None:
    weights = None if sample_weight is None else checked_weights(sample_weight, n_rows)
    if weights is not None and not weights.any():
        raise InputError(ALL_ZERO)
    return weights


def _codes(labels: Any, what: str) -> tuple[Array, int]:
    """Labels as codes, and how many there are; labels without a row are left out."""
    if isinstance(labels, str):
        labels = list(labels)
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iubUS" or labels.ndim != 1:
        column = labels if isinstance(labels, Column) else to_vector(labels, what)
        if column.missing.any():
            rows = np.flatnonzero(column.missing)
            raise InputError(
                f"{what} has {len(rows)} missing label(s), first in row {rows[0]}. "
                "Information is counted over labels that are there. Leave those rows out."
            )
        labels = column.values
    if len(labels) == 0:
        raise InputError(f"{what} has no labels. Expected at least one.")
    found, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), len(found)
