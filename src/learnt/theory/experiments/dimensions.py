"""The curse of dimensionality: in many columns all rows are about equally far, and neighbours say nothing."""

from __future__ import annotations

import numpy as np

from learnt.neighbors import KNeighborsClassifier
from learnt.show.numbers import percent
from learnt.theory.experiments.experiment import Experiment, draw_lines
from learnt.tree import DecisionTreeClassifier


def curse_of_dimensionality(
    dimensions: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100), *, n: int = 400, random_state: int = 0
) -> Experiment:
    """One column tells the class, the others are noise: distances and accuracy as columns are added."""
    rng = np.random.default_rng(random_state)
    rows = []
    for d in dimensions:
        X, new = rng.random((n, d)), rng.random((2 * n, d))
        y, truth = X[:, 0] > 0.5, new[:, 0] > 0.5
        some = new[:100]
        away = np.sqrt(((some[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
        ratio = float((away.min(axis=1) / away.max(axis=1)).mean())
        side = 0.01 ** (1 / d)
        near = float(np.mean(np.asarray(KNeighborsClassifier(n_neighbors=5).fit(X, y).predict(new)) == truth))
        tree = float(np.mean(np.asarray(DecisionTreeClassifier(max_depth=3).fit(X, y).predict(new)) == truth))
        rows.append((int(d), ratio, side, near, tree))
    last = rows[-1]
    return Experiment(
        "curse_of_dimensionality",
        "What becomes of neighbourhoods as columns of noise are added to one that tells the class?",
        f"In {last[0]} columns the nearest row is {percent(last[1], 0)} as far as the farthest, and a box with a "
        f"hundredth of the rows spans {percent(last[2], 0)} of each column: neighbours are not near. 5 nearest "
        f"neighbours fall from {percent(rows[0][3], 0)} to {percent(last[3], 0)}; a tree, which chooses its columns, "
        f"stays at {percent(last[4], 0)}.",
        (
            "columns",
            "nearest / farthest",
            "side of a box with 1 % of the rows",
            "5 nearest neighbours",
            "tree of depth 3",
        ),
        tuple(rows),
        draw_lines(
            [row[0] for row in rows],
            {
                "nearest / farthest": [row[1] for row in rows],
                "side of a box with 1 % of the rows": [row[2] for row in rows],
                "accuracy of 5 nearest neighbours": [row[3] for row in rows],
                "accuracy of a tree": [row[4] for row in rows],
            },
            ("columns", "share"),
            log="x",
        ),
    )
