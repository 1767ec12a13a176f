"""What the promises of every learner leave out, and why; and the settings under which some are asked."""

from __future__ import annotations

from typing import Any

#: Settings tried in turn, one for each seed, where the default alone would say little.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "AgglomerativeClustering": [
        {"linkage": linkage} for linkage in ("ward", "average", "single", "complete", "weighted", "centroid", "median")
    ],
    "DBSCAN": [{"eps": eps, "min_samples": least} for least in (2, 4, 7) for eps in (0.17, 0.3, 0.8, 3.0)],
    "KMedoids": [{}, {"metric": "mixed"}],
    "KNeighborsClassifier": [{}, {"n_neighbors": 1}],
}

#: How near two answers are that differ in the order of sums alone; of those that go on until a limit is near, less.
NEAR: dict[str, float] = {
    "ICA": 1e-4,  # a fixed point, found to 1e-4
    "LatentSemanticAnalysis": 1e-3,  # directions found by a few rounds from drawn ones
    "LinearUnit": 1e-5,  # descends until a step gains little
    "OneClassSVM": 1e-3,  # the conditions of the optimum hold to 1e-3
    "PairwiseRanker": 1e-5,  # descends until the gradient is small
}

_VOCABULARY = "each column is a word of the vocabulary: its count changes the shares of all others"

#: (learner, promise) → why it is not kept, and right so.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("BernoulliNB", "a_constant_column_says_nothing"): (
        "smoothing gives the value that never occurs a share too, larger in a class of fewer rows, as peers do"
    ),
    ("ComplementNB", "a_constant_column_says_nothing"): _VOCABULARY,
    ("MultinomialNB", "a_constant_column_says_nothing"): _VOCABULARY,
}
