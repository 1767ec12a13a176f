"""Nyström's features: likeness to a few landmarks, as columns for linear learners."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster import KMeans
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.kernel.features.landmarks import DistinctSample, TakeDistinctSample
from learnt.kernel.functions import NAMES
from learnt.kernel.mixed import MixedDesign
from learnt.kernel.space import AnyKernel, KernelLearner, refuse_lost
from learnt.kernel.unsupervised.means import means_of
from learnt.lazy import cached_property
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Seed, Whole, seed_from
from learnt.linear import scaled_rows
from learnt.reduce import fix_signs

#: Kernel values looked at at a time.
_CELLS = 1 << 21
#: Rows among which k-means looks for landmarks: for each of them, and at most; of the mixed kernel, which compares all.
_PER_LANDMARK, _MOST, _MOST_COMPARED = 50, 100_000, 2_000


class NystroemFeatures(KernelLearner, Transformer):
    """Turn a table into columns whose inner products are about the kernel's, exactly so between the landmarks.

        features(x) = Λ^(−½) Vᵀ (k(x, l_1), …, k(x, l_m)),      K_ll = V Λ Vᵀ

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(500, 2))
    >>> features = NystroemFeatures(50, gamma=0.5, standardize=False).fit_transform(rows)
    >>> exact = np.exp(-0.5 * ((rows[:, None] - rows) ** 2).sum(axis=2))
    >>> features.shape, bool(abs(features @ features.T - exact).mean() < 0.001)
    ((500, 50), True)

    A linear learner on these columns is about the machine with the kernel, at a cost that grows with the rows, not with
    their square; fitting takes three passes over a table or a scan. Landmarks are drawn by what is in the rows: neither
    their order nor copies nor the order of columns matter. Landmarks that add nothing to the others leave out a column.

    {settings}

    Attributes: `n_components_`; `landmarks_`, in the columns of the kernel's space, scaled; `eigenvalues_` of K_ll.

    Reference: C. Williams, M. Seeger, Using the Nyström method to speed up kernel machines, 2001; K. Zhang, I. Tsang,
    J. Kwok, Improved Nyström low-rank approximation and error analysis, 2008.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 5.0
    simplicity = 40.0
    takes_text = "left out"

    n_components: int = setting(Whole(1), "m, the number of landmarks", default=100, kw_only=False, before="kernel")
    kernel: Any = setting(
        OneOf(*NAMES, "poly") | AnyKernel(),
        'which: "linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "mixed" (labels by match, missing '
        "cells neither alike nor unlike), a `Kernel`, or a function of two matrices",
    )
    landmarks: str = setting(
        OneOf("uniform", "kmeans"),
        'different rows, each with the same chance, or means of k-means among 50 times as many (of "mixed": the '
        "rows nearest to the means in the kernel's space, among 2,000)",
        default="uniform",
    )
    random_state: Any = setting(Seed(), "seed of the landmarks", default=0)

    _landmarks: Any = attribute()  # scaled; dense or CSR

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        yield from self._look(training)
        m, seed = int(self.n_components), seed_from(self.random_state)
        mixed, design = isinstance(self._design, MixedDesign), self._design
        limit = m
        if self.landmarks == "kmeans":
            limit = max(m, min(m * _PER_LANDMARK, _MOST_COMPARED if mixed else _MOST))
        sample: DistinctSample = yield TakeDistinctSample(design, self._scaling.scale != 0, limit, seed)
        z = sample.x if mixed else scaled_rows(sample.x, self._scaling)
        self._landmarks = z if self.landmarks == "uniform" else self._means(z, sample.weight, m, seed)
        if not np.isfinite(self._values).all():
            raise InputError("Products of rows overflow in this kernel. Use standardize=True or a smaller gamma.")
        self.n_components_ = self._map.shape[1]

    def _means(self, z: Any, weight: Array, m: int, seed: int) -> Any:
        if z.shape[0] <= m:
            return z
        assert self._kernel is not None
        if isinstance(self._design, MixedDesign):
            return z[np.sort(means_of(self._kernel, z, weight, m, seed).nearest_rows())]
        model = KMeans(m, standardize=False, random_state=seed % 2**32).fit(z, sample_weight=weight)
        return np.asarray(model.cluster_centers_, dtype=np.float64)

    # What is made again from the landmarks

    @cached_property
    def _values(self) -> Array:
        assert self._kernel is not None
        return self._kernel(self._landmarks)

    @cached_property
    def _eigen(self) -> tuple[Array, Array]:
        """Eigenvalues of K_ll, falling, that are more than rounding, and their eigenvectors as columns."""
        with one_blas_thread():
            values, vectors = np.linalg.eigh(self._values)
        values, vectors = values[::-1], vectors[:, ::-1]
        count = int(np.count_nonzero(values > len(values) * 1e-14 * max(float(values[0]), 0.0)))
        kept = max(count, 1)
        return values[:kept], fix_signs(vectors[:, :kept].T).T

    @cached_property
    def _map(self) -> Array:
        values, vectors = self._eigen
        roots = np.sqrt(np.maximum(values, 0.0))
        return np.ascontiguousarray(vectors * np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0))

    @property
    def landmarks_(self) -> Any:
        self._fitted_schema()
        return self._landmarks

    @property
    def eigenvalues_(self) -> Array:
        self._fitted_schema()
        return self._eigen[0]

    # Transforming

    def _transform(self, table: Table) -> Table:
        check_finite(table)
        assert self._kernel is not None
        names = [str(name) for name in self.get_feature_names_out()]
        out = np.empty((table.n_rows, self.n_components_))
        m = self._landmarks.shape[0]
        step = max(256, _CELLS // m)
        for start in range(0, table.n_rows, step):
            likeness = self._kernel(self._numbers(table.rows(start, start + step)), self._landmarks)
            _core.project_rows(likeness, np.zeros(m), self._map, out[start : start + step])
        refuse_lost(out)
        return Table.of_matrix(out, names, named=self._schema.named or not self._schema.all_numeric)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """nystroem0, nystroem1, …"""
        super().get_feature_names_out(input_features)
        return np.array([f"nystroem{c}" for c in range(self.n_components_)], dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        rows = self._landmarks
        if self._kernel is None or rows.ndim != 2 or not rows.shape[0] or rows.shape[1] != self._design.n_columns:
            raise SavedModelError("The landmarks do not fit the columns.")
        cells = rows if isinstance(rows, np.ndarray) else rows.data
        if cells.dtype != np.float64 or not np.isfinite(cells).all() or not np.isfinite(self._values).all():
            raise SavedModelError("The landmarks hold what are not finite numbers.")
        if self.n_components_ != self._map.shape[1]:
            raise SavedModelError("The number of components does not fit the landmarks.")
