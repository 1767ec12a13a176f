"""Rows as numbers and a kernel on them: what everything begins with that works in the space of a kernel."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import encoded_rows
from learnt.engine.first_look import first_look
from learnt.engine.passes import Batch, Pass
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.kernel.functions import NAMES, FunctionKernel, Kernel
from learnt.kernel.mixed import MixedDesign
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Whole
from learnt.linear import (
    Encoded,
    GatherRows,
    Scaling,
    TakeSparseSums,
    plain_scaling,
    scaled_rows,
    standard_scaling,
)
from learnt.show.numbers import number
from learnt.statistics.sums import Sums

#: Where rows are that lie even farther away, in spreads of a column: squares of distances stay numbers.
FARTHEST = 1e150


def refuse_lost(scores: Array) -> None:
    """Raise for the first row whose scores, sums of kernels, are none."""
    lost = np.isnan(scores).any(axis=1)
    if lost.any():
        raise InputError(
            f"Row {int(lost.argmax())} holds values so large that the kernel overflows. Expected cells like those "
            "fitted."
        )


class AnyKernel(Domain):
    words = "a Kernel, or a function of two matrices"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Kernel) or (callable(value) and not isinstance(value, type))


@dataclass(frozen=True)
class StoredWeight(Sums):
    """The weight of all rows, and of those in which each column is not 0."""

    rows: int
    weight: float
    there: Array


class TakeStoredWeight(Pass):
    def __init__(self, design: Design):
        self.design = design

    def summarize(self, batch: Batch) -> StoredWeight:
        there = np.zeros(self.design.n_columns)
        for x, part in encoded_rows(batch, self.design):
            w = np.ones(part.n_rows) if part.weights is None else part.weights
            if isinstance(x, np.ndarray):
                there += w @ (x != 0)
            else:
                cells = np.repeat(w, np.diff(x.indptr)) * (x.data != 0)
                there += np.bincount(x.indices, cells, len(there))
        return StoredWeight(batch.n_rows, float(batch.n_rows if batch.weights is None else batch.weights.sum()), there)


class ScaledRows(Learner, abstract=True):
    """Rows become numbers, centred and divided by their spread; labels one indicator each."""

    gamma: Any = setting(
        OneOf("scale", "auto") | Real(above=0),
        'γ; "scale": 1 over the sum of the variances of the columns, "auto": 1 over their number',
        default="scale",
    )
    standardize: bool = setting(Flag(), "centre numbers and divide them by their spread", default=True)

    _design: Any = attribute()  # a Design, of the mixed kernel a MixedDesign
    _scaling: Scaling = attribute()

    def _look(self, training: Training) -> Generator[Pass, Any, Encoded]:
        """Passes that decide how rows become numbers; the rows themselves are not brought together."""
        quick = TakeSparseSums() if training.is_sparse else None
        look = yield from first_look(training, drop_reference=False, quick=quick)
        if look.quick is not None:
            stored = look.quick.there / look.quick.weight
        else:
            counted: StoredWeight = yield TakeStoredWeight(look.design)
            stored = counted.there / counted.weight
        found = Encoded(look.design, *look.moments, stored, None, np.zeros(0), None)
        self._design = found.design
        # Distances do not change when rows are shifted; products do, and sparse rows are not shifted.
        center = not (training.is_sparse or found.design.sparse)
        self._scaling = standard_scaling(found, center=center) if self.standardize else plain_scaling(found)
        return found

    def _gamma(self, variance: Array) -> float:
        """γ for columns of these variances before scaling."""
        total = float((variance * self._scaling.scale**2).sum())
        columns = int(np.count_nonzero(self._scaling.scale)) or 1
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if self.gamma == "auto":
            return 1.0 / columns
        return 1 / total if total > 0 else 1.0

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns that rows are compared in: `age`, `town=Bern`, …"""
        self._fitted_schema()
        names: tuple[str, ...] = self._design.names
        return names

    def _numbers(self, table: Table) -> Any:
        x = self._design.encode(table)
        # The mixed kernel's rows are scaled, and may be wider than those it was fitted on.
        if isinstance(self._design, MixedDesign):
            return x
        with np.errstate(over="ignore"):
            z = scaled_rows(x, self._scaling)
        cells = z if isinstance(z, np.ndarray) else z.data
        np.clip(cells, -FARTHEST, FARTHEST, out=cells)
        return z

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._scaling.scale.shape != (self._design.n_columns,) or self._design.schema != self._schema:
            raise SavedModelError("The scaling does not fit the columns.")


