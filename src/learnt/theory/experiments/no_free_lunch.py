"""No free lunch: over all functions, every learner is right on half of the rows it has not seen."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from learnt.baseline import MajorityClassifier
from learnt.bayes import NaiveBayesClassifier
from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.learner.settings import clone
from learnt.neighbors import KNeighborsClassifier
from learnt.theory.experiments.experiment import Experiment, draw_bars
from learnt.tree import DecisionTreeClassifier


def no_free_lunch(n: int = 3, n_train: int = 4, *, random_state: int = 0) -> Experiment:
    """Train learners on some rows of every Boolean function of n inputs: how often are they right on the others?"""
    if not (isinstance(n, int) and 2 <= n <= 4 and isinstance(n_train, int) and 1 <= n_train < 2**n):
        raise ParameterError(f"n is {n} and n_train {n_train}. Expected 2 to 4 inputs, and fewer rows than there are.")
    inputs = np.array(list(itertools.product((0.0, 1.0), repeat=n)))
    order = np.random.default_rng(random_state).permutation(2**n)
    seen, unseen = np.sort(order[:n_train]), np.sort(order[n_train:])
    learners: dict[str, Any] = {
        "majority": MajorityClassifier(),
        "decision tree": DecisionTreeClassifier(),
        "nearest neighbour": KNeighborsClassifier(n_neighbors=1),
        "naive Bayes": NaiveBayesClassifier(),
    }
    # What a learner says elsewhere depends on the labels it has seen only: one fit for each of their 2^n_train
    # patterns stands for all functions that share it.
    rows, functions = [], 2 ** (2**n)
    parity = np.array([inputs[i].sum() % 2 for i in range(2**n)])
    one_input = inputs[:, 0]
    for name, learner in learners.items():
        answers = {
            pattern: _answers(learner, inputs[seen], np.array(pattern), inputs[unseen])
            for pattern in itertools.product((0, 1), repeat=n_train)
        }
        right = 0
        for labels in itertools.product((0, 1), repeat=2**n):
            truth = np.array(labels)
            right += int((answers[tuple(truth[seen].tolist())] == truth[unseen]).sum())
        simple = float(np.mean(answers[tuple(one_input[seen].astype(int).tolist())] == one_input[unseen]))
        odd = float(np.mean(answers[tuple(parity[seen].astype(int).tolist())] == parity[unseen]))
        rows.append((name, right / (functions * len(unseen)), simple, odd))
    exact = all(row[1] == 0.5 for row in rows)
    answer = (
        f"Over all {functions:,} functions each learner is right on {'exactly ' if exact else 'about '}half of the "
        "rows it has not seen: what one gains on some functions it loses on others. Learning works because the "
        "world is not any function."
    )
    names = [row[0] for row in rows]
    sizes = {
        "over all functions": [r[1] for r in rows],
        "one input": [r[2] for r in rows],
        "parity": [r[3] for r in rows],
    }
    return Experiment(
        "no_free_lunch",
        f"All {functions:,} Boolean functions of {n} inputs: trained on {n_train} of {2**n} rows, how often is a "
        "learner right on the others?",
        answer,
        ("learner", "all functions", "one input", "parity"),
        tuple(rows),
        draw_bars(names, sizes, "right on rows not seen", (0.5, "half")),
    )


def _answers(learner: Any, X: Array, y: Array, new: Array) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(clone(learner).fit(X, y).predict(new))
