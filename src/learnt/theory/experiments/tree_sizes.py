"""Overfitting: accuracy against the depth of a tree and against the number of training rows."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.show.numbers import percent
from learnt.theory.experiments.experiment import Experiment, draw_lines
from learnt.tree import DecisionTreeClassifier


def overfitting_by_depth(
    depths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16), *, n: int = 400, repeats: int = 10, random_state: int = 0
) -> Experiment:
    """Training and test accuracy of trees that may grow deeper and deeper, one label in five being wrong."""
    rng = np.random.default_rng(random_state)
    training, test = np.zeros(len(depths)), np.zeros(len(depths))
    for _ in range(repeats):
        (X, y), (new, truth) = _sample(rng, n), _sample(rng, 2000)
        for k, depth in enumerate(depths):
            tree = DecisionTreeClassifier(max_depth=depth).fit(X, y)
            training[k] += float(np.mean(np.asarray(tree.predict(X)) == y)) / repeats
            test[k] += float(np.mean(np.asarray(tree.predict(new)) == truth)) / repeats
    best = int(test.argmax())
    return Experiment(
        "overfitting_by_depth",
        "One label in five is wrong. What happens as a tree may grow deeper?",
        f"On its training rows it gets ever better, to {percent(training[-1], 0)}; on new rows it is best at depth "
        f"{depths[best]} ({percent(test[best], 0)}) and falls to {percent(test[-1], 0)}: the rest was noise, learnt "
        "by heart.",
        ("depth", "training accuracy", "test accuracy"),
        tuple((int(d), float(a), float(b)) for d, a, b in zip(depths, training, test, strict=True)),
        draw_lines(
            list(depths), {"training rows": training.tolist(), "new rows": test.tolist()}, ("depth", "accuracy")
        ),
    )


def accuracy_by_rows(
    sizes: tuple[int, ...] = (20, 50, 100, 200, 500, 1000, 2000), *, repeats: int = 10, random_state: int = 0
) -> Experiment:
    """Test accuracy of small and large trees as training rows are added."""
    rng = np.random.default_rng(random_state)
    depths = {"depth 1": 1, "depth 4": 4, "any depth": None}
    found = {name: np.zeros(len(sizes)) for name in depths}
    for _ in range(repeats):
        (X, y), (new, truth) = _sample(rng, max(sizes)), _sample(rng, 2000)
        for name, depth in depths.items():
            for k, size in enumerate(sizes):
                tree = DecisionTreeClassifier(max_depth=depth).fit(X[:size], y[:size])
                found[name][k] += float(np.mean(np.asarray(tree.predict(new)) == truth)) / repeats
    names = list(depths)
    first = sorted(found[name][0] for name in names)
    late = max(names, key=lambda name: found[name][-1])
    return Experiment(
        "accuracy_by_rows",
        "How good do small and large trees get as training rows are added?",
        f"With {sizes[0]} rows their accuracies lie between {percent(first[0], 1)} and {percent(first[-1], 1)}; with "
        f"{sizes[-1]:,} the tree of {late} is ahead with {percent(found[late][-1], 1)}. A richer model needs rows to "
        "pay for it, and without a limit it spends them on the noise.",
        ("rows", *names),
        tuple((int(size), *(float(found[name][k]) for name in names)) for k, size in enumerate(sizes)),
        draw_lines(
            list(sizes), {name: found[name].tolist() for name in names}, ("training rows", "test accuracy"), log="x"
        ),
    )


def _sample(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    X = rng.random((n, 6))
    truth = X[:, 0] + X[:, 1] > 1  # a slope, which takes many steps
    return X, truth ^ (rng.random(n) < 0.2)
