"""Gram matrices, and whether a matrix is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.convert.out import to_array
from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.kernel.functions import FunctionKernel, Kernel
from learnt.show.numbers import number


def gram(X: Any, Y: Any = None, kernel: Any = "rbf", **settings: Any) -> Array:
    """The kernel of every row of `X` with every row of `Y`, or of `X`.

    `kernel` is a name with its `settings` (gamma, coef0, degree), a `Kernel`, or a function of two matrices. "mixed"
    takes any table, with labels and missing cells; spreads and shares are those of `X`.

    >>> gram([[0.0], [1.0]], kernel="rbf", gamma=1.0).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """
    if isinstance(kernel, Kernel):
        chosen = kernel
    elif callable(kernel):
        chosen = FunctionKernel(kernel)
    else:
        chosen = Kernel(kernel, **settings)
    if chosen.is_mixed:
        return chosen(X, Y)
    return chosen(_matrix(X), None if Y is None else _matrix(Y))


def _matrix(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub":
        return X.astype(np.float64, copy=False)
    table = X if isinstance(X, Table) else Table(X)
    if not table.schema.all_numeric:
        raise InputError(
            "Kernels take numbers. Use kernel='mixed', or encode the labels first, for example by OneHotEncoder."
        )
    return np.asarray(to_array(table), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class KernelCheck:
    """Whether a matrix may be the Gram matrix of a kernel: symmetric, and cᵀKc ≥ 0 for every c.

    True where it is. `smallest` is its least eigenvalue; `vector` a c with cᵀKc < 0, None where there is none;
    `asymmetry` the largest difference of two cells that should be equal.
    """

    is_symmetric: bool
    smallest: float
    asymmetry: float
    tolerance: float
    vector: Array | None

    def __bool__(self) -> bool:
        return self.is_symmetric and self.vector is None

    def __str__(self) -> str:
        if not self.is_symmetric:
            return f"No kernel: not symmetric, cells differ by up to {number(self.asymmetry)}."
        if self.vector is None:
            return f"A kernel: symmetric, and its least eigenvalue, {number(self.smallest)}, is not below 0."
        cells = ", ".join(number(v) for v in self.vector[:6]) + (", …" if len(self.vector) > 6 else "")
        return (
            f"No kernel: the eigenvalue {number(self.smallest)} is below 0. "
            f"With c = ({cells}), cᵀKc = {number(self.smallest)}."
        )


def is_kernel(matrix: Any) -> KernelCheck:
    """Whether a square matrix is symmetric and positive semidefinite, within rounding, and what breaks it if not.

    >>> print(is_kernel([[1.0, 2.0], [2.0, 1.0]]))
    No kernel: the eigenvalue −1 is below 0. With c = (0.7071, −0.7071), cᵀKc = −1.
    >>> bool(is_kernel([[1.0, 0.5], [0.5, 1.0]]))
    True
    """
    K = np.array(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not K.size:
        raise InputError(f"is_kernel was given an array of shape {K.shape}. Expected a square matrix.")
    if not np.isfinite(K).all():
        raise InputError("is_kernel was given cells that are missing or infinite. Expected numbers.")
    size = float(np.abs(K).max())
    asymmetry = float(np.abs(K - K.T).max())
    tolerance = len(K) * np.finfo(np.float64).eps * size * 10
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    smallest = float(values[0])
    vector = None if smallest >= -tolerance else vectors[:, 0] * (1.0 if vectors[0, 0] >= 0 else -1.0)
    return KernelCheck(asymmetry <= 1e-12 * size, smallest, asymmetry, tolerance, vector)


def kernel_target_alignment(K: Any, y: Any, *, centered: bool = True) -> float:
    """How well a kernel agrees with classes or numbers: the cosine of K and y yᵀ as vectors, from −1 to 1.

    Of classes, y yᵀ is 1 for pairs of the same class and −1 otherwise. `centered` moves the mean of the rows in the
    space of the kernel to 0 first (Cortes, Mohri & Rostamizadeh 2012), without which a kernel of large values agrees
    with everything.

    >>> kernel_target_alignment([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    1.0
    """
    K = np.asarray(K, dtype=np.float64)
    labels = np.asarray(y)
    if K.ndim != 2 or K.shape != (len(labels), len(labels)):
        raise InputError(
            f"The kernel has the shape {K.shape} and there are {len(labels)} targets. Expected n × n and n."
        )
    if labels.dtype.kind == "f":
        ideal = np.outer(labels, labels).astype(np.float64)
    else:
        ideal = np.where(labels[:, None] == labels[None], 1.0, -1.0)
    if centered:
        K, ideal = _centered(K), _centered(ideal)
    size = float(np.linalg.norm(K) * np.linalg.norm(ideal))
    return float((K * ideal).sum() / size) if size > 0 else 0.0


def _centered(K: Array) -> Array:
    centered: Array = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    return centered
