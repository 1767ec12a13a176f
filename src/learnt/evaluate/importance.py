"""How much a fitted learner needs each column: what is lost when the column's cells are shuffled among the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.engine.training import prepare
from learnt.errors import InputError, ParameterError
from learnt.evaluate.folds import ask
from learnt.evaluate.foreign import check_learner, learner_task, quiet_blas
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import Problem, Task, problem
from learnt.evaluate.scores import fitting_metric
from learnt.learner.base import Learner
from learnt.learner.parameters import Seed, Whole, check_parameters, seed_from
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import printable, spell
from learnt.watch import report

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """What shuffling each column costs.

    | field | meaning |
    |---|---|
    | `names` | the columns |
    | `score`, `metric` | of the table as it is, and what that measures |
    | `importances` | how much worse the score gets, columns × repeats |

    Printing lists the columns, most important first, with 95 % intervals of the mean over all shuffles; `plot` draws
    them; `top(k)` names the first k. The intervals tell what more repeats might change, not what other rows might.
    """

    names: tuple[str, ...]
    score: float
    importances: Array
    metric: str = "score"

    @property
    def importances_mean(self) -> Array:
        mean: Array = self.importances.mean(axis=1)
        return mean

    @property
    def importances_std(self) -> Array:
        std: Array = self.importances.std(axis=1)
        return std

    def intervals(self, level: float = LEVEL) -> Array:
        """Student's interval of each mean, columns × (low, high); NaN where a column was shuffled once."""
        from scipy.stats import t

        if not 0 < level < 1:
            raise ParameterError(f"level={spell(level)} is not allowed. Expected a number between 0 and 1.")
        repeats = self.importances.shape[1]
        if repeats < 2:
            return np.full((len(self.names), 2), np.nan)
        error = self.importances.std(axis=1, ddof=1) / np.sqrt(repeats)
        reach = t.ppf((1 + level) / 2, repeats - 1) * error
        return np.column_stack([self.importances_mean - reach, self.importances_mean + reach])

    def order(self) -> Array:
        """The columns by number, the most important first; equal ones in the table's order."""
        return np.argsort(-self.importances_mean, kind="stable")

    def top(self, k: int = 10) -> list[str]:
        """The names of the k most important columns, the most important first."""
        return [self.names[j] for j in self.order()[:k]]

    def __str__(self) -> str:
        repeats = self.importances.shape[1]
        times = "once" if repeats == 1 else f"{repeats} times"
        rows, intervals = [], self.intervals()
        for j in self.order():
            low, high = intervals[j]
            span = "" if np.isnan(low) else f"{number(low)} … {number(high)}"
            rows.append(["  " + printable(self.names[j]), number(self.importances_mean[j]), span])
        title = f"{self.metric} {number(self.score)}; shuffling a column ({times}) costs"
        return "\n".join([title, aligned(rows, left=(0,))] if rows else [title])

    def __repr__(self) -> str:
        return f"<PermutationImportance of {len(self.names)} columns, first {', '.join(map(repr, self.top(3)))}>"

    def plot(self, ax: Any = None, most: int = 20) -> Any:
        """A bar per column with its interval, the most important on top; returns the matplotlib axes."""
        from learnt.plot.explanation import plot_importance

        return plot_importance(self, ax, most)


def permutation_importance(
    learner: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    metric: Any = None,
    n_repeats: int = 5,
    random_state: Any = 0,
) -> PermutationImportance:
    """How much worse a fitted learner answers when the cells of one column are shuffled among the rows.

    Works for every kind of column, and for anything fitted that has scikit-learn's `predict`. Rows that were not
    fitted give honest figures; on the training rows a learner that knows them by heart overrates columns. Of two
    columns that tell the same, each looks dispensable as long as the other is there.

    | setting | default | meaning |
    |---|---|---|
    | `metric` | None | what gets worse, by name or function; None: the learner's own `score` |
    | `n_repeats` | 5 | how many times each column is shuffled, ≥ 1 |
    | `random_state` | 0 | seed |

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
    if metric is None and isinstance(learner, Learner):
        table, score = _own_score(owner, learner, X, y, sample_weight)
        measured, sign = "score", 1.0
    else:
        table, score, used = _metric_score(learner, X, y, sample_weight, metric)
        measured, sign = used.title, 1.0 if used.higher_is_better else -1.0
    whole = score(table)
    if np.isnan(whole):
        raise InputError(
            f"{owner}: {measured} is not defined for these rows. Give rows of several classes, or more rows."
        )
    rng = np.random.default_rng(seed_from(random_state))
    found = np.empty((table.n_columns, n_repeats))
    for j in range(table.n_columns):
        for repeat in range(n_repeats):
            found[j, repeat] = sign * (whole - score(_with_shuffled(table, j, rng)))
        report("column", learner=type(learner).__name__, iteration=j + 1, total=table.n_columns)
    return PermutationImportance(table.names, whole, found, measured)


def _own_score(owner: str, learner: Any, X: Any, y: Any, weights: Any) -> tuple[Table, Callable[[Table], float]]:
    """The rows, and the learner's own score of a table in their place."""
    if not hasattr(learner, "score"):
        raise ParameterError(f"{owner}: {type(learner).__name__} has no score. Give a fitted classifier or regressor.")
    data = prepare(X, y, weights, learner.needs, type(learner).__name__)
    if not isinstance(data.source, Table):
        raise ParameterError(
            f"{owner} was given a scan. Shuffling needs the rows in memory. Give a table of some rows."
        )
    target = data.target if data.classes is None else data.classes[data.target]
    return data.source, lambda table: float(learner.score(table, target, data.weights))


def _metric_score(
    learner: Any, X: Any, y: Any, weights: Any, metric: Any
) -> tuple[Table, Callable[[Table], float], Metric]:
    check_learner(learner)
    given = _with_all_classes(problem(X, y, sample_weight=weights, task=learner_task(learner)), learner)
    used = fitting_metric(metric, given)
    rows = np.arange(given.n_rows)

    def score(table: Table) -> float:
        with quiet_blas(learner):
            answer, probabilities, _ = ask(learner, replace(given, table=table), rows)
        return used.score(given.target, answer, probabilities, given.weights, given.n_classes or None)

    return given.table, score, used


def _with_all_classes(given: Problem, learner: Any) -> Problem:
    """With the classes that the learner knows, though these rows may lack some."""
    if given.classes is None:
        return given
    known = np.asarray(learner.classes_) if hasattr(learner, "classes_") else given.classes
    new = [label for label in given.classes.tolist() if label not in set(known.tolist())]
    classes = np.concatenate([known, np.array(new, dtype=given.classes.dtype)]) if new else known
    place = {label: c for c, label in enumerate(classes.tolist())}
    codes = np.array([place[label] for label in given.classes.tolist()], dtype=np.int32)
    task: Task = "multiclass" if len(classes) > 2 else "binary"
    return replace(given, classes=classes, target=codes[given.target], task=task)


def _with_shuffled(table: Table, j: int, rng: np.random.Generator) -> Table:
    columns = list(table.columns)
    one = columns[j]
    columns[j] = Column.like(one, one.values[rng.permutation(table.n_rows)])
    return Table.of_columns(columns, named=table.schema.named)
