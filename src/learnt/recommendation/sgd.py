"""Stochastic gradient descent on ratings, with a rate that follows the objective."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.recommendation.als import Solution, Task, iterate
from learnt.recommendation.factors import rate_pairs
from learnt.recommendation.ratings import RatingBlock

PARTS = 16  # users and items are dealt to so many parts each; more threads than that find nothing to do
FASTER, SLOWER = 1.05, 0.5  # what becomes of the rate when the objective fell, and when it rose
TRIES = 40


class Descent:
    """Epochs over the ratings of a task. One that raises the objective is undone, and the rate halved (bold driver)."""

    def __init__(self, task: Task, solution: Solution, rate: float, seed: int):
        self.task, self.solution, self.rate, self.seed = task, solution, rate, seed
        real = solution.x.vectors.dtype
        share = {}
        for side, n in task.ratings.weights.items():
            # Each rating bears its share: Σ over the ratings of a row of w · penalty / n is the penalty.
            share[side] = (task.penalty(side) / n).astype(real)
        self.penalty_users, self.penalty_items = share["user"], share["item"]
        self.objective = self.look()

    def epoch(self) -> float:
        x, y = self.solution.x, self.solution.y
        for _ in range(TRIES):
            before = x.copy(), y.copy()
            for first, block in self.task.ratings.blocks("user"):
                self._descend(first, block)
            now = self.look()
            if now <= self.objective:
                self.rate *= FASTER
                self.objective = now
                break
            self.solution.x, self.solution.y = x, y = before
            self.rate *= SLOWER
        return self.objective

    def _descend(self, first: int, block: RatingBlock) -> None:
        users, items = block.rows + np.int32(first), block.indices
        cell = (users % PARTS) * PARTS + items % PARTS
        mixed = np.random.default_rng([self.seed, first]).permutation(block.n_ratings)
        order = mixed[np.argsort(cell[mixed], kind="stable")]
        cells = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=PARTS * PARTS))]).astype(np.int64)
        weights = None if block.weights is None else block.weights[order]
        x, y = self.solution.x, self.solution.y
        _core.descend_entries(
            cells, PARTS, users[order], items[order], block.values[order], weights, self.penalty_users,
            self.penalty_items, self.rate, x.vectors, y.vectors, x.bias, y.bias,
        )  # fmt: skip

    def look(self) -> float:
        """The objective; infinite where descent ran away."""
        x, y = self.solution.x, self.solution.y
        total = float(self.task.penalty("user") @ x.squares() + self.task.penalty("item") @ y.squares())
        for errors, weights in self._errors():
            total += float((errors**2).sum() if weights is None else weights.astype(np.float64) @ errors**2)
        return total if np.isfinite(total) else float("inf")

    def _errors(self) -> Iterator[tuple[Array, Array | None]]:
        for first, block in self.task.ratings.blocks("user"):
            found = rate_pairs(block.rows + np.int32(first), block.indices, self.solution.x, self.solution.y)
            yield block.values - found, block.weights


def descend(task: Task, start: Solution, rate: float, seed: int, max_iter: int, tol: float, owner: str) -> Solution:
    """Epochs until one lowers the objective by less than a share `tol` of the first one's."""
    with np.errstate(over="ignore", invalid="ignore"):
        return iterate(start, Descent(task, start, rate, seed).epoch, max_iter, tol, owner, "epoch")
