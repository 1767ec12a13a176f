"""Whether unlabelled rows helped: labels that are known are hidden, and asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.learner.settings import clone
from learnt.semi_supervised.labels import partly_labelled
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import spell


def hide_labels(y: Any, share: float, *, random_state: int = 0) -> Array:
    """The labels with a share of them replaced by None, at least one of each class left.

    >>> hide_labels(["a", "b"] * 4, 0.5).tolist()
    ['a', None, None, None, 'a', 'b', None, 'b']
    """
    if not (isinstance(share, int | float) and 0 <= share < 1):
        raise ParameterError(f"share is {share}. Expected a number from 0 to below 1.")
    labels = np.empty(len(y), dtype=object)
    labels[:] = list(y)
    rng = np.random.default_rng(random_state)
    places: dict[Any, list[int]] = {}
    for i, label in enumerate(labels.tolist()):
        places.setdefault(label, []).append(i)
    kept = [rng.permutation(rows)[: max(1, round((1 - share) * len(rows)))] for rows in places.values()]
    hidden = np.ones(len(labels), bool)
    hidden[np.concatenate(kept)] = False
    labels[hidden] = None
    return labels


@dataclass(frozen=True)
class FewLabels:
    """Accuracies of learners on rows held out, by the number of labels they were given: means and standard errors."""

    names: tuple[str, ...]
    n_labels: tuple[int, ...]
    accuracy: Array
    standard_error: Array

    def __str__(self) -> str:
        head = ("labels", *self.names)
        rows = [
            (f"{n:,}", *(f"{number(a)} ± {number(e)}" for a, e in zip(mean, error, strict=True)))
            for n, mean, error in zip(self.n_labels, self.accuracy, self.standard_error, strict=True)
        ]
        return aligned([head, *rows])


def score_with_few_labels(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    labels: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.5),
    repeats: int = 10,
    random_state: int = 0,
) -> FewLabels:
    """How right learners are on rows held out, when only some of the other rows have a label.

    A quarter of the rows with a class is held out, labels of a share of the others are kept and the rest hidden.
    Learners that take rows without a class get them all, those of `X` that never had one too; the others get the
    labelled ones. All see the same draws.

    | argument | meaning |
    |---|---|
    | `learners` | by name, a list, or one |
    | `labels` | shares of the labels that are kept |
    | `repeats` | how often all of it is drawn anew |
    """
    given = partly_labelled(X, y, None, "score_with_few_labels")
    rows = given.labelled
    if len(rows) < 8:
        raise InputError(f"There are {len(rows)} rows with a class. Expected at least 8.")
    wrong = [share for share in labels if not (isinstance(share, int | float) and 0 < share <= 1)]
    if wrong:
        raise ParameterError(f"labels holds {spell(wrong[0])}. Expected shares of the rows, above 0 and up to 1.")
    named = _named(learners)
    table, truth = given.table.take(rows), given.classes[given.codes[rows]]
    scores = np.zeros((repeats, len(labels), len(named)))
    counts = np.zeros(len(labels))
    for r in range(repeats):
        order = np.random.default_rng([random_state, r]).permutation(len(rows))
        test, train = np.sort(order[: len(rows) // 4]), np.sort(order[len(rows) // 4 :])
        for k, share in enumerate(labels):
            seen = hide_labels(truth[train], 1 - float(share), random_state=random_state + r)
            counts[k] += sum(label is not None for label in seen) / repeats
            seen = np.concatenate([seen, np.full(len(given.unlabelled), None)])
            for j, learner in enumerate(named.values()):
                model = _fit(learner, given.table.take(np.concatenate([rows[train], given.unlabelled])), seen)
                scores[r, k, j] = float(np.mean(np.asarray(model.predict(table.take(test))) == truth[test]))
    error = scores.std(axis=0, ddof=1) / np.sqrt(repeats) if repeats > 1 else np.full(scores.shape[1:], np.nan)
    return FewLabels(tuple(named), tuple(round(c) for c in counts), scores.mean(axis=0), error)


def _named(learners: Any) -> dict[str, Any]:
    """Learners by name; of one kind they are numbered."""
    if isinstance(learners, Mapping):
        return {str(name): one for name, one in learners.items()}
    every = [learners] if hasattr(learners, "fit") else list(learners)
    kinds = [type(one).__name__ for one in every]
    return {
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[: i + 1].count(kind)}": one
        for i, (kind, one) in enumerate(zip(kinds, every, strict=True))
    }


def _fit(learner: Any, table: Table, labels: Array) -> Any:
    """With all rows, or, of a learner that cannot use rows without a class, with those that have one."""
    if type(learner).__module__.startswith("learnt.semi_supervised"):
        return clone(learner).fit(table, labels)
    known = np.flatnonzero(np.array([label is not None for label in labels.tolist()]))
    return clone(learner).fit(table.take(known), np.array(labels[known].tolist()))
