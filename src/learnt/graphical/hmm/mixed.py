"""Mixtures of Gaussians, one mixture for each state: for columns whose cells form several clouds within a state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.errors import SavedModelError
from learnt.graphical.hmm.columns import NOTHING, Rules, mean_and_variance
from learnt.storable import FiniteNumbers, storable

BLOCK = 1 << 14  # rows at a time
_FARTHEST = 1e300  # a squared distance beyond is this one: evidence against all states alike, not no number


@storable
@dataclass(frozen=True)
class StateMixtures:
    """Weights k × c, means and variances k × c × m: components within which columns are independent."""

    weight: FiniteNumbers
    mean: FiniteNumbers
    variance: FiniteNumbers

    def __post_init__(self) -> None:
        shape = self.mean.shape
        if len(shape) != 3 or self.variance.shape != shape or self.weight.shape != shape[:2]:
            raise SavedModelError("Weights, means and variances of the mixtures contradict each other.")
        if not (self.variance > 0).all() or not (self.weight >= 0).all():
            raise SavedModelError("A variance of a mixture is not above 0, or a weight below 0.")

    @classmethod
    def neutral(cls, whole: tuple[Array, Array], k: int, components: int) -> StateMixtures:
        """All components alike, with the means and variances of the whole table."""
        mean, variance = whole
        shape = (k, components, 1)
        spread = np.where(variance > 0, variance, 1.0)
        return cls(np.full((k, components), 1 / components), np.tile(mean, shape), np.tile(spread, shape))

    @classmethod
    def around(
        cls, x: Array, share: Array, start: StateMixtures, rules: Rules, rng: np.random.Generator
    ) -> StateMixtures:
        """A start: in each state, components around rows drawn from it, as wide as the state."""
        k, components = start.weight.shape
        mean, variance = start.mean.copy(), start.variance.copy()
        whole = ~np.isnan(x).any(axis=1)
        for c in range(k):
            middle, spread = mean_and_variance(x, np.ascontiguousarray(share[:, c]))
            variance[c] = np.maximum(spread, rules.mixed_floor)
            p = share[:, c] * whole
            rows = rng.choice(len(x), components, p=p / p.sum()) if p.sum() > 0 else None
            mean[c] = middle if rows is None else x[rows]
        return cls(start.weight, mean, variance)

    def _joint(self, x: Array) -> Array:
        """log w_c + log N_c of the cells that are there: rows × k × components."""
        there = ~np.isnan(x)
        with np.errstate(divide="ignore"):
            found = np.tile(np.log(self.weight), (len(x), 1, 1))
        for j in range(x.shape[1]):
            rows = np.flatnonzero(there[:, j])
            v = self.variance[:, :, j]
            with np.errstate(over="ignore"):
                d = x[rows, j, None, None] - self.mean[:, :, j]
                found[rows] -= 0.5 * (np.log(2 * np.pi * v) + np.minimum(d * d / v, _FARTHEST))
        return found

    def _blocks(self, x: Array) -> range:
        return range(0, len(x), BLOCK)

    def add_evidence(self, x: Array, out: Array) -> None:
        """out += log Σ_c w_c N_c, rows × states."""
        k = len(self.weight)
        for first in self._blocks(x):
            joint = self._joint(x[first : first + BLOCK])
            out[first : first + BLOCK, :k] += _log_sum(joint)

    def stepped(self, x: Array, share: Array, rules: Rules) -> StateMixtures:
        """The most likely parameters for rows shared out among states (n × k), components by what they explain."""
        k, components, m = self.mean.shape
        weight = np.zeros((k, components))
        moments = np.zeros((3, k, components, m))
        for first in self._blocks(x):
            rows = slice(first, first + BLOCK)
            cells, joint = x[rows], self._joint(x[rows])
            r = np.exp(joint - _log_sum(joint)[:, :, None]) * share[rows, :, None]
            weight += r.sum(axis=0)
            for j in range(m):
                there = ~np.isnan(cells[:, j])
                d = cells[there, j, None, None] - self.mean[:, :, j]
                g = r[there]
                moments[0, :, :, j] += g.sum(axis=0)
                moments[1, :, :, j] += (g * d).sum(axis=0)
                moments[2, :, :, j] += (g * d * d).sum(axis=0)
        total = weight.sum(axis=1, keepdims=True)
        there = moments[0] > NOTHING
        with np.errstate(divide="ignore", invalid="ignore"):
            shift = np.where(there, moments[1] / moments[0], 0.0)
            variance = np.where(there, moments[2] / moments[0] - shift**2, self.variance)
            weights = np.where(total > NOTHING, weight / total, self.weight)
        variance = np.where(there, np.maximum(variance, rules.mixed_floor), variance)
        return StateMixtures(weights, self.mean + shift, variance)

    def moments(self) -> tuple[Array, Array]:
        """Mean and variance of each state and column, k × m."""
        mean = np.einsum("kc,kcm->km", self.weight, self.mean)
        second = np.einsum("kc,kcm->km", self.weight, self.variance + self.mean**2)
        return mean, np.maximum(second - mean**2, 0.0)

    def draw(self, rng: np.random.Generator, labels: Array) -> Array:
        upto = np.cumsum(self.weight, axis=1)[labels]
        which = (rng.random((len(labels), 1)) * upto[:, -1:] >= upto).sum(axis=1)
        found: Array = rng.normal(self.mean[labels, which], np.sqrt(self.variance[labels, which]))
        return found

    def parameters(self) -> int:
        k, components, m = self.mean.shape
        return int(k * (components - 1 + 2 * components * m))

    def taken(self, order: Array) -> StateMixtures:
        return StateMixtures(self.weight[order].copy(), self.mean[order].copy(), self.variance[order].copy())


def _log_sum(joint: Array) -> Array:
    top = joint.max(axis=2, keepdims=True)
    found: Array = (top + np.log(np.exp(joint - top).sum(axis=2, keepdims=True)))[:, :, 0]
    return found
