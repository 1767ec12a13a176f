"""Machines solved: the dual of each problem, by the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.kernel.functions import Kernel

#: Rows solved among themselves at a time: larger sets need fewer kernel values, smaller ones fewer steps among
#: themselves. 20,000 × 30 rows, C = 1: 256 to 1,024 take the same time, 2,048 half as long again.
WORKING = 512
#: Kernels that the core does not compute need the values of all pairs of rows: 800 MB.
MOST_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class KernelRows:
    """The rows of a fit as the core takes them: numbers (dense or sparse) and a kernel, or its values."""

    kernel: Kernel | None
    x: Any  # a matrix of rows; of kernel values if there is no kernel
    gram: Array | None = None

    @classmethod
    def of(cls, kernel: Kernel | None, x: Any, owner: str) -> KernelRows:
        """Values are made at once where the core cannot make them."""
        if kernel is None:
            return cls(kernel, x, np.ascontiguousarray(x, dtype=np.float64))
        if kernel.is_plain:
            found = cls(kernel, x)
            found._check_size(owner)
            return found
        if x.shape[0] > MOST_ROWS:
            raise InputError(
                f"{owner} needs the kernel {kernel} of every pair of rows and was given {x.shape[0]} different ones. "
                f"Expected at most {MOST_ROWS}. Use a kernel by its name, or a sample."
            )
        return cls(kernel, x, np.ascontiguousarray(kernel(x)))

    def _check_size(self, owner: str) -> None:
        """The longest row must have a length, and a kernel value, that is a number: then all rows have."""
        if not self.x.shape[0]:
            return
        with np.errstate(over="ignore"):
            x = self.x
            squares = (
                np.einsum("ij,ij->i", x, x) if isinstance(x, np.ndarray) else np.asarray(x.multiply(x).sum(axis=1))
            )
        longest = int(squares.argmax())
        finite = bool(np.isfinite(squares.max()))
        if not finite or not np.isfinite(self.values(longest, np.array([longest]))).all():
            raise InputError(
                f"{owner} was given numbers so large that kernel values of row {longest} are infinite. "
                "Use standardize=True, or a smaller unit."
            )

    def values(self, row: int, asked: Array) -> Array:
        """k of one row with the rows `asked`."""
        if self.gram is not None:
            return np.asarray(self.gram[row, asked])
        assert self.kernel is not None
        return np.asarray(self.kernel(self.x[row : row + 1], self.x[asked])[0])

    def diagonal(self, asked: Array) -> Array:
        """k of each of the rows `asked` with itself."""
        if self.gram is not None:
            return np.asarray(self.gram[asked, asked])
        assert self.kernel is not None
        found = [np.diagonal(self.kernel(self.x[asked[k : k + 64]])) for k in range(0, len(asked), 64)]
        return np.concatenate([np.zeros(0), *found])

    def sums(self, weights: Array, asked: Array) -> Array:
        """Σ_i weights[i] k(row i, row), of the rows `asked`: asked × columns of the weights."""
        used = np.flatnonzero(weights.any(axis=1))
        if self.gram is not None:
            return np.asarray(self.gram[np.ix_(asked, used)] @ weights[used])
        assert self.kernel is not None
        if not isinstance(self.x, np.ndarray):
            return np.asarray(self.kernel(self.x[asked], self.x[used]) @ weights[used])
        found = np.zeros((len(asked), weights.shape[1]))
        rows, support = (np.ascontiguousarray(self.x[some]) for some in (asked, used))
        _core.add_kernel_sums(
            self.kernel.options(rows.shape[1]), rows, support, np.ascontiguousarray(weights[used]), found
        )
        return found


@dataclass(frozen=True, eq=False)
class Problems:
    """Problem b: rows ids[starts[b]:starts[b + 1]], with their targets, bounds and a feasible start."""

    starts: Array
    ids: Array
    target: Array
    low: Array
    high: Array
    start: Array
    epsilon: float = 0.0


@dataclass(frozen=True, eq=False)
class Solved:
    """By problem: coefficients and kernel sums of its rows, and how it ended."""

    beta: Array
    values: Array
    ends: Array

    offsets = property(lambda self: self.ends[:, 0])
    #: Below 0 where no row may move at all: nothing is violated.
    violations = property(lambda self: np.maximum(self.ends[:, 1], 0.0))
    objectives = property(lambda self: self.ends[:, 2])
    gaps = property(lambda self: self.ends[:, 3])
    steps = property(lambda self: self.ends[:, 5].astype(np.int64))
    converged = property(lambda self: self.ends[:, 7] == 0)
    unbounded = property(lambda self: self.ends[:, 7] == 2)


def solve(
    rows: KernelRows,
    problems: Problems,
    *,
    tolerance: float,
    rounds: int,
    most_objective: float = np.inf,
    shrinking: bool = True,
) -> Solved:
    """All problems; one by all threads, several side by side."""
    beta = np.array(problems.start, dtype=np.float64)
    values, ends = np.zeros_like(beta), np.zeros((len(problems.starts) - 1, 8))
    rest: Any = (
        problems.starts,
        problems.ids,
        problems.target,
        problems.low,
        problems.high,
        float(problems.epsilon),
        float(tolerance),
        WORKING,
        int(rounds),
        float(most_objective),
        bool(shrinking),
        beta,
        values,
        ends,
    )
    if rows.gram is not None:
        _core.solve_machines_gram(rows.gram, *rest)
    elif isinstance(rows.x, np.ndarray):
        assert rows.kernel is not None
        _core.solve_machines(
            rows.kernel.options(rows.x.shape[1]), np.ascontiguousarray(rows.x, dtype=np.float64), *rest
        )
    else:
        assert rows.kernel is not None
        x = rows.x
        csr = x.data.astype(np.float64, copy=False), x.indices.astype(np.int32, copy=False), x.indptr, x.shape[1]
        _core.solve_machines_csr(rows.kernel.options(), *csr, *rest)
    return Solved(beta, values, ends)
