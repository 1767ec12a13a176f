"""Extremely randomised trees: of each drawn column one cut, drawn too."""

from __future__ import annotations

from learnt.ensemble.forest.classes import ForestClassifier
from learnt.ensemble.forest.numbers import ForestRegressor
from learnt.learner.fields import setting


class ExtraTreesClassifier(ForestClassifier):
    """Grow many deep trees whose tests are drawn, the best of a few taken at each node, and average what they say.

        p(c | x) = 1/T · Σ_t p_t(c | x)        p_t: the share of class c in the leaf x comes to in tree t

    >>> table = {"age": [22, 25, 31, 47, 52, 58], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = ExtraTreesClassifier(random_state=0).fit(table, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 55], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    {settings}

    Of each drawn column one cut is tried: a threshold drawn between the least and the largest cell of the node, or a
    drawn set of the categories; of more than 32 a drawn cut of their order by the targets of half of the rows, and of
    more than 64 one of their order by shares of the classes, too. That is quicker than to look for the best, and
    makes trees differ so much that they need no bootstrap.

    Leaves are shrunk as in `RandomForestClassifier`. Limits count drawn rows once each, by weight. Columns that are
    constant in a node do not count as drawn. Missing cells go where they lower the impurity most; a category
    that a test has not seen goes where they go. A `scan` of files larger than memory gives the same trees; its rows are
    kept at two bytes a cell.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `shrinkage_`; `feature_importances_`; with `oob_score`
    `oob_score_` (accuracy), `oob_decision_function_` (NaN for rows that all trees drew), `oob_covered_` (how many
    others there are).

    Reference: P. Geurts, D. Ernst, L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
    """

    fit_cost = 50.0

    _random_cuts = True

    bootstrap: bool = setting(meaning="draw rows for each tree; otherwise all trees get all of them", default=False)


class ExtraTreesRegressor(ForestRegressor):
    """Grow many deep trees whose tests are drawn, the best of one per column taken, and average the means of leaves.

        ŷ(x) = 1/T · Σ_t mean of the targets in the leaf x comes to in tree t

    >>> table = {"rooms": [2, 3, 3, 7, 8, 9], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = ExtraTreesRegressor(quantiles=True, random_state=0).fit(table, [100, 120, 130, 250, 270, 300])
    >>> bool(100 < model.predict({"rooms": [3], "town": ["Bern"]})[0] < 150)
    True
    >>> model.predict_quantiles({"rooms": [3], "town": ["Bern"]}, [0.1, 0.9]).shape
    (1, 2)

    {settings}

    All columns are looked at for each test, as scikit-learn does it. Cuts, shrinkage, limits, missing cells, categories
    and scans are as in `ExtraTreesClassifier`.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `shrinkage_`; `feature_importances_`; with `oob_score`
    `oob_score_` (R²), `oob_prediction_` (NaN for rows that all trees drew), `oob_covered_` (how many others there are).

    References: P. Geurts, D. Ernst, L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006;
    N. Meinshausen, Quantile regression forests, Journal of Machine Learning Research 7, 2006.
    """

    fit_cost = 50.0

    _random_cuts = True

    bootstrap: bool = setting(meaning="draw rows for each tree; otherwise all trees get all of them", default=False)
