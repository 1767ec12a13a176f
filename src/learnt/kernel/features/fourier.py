"""Random Fourier features: waves of random directions and lengths, as columns for linear learners."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import ParameterError, SavedModelError
from learnt.kernel.space import ScaledRows
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Seed, Whole, seed_from
from learnt.linear import standard_scaling


class RandomFourierFeatures(ScaledRows, Transformer):
    """Turn a table into waves whose inner products are about an RBF or Laplacian kernel, without looking at the rows.

        features(x) = √(2/D) (cos(ω_1·x), sin(ω_1·x), …),      ω ~ N(0, 2γ) ("rbf") or Cauchy(γ) ("laplacian")

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(200, 2))
    >>> features = RandomFourierFeatures(2000, gamma=0.5, standardize=False).fit_transform(rows)
    >>> exact = np.exp(-0.5 * ((rows[:, None] - rows) ** 2).sum(axis=2))
    >>> bool(abs(features @ features.T - exact).mean() < 0.02)
    True

    The error falls with 1/√D, whatever the rows are. Numbers are standardised, labels enter as one indicator each,
    missing cells as the mean or the most frequent label. Directions are given to columns by their means: the order of
    columns does not matter.

    {settings}

    Attributes: `n_components_`; `frequencies_`, columns of `get_design_names()` × features, and `phase_`; `gamma_`.

    Reference: A. Rahimi, B. Recht, Random features for large-scale kernel machines, 2007; F. Yu et al., Orthogonal
    random features, 2016.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 3.0
    simplicity = 40.0
    takes_text = "left out"

    n_components: int = setting(Whole(1), "D, the number of columns", default=100, kw_only=False, before="gamma")
    kernel: str = setting(OneOf("rbf", "laplacian"), "of which", default="rbf", before="gamma")
    orthogonal: bool = setting(
        Flag(), 'of "rbf": directions at right angles to each other, which errs less', default=False
    )
    random_state: Any = setting(Seed(), "seed of the waves", default=0)

    frequencies_: Array = attribute()
    phase_: Array = attribute()
    gamma_: float = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        if self.orthogonal and self.kernel != "rbf":
            raise ParameterError(
                f"RandomFourierFeatures: orthogonal=True is for kernel='rbf', and kernel is {self.kernel!r}: only the "
                "waves of an RBF kernel have no preferred directions."
            )
        found = yield from self._look(training)
        if self.standardize:  # sparse rows too: what is shifted here is their product
            self._scaling = standard_scaling(found, center=True)
        self.gamma_ = self._gamma(found.variance)
        stream, count = np.random.default_rng(seed_from(self.random_state)), int(self.n_components)
        # In an order by what is in the columns, so that that of the table does not matter.
        order = np.lexsort((_of_few_digits(found.variance), _of_few_digits(found.mean)))
        varying = order[self._scaling.scale[order] != 0]
        waves = -(-count // 2)
        shape = len(varying), waves
        drawn = stream.standard_normal(shape) if self.kernel == "rbf" else stream.standard_cauchy(shape)
        if self.orthogonal and len(varying):
            drawn = orthogonal_blocks(drawn, np.sqrt(stream.chisquare(len(varying), waves)))
        scale = np.sqrt(2 * self.gamma_) if self.kernel == "rbf" else self.gamma_
        self.frequencies_ = np.zeros((self._design.n_columns, count))
        # A wave and the same a quarter later; the last of an odd number is alone, which its phase makes up for.
        self.frequencies_[varying] = np.repeat(drawn * scale, 2, axis=1)[:, :count]
        turns = 2 * np.pi * stream.random(waves)
        self.phase_ = np.column_stack([turns, turns - np.pi / 2]).ravel()[:count]
        self.n_components_ = count

    def _transform(self, table: Table) -> Table:
        out = np.empty((table.n_rows, self.n_components_))
        weights = np.ascontiguousarray(self.frequencies_ * self._scaling.scale[:, None])
        if not self._from_matrix(table, weights, out):
            check_finite(table)
            with one_blas_thread():
                for start in range(0, table.n_rows, ENCODED_ROWS):
                    x = self._design.encode(table.rows(start, start + ENCODED_ROWS))
                    part = out[start : start + ENCODED_ROWS]
                    if isinstance(x, np.ndarray):
                        _core.project_rows(x, self._scaling.shift, weights, part)
                    else:  # shifted after the product: rows stay sparse
                        part[:] = x @ weights - self._scaling.shift @ weights
        far = None if _core.all_finite(out) else ~np.isfinite(out).all(axis=1)
        _core.turn_to_cosines(out, self.phase_, float(np.sqrt(2 / self.n_components_)))
        if far is not None:
            out[far] = 0.0  # infinitely far from all rows: the kernel of any two is 0
        names = [str(name) for name in self.get_feature_names_out()]
        return Table.of_matrix(out, names, named=self._schema.named or not self._schema.all_numeric)

    def _from_matrix(self, table: Table, weights: Array, out: Array) -> bool:
        """A matrix of numbers as it is, in one go; False where a cell is missing or infinite, which shows in sums."""
        if table.matrix is None or not self._design.plain:
            return False
        _core.project_rows(table.matrix, self._scaling.shift, weights, out)
        return bool(_core.all_finite(out))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """fourier0, fourier1, …"""
        super().get_feature_names_out(input_features)
        return np.array([f"fourier{c}" for c in range(self.n_components_)], dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (self._design.n_columns, self.n_components_)
        if self.frequencies_.shape != shape or self.phase_.shape != shape[1:]:
            raise SavedModelError("The waves do not fit the columns.")
        for values in (self.frequencies_, self.phase_):
            if values.dtype != np.float64 or not np.isfinite(values).all():
                raise SavedModelError("The waves hold what are not finite numbers.")


def orthogonal_blocks(drawn: Array, lengths: Array) -> Array:
    """Gaussian columns turned at right angles to each other, as many at a time as there are rows, of these lengths."""
    p, count = drawn.shape
    out = np.empty_like(drawn)
    with one_blas_thread():
        for first in range(0, count, p):
            some = slice(first, first + p)
            q, r = np.linalg.qr(drawn[:, some])
            out[:, some] = q * np.where(np.diagonal(r) < 0, -1.0, 1.0) * lengths[some]
    return out


def _of_few_digits(numbers: Array) -> Array:
    """Those of single precision, which the order of sums does not change, but of any size."""
    digits, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(digits.astype(np.float32).astype(np.float64), exponent))
