"""`learnt.distill`: one readable tree, or list of rules, that imitates any model."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.evaluate.distillation.artificial import artificial_rows
from learnt.evaluate.distillation.distilled import Distilled
from learnt.evaluate.foreign import check_learner, features_for, fresh, learner_task
from learnt.evaluate.metrics.intervals import Interval, proportion_interval, r2_interval
from learnt.learner.parameters import Domain, Real, Seed, Whole, check_parameters, seed_from
from learnt.tree import DecisionTreeClassifier, DecisionTreeRegressor

LEVEL = 0.95
_DOMAINS: dict[str, Domain] = {
    "max_leaf_nodes": Whole(2),
    "n_artificial": Whole(0),
    "held_out": Real(above=0, below=1),
    "random_state": Seed(),
}


def distill(
    model: Any,
    table: Any,
    *,
    student: Any = None,
    max_leaf_nodes: int = 16,
    n_artificial: int = 10_000,
    held_out: float = 1 / 3,
    random_state: Any = 0,
) -> Distilled:
    """Fit one readable model to what another answers: to rows of a table, and to many artificial ones near them.

    >>> import learnt
    >>> iris = learnt.datasets.iris()
    >>> forest = learnt.RandomForestClassifier().fit(iris)
    >>> imitated = learnt.distill(forest, iris, max_leaf_nodes=4)
    >>> imitated.student.get_n_leaves(), imitated.fidelity.estimate > 0.9
    (4, True)

    | setting | default | meaning |
    |---|---|---|
    | `model` | | anything fitted that predicts classes or numbers, of learnt or of scikit-learn |
    | `table` | | rows of its kind, their target is not asked for |
    | `student` | a tree | what imitates: a learner for the same task, such as `RuleListClassifier()` |
    | `max_leaf_nodes` | 16 | leaves of the tree, at most |
    | `n_artificial` | 10,000 | rows drawn near those of the table and labelled by the model |
    | `held_out` | 1/3 | the share of the rows that nothing is drawn from and the imitation is judged by |
    | `random_state` | 0 | seed of what is held out and drawn |

    A tree grown from a few hundred rows soon runs out of them; drawn rows tell it what the model thinks in between.

    References: M. Craven, J. Shavlik, Extracting tree-structured representations of trained networks, 1996; C. Bucilă,
    R. Caruana, A. Niculescu-Mizil, Model compression, 2006.
    """
    check_parameters(
        "distill", _DOMAINS, dict(zip(_DOMAINS, (max_leaf_nodes, n_artificial, held_out, random_state), strict=True))
    )
    check_learner(model)
    classes = _answers_classes(model)
    rows = _columns_of(model, table)
    if rows.n_rows < 2:
        raise InputError(f"There are {rows.n_rows} rows. Expected at least two: some to learn from, some to judge by.")
    rng = np.random.default_rng(seed_from(random_state))
    order = rng.permutation(rows.n_rows)
    n_held_out = min(max(round(held_out * rows.n_rows), 1), rows.n_rows - 1)
    judging, fitting = rows.take(np.sort(order[:n_held_out])), rows.take(np.sort(order[n_held_out:]))
    pupil = _student(student, classes, max_leaf_nodes)
    shown = [fitting]
    if n_artificial:
        shown.append(artificial_rows(fitting, n_artificial, rng))
    answers = [_asked(model, part) for part in shown]
    cells = [type(c).like(c, np.concatenate([part[c.name].values for part in shown])) for c in fitting.columns]
    together = Table.of_columns(cells, named=rows.schema.named)
    pupil = pupil.fit(features_for(pupil, together), np.concatenate(answers)) or pupil
    truth, said = _asked(model, judging), np.asarray(pupil.predict(features_for(pupil, judging)))
    fidelity, constant = _judged(truth, said, classes)
    return Distilled(pupil, fidelity, constant, fitting.n_rows, n_artificial, judging.n_rows, classes)


def _answers_classes(model: Any) -> bool:
    task = learner_task(model)
    if task not in ("classification", "regression"):
        if hasattr(model, "classes_"):
            return True
        raise InputError(
            f"{type(model).__name__} does not say whether it predicts classes or numbers. Expected a fitted classifier "
            "or regressor."
        )
    return task == "classification"


def _columns_of(model: Any, table: Any) -> Table:
    """The columns that the model was fitted to."""
    rows = table if isinstance(table, Table) else Table(table)
    known = getattr(model, "feature_names_in_", None)
    if known is not None and all(name in rows for name in known):
        return rows.select([str(name) for name in known])
    return rows.drop(rows.target) if isinstance(rows.target, str) else rows


def _student(student: Any, classes: bool, max_leaf_nodes: int) -> Any:
    if student is None:
        kind: Any = DecisionTreeClassifier if classes else DecisionTreeRegressor
        return kind(max_leaf_nodes=max_leaf_nodes)
    check_learner(student)
    if learner_task(student) not in ("auto", "classification" if classes else "regression"):
        raise ParameterError(
            f"student={type(student).__name__} is for {learner_task(student)}, and the model predicts "
            f"{'classes' if classes else 'numbers'}. Give a learner for the same task."
        )
    return fresh(student)


def _asked(model: Any, rows: Table) -> Array:
    return np.asarray(model.predict(features_for(model, rows)))


def _judged(truth: Array, said: Array, classes: bool) -> tuple[Interval, float]:
    """How well answers are imitated, and how well the best constant answer would do."""
    n = len(truth)
    if classes:
        same = sum(a == b for a, b in zip(truth.tolist(), said.tolist(), strict=True))
        _, counts = np.unique(truth.astype(str), return_counts=True)
        return proportion_interval(same, n, level=LEVEL), float(counts.max() / n)
    if n < 2 or np.ptp(truth) == 0:  # no spread that could be explained
        found = 1.0 if np.array_equal(truth, said) else float("nan")
        return Interval(found, float("nan"), float("nan"), LEVEL, "none"), float("nan")
    return r2_interval(truth, said, level=LEVEL), 0.0