class KernelLearner(ScaledRows, abstract=True):
    """A kernel on such rows, by its name with its parameters, a `Kernel`, a function, or given values."""

    kernel: Any = setting(
        OneOf(*NAMES, "poly", "precomputed") | AnyKernel(),
        'which: "linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "mixed" (labels by match, missing '
        'cells neither alike nor unlike), a `Kernel`, a function of two matrices, or "precomputed", where `X` holds '
        "the kernel of each row with each fitted row",
        default="rbf",
        before="gamma",
    )
    degree: int = setting(Whole(0), 'of "polynomial"', default=3, before="gamma")
    coef0: float = setting(Real(), 'of "polynomial" and "sigmoid"', default=0.0, before="standardize")

    #: Most rows of which the kernel of every pair is kept: 800 MB.
    most_pairs: ClassVar[int] = 10_000

    _mean: Array = attribute()
    _kernel: Kernel | None = attribute()  # with its gamma; None where values are given

    @property
    def _is_given(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def _is_mixed(self) -> bool:
        name = self.kernel.name if isinstance(self.kernel, Kernel) else self.kernel
        return isinstance(name, str) and name == "mixed"

    def _look(self, training: Training) -> Generator[Pass, Any, Encoded]:
        """Decides scaling and kernel, too."""
        if self._is_mixed:
            return (yield from self._look_mixed())
        found = yield from super()._look(training)
        self._mean = found.mean
        if self._is_given:
            p = found.design.n_columns
            self._scaling, self._kernel = Scaling(np.zeros(p), np.ones(p)), None
        else:
            self._kernel = self._kernel_for(found.variance)
        return found

    def _look_mixed(self) -> Generator[Pass, Any, Encoded]:
        survey: Survey = yield TakeSurvey()
        kernel = self.kernel if isinstance(self.kernel, Kernel) else Kernel("mixed")
        asked = kernel.gamma if isinstance(self.gamma, str) or kernel.gamma is not None else float(self.gamma)
        design = MixedDesign.of(survey, asked, standardize=bool(self.standardize))
        if asked is None and (isinstance(self.kernel, Kernel) or self.gamma == "auto"):
            design = replace(design, gamma=1.0 / max(design.n_varying, 1))
        p = design.n_columns
        self._design, self._mean, self._kernel = design, np.zeros(p), kernel.on_design(design)
        self._scaling = Scaling(np.zeros(p), np.ones(p))
        return Encoded(self._design, self._mean, np.ones(p), None, None, np.zeros(0), None)

    def _kernel_for(self, variance: Array) -> Kernel:
        if isinstance(self.kernel, Kernel):
            return self.kernel.for_columns(int(np.count_nonzero(self._scaling.scale)) or 1)
        if callable(self.kernel):
            return FunctionKernel(self.kernel, self._gamma(variance))
        return Kernel(str(self.kernel), self._gamma(variance), float(self.coef0), int(self.degree))

    def _encode(self, training: Training) -> Generator[Pass, Any, Encoded]:
        """The rows as numbers, in memory; not yet scaled."""
        found = yield from self._look(training)
        gathered = yield GatherRows(self._design)
        matrix, target, weights = gathered.joined()
        found = replace(found, matrix=matrix, target=target, weights=weights)
        if self._is_given:
            self._check_given(found)
        return found

    def _check_given(self, found: Encoded) -> None:
        n, p = found.matrix.shape
        if not found.design.schema.all_numeric or n != p:
            raise InputError(
                f'{type(self).__name__}(kernel="precomputed") was given {n} × {p} values. '
                "Expected a square matrix of numbers: the kernel of every row with every row."
            )
        x = found.matrix if isinstance(found.matrix, np.ndarray) else found.matrix.toarray()
        apart = np.abs(x - x.T)
        if apart.max(initial=0.0) > 1e-8 * np.abs(x).max(initial=0.0):
            i, j = (int(a) for a in np.unravel_index(int(apart.argmax()), apart.shape))
            raise InputError(
                f"The matrix given as kernel is not symmetric: {number(x[i, j])} in row {i}, column {j}, and "
                f"{number(x[j, i])} in row {j}, column {i}."
            )

    def _compared(self, z: Any) -> Any:
        """What makes rows equal: their columns that vary; rows of given values are each their own."""
        if self._kernel is None:
            return np.arange(z.shape[0], dtype=np.float64)[:, None]
        varying = np.flatnonzero(self._scaling.scale)
        return z if len(varying) == z.shape[1] else z[:, varying]


def add_sums(kernel: Kernel, z: Any, rows: Any, weights: Array, sums: Array) -> None:
    """sums[i, m] += Σ_r weights[r, m] k(z_i, row r); the bits of a row do not depend on its neighbours."""
    if kernel.is_plain and isinstance(z, np.ndarray) and isinstance(rows, np.ndarray):
        z, rows = kernel.aligned(z, rows)
        options = kernel.options(z.shape[1])
        _core.add_kernel_sums(options, np.ascontiguousarray(z), np.ascontiguousarray(rows), weights, sums)
        return
    likeness = kernel(z, rows)
    for m in range(sums.shape[1]):
        sums[:, m] += (likeness * weights[:, m]).sum(axis=1)
