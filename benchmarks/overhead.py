#!/usr/bin/env python3
"""What predicting one row costs: learnt beside scikit-learn's estimator of the same name.

Both are fitted on the same rows and asked for the same NumPy row; rounds alternate, the best counts.
"""

import timeit

import numpy as np
import sklearn.cluster
import sklearn.dummy
import sklearn.linear_model
import sklearn.tree

import learnt

N, P, ROUNDS = 1000, 10, 7
GOAL = 1 / 3

rng = np.random.default_rng(0)
X, y = rng.standard_normal((N, P)), rng.standard_normal(N)
row, labels = X[:1].copy(), np.where(y > 0, "up", "down")

PAIRS = {
    "LinearRegression": (learnt.LinearRegression(), sklearn.linear_model.LinearRegression(), y),
    "KMeans": (
        learnt.KMeans(n_clusters=8, n_init=1, random_state=0),
        sklearn.cluster.KMeans(8, n_init=1, random_state=0),
        None,
    ),
    "DecisionTreeClassifier": (learnt.DecisionTreeClassifier(), sklearn.tree.DecisionTreeClassifier(), labels),
    "DecisionTreeRegressor": (learnt.DecisionTreeRegressor(), sklearn.tree.DecisionTreeRegressor(), y),
    "MajorityClassifier / DummyClassifier": (learnt.MajorityClassifier(), sklearn.dummy.DummyClassifier(), labels),
    "MeanRegressor / DummyRegressor": (learnt.MeanRegressor(), sklearn.dummy.DummyRegressor(), y),
}


def microseconds(models):
    """The cost of one call for each model, in turns, so that a noisy moment hits both."""
    timers = [timeit.Timer(lambda m=m: m.predict(row)) for m in models]
    calls = [max(1, int(0.05 / max(t.timeit(20) / 20, 1e-7))) for t in timers]
    best = [float("inf")] * len(models)
    for _ in range(ROUNDS):
        for i, (timer, n) in enumerate(zip(timers, calls, strict=True)):
            best[i] = min(best[i], 1e6 * timer.timeit(n) / n)
    return best


def main():
    print("| one NumPy row | learnt µs | scikit-learn µs | ratio | goal |\n|---|---|---|---|---|")
    for name, (ours, theirs, target) in PAIRS.items():
        for model in (ours, theirs):
            model.fit(X, target)
        a, b = microseconds((ours, theirs))
        verdict = "met" if a <= GOAL * b else "missed"
        print(f"| {name} | {a:.1f} | {b:.1f} | {a / b:.2f} | ≤ {GOAL:.2f} {verdict} |", flush=True)


if __name__ == "__main__":
    main()
