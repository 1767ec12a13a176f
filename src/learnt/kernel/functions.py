"""Kernels: inner products of rows in spaces that are never entered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.engine.survey import check_finite
from learnt.errors import InputError, ParameterError
from learnt.kernel.mixed import MixedDesign, mixed_design
from learnt.show.words import spell
from learnt.storable import storable

NAMES = ("linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "mixed")
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
    | mixed | of any table: exp(−γ Σ d_j), d_j = (x_j − z_j)² of numbers in units of their spread, 0 or 2 of labels |

    >>> x = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> Kernel("polynomial", degree=2, gamma=1.0, coef0=1.0)(x).tolist()
    [[4.0, 4.0], [4.0, 36.0]]
    >>> (2 * Kernel("linear") + Kernel("cosine"))(x).round(3).tolist()
    [[3.0, 2.447], [2.447, 11.0]]

    `gamma` None is 1 over the number of columns. In "mixed" a missing cell is neither like nor unlike any other: it
    stands for the average of its column (`learnt.kernel.mixed` says how, and why that is a kernel). It takes tables as
    they are, and stands alone or times a number: other kernels cannot be added to it.
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
    #: Of "mixed": how rows of the fitted table became rows of a matrix; None takes tables.
    design: MixedDesign | None = None

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
        if any(part.is_mixed for part in self.parts):
            raise ParameterError("The mixed kernel takes tables, and others numbers: they cannot be joined.")

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

    @property
    def is_mixed(self) -> bool:
        return self.name == "mixed"

    def on_design(self, design: MixedDesign) -> Kernel:
        """The mixed kernel on rows that this design made."""
        return replace(self, gamma=design.gamma, design=design)

    def options(self, width: int = 0) -> Any:
        """What the core wants to know; `width`: cells of a row, which tell how those of a mixed table stand there."""
        assert self.gamma is not None
        numbers, codes, gapped_numbers, gapped_codes = (0,) * 4 if self.design is None else self.design.counts(width)
        return _core.Kernel(
            kind=self.name,
            gamma=float(self.gamma),
            constant=float(self.coef0),
            degree=int(self.degree),
            numbers=numbers,
            codes=codes,
            gapped_numbers=gapped_numbers,
            gapped_codes=gapped_codes,
        )

    def aligned(self, x: Any, z: Any) -> tuple[Any, Any]:
        """Both in one layout: rows of a mixed table may have gaps where the others have none."""
        if self.design is None or x.shape[1] == z.shape[1]:
            return x, z
        return self.design.widened(x), self.design.widened(z)

    def diagonal(self, x: Any) -> Array:
        """k of each row with itself, without the Gram matrix."""
        if self.is_mixed and self.design is None:
            table = x if isinstance(x, Table) else Table(x)
            return self.on_design(design := mixed_design(table, self.gamma)).diagonal(design.encode(table))
        if self.function is not None:
            some = (self(x[i : i + 64]) for i in range(0, x.shape[0], 64))  # with factor and constant
            return np.concatenate([np.zeros(0), *(np.diagonal(values) for values in some)])
        if self.parts:
            first, *others = (part.diagonal(x) for part in self.parts)
            for other in others:
                first = first + other if self.join == "+" else first * other
            found = first
        else:
            found = _own_values(self.for_columns(x.shape[1]), x)
        return self.factor * found + self.constant

    def __call__(self, x: Any, z: Any = None) -> Array:
        """The Gram matrix: k of every row of `x` with every row of `z`, or of `x`."""
        z = x if z is None else z
        if self.is_mixed and self.design is None:
            table = x if isinstance(x, Table) else Table(x)
            asked = table if z is x else (z if isinstance(z, Table) else Table(z)).matched(table.schema)
            design = mixed_design(table, self.gamma)
            check_finite(asked)
            return self.on_design(design)(design.encode(table), design.encode(asked))
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
    x, z = kernel.aligned(x, z)
    if isinstance(x, np.ndarray) and isinstance(z, np.ndarray):
        _core.kernel_values(kernel.options(x.shape[1]), _dense(z), _dense(x), out)
        return out
    left, right = _sparse(x), _sparse(z)
    csr = [(m.data, m.indices.astype(np.int32, copy=False), m.indptr) for m in (right, left)]
    _core.kernel_values_csr(kernel.options(), *csr[0], *csr[1], right.shape[1], out)
    return out


def _own_values(kernel: Kernel, x: Any) -> Array:
    """k(x, x) of each row, by its formula."""
    if kernel.design is not None:
        return kernel.design.square_lengths(x)
    if kernel.name in ("rbf", "laplacian"):
        return np.ones(x.shape[0])
    squares = (
        np.einsum("ij,ij->i", x, x) if isinstance(x, np.ndarray) else np.asarray(x.multiply(x).sum(axis=1)).ravel()
    )
    if kernel.name == "cosine":
        return np.asarray(squares > 0, dtype=np.float64)
    base = squares if kernel.name == "linear" else kernel.gamma * squares + kernel.coef0
    if kernel.name == "polynomial":
        return np.asarray(base**kernel.degree)
    return np.asarray(np.tanh(base) if kernel.name == "sigmoid" else base)


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
