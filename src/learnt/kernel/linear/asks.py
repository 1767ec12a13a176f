"""What a look at the rows tells of a squared loss: its value and gradient at a point, and its curvature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import dense, encoded_rows
from learnt.engine.passes import Batch, Pass
from learnt.kernel.linear.losses import MachineLoss
from learnt.linear import kernel_csr
from learnt.statistics.sums import ArraySums

#: Rows looked at at a time where second derivatives are kept as a matrix.
_BLOCK = 16_384
_ODD = np.uint32(0x9E3779B1)


@dataclass(frozen=True, eq=False)
class Ask:
    """Of the machine that tells class `unit` from all others, at a point in the units of the columns: loss and
    gradient, with all second derivatives if `curved`; or, given a direction `along`, the second derivatives times it.
    Rows of the fold `without` are left out; −1: none are.
    """

    unit: int
    coef: Array
    intercept: float
    along: tuple[Array, float] | None = None
    curved: bool = False
    without: int = -1


@dataclass(frozen=True, eq=False)
class Folds:
    """So many folds of rows, of which the first few are used; drawn by the cells of a row in units of their scale, in
    single precision, whatever the order of the columns. Zeros count for nothing, as they do in sparse rows."""

    count: int
    used: int
    scale: Array

    def of(self, x: Any) -> Array:
        dense_rows = isinstance(x, np.ndarray)
        data = x if dense_rows else x.data
        if not (self.scale == 1).all():
            data = data * (self.scale if dense_rows else self.scale[x.indices])
        with np.errstate(over="ignore"):
            mixed = (data.astype(np.float32) + np.float32(0.0)).view(np.uint32)  # −0 and 0 are one
            for shift in (np.uint32(15), np.uint32(13)):  # leaves 0 as it is
                mixed *= _ODD
                mixed ^= mixed >> shift
            mixed *= _ODD
            if dense_rows:
                sums = mixed.sum(axis=1, dtype=np.uint32)
            else:
                total = np.concatenate([np.zeros(1, np.uint32), np.cumsum(mixed, dtype=np.uint32)])
                sums = total[x.indptr[1:]] - total[x.indptr[:-1]]
            sums = (sums ^ (sums >> np.uint32(16))) * _ODD
        drawn: Array = (sums >> np.uint32(8)).astype(np.int64) % self.count
        return drawn


@dataclass(frozen=True, eq=False)
class AskedRows:
    """How targets and weights are read: y ± 1 of a class, or values measured from `mean` in `spread`."""

    loss: MachineLoss
    C: float
    factors: Array | None
    shift: Array
    mean: float = 0.0
    spread: float = 1.0
    folds: Folds | None = None

    def targets(self, target: Array, unit: int) -> Array:
        if self.loss.classes:
            return np.where(target == unit, 1.0, -1.0)
        return np.asarray((target - self.mean) / self.spread)

    def costs(self, target: Array, weights: Array | None) -> Array:
        cost = np.full(len(target), self.C) if weights is None else self.C * weights
        return cost if self.factors is None else cost * self.factors[target]

    def answer(self, ask: Ask, x: Any, target: Array, cost: Array, fold: Array | None = None) -> tuple[Array, ...]:
        if fold is not None and ask.without >= 0:
            cost = np.where(fold == ask.without, 0.0, cost)
        y = self.targets(target, ask.unit)
        f = scores_of(x, ask.coef, ask.intercept)
        slack = self.loss.slack(f, y)
        bent = np.where(slack > 0, 2 * cost, 0.0)
        if ask.along is not None:
            return products(x, bent, *ask.along)
        loss = np.array([float((cost * slack**2).sum())])
        pulls = cost * self.loss.derivative(slack, f, y)
        by_coef, by_intercept = products(x, pulls, np.zeros(x.shape[1]), 1.0)
        if not ask.curved:
            return loss, by_coef, by_intercept
        p = x.shape[1]
        gram = np.zeros((p + 2, p + 2))
        for start in range(0, x.shape[0], _BLOCK):
            part = slice(start, start + _BLOCK)
            _core.add_gram(dense(x[part]), None, bent[part], np.append(self.shift, 0.0), gram)
        return loss, by_coef, by_intercept, gram[:-1, :-1]


class AnswerAsks(Pass):
    """All that several machines ask, in one pass."""

    def __init__(self, rows: AskedRows, design: Design, asks: tuple[Ask, ...]):
        self.rows, self.design, self.asks = rows, design, asks

    def summarize(self, batch: Batch) -> ArraySums:
        total: ArraySums | None = None
        for x, part in encoded_rows(batch, self.design):
            assert part.target is not None
            cost = self.rows.costs(part.target, part.weights)
            fold = None if self.rows.folds is None else self.rows.folds.of(x)
            found = [a for ask in self.asks for a in self.rows.answer(ask, x, part.target, cost, fold)]
            added = ArraySums(part.n_rows, tuple(found))
            total = added if total is None else total + added
        assert total is not None
        return total

    def split(self, found: ArraySums) -> list[tuple[Array, ...]]:
        """The answers, ask by ask."""
        arrays, answers = list(found.arrays), []
        for ask in self.asks:
            size = 2 if ask.along is not None else 4 if ask.curved else 3
            answers.append(tuple(arrays[:size]))
            del arrays[:size]
        return answers


def scores_of(x: Any, coef: Array, intercept: float) -> Array:
    out = np.empty(x.shape[0])
    if isinstance(x, np.ndarray):
        _core.predict_linear(x, coef, float(intercept), out)
    else:
        _core.predict_linear_csr(*kernel_csr(x), coef, float(intercept), out)
    return out


def products(x: Any, by_row: Array, along: Array, along_intercept: float) -> tuple[Array, Array]:
    """Σ by_row (1, x) · (x · along + its intercept): the curvature of a logistic loss whose shares are a half is a
    quarter of that, with the same bits for any number of threads."""
    n, p = x.shape
    weights, halves = np.ascontiguousarray(4 * by_row), np.full((1, n), 0.5)
    base, out, out0 = np.array([float(along_intercept)]), np.zeros(p), np.zeros(1)
    if isinstance(x, np.ndarray):
        _core.logistic_curvature(x, weights, halves, along[None, :], base, out[None, :], out0)
    else:
        _core.logistic_curvature_csr(*kernel_csr(x), weights, halves, along[:, None], base, out[:, None], out0)
    return out, out0
