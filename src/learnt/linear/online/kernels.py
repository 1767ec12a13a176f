"""Kernels: products of rows in spaces that are never entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.storable import storable

#: Numbers made at a time when rows are multiplied one by one.
_CELLS = 4_000_000
_BLOCK = 256


@storable
@dataclass(frozen=True)
class Kernel:
    """| name | K(x, z) |
    |---|---|
    | linear | x·z |
    | polynomial | (γ x·z + coef0)^degree |
    | rbf | exp(−γ \\|x − z\\|²) |

    and `constant` added to it, which is 1 where an intercept is learnt.
    """

    name: str
    gamma: float
    coef0: float
    degree: int
    constant: float

    def gram(self, x: Any) -> Array:
        """K of every row with every other."""
        products = np.empty((x.shape[0], x.shape[0]))
        for start in range(0, len(products), _BLOCK):  # some rows at a time, so that Ctrl-C is heard
            part = x[start : start + _BLOCK] @ x.T
            products[start : start + _BLOCK] = part if isinstance(part, np.ndarray) else part.toarray()
        squares = np.diagonal(products).copy()
        return np.ascontiguousarray(self._of(products, squares, squares))

    def between(self, x: Any, z: Any) -> Array:
        """K of rows x with rows z. The bits of a row do not depend on the rows beside it, as those of BLAS do."""
        if isinstance(x, np.ndarray) and isinstance(z, np.ndarray):
            products = np.empty((len(x), len(z)))
            step = max(1, _CELLS // max(z.size, 1))
            for start in range(0, len(x), step):
                products[start : start + step] = (x[start : start + step, None, :] * z[None]).sum(axis=2)
        else:
            from scipy.sparse import csr_matrix

            x, z = csr_matrix(x), csr_matrix(z)
            products = (x @ z.T).toarray()
        return self._of(products, _squares(x), _squares(z))

    def _of(self, products: Array, left: Array, right: Array) -> Array:
        if self.name == "linear":
            found = products
        elif self.name == "polynomial":
            with np.errstate(over="ignore"):  # the learner looks whether all are finite
                found = (self.gamma * products + self.coef0) ** self.degree
        else:
            apart = left[:, None] + right[None] - 2 * products
            found = np.exp(-self.gamma * np.maximum(apart, 0.0))
        return found + self.constant


def _squares(x: Any) -> Array:
    squares = (x * x).sum(axis=1) if isinstance(x, np.ndarray) else x.multiply(x).sum(axis=1)
    return np.asarray(squares).ravel()
