"""Extremely randomised trees: of each drawn column one cut, drawn too."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.ensemble.forest.classes import CLASS_DOMAINS, ForestClassifier
from learnt.ensemble.forest.numbers import NUMBER_DOMAINS, ForestRegressor
from learnt.learner.parameters import Domain


class ExtraTreesClassifier(ForestClassifier):
    """Grow many deep trees whose tests are drawn, the best of a few taken at each node, and average what they say.

        p(c | x) = 1/T · Σ_t p_t(c | x)        p_t: the share of class c in the leaf x comes to in tree t

    >>> table = {"age": [22, 25, 31, 47, 52, 58], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = ExtraTreesClassifier(random_state=0).fit(table, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 55], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    | setting | default | meaning | range |
    |---|---|---|---|
    | `n_estimators` | 100 | trees | ≥ 1 |
    | `criterion` | "gini" | what tests lower, or "entropy" (also called "log_loss") | |
    | `max_depth` | None | most tests on the way to a leaf | ≥ 1 |
    | `min_samples_split` | 2 | least rows of a node that is split, or their share of all | ≥ 2, or (0, 1] |
    | `min_samples_leaf` | 1 | least rows of each branch, or their share of all | ≥ 1, or (0, 1) |
    | `max_features` | "sqrt" | columns drawn for each test: a number, a share, "sqrt" or "log2"; None: all | |
    | `max_leaf_nodes` | None | grow the most useful node first, up to so many leaves | ≥ 2 |
    | `bootstrap` | False | draw rows for each tree; otherwise all trees get all of them | |
    | `oob_score` | False | estimate the accuracy from the rows each tree did not draw | |
    | `max_samples` | None | rows drawn for a tree: a number or a share; None: as many as there are | ≥ 1, or (0, 1] |
    | `class_weight` | None | weights by class; "balanced": all weigh the same; "balanced_subsample": in every tree | |
    | `warm_start` | False | whether `fit` adds trees to those of the last one | |
    | `random_state` | 0 | seed of all draws | |

    Of each drawn column one cut is tried: a threshold drawn between the least and the largest cell of the node, or a
    drawn set of the categories. That is quicker than to look for the best, and makes trees differ so much that they
    need no bootstrap.

    Limits count drawn rows once each, by weight. Columns that are constant in a node do not count as drawn. Missing
    cells go to the side where they lower the impurity most; a category that a test has not seen goes where they go. A
    `scan` of files larger than memory gives the same trees; its rows are kept at two bytes a cell.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `feature_importances_`; with `oob_score` `oob_score_`
    (accuracy), `oob_decision_function_` (NaN for rows that all trees drew), `oob_covered_` (how many others there are).

    Reference: P. Geurts, D. Ernst, L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
    """

    fit_cost = 50.0
    domains: ClassVar[dict[str, Domain]] = CLASS_DOMAINS

    _random_cuts = True

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        bootstrap: bool = False,
        oob_score: bool = False,
        max_samples: Any = None,
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.max_samples = max_samples
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state


class ExtraTreesRegressor(ForestRegressor):
    """Grow many deep trees whose tests are drawn, the best of one per column taken, and average the means of leaves.

        ŷ(x) = 1/T · Σ_t mean of the targets in the leaf x comes to in tree t

    >>> table = {"rooms": [2, 3, 3, 7, 8, 9], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = ExtraTreesRegressor(quantiles=True, random_state=0).fit(table, [100, 120, 130, 250, 270, 300])
    >>> bool(100 < model.predict({"rooms": [3], "town": ["Bern"]})[0] < 150)
    True
    >>> model.predict_quantiles({"rooms": [3], "town": ["Bern"]}, [0.1, 0.9]).shape
    (1, 2)

    | setting | default | meaning | range |
    |---|---|---|---|
    | `n_estimators` | 100 | trees | ≥ 1 |
    | `criterion` | "squared_error" | what tests lower | |
    | `max_depth` | None | most tests on the way to a leaf | ≥ 1 |
    | `min_samples_split` | 2 | least rows of a node that is split, or their share of all | ≥ 2, or (0, 1] |
    | `min_samples_leaf` | 1 | least rows of each branch, or their share of all | ≥ 1, or (0, 1) |
    | `max_features` | 1.0 | columns drawn for each test: a number, a share, "sqrt" or "log2"; None: all | |
    | `max_leaf_nodes` | None | grow the most useful node first, up to so many leaves | ≥ 2 |
    | `bootstrap` | False | draw rows for each tree; otherwise all trees get all of them | |
    | `oob_score` | False | estimate R² from the rows each tree did not draw | |
    | `max_samples` | None | rows drawn for a tree: a number or a share; None: as many as there are | ≥ 1, or (0, 1] |
    | `quantiles` | False | keep the targets in the leaves, for `predict_quantiles` and `predict_interval` | |
    | `warm_start` | False | whether `fit` adds trees to those of the last one | |
    | `random_state` | 0 | seed of all draws | |

    All columns are looked at for each test, as scikit-learn does it. Cuts, limits, missing cells, categories and scans
    are as in `ExtraTreesClassifier`.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `feature_importances_`; with `oob_score` `oob_score_`
    (R²), `oob_prediction_` (NaN for rows that all trees drew), `oob_covered_` (how many others there are).

    References: P. Geurts, D. Ernst, L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006;
    N. Meinshausen, Quantile regression forests, Journal of Machine Learning Research 7, 2006.
    """

    fit_cost = 50.0
    domains: ClassVar[dict[str, Domain]] = NUMBER_DOMAINS

    _random_cuts = True

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        bootstrap: bool = False,
        oob_score: bool = False,
        max_samples: Any = None,
        quantiles: bool = False,
        warm_start: bool = False,
        random_state: Any = 0,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.max_samples = max_samples
        self.quantiles = quantiles
        self.warm_start = warm_start
        self.random_state = random_state
