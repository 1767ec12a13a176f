"""How much a column matters: what its tests take away of the impurity, or what is lost when its cells are shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.engine.training import prepare
from learnt.errors import ParameterError
from learnt.parameters import Seed, Whole, check_parameters, seed_from
from learnt.tree.arrays import TreeArrays
from learnt.wording import number, printable


def impurity_importance(tree: TreeArrays, n_columns: int) -> Array:
    """Per column, the impurity its tests take away, by weight, as shares that sum to 1.

        I_j ∝ Σ_{nodes t that test j} (w_t·i_t − Σ_{children c} w_c·i_c)

    Zeros for a tree without tests, or whose tests take nothing away.
    """
    mass = tree.weight * tree.impurity
    inner = np.flatnonzero(~tree.is_leaf)
    below = np.bincount(np.repeat(np.arange(len(inner)), tree.n_children[inner]), mass[tree.kids], len(inner))
    found = np.bincount(tree.feature[inner], mass[inner] - below, n_columns)
    total = found.sum()
    return found / total if total > 0 else np.zeros(n_columns)


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """What shuffling each column costs, in the learner's score.

    `importances` is columns × repeats; `importances_mean` and `importances_std` sum it up per column of `names`.
    Printing lists the columns, most important first; `top(k)` names the first k.
    """

    names: tuple[str, ...]
    score: float
    importances: Array

    @property
    def importances_mean(self) -> Array:
        mean: Array = self.importances.mean(axis=1)
        return mean

    @property
    def importances_std(self) -> Array:
        std: Array = self.importances.std(axis=1)
        return std

    def top(self, k: int = 10) -> list[str]:
        """The names of the k most important columns, the most important first."""
        return [self.names[j] for j in np.argsort(-self.importances_mean, kind="stable")[:k]]

    def __str__(self) -> str:
        wide = max(len(printable(name)) for name in self.names)
        lines = [f"score {number(self.score)}; shuffling a column costs"]
        for j in np.argsort(-self.importances_mean, kind="stable"):
            mean, std = number(self.importances_mean[j]), number(self.importances_std[j])
            lines.append(f"  {printable(self.names[j]):<{wide}}  {mean} ± {std}")
        return "\n".join(lines)


def permutation_importance(
    learner: Any, X: Any, y: Any = None, sample_weight: Any = None, *, n_repeats: int = 5, random_state: Any = None
) -> PermutationImportance:
    """How much worse a fitted learner scores when the cells of one column are shuffled among the rows.

    Works for every learner that has `score` (accuracy, or R²), and every kind of column. Rows that were not
    fitted give honest figures; on the training rows a learner that knows them by heart overrates columns.

    | setting | default | meaning |
    |---|---|---|
    | `n_repeats` | 5 | how many times each column is shuffled, ≥ 1 |
    | `random_state` | None | seed |

    >>> from learnt.tree import DecisionStumpClassifier
    >>> table = {"noise": [3, 1, 2, 1, 3, 2], "size": [1, 2, 3, 7, 8, 9]}
    >>> model = DecisionStumpClassifier().fit(table, list("aaabbb"))
    >>> permutation_importance(model, table, list("aaabbb"), random_state=0).top(1)
    ['size']

    Reference: L. Breiman, Random forests, 2001.
    """
    owner = "permutation_importance"
    settings = {"n_repeats": n_repeats, "random_state": random_state}
    check_parameters(owner, {"n_repeats": Whole(1), "random_state": Seed()}, settings)
    if not hasattr(learner, "score"):
        raise ParameterError(f"{owner}: {type(learner).__name__} has no score. Give a fitted classifier or regressor.")
    data = prepare(X, y, sample_weight, learner.needs, type(learner).__name__)
    if not isinstance(data.source, Table):
        raise ParameterError(
            f"{owner} was given a scan. Shuffling needs the rows in memory. Give a table of some rows."
        )
    table, target = data.source, data.target if data.classes is None else data.classes[data.target]
    rng = np.random.default_rng(seed_from(random_state))
    score = learner.score(table, target, data.weights)
    found = np.empty((table.n_columns, n_repeats))
    for j in range(table.n_columns):
        for repeat in range(n_repeats):
            shuffled = _with_shuffled(table, j, rng)
            found[j, repeat] = score - learner.score(shuffled, target, data.weights)
    return PermutationImportance(table.names, score, found)


def _with_shuffled(table: Table, j: int, rng: np.random.Generator) -> Table:
    columns = list(table.columns)
    one = columns[j]
    columns[j] = Column(one.name, one.kind, one.values[rng.permutation(table.n_rows)], one.categories)
    return Table.of_columns(columns, named=table.schema.named)
