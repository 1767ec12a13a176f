"""Random subspaces: the same classifier on many draws of the columns."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.ensemble.bagging.draws import SIZE
from learnt.ensemble.bagging.learners import VotingBag
from learnt.ensemble.members import CLASSIFIER
from learnt.learner.parameters import Domain, Flag, OneOf, Seed, Whole


class RandomSubspaceClassifier(VotingBag):
    """Fit the same classifier to all rows of many draws of the columns, and average what they say.

        p(c | x) = 1/M · Σ_m p_m(c | x restricted to the columns of m)

    >>> table = {"a": [1, 2, 3, 7, 8, 9], "b": [3, 1, 2, 9, 7, 8], "c": [2, 3, 1, 8, 9, 7]}
    >>> model = RandomSubspaceClassifier(n_estimators=9).fit(table, ["low", "low", "low", "top", "top", "top"])
    >>> model.predict({"a": [2, 8], "b": [2, 8], "c": [2, 8]}).tolist()
    ['low', 'top']

    Members that know different columns err in different rows: useful with many columns that say similar things. Unlike
    a random forest, which draws columns anew at every node, a member keeps its columns, and may be any learner.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `estimator` | None | any classifier; None for a `DecisionTreeClassifier` | |
    | `n_estimators` | 10 | members | ≥ 1 |
    | `max_features` | 0.5 | columns drawn for each, without repetition: a number, or a share | ≥ 1, or (0, 1] |
    | `max_samples` | 1.0 | rows drawn for each: a number, or a share | ≥ 1, or (0, 1] |
    | `bootstrap` | False | draw rows with replacement | |
    | `vote` | "soft" | "soft": average probabilities; "hard": count answers | |
    | `oob_score` | False | judge rows by the members that have not seen them; for rows that are drawn | |
    | `random_state` | 0 | seed of all draws | |

    Attributes: as those of `BaggingClassifier`.

    Reference: T. K. Ho, The random subspace method for constructing decision forests, 1998.
    """

    fit_cost = 40.0
    simplicity = 65.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (10, 50), "max_features": (0.5, 0.25, 0.75)}
    domains: ClassVar[dict[str, Domain]] = {
        "estimator": CLASSIFIER,
        "n_estimators": Whole(1),
        "max_features": SIZE,
        "max_samples": SIZE,
        "bootstrap": Flag(),
        "vote": OneOf("soft", "hard"),
        "oob_score": Flag(),
        "random_state": Seed(),
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_features: Any = 0.5,
        max_samples: Any = 1.0,
        bootstrap: bool = False,
        vote: str = "soft",
        oob_score: bool = False,
        random_state: Any = 0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.vote = vote
        self.oob_score = oob_score
        self.random_state = random_state
