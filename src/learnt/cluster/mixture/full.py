"""Gaussian components with full covariances, their own or one for all; cells that are missing are integrated out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt import _core
from learnt.cluster.mixture.patterns import cut, patterns
from learnt.cluster.mixture.roots import Roots, roots_of
from learnt.cluster.mixture.rules import LEAST, Rules, log_shares
from learnt.cluster.mixture.view import MixtureView, counted
from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Batch, Pass
from learnt.lazy import cached_property
from learnt.statistics.sums import Sums
from learnt.storable import Shares, storable


@storable
@dataclass(frozen=True, eq=False)
class FullComponents:
    """Weights, means and covariances, in z; one covariance for all, or one each."""

    weights: Shares
    mean: Array  # k × p
    covariance: Array  # 1 or k × p × p

    def __post_init__(self) -> None:
        k, p = self.mean.shape if self.mean.ndim == 2 else (-1, -1)
        shape = self.covariance.shape
        if k < 1 or self.weights.shape != (k,) or shape not in ((1, p, p), (k, p, p)):
            raise ValueError("The weights, means and covariances of the components do not fit each other.")
        if any(a.dtype != np.float64 for a in (self.weights, self.mean, self.covariance)):
            raise ValueError("The parameters of components are float64.")
        if (
            not all(np.isfinite(a).all() for a in (self.weights, self.mean, self.covariance))
            or (self.weights < 0).any()
        ):
            raise ValueError("A parameter of a component is not finite, or a weight is below 0.")

    @classmethod
    def neutral(cls, k: int, p: int, tied: bool) -> FullComponents:
        """All alike: the whole table."""
        return cls(np.full(k, 1 / k), np.zeros((k, p)), np.tile(np.eye(p), (1 if tied else k, 1, 1)))

    @cached_property
    def whole(self) -> Roots:
        return self.roots(np.ones(self.mean.shape[1], dtype=bool))

    def roots(self, there: Array) -> Roots:
        """Of the columns that are there."""
        return roots_of(self.covariance[:, there][:, :, there])

    def offsets(self, roots: Roots, blur: float) -> Array:
        """log π_c − ½ log |2πΣ_c|, less the blur's ½ b tr Σ_c⁻¹."""
        found: Array = log_shares(self.weights) - 0.5 * (roots.log_volume + blur * roots.trace)
        return np.ascontiguousarray(found)

    # Learning

    def round(self, view: MixtureView, rules: Rules) -> Pass:
        return FullRound(view, self, rules.blur)

    def moved(self, sums: FullSums, rules: Rules) -> FullComponents:
        """The components that fit the rows, as shared out, best. One without rows stays where it is."""
        p = self.mean.shape[1]
        weight, full = sums.weight, sums.weight > LEAST
        safe = np.where(full, weight, 1.0)
        step = sums.first / safe[:, None]
        mean = np.where(full[:, None], self.mean + step, self.mean)
        within = sums.second - weight[:, None, None] * step[:, :, None] * step[:, None, :]
        pull = rules.rows_of_prior * rules.target * np.eye(p)
        if len(self.covariance) == 1:
            covariance = (within.sum(axis=0) + pull)[None] / (weight.sum() + rules.rows_of_prior)
        else:
            more = (within + pull) / (safe + rules.rows_of_prior)[:, None, None]
            covariance = np.where(full[:, None, None], more, self.covariance)
        return FullComponents(rules.shares(weight), mean, (covariance + covariance.swapaxes(1, 2)) / 2)

    def log_prior(self, rules: Rules) -> float:
        """The logarithm of the prior density, up to a constant."""
        found = rules.log_prior_of_shares(self.weights)
        if rules.rows_of_prior:
            whole = self.whole
            p = self.mean.shape[1]
            logs = whole.log_volume - p * np.log(2 * np.pi) + rules.target * whole.trace
            found -= 0.5 * rules.rows_of_prior * float(logs.sum())
        return found

    # Answering

    def ask(self, view: MixtureView, x: Array, codes: Array, **wanted: Array | None) -> None:
        """Fill `log_density`, `shares` and `labels`, as far as they are wanted."""
        for rows, there in patterns(x):
            roots = self.whole if there is None else self.roots(there)
            part = {
                name: out if out is None or rows is None else np.empty((len(rows), *out.shape[1:]), out.dtype)
                for name, out in wanted.items()
            }
            call(self, view, cut(x, rows, there), None, there, roots, self.offsets(roots, 0.0), part, None)
            for name, out in wanted.items():
                if out is not None and rows is not None:
                    out[rows] = part[name]

    def one(self, c: int) -> FullComponents:
        """One component alone, with its weight."""
        g = c % len(self.covariance)
        return FullComponents(self.weights[c : c + 1], self.mean[c : c + 1], self.covariance[g : g + 1])

    def terms(self, z: Array, codes: Array) -> tuple[Array, Array]:
        """Of one row: log π_c − ½ log |2πΣ_c| by component, and −½ d_j (Σ⁻¹ d)_j by component and column.

        The cross terms d_i d_j are shared equally by i and j; missing cells have 0.
        """
        there = ~np.isnan(z)
        roots = self.roots(there)
        found = np.zeros(self.mean.shape)
        with one_blas_thread():
            for c, center in enumerate(self.mean[:, there]):
                root, d = roots.root[c % len(roots.root)], z[there] - center
                found[c, there] = -0.5 * d * (root.T @ (root @ d))
        return self.offsets(roots, 0.0), found

    def draw(self, rng: np.random.Generator, labels: Array) -> tuple[Array, Array]:
        """z of new rows of these components, and no codes."""
        normal = rng.standard_normal((len(labels), self.mean.shape[1]))
        z = np.empty_like(normal)
        lower = np.linalg.cholesky(self.covariance)
        for c in np.unique(labels):
            rows = labels == c
            z[rows] = self.mean[c] + normal[rows] @ lower[c % len(lower)].T
        return z, np.zeros((len(labels), 0), np.int32)

    def parameters(self, shape: str) -> int:
        """How many numbers a model of this shape has, weights apart."""
        k, p = self.mean.shape
        return int(k * p + len(self.covariance) * p * (p + 1) // 2)


@dataclass(frozen=True)
class FullSums(Sums):
    """Σ w log p, and per component Σ w r (1, d, d dᵀ) with the blur in it, d from the component's mean."""

    rows: int
    log_likelihood: float
    weight: Array
    first: Array
    second: Array

    @classmethod
    def of_shares(
        cls, view: MixtureView, x: Array, codes: Array, weights: Array | None, share: Array, blur: float
    ) -> FullSums:
        """The sums of rows that are shared out already, around 0; a missing cell counts as its column's mean."""
        z = np.nan_to_num(view.scaled(x), nan=0.0)
        r = share if weights is None else share * weights[:, None]
        weight = r.sum(axis=0)
        second = np.stack(
            [(z * r[:, c, None]).T @ z + weight[c] * blur * np.eye(z.shape[1]) for c in range(r.shape[1])]
        )
        return cls(len(x), 0.0, weight, r.T @ z, second)


class FullRound(Pass):
    """E-step and the sums of the M-step, rows with the same cells missing together.

    Given the cells o that are there, those missing, m, are expected at μ_m + A (x_o − μ_o), A = Σ_mo Σ_oo⁻¹, with the
    covariance Σ_mm − A Σ_om. Both enter the sums, for each component its own.
    """

    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, view: MixtureView, components: FullComponents, blur: float):
        self.view, self.components, self.blur = view, components, blur

    def __call__(self, batch: Batch, state: Any) -> tuple[FullSums, Any]:
        parts, weights = state, counted(batch.weights, batch.weights)
        if parts is None:
            x = counted(self.view.cells(batch.table), batch.weights)
            parts = [(cut(x, rows, there), rows, there) for rows, there in patterns(x)]
        k, p = self.components.mean.shape
        total = FullSums(0, 0.0, np.zeros(k), np.zeros((k, p)), np.zeros((k, p, p)))
        for x, rows, there in parts:
            own = weights if weights is None or rows is None else weights[rows]
            total = total + self._of_pattern(x, own, there)
        return total, parts

    def _of_pattern(self, x: Array, weights: Array | None, there: Array | None) -> FullSums:
        now = self.components
        roots = now.whole if there is None else now.roots(there)
        k, o = now.mean.shape[0], roots.root.shape[1]
        sums = np.zeros((k, o + 1, o + 1))
        value = call(now, self.view, x, weights, there, roots, now.offsets(roots, self.blur), {}, sums)
        weight, first = np.ascontiguousarray(sums[:, o, o]), np.ascontiguousarray(sums[:, o, :o])
        lower = np.tril(sums[:, :o, :o])
        second = lower + np.tril(lower, -1).swapaxes(1, 2)
        second += (self.blur * weight)[:, None, None] * np.eye(o)
        if there is not None:
            first, second = self._expected_sums(weight, first, second, there, roots)
        return FullSums(len(x), value, weight, first, second)

    def _expected_sums(
        self, weight: Array, first: Array, second: Array, there: Array, roots: Roots
    ) -> tuple[Array, Array]:
        """The sums over all columns, from those over the columns that are there."""
        k, p = self.components.mean.shape
        o, m = np.flatnonzero(there), np.flatnonzero(~there)
        sigma = self.components.covariance
        along = sigma[:, m][:, :, o] @ (roots.root.swapaxes(1, 2) @ roots.root)
        to = np.zeros((len(sigma), p, len(o)))
        to[:, o], to[:, m] = np.eye(len(o)), along
        square = to @ second @ to.swapaxes(1, 2)
        left = sigma[:, m][:, :, m] - along @ sigma[:, o][:, :, m]
        square[:, m[:, None], m] += weight[:, None, None] * left
        more: Array = (to @ first[:, :, None]).reshape(k, p)
        return more, square


def call(
    components: FullComponents,
    view: MixtureView,
    x: Array,
    weights: Array | None,
    there: Array | None,
    roots: Roots,
    offset: Array,
    wanted: dict[str, Array | None],
    sums: Array | None,
) -> float:
    """The kernel, on the columns that are there."""
    use = slice(None) if there is None else there
    return _core.full_mixture_round(
        x,
        weights,
        np.ascontiguousarray(view.shift[use]),
        np.ascontiguousarray(view.scale[use]),
        np.ascontiguousarray(components.mean[:, use]),
        roots.root,
        offset,
        wanted.get("log_density"),
        wanted.get("shares"),
        wanted.get("labels"),
        sums,
    )
