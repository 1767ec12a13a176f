"""A score taken apart: what each item that a user has rated adds to it.

The factors z = (x, b) of a user solve the normal equations (`core/recommendation/als.hpp`)

    A z = p + Σ_i v_i f_i,     A = λ I + Σ_i s_i f_i f_iᵀ  (+ Σ over all items of f fᵀ for implicit feedback)

with f_i = (y_i, 1), v_i = w_i t_i and p = 0 for explicit ratings. The score of item j, c_j + f_j·z, thus is the sum of
c_j, f_j·A⁻¹p and f_j·A⁻¹f_i v_i (Y. Hu, Y. Koren, C. Volinsky 2008, section 5). Where factors are not negative, A is
that of the factors above 0. What solvers leave unsolved is a part of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.explain import Evidence, Explanation
from learnt.recommendation.factors import SideFactors, rate_pairs
from learnt.recommendation.ratings import RatingBlock

#: Of the scale of ratings: a smaller part that solvers left is rounding, and goes to the largest part.
ROUNDING = 1e-4


@dataclass(frozen=True, eq=False)
class Reasons:
    """What is needed to explain scores."""

    x: SideFactors
    y: SideFactors
    history: RatingBlock | None
    penalty: Array  # of each user
    implicit: bool
    nonnegative: bool
    mean: float
    scale: float
    names: tuple[str, str]
    labels: tuple[Any, ...]

    def explain(self, user: int, item: int) -> Explanation:
        total = self.mean + self.scale * float(rate_pairs(np.array([user]), np.array([item]), self.x, self.y)[0])
        parts: list[Evidence] = []
        if item >= 0 and self.y.bias is not None:
            parts.append(Evidence(self.names[1], self.labels[item], self.scale * float(self.y.bias[item]), "its bias"))
        if user >= 0 and self.history is not None:
            parts += self._of_history(user, item)
        rest = total - self.mean - sum(part.contribution for part in parts)
        if abs(rest) > ROUNDING * self.scale or not parts:
            if user >= 0:
                words = "steps the solver left" if self.history is not None else "ratings were not kept"
                parts.append(Evidence(self.names[0], "factors", rest, words))
        else:
            largest = max(range(len(parts)), key=lambda i: abs(parts[i].contribution))
            old = parts[largest]
            parts[largest] = Evidence(old.column, old.value, old.contribution + rest, old.words)
        base = "mean rating" if self.mean else "no rating"
        return Explanation(total, "sum", self.mean, base, tuple(parts), total, "score")

    def _of_history(self, user: int, item: int) -> list[Evidence]:
        assert self.history is not None
        rated, targets, weights = self.history.row(user)
        f, t, w = self.y.augmented(rated), targets.astype(np.float64), weights.astype(np.float64)
        o = np.zeros(len(rated)) if self.y.bias is None else self.y.bias[rated].astype(np.float64)
        n = f.shape[1]
        a = self.penalty[user] * np.eye(n) + (f.T * (w - 1 if self.implicit else w)) @ f
        pull, away = w * (t - o), np.zeros(n)
        if self.implicit:
            every = self.y.augmented()
            a += every.T @ every
            pull = pull + o
            if self.y.bias is not None:
                away = -every.T @ self.y.bias.astype(np.float64)
        target = np.zeros(n) if item < 0 else self.y.augmented(item)
        if item < 0 and self.y.bias is not None:
            target[-1] = 1.0
        free = np.ones(n, bool)
        if self.nonnegative:
            free[: self.x.rank] = self.x.vectors[user, : self.x.rank] > 0
        direction = np.zeros(n)
        if free.any() and np.isfinite(a).all():
            with one_blas_thread():
                direction[free] = _solved(a[np.ix_(free, free)], target[free], self.penalty[user] > 0)
        adds = self.scale * (f @ direction) * pull
        words = "its confidence" if self.implicit else ""
        found = [
            Evidence(self._rated(int(i)), self._said(float(v), float(c)), float(part), words)
            for i, v, c, part in zip(rated.tolist(), t, w, adds, strict=True)
        ]
        unseen = self.scale * float(direction @ away)
        return [*found, Evidence("all items", "unseen", unseen, "as if disliked a little")] if unseen else found

    def _rated(self, item: int) -> str:
        return str(self.labels[item])

    def _said(self, target: float, weight: float) -> float:
        """What the user said of an item: the rating, or how often it was seen as confidence."""
        return weight if self.implicit else self.mean + self.scale * target


def _solved(a: Array, target: Array, definite: bool) -> Array:
    """A⁻¹ target; of equations without regularisation, which may have many solutions, the shortest."""
    if definite:
        try:
            return np.linalg.solve(a, target)
        except np.linalg.LinAlgError:  # a penalty too small to be seen beside the ratings
            pass
    found: Array = np.linalg.lstsq(a, target, rcond=None)[0]
    return found
