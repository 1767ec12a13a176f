"""Random Fourier features: waves of random directions and lengths, as columns for linear learners."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
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
    missing cells as the mean or the most frequent label. Directions belong to the names of columns: their order does
    not matter.

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
        self.gamma_ = self._gamma(found.variance)
        seed, count = seed_from(self.random_state), int(self.n_components)
        varying = np.flatnonzero(self._scaling.scale)
        waves = -(-count // 2)
        names = self._design.names
        drawn = draws(self.kernel, [names[j] for j in varying], waves, seed)
        if self.orthogonal and len(varying):
            drawn = orthogonal_blocks(drawn, seed)
        scale = np.sqrt(2 * self.gamma_) if self.kernel == "rbf" else self.gamma_
        self.frequencies_ = np.zeros((self._design.n_columns, count))
        # A wave and the same a quarter later; the last of an odd number is alone, which its phase makes up for.
        self.frequencies_[varying] = np.repeat(drawn * scale, 2, axis=1)[:, :count]
        turns = 2 * np.pi * _stream(seed, 0).random(waves)
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
        _core.turn_to_cosines(out, self.phase_, float(np.sqrt(2 / self.n_components_)))
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

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns that waves run along: `age`, `town=Bern`, …"""
        self._fitted_schema()
        names: tuple[str, ...] = self._design.names
        return names

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (self._design.n_columns, self.n_components_)
        if self.frequencies_.shape != shape or self.phase_.shape != shape[1:]:
            raise SavedModelError("The waves do not fit the columns.")
        for values in (self.frequencies_, self.phase_):
            if values.dtype != np.float64 or not np.isfinite(values).all():
                raise SavedModelError("The waves hold what are not finite numbers.")


def draws(kernel: str, names: Sequence[str], count: int, seed: int) -> Array:
    """Columns × waves: standard Gaussians, or Cauchy's; those of a column depend on its name and the seed alone."""
    out = np.empty((len(names), count))
    for j, name in enumerate(names):
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        stream = _stream(seed, int.from_bytes(digest, "little") | 1)
        out[j] = stream.standard_normal(count) if kernel == "rbf" else stream.standard_cauchy(count)
    return out


def _stream(seed: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, number], dtype=np.uint64)))


def orthogonal_blocks(drawn: Array, seed: int) -> Array:
    """Gaussian columns turned at right angles to each other, as many at a time as there are rows, with lengths of
    Gaussian columns of their own."""
    p, count = drawn.shape
    out = np.empty_like(drawn)
    stream = _stream(seed, 2)
    lengths = np.sqrt(stream.chisquare(p, count))
    with one_blas_thread():
        for first in range(0, count, p):
            block = drawn[:, first : first + p]
            q, r = np.linalg.qr(block)
            turned = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)
            out[:, first : first + p] = turned * lengths[first : first + p]
    return out
