"""What a fit of gradient boosting is asked for, what it has found, and when it stops."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.boosting.few_rows import Care, care_of
from learnt.ensemble.boosting.growth_options import GrowthOptions
from learnt.ensemble.boosting.losses import Loss
from learnt.ensemble.trees.forest import Forest
from learnt.learner.class_weights import class_factors
from learnt.tree import TreeArrays
from learnt.watch import report


@dataclass(frozen=True)
class Stopping:
    """Hold out a share of the rows, if there are more than `above`; stop after `patience` rounds in which their loss
    fell by no more than `tol`."""

    share: float
    patience: int
    tol: float
    above: int = 0


@dataclass(frozen=True)
class Boosted:
    """Trees, the scores before them, and minus the mean loss before the first round and after each."""

    trees: Forest
    start: Array
    train_score: tuple[float, ...]
    validation_score: tuple[float, ...]
    care: Care


@dataclass(frozen=True)
class Given:
    """Settings that may be left open; None: by how many rows there are."""

    max_iter: int | None
    learning_rate: float | None
    subsample: float | None
    max_features: float | None
    max_leaf_nodes: int | None  # 0: no limit


@dataclass(frozen=True)
class Task:
    """A fit: settings that have been checked, for columns and classes that are known. Picklable, without rows."""

    owner: str
    loss: Loss
    options: GrowthOptions
    given: Given
    max_bins: int
    by_gradient: bool
    stopping: Stopping | None
    seed: int
    class_weight: Any = None
    classes: Array | None = None
    before: Boosted | None = None
    max_iter: int = 0  # this and `share` are known once the rows are
    share: float = 1.0  # of the rows that each round draws

    def of_rows(self, n_rows: int, weights: Array | None = None) -> Task:
        """The same for these rows: of few rows none are held out, and what was left open is chosen with care."""
        few = self.stopping is not None and n_rows <= self.stopping.above
        care, given = care_of(n_rows, weights, self.classes is not None), self.given
        share = care.subsample if given.subsample is None else given.subsample
        options = replace(
            self.options,
            learning_rate=care.learning_rate if given.learning_rate is None else given.learning_rate,
            max_features=care.max_features if given.max_features is None else given.max_features,
            max_leaf_nodes=care.max_leaf_nodes if given.max_leaf_nodes is None else given.max_leaf_nodes,
            most_in_least_leaf=care.min_samples_leaf,
        )
        return replace(
            self,
            options=options,
            max_iter=care.max_iter if given.max_iter is None else given.max_iter,
            stopping=None if few else self.stopping,
            share=share,
            by_gradient=self.by_gradient and share < 1,
        )

    def of_weight(self, weight: float) -> Task:
        """The same with the limits on leaves that this weight of rows to learn from comes to."""
        return replace(self, options=self.options.of_weight(weight))

    @property
    def care(self) -> Care:
        """What was taken of what the settings may leave open."""
        options = self.options
        leaf = math.nan if options.min_samples_leaf is None else options.min_samples_leaf
        rates = options.learning_rate, self.share, options.max_features
        return Care(self.max_iter, *rates, leaf, options.max_leaf_nodes)

    def factors(self, counts: Array) -> Array | None:
        """What the weights of each class's rows are multiplied by, from the weights of the classes; None: by 1."""
        assert self.classes is not None
        return class_factors(self.class_weight, self.classes, counts, self.owner)


@dataclass
class Rounds:
    """The rounds so far: trees in their order, and how the losses went."""

    task: Task
    start: Array
    trees: list[TreeArrays] = field(default_factory=list)
    train: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, task: Task, start: Array) -> Rounds:
        """Rounds that go on where an earlier fit stopped, if there was one: its last score is noted anew."""
        rounds = cls(task, start)
        if task.before is not None:
            rounds.train = list(task.before.train_score[: rounds.done])
            if task.stopping is not None:
                known = list(task.before.validation_score[: rounds.done])
                rounds.validation = [*known, *[-np.inf] * (rounds.done - len(known))]
        return rounds

    @property
    def done(self) -> int:
        """How many rounds there have been, those of an earlier fit included."""
        before = 0 if self.task.before is None else len(self.task.before.trees)
        return (before + len(self.trees)) // self.task.loss.n_outputs

    @property
    def over(self) -> bool:
        return self.done >= self.task.max_iter or self._idle() or self._stuck()

    def _idle(self) -> bool:
        """Whether the held-out rows have gained nothing for too long."""
        stopping = self.task.stopping
        return stopping is not None and self.done - self._best() >= stopping.patience

    def _best(self) -> int:
        """The round that did best on the held-out rows; a later one must be better by more than `tol`."""
        assert self.task.stopping is not None
        best = 0
        for i, score in enumerate(self.validation):
            if score > self.validation[best] + self.task.stopping.tol:
                best = i
        return best

    def _stuck(self) -> bool:
        """Whether the last round changed nothing, so that no later one will, unless columns or rows are drawn."""
        drawn = self.task.share < 1 or self.task.options.max_features < 1
        last, least = self.trees[-self.task.loss.n_outputs :], 1e-9 * max(1.0, float(np.abs(self.start).max()))
        still = (tree.node_count == 1 and abs(tree.value[0, 0]) <= least for tree in last)
        return bool(last) and not drawn and all(still)

    def note(self, train: float, validation: float | None) -> None:
        """Mean losses after a round, or before the first."""
        self.train.append(-train)
        if validation is not None:
            self.validation.append(-validation)
        facts = {} if validation is None else {"validation": validation}
        report(
            "round", learner=self.task.owner, iteration=self.done, total=self.task.max_iter, objective=train, **facts
        )

    def result(self) -> Boosted:
        """All trees; where rows were held out, those up to the best round."""
        forest = Forest.of(self.trees) if self.trees else Forest.empty()
        if self.task.before is not None:
            forest = self.task.before.trees.joined(forest)
        if self.task.stopping is not None:
            forest = forest.part(0, self._best() * self.task.loss.n_outputs)
        return Boosted(forest, self.start, tuple(self.train), tuple(self.validation), self.task.care)


def bounded_by_directions(tree: TreeArrays, values: Array, directions: Array | None) -> Array:
    """Values of the nodes, moved as far as needed for the tree to rise or fall with a column as it must.

    At a test of such a column both sides keep to their side of the middle of their two values.
    """
    if directions is None or not directions.any():
        return values
    low, high = np.full(tree.node_count, -np.inf), np.full(tree.node_count, np.inf)
    left, right = tree.children_left, tree.children_right
    for i in np.flatnonzero(~tree.is_leaf):
        kids = np.array([left[i], right[i]])
        low[kids], high[kids] = low[i], high[i]
        way = directions[tree.feature[i]]
        if way:
            below, above = kids if way > 0 else kids[::-1]
            middle = float(np.clip((values[below] + values[above]) / 2, low[i], high[i]))
            high[below] = low[above] = middle
    bounded: Array = np.clip(values, low, high)
    return bounded


def with_means_inside(tree: TreeArrays, values: Array) -> Array:
    """Values of leaves, and at each inner node the mean of the leaves below it, by weight."""
    found = np.where(tree.is_leaf, values, 0.0)
    left, right = tree.children_left, tree.children_right
    for i in np.flatnonzero(~tree.is_leaf)[::-1]:
        share = tree.share(int(i))
        found[i] = share[0] * found[left[i]] + share[1] * found[right[i]]
    return found
