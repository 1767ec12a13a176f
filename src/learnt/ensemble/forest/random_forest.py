"""Random forests: deep trees from drawn rows and drawn columns, averaged."""

from __future__ import annotations

from typing import Any

from learnt.ensemble.forest.classes import CLASS_DOMAINS, ForestClassifier
from learnt.ensemble.forest.numbers import NUMBER_DOMAINS, ForestRegressor
from learnt.learner.fields import setting


class RandomForestClassifier(ForestClassifier):
    """Grow many deep trees, each from rows drawn with replacement, each test from columns drawn; average what they say.

        p(c | x) = 1/T · Σ_t p_t(c | x)        p_t: the share of class c in the leaf x comes to in tree t

    >>> table = {"age": [22, 25, 31, 47, 52, 58], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = RandomForestClassifier(random_state=0).fit(table, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 55], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    {settings}

    How often a row is drawn follows Poisson's distribution, the limit of drawing with replacement. Limits count drawn
    rows once each, by weight. Columns that are constant in a node do not count as drawn.

    Missing cells go to the side where they lower the impurity most. Categories are split into two sets; one that a test
    has not seen goes where missing cells go. Small nodes are searched at every cell, larger ones at 255 places. A
    `scan` of files larger than memory gives the same trees; its rows are kept at two bytes a cell.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `feature_importances_`; with `oob_score` `oob_score_`
    (accuracy), `oob_decision_function_` (NaN for rows that all trees drew), `oob_covered_` (how many others there are).

    Reference: L. Breiman, Random forests, Machine Learning 45, 2001.
    """

    n_estimators: int = setting(CLASS_DOMAINS["n_estimators"], "trees", default=100)
    criterion: str = setting(
        CLASS_DOMAINS["criterion"], 'what tests lower, or "entropy" (also called "log_loss")', default="gini"
    )
    max_depth: int | None = setting(CLASS_DOMAINS["max_depth"], "most tests on the way to a leaf", default=None)
    min_samples_split: Any = setting(
        CLASS_DOMAINS["min_samples_split"],
        "least rows of a node that is split, or their share of all",
        default=2,
        bounds="≥ 2, or (0, 1]",
    )
    min_samples_leaf: Any = setting(
        CLASS_DOMAINS["min_samples_leaf"],
        "least rows of each branch, or their share of all",
        default=1,
        bounds="≥ 1, or (0, 1)",
    )
    max_features: Any = setting(
        CLASS_DOMAINS["max_features"],
        'columns drawn for each test: a number, a share, "sqrt" or "log2"; None: all',
        default="sqrt",
    )
    max_leaf_nodes: int | None = setting(
        CLASS_DOMAINS["max_leaf_nodes"], "grow the most useful node first, up to so many leaves", default=None
    )
    bootstrap: bool = setting(
        CLASS_DOMAINS["bootstrap"], "draw rows; otherwise all trees get all of them", default=True
    )
    oob_score: bool = setting(
        CLASS_DOMAINS["oob_score"], "estimate the accuracy from the rows each tree did not draw", default=False
    )
    max_samples: Any = setting(
        CLASS_DOMAINS["max_samples"],
        "rows drawn for a tree: a number or a share; None: as many as there are",
        default=None,
    )
    class_weight: Any = setting(
        CLASS_DOMAINS["class_weight"],
        'weights by class; "balanced": all weigh the same; "balanced_subsample": in every tree',
        default=None,
    )
    warm_start: bool = setting(
        CLASS_DOMAINS["warm_start"], "whether `fit` adds trees to those of the last one", default=False
    )
    random_state: Any = setting(CLASS_DOMAINS["random_state"], "seed of all draws", default=0)


class RandomForestRegressor(ForestRegressor):
    """Grow many deep trees, each from rows drawn with replacement, and average the means of their leaves.

        ŷ(x) = 1/T · Σ_t mean of the targets in the leaf x comes to in tree t

    >>> table = {"rooms": [2, 3, 3, 7, 8, 9], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = RandomForestRegressor(quantiles=True, random_state=0).fit(table, [100, 120, 130, 250, 270, 300])
    >>> bool(100 < model.predict({"rooms": [3], "town": ["Bern"]})[0] < 150)
    True
    >>> model.predict_quantiles({"rooms": [3], "town": ["Bern"]}, [0.1, 0.9]).shape
    (1, 2)

    {settings}

    All columns are looked at for each test, as scikit-learn does it; a third of them (`max_features=1/3`), Breiman's
    choice, takes a third of the time and is often as good. Draws, limits, missing cells, categories and scans are as in
    `RandomForestClassifier`.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `feature_importances_`; with `oob_score` `oob_score_`
    (R²), `oob_prediction_` (NaN for rows that all trees drew), `oob_covered_` (how many others there are).

    References: L. Breiman, Random forests, Machine Learning 45, 2001; N. Meinshausen, Quantile regression forests,
    Journal of Machine Learning Research 7, 2006.
    """

    n_estimators: int = setting(NUMBER_DOMAINS["n_estimators"], "trees", default=100)
    criterion: str = setting(NUMBER_DOMAINS["criterion"], "what tests lower", default="squared_error")
    max_depth: int | None = setting(NUMBER_DOMAINS["max_depth"], "most tests on the way to a leaf", default=None)
    min_samples_split: Any = setting(
        NUMBER_DOMAINS["min_samples_split"],
        "least rows of a node that is split, or their share of all",
        default=2,
        bounds="≥ 2, or (0, 1]",
    )
    min_samples_leaf: Any = setting(
        NUMBER_DOMAINS["min_samples_leaf"],
        "least rows of each branch, or their share of all",
        default=1,
        bounds="≥ 1, or (0, 1)",
    )
    max_features: Any = setting(
        NUMBER_DOMAINS["max_features"],
        'columns drawn for each test: a number, a share, "sqrt" or "log2"; None: all',
        default=1.0,
    )
    max_leaf_nodes: int | None = setting(
        NUMBER_DOMAINS["max_leaf_nodes"], "grow the most useful node first, up to so many leaves", default=None
    )
    bootstrap: bool = setting(
        NUMBER_DOMAINS["bootstrap"], "draw rows; otherwise all trees get all of them", default=True
    )
    oob_score: bool = setting(
        NUMBER_DOMAINS["oob_score"], "estimate R² from the rows each tree did not draw", default=False
    )
    max_samples: Any = setting(
        NUMBER_DOMAINS["max_samples"],
        "rows drawn for a tree: a number or a share; None: as many as there are",
        default=None,
    )
    quantiles: bool = setting(
        NUMBER_DOMAINS["quantiles"],
        "keep the targets in the leaves, for `predict_quantiles` and `predict_interval`",
        default=False,
    )
    warm_start: bool = setting(
        NUMBER_DOMAINS["warm_start"], "whether `fit` adds trees to those of the last one", default=False
    )
    random_state: Any = setting(NUMBER_DOMAINS["random_state"], "seed of all draws", default=0)
