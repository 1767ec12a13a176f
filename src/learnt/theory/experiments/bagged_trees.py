"""Bagged trees: thirty rows, five columns that go together, two hundred bootstraps."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.show.numbers import percent
from learnt.theory.experiments.experiment import Experiment, draw_lines
from learnt.tree import DecisionTreeClassifier


def bagged_trees(
    *, n: int = 30, bootstraps: int = 200, n_test: int = 2000, repeats: int = 10, random_state: int = 0
) -> Experiment:
    """Test error of one tree and of growing bags of trees, by votes and by mean probabilities.

    Five normal columns with correlations of .95; P(Y=1) is .2 where the first is at most ½, else .8: no rule errs less
    than 20 %.
    """
    rng = np.random.default_rng(random_state)
    votes, means, single = np.zeros(bootstraps), np.zeros(bootstraps), 0.0
    for _ in range(repeats):
        (X, y), (new, truth) = _sample(rng, n), _sample(rng, n_test)
        tree = DecisionTreeClassifier(min_samples_leaf=3).fit(X, y)
        single += float(np.mean(np.asarray(tree.predict(new)) != truth)) / repeats
        vote_sum, mean_sum = np.zeros(n_test), np.zeros(n_test)
        for b in range(bootstraps):
            drawn = rng.integers(n, size=n)
            while len(set(y[drawn])) < 2:
                drawn = rng.integers(n, size=n)
            shares = np.asarray(DecisionTreeClassifier(min_samples_leaf=3).fit(X[drawn], y[drawn]).predict_proba(new))[
                :, 1
            ]
            vote_sum += shares > 0.5
            mean_sum += shares
            votes[b] += float(np.mean((vote_sum / (b + 1) > 0.5) != truth)) / repeats
            means[b] += float(np.mean((mean_sum / (b + 1) > 0.5) != truth)) / repeats
    shown = sorted({1, 2, 5, 10, 20, 50, 100, bootstraps} & set(range(1, bootstraps + 1)))
    return Experiment(
        "bagged_trees",
        f"Trees on {n} rows change with every row. What does averaging {bootstraps} of them do to the error on "
        f"{n_test:,} new rows?",
        f"One tree errs on {percent(single, 1)}, {bootstraps} bagged ones on {percent(votes[-1], 1)} by votes and "
        f"{percent(means[-1], 1)} by mean probabilities; 20 % cannot be beaten. Averaging removes variance and "
        "leaves the bias.",
        ("trees", "votes", "mean probabilities"),
        tuple((int(b), float(votes[b - 1]), float(means[b - 1])) for b in shown),
        draw_lines(
            list(range(1, bootstraps + 1)),
            {"votes": votes.tolist(), "mean probabilities": means.tolist()},
            ("bagged trees", "error on new rows"),
            level=(single, "one tree"),
        ),
    )


def _sample(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    common = rng.normal(size=(n, 1))
    X = np.sqrt(0.95) * common + np.sqrt(0.05) * rng.normal(size=(n, 5))
    return X, rng.random(n) < np.where(X[:, 0] <= 0.5, 0.2, 0.8)
