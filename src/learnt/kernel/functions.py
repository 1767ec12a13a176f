"""Kernels: inner products of rows in spaces that are never entered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.show.words import spell
from learnt.storable import storable

NAMES = ("linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine")
#: What scikit-learn and LIBSVM call them.
_OTHER_NAMES = {"poly": "polynomial", "gaussian": "rbf", "radial": "rbf"}


@storable
@dataclass(frozen=True)
class Kernel:
    """A kernel, by its name or as a function of two matrices; sums and products of kernels are kernels.

    | name | k(x, z) |
    |---|---|
    | linear | x·z |
    | polynomial | (γ x·z + coef0)^degree |
    | rbf | exp(−γ \\|x − z\\|²) |
    | sigmoid | tanh(γ x·z + coef0), which is a kernel for some γ and coef0 only |
    | laplacian | exp(−γ Σ \\|x_j − z_j\\|) |
    | cosine | x·z / (\\|x\\| \\|z\\|), 0 where a row is all zeros |

    >>> x = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> Kernel("polynomial", degree=2, gamma=1.0, coef0=1.0)(x).tolist()
    [[4.0, 4.0], [4.0, 36.0]]
    >>> (2 * Kernel("linear") + Kernel("cosine"))(x).round(3).tolist()
    [[3.0, 2.447], [2.447, 11.0]]

    `gamma` None is 1 over the number of columns.
    """

    name: str = "rbf"
    gamma: float | None = None
    coef0: float = 0.0
    degree: int = 3
    #: Added to each value: an intercept, learnt with the rest.
    constant: float = 0.0
    factor: float = 1.0
    #: How parts are joined, "+" or "×"; a kernel of parts has no name of its own.
    join: str = ""
    parts: tuple[Kernel, ...] = ()

    #: A user's function of two matrices.
    function: ClassVar[Callable[..., Any] | None] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _OTHER_NAMES.get(self.name, self.name))
        if self.function is None and not self.parts and self.name not in NAMES:
            raise ParameterError(f"There is no kernel {spell(self.name)}. Expected one of {', '.join(NAMES)}.")
        if self.gamma is not None and not self.gamma > 0:
            raise ParameterError(f"gamma is {self.gamma}. Expected a number above 0.")
        if self.degree < 0 or int(self.degree) != self.degree:
            raise ParameterError(f"degree is {self.degree}. Expected a whole number from 0 on.")
        if not self.factor >= 0:
            raise ParameterError(f"A kernel times {self.factor} is no kernel. Expected a factor of 0 or more.")

    def __add__(self, other: Kernel) -> Kernel:
        return Kernel("", join="+", parts=(self, other))

    def __mul__(self, other: Kernel | float) -> Kernel:
        if isinstance(other, Kernel):
            return Kernel("", join="×", parts=(self, other))
        return replace(self, factor=self.factor * float(other))

    __rmul__ = __mul__

    def __str__(self) -> str:
        if self.function is not None:
            text = getattr(self.function, "__name__", "a function")
        elif self.parts:
            text = "(" + f" {self.join} ".join(str(part) for part in self.parts) + ")"
        else:
            text = self.name
        return text if self.factor == 1 else f"{self.factor:g} × {text}"

    @property
    def is_plain(self) -> bool:
        """Whether the core computes it: one kernel by name, taken once."""
        return self.function is None and not self.parts and self.factor == 1 and self.constant == 0

    def for_columns(self, n_columns: int) -> Kernel:
        """The same with gamma decided."""
        if self.parts:
            return replace(self, parts=tuple(part.for_columns(n_columns) for part in self.parts))
        return self if self.gamma is not None else replace(self, gamma=1.0 / max(n_columns, 1))

    def options(self) -> Any:
        """What the core wants to know."""
        assert self.gamma is not None
        return _core.Kernel(
            kind=self.name, gamma=float(self.gamma), constant=float(self.coef0), degree=int(self.degree)
        )

    def __call__(self, x: Any, z: Any = None) -> Array:
        """The Gram matrix: k of every row of `x` with every row of `z`, or of `x`."""
        z = x if z is None else z
        if self.function is not None:
            found = _values_of(self.function, x, z)
        elif self.parts:
            first, *others = (part(x, z) for part in self.parts)
            for other in others:
                first = first + other if self.join == "+" else first * other
            found = first
        else:
            found = _core_values(self.for_columns(x.shape[1]), x, z)
        found = found if self.factor == 1 else self.factor * found
        return found if self.constant == 0 else found + self.constant


class FunctionKernel(Kernel):
    """A kernel that a user wrote: a function of two matrices. It cannot be saved."""

    def __init__(self, function: Callable[..., Any], gamma: float | None = None):
        object.__setattr__(self, "function", function)
        super().__init__("", gamma)


def _core_values(kernel: Kernel, x: Any, z: Any) -> Array:
    out = np.empty((x.shape[0], z.shape[0]))
    if isinstance(x, np.ndarray) and isinstance(z, np.ndarray):
        _core.kernel_values(kernel.options(), _dense(z), _dense(x), out)
        return out
    left, right = _sparse(x), _sparse(z)
    csr = [(m.data, m.indices.astype(np.int32, copy=False), m.indptr) for m in (right, left)]
    _core.kernel_values_csr(kernel.options(), *csr[0], *csr[1], right.shape[1], out)
    return out


def _values_of(function: Callable[..., Any], x: Any, z: Any) -> Array:
    """What a user's function gives for two matrices, checked."""
    name = getattr(function, "__name__", "function")
    found = np.asarray(function(x, z), dtype=np.float64)
    if found.shape != (x.shape[0], z.shape[0]):
        raise InputError(
            f"The kernel {name!r} gave an array of shape {found.shape} for {x.shape[0]} and {z.shape[0]} rows. "
            f"Expected k of every row of the first with every row of the second, {(x.shape[0], z.shape[0])}."
        )
    if not np.isfinite(found).all():
        i, j = (int(a[0]) for a in np.nonzero(~np.isfinite(found)))
        raise InputError(f"The kernel {name!r} gave {found[i, j]} for rows {i} and {j}. Expected finite numbers.")
    return found


def _dense(x: Array) -> Array:
    return np.ascontiguousarray(x, dtype=np.float64)


def _sparse(x: Any) -> Any:
    from scipy.sparse import csr_matrix

    x = csr_matrix(x, dtype=np.float64)
    x.sum_duplicates()
    return x
