"""What missing cells leave open: a weak prior, by which covariances that no rows determine have no correlations.

With the share s of the cells missing and p columns, the prior on a covariance Σ is an inverse Wishart distribution of
ν = s·p/10 more degrees of freedom than a flat one, around the variances D over the cells that are there:

    log p(Σ) = −½ ν (log |Σ| + tr Σ⁻¹D) + constant

It is conjugate: given n complete rows with products S of their deviations, the most probable Σ is (S + νD) / (n + ν),
as if ν rows more had been seen, at the mean of their class and without correlations (the ridge prior of J. L. Schafer,
Analysis of Incomplete Multivariate Data, 1997). Where no cell is missing ν is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt.bayes.discriminant.class_products import ClassProducts
from learnt.bayes.discriminant.covariances import covariances
from learnt.bayes.discriminant.expected_products import Gaussians
from learnt.data.table import Array

#: Rows the prior is worth for each cell that a row misses on average. Enough to end EM where cells are few; more would
#: hide that columns are nearly functions of each other.
_ROWS = 0.1


@dataclass(frozen=True, eq=False)
class WeakPrior:
    """Of one covariance for all classes, or of one each: its weight in rows, and the variances it is around."""

    rows: Array
    variance: Array

    @classmethod
    def of(cls, pairs: ClassProducts, kind: str) -> WeakPrior:
        """`pairs` are products over the cells that are there, and `kind` is "shared" or "full"."""
        p = pairs.products.shape[1]
        around = covariances(pairs, np.ones(p), kind, 0.0, 0).raw
        here, all_cells = pairs.means()[1].sum(axis=1), p * pairs.class_weight
        if kind == "shared":
            here, all_cells = here.sum(keepdims=True), all_cells.sum(keepdims=True)
        share = 1 - np.divide(here, all_cells, out=np.ones(len(here)), where=all_cells > 0)
        return cls(_ROWS * p * np.clip(share, 0.0, 1.0), np.diagonal(around, axis1=1, axis2=2).copy())

    def added_to(self, products: ClassProducts) -> ClassProducts:
        """Products of complete rows, with the rows the prior is worth; classes share those of a shared covariance."""
        weight = products.weight[:, 0, 0]
        rows = self.rows * weight / weight.sum() if len(self.rows) == 1 else self.rows
        mean = products.means()[0]
        extra = mean[:, :, None] * mean[:, None, :]
        place = np.arange(mean.shape[1])
        extra[:, place, place] += self.variance
        return replace(
            products,
            weight=products.weight + rows[:, None, None],
            sums=products.sums + (rows[:, None] * mean)[:, :, None],
            products=products.products + rows[:, None, None] * extra,
        )

    def log_density(self, gaussians: Gaussians, scale: Array) -> float:
        """Of the covariances, up to a constant, in the units of the table."""
        around = (np.diagonal(gaussians.precision, axis1=1, axis2=2) * self.variance).sum(axis=1)
        return -0.5 * float(self.rows @ (gaussians.log_volume + 2 * np.log(scale).sum() + around))
