"""Random subspaces: the same classifier on many draws of the columns."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.ensemble.bagging.learners import VotingBag
from learnt.learner.fields import setting


class RandomSubspaceClassifier(VotingBag):
    """Fit the same classifier to all rows of many draws of the columns, and average what they say.

        p(c | x) = 1/M · Σ_m p_m(c | x restricted to the columns of m)

    >>> table = {"a": [1, 2, 3, 7, 8, 9], "b": [3, 1, 2, 9, 7, 8], "c": [2, 3, 1, 8, 9, 7]}
    >>> model = RandomSubspaceClassifier(n_estimators=9).fit(table, ["low", "low", "low", "top", "top", "top"])
    >>> model.predict({"a": [2, 8], "b": [2, 8], "c": [2, 8]}).tolist()
    ['low', 'top']

    Members that know different columns err in different rows: useful with many columns that say similar things. Unlike
    a random forest, which draws columns anew at every node, a member keeps its columns, and may be any learner.

    {settings}

    Attributes: as those of `BaggingClassifier`.

    Reference: T. K. Ho, The random subspace method for constructing decision forests, 1998.
    """

    fit_cost = 40.0
    simplicity = 65.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (10, 50), "max_features": (0.5, 0.25, 0.75)}

    max_features: Any = setting(default=0.5, before="max_samples")
    bootstrap: bool = setting(default=False)
    oob_score: bool = setting(
        meaning="judge rows by the members that have not seen them; for rows that are drawn", default=False
    )
