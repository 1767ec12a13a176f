"""Random forests: deep trees from drawn rows and drawn columns, averaged."""

from __future__ import annotations

from learnt.ensemble.forest.classes import ForestClassifier
from learnt.ensemble.forest.numbers import ForestRegressor


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

    What leaves say is drawn towards the nodes above them (`shrinkage`), as far as rows out of bag of a few trees favour
    it: pure leaves of one row would be far too sure. 0 leaves them as they are, as other forests do.

    Missing cells go to the side where they lower the impurity most. Categories are split into two sets; one that a test
    has not seen goes where missing cells go. Columns of more than 64 categories are also searched by the shares of the
    classes in each, counted so that no row sees its own, where these tell something. Small nodes are searched at every
    cell, larger ones at 255 places. A `scan` of files larger than memory gives the same trees; its rows are kept at two
    bytes a cell.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `shrinkage_`; `feature_importances_`; with `oob_score`
    `oob_score_` (accuracy), `oob_decision_function_` (NaN for rows that all trees drew), `oob_covered_` (how many
    others there are).

    Reference: L. Breiman, Random forests, Machine Learning 45, 2001.
    """


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
    choice, takes a third of the time and is often as good. Draws, shrinkage, limits, missing cells, categories and
    scans are as in `RandomForestClassifier`.

    Attributes: `trees_`, and `tree(i)` to print or draw one; `shrinkage_`; `feature_importances_`; with `oob_score`
    `oob_score_` (R²), `oob_prediction_` (NaN for rows that all trees drew), `oob_covered_` (how many others there are).

    References: L. Breiman, Random forests, Machine Learning 45, 2001; N. Meinshausen, Quantile regression forests,
    Journal of Machine Learning Research 7, 2006.
    """
