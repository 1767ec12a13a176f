"""A pool of probabilities: each member's to a power of its own, multiplied, and as shares again.

    p(c | x) ∝ e^(b_c) · Π_m (p_m(c | x) + ε)^(w_m),        w ≥ 0

    w, b = argmin Σ_i v_i · −log p(y_i | x_i) + ½ Σ_m (w_m − 1/M)² + ½ Σ_c b_c²

Powers above 1 sharpen members that are too careful, such as forests, powers below 1 soften those that are too sure,
such as boosting of few rows; a power of 0 leaves a member out. Of few rows, which say little, the penalty leaves all
members alike. There is one power a member, however many classes there are.
"""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.errors import SavedModelError
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute
from learnt.linear import softmax
from learnt.show.numbers import number
from learnt.storable import Numbers

#: So many rows are enough to find one number a member.
ENOUGH_ROWS = 20_000
MOST_STEPS, MOST_HALVINGS = 100, 40
#: A step that is shorter has arrived.
ARRIVED = 1e-13
#: Of the objective: what a step may lose by rounding.
ROUNDING = 1e-14
#: Probabilities below this have no logarithm worth adding up.
LEAST = 1e-15


class LogarithmicPool(Classifier, listed=False):
    """Multiplies powers of members' probabilities: the logarithm of each is a term of the final score.

    Only a stack makes one: its columns are the members' probabilities of all classes but the first. `names_` are the
    members, `weights_` their powers, `intercept_` a number by class, `average_` the mean logarithms, members × classes.

    Reference: C. Genest, J. V. Zidek, Combining probability distributions, 1986.
    """

    abilities = frozenset({"weights", "probabilities"})

    names_: tuple[str, ...] = attribute()
    weights_: Numbers = attribute()
    intercept_: Numbers = attribute()
    average_: Numbers = attribute()
    softening_: float = attribute()

    @classmethod
    def fitted_to(cls, batch: Batch, names: tuple[str, ...], classes: Array) -> LogarithmicPool:
        """The pool that makes the classes of the rows most likely."""
        assert batch.target is not None
        pool: LogarithmicPool = cls()._twin(batch.table.schema, classes)
        answers, target = _answers(batch.table, len(names), len(classes)), batch.target
        v = np.ones(len(target)) if batch.weights is None else batch.weights
        pool.names_ = names
        pool.softening_ = max(1 / (float(v.sum()) + len(classes)), LEAST)
        if len(v) > ENOUGH_ROWS:
            some = np.unique(np.linspace(0, len(v) - 1, ENOUGH_ROWS).astype(np.int64))
            answers, target, v = answers[some], target[some], v[some]
        logs = pool._logarithms(answers)
        pool.average_ = np.average(logs, axis=0, weights=v)
        pool.weights_, pool.intercept_ = pooled_weights(logs, target, v)
        return pool

    def _logarithms(self, answers: Array) -> Array:
        found: Array = np.log(answers + self.softening_)
        return found

    def terms(self, table: Table) -> Array:
        """What each member adds to the scores, rows × members × classes."""
        answers = _answers(table, len(self.names_), len(self.classes_))
        found: Array = self.weights_[:, None] * self._logarithms(answers)
        return found

    def scores(self, table: Table) -> Array:
        """Whose softmax are the probabilities, rows × classes."""
        found: Array = self.intercept_ + self.terms(table).sum(axis=1)
        return found

    def gradients(self, base: Array, said: Array) -> Array:
        """By how much the logarithm rises, a unit of probability, on the way from `base` to what a member said."""
        start, end = base + self.softening_, said + self.softening_
        way = end - start
        near = np.abs(way) <= 1e-9 * end
        rise = np.log(np.maximum(end, LEAST) / np.maximum(start, LEAST))
        found: Array = np.divide(rise, way, out=1 / end, where=~near)
        return found

    def _probabilities(self, table: Table) -> Array:
        return softmax(self.scores(table))

    def __str__(self) -> str:
        if "weights_" not in self.__dict__:
            return repr(self)
        kept = [(name, w) for name, w in zip(self.names_, self.weights_.tolist(), strict=True) if w > 0]
        terms = "".join(f"\n  + {number(w)} · log p of {name}" for name, w in kept)
        return f"score of a class = a constant of its own{terms}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        m, k = len(self.names_), len(self.classes_)
        shapes = (self.weights_.shape, self.intercept_.shape, self.average_.shape, len(self._schema))
        if shapes != ((m,), (k,), (m, k), m * (k - 1)) or not self.softening_ > 0:
            raise SavedModelError("The powers of the pool do not fit the members.")


def _answers(table: Table, members: int, classes: int) -> Array:
    """What members say, rows × members × classes: the first class has what the others leave."""
    x = np.column_stack([c.values for c in table.columns])
    kept = x.reshape(len(x), members, classes - 1)
    return np.concatenate([np.maximum(1 - kept.sum(axis=2, keepdims=True), 0.0), kept], axis=2)


def pooled_weights(logs: Array, target: Array, v: Array) -> tuple[Array, Array]:
    """The powers, none below 0, and the intercepts: by Newton's method among those that are not held at 0."""
    n, m, k = logs.shape
    x = np.concatenate([logs, np.broadcast_to(np.eye(k), (n, k, k))], axis=1)  # an intercept is a member too
    center = np.append(np.full(m, 1 / m), np.zeros(k))
    theta, bounded = center.copy(), np.arange(m + k) < m

    def value(point: Array) -> float:
        s = np.einsum("j,ijc->ic", point, x)
        top = s.max(axis=1)
        spread = top + np.log(np.exp(s - top[:, None]).sum(axis=1))
        return float(v @ (spread - s[np.arange(n), target])) + 0.5 * float(((point - center) ** 2).sum())

    best = value(theta)
    for _ in range(MOST_STEPS):
        p = softmax(np.einsum("j,ijc->ic", theta, x))
        mean = np.einsum("ic,ijc->ij", p, x)
        gradient = v @ (mean - x[np.arange(n), :, target]) + theta - center
        free = ~bounded | (theta > 0) | (gradient < 0)
        inside = x[:, free]
        curvature = np.eye(int(free.sum())) - (mean[:, free] * v[:, None]).T @ mean[:, free]
        for c in range(k):
            curvature += (inside[:, :, c] * (v * p[:, c])[:, None]).T @ inside[:, :, c]
        step = np.zeros(m + k)
        step[free] = -np.linalg.solve(curvature, gradient[free])
        far = 0.0
        for _ in range(MOST_HALVINGS):
            moved = np.where(bounded, np.maximum(theta + step, 0.0), theta + step)
            found = value(moved)
            if found <= best + ROUNDING * abs(best):  # near the end the objective is flat, its derivatives are not
                far = float(np.abs(moved - theta).max())
                theta, best = moved, min(found, best)
                break
            step = step / 2
        if far <= ARRIVED:
            break
    return theta[:m], theta[m:]
