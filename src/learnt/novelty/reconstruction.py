"""Novelty by what principal components lose of a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.novelty.rows_as_numbers import RowsAsNumbers
from learnt.reduce import PCA
from learnt.storable import FiniteNumbers, storable


@storable
@dataclass(frozen=True, eq=False)
class ReconstructionError:
    """|x − x̂|², x̂ the nearest row in the plane of the components: Σ_j (x_j − x̂_j)²."""

    encoding: RowsAsNumbers
    mean: FiniteNumbers
    components: FiniteNumbers  # one a row

    def __post_init__(self) -> None:
        p = self.encoding.n_columns
        if self.mean.shape != (p,) or self.components.ndim != 2 or self.components.shape[1] != p:
            raise ValueError("The components do not fit the columns.")

    @classmethod
    def fitted(cls, table: Table, weights: Array, n_components: float, *, standardize: bool) -> ReconstructionError:
        """A share of the variance, or a number of components; always one less than there are, or nothing is lost."""
        encoding = RowsAsNumbers.of(table, weights, standardize=standardize)
        z = encoding.encode(table)
        if bool(np.all(z == z[0])):
            return cls(encoding, z[0].copy(), np.zeros((0, z.shape[1])))
        found = PCA().fit(z, sample_weight=weights)
        ratio = found.explained_variance_ratio_
        count = int(n_components)
        if isinstance(n_components, float) and n_components < 1:
            count = int(np.searchsorted(np.cumsum(ratio), n_components * (1 - 1e-12))) + 1
        count = min(count, int((ratio > 1e-12).sum()) - 1)
        return cls(encoding, found.mean_.copy(), np.ascontiguousarray(found.components_[:count]))

    @property
    def base_words(self) -> str:
        return ""

    def _squares(self, table: Table) -> Array:
        z = self.encoding.encode(table)
        lost = z - self.mean
        if len(self.components):
            scores, kept = np.empty((len(z), len(self.components))), np.empty(z.shape)
            _core.project_rows(z, self.mean, np.ascontiguousarray(self.components.T), scores)
            _core.project_rows(scores, np.zeros(len(self.components)), self.components, kept)
            lost -= kept
        return np.asarray(lost**2)

    def novelty(self, table: Table) -> Array:
        return np.asarray(self._squares(table).sum(axis=1))

    def parts(self, table: Table) -> tuple[Array, Array]:
        return np.zeros(table.n_rows), self.encoding.fold(self._squares(table))
