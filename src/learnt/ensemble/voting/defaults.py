"""The learners that vote or are stacked unless others are given: strong, quick, and wrong in different places."""

from __future__ import annotations

from learnt.data.schema import Schema
from learnt.ensemble.boosting.classifier import GradientBoostingClassifier
from learnt.ensemble.boosting.regressor import GradientBoostingRegressor
from learnt.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from learnt.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from learnt.ensemble.voting.named import Named
from learnt.linear import LogisticRegression, Ridge

#: A ridge decomposes a matrix of rows or columns, whichever are fewer, to choose its penalty: of more it takes seconds.
MOST_DECOMPOSED = 500


def default_classifiers(schema: Schema) -> Named:
    """Where there are no numbers, there are no units to get rid of, and the same model is reached without."""
    units = any(c.kind in ("numeric", "ordinal") for c in schema)
    return [
        ("boosting", GradientBoostingClassifier()),
        ("forest", RandomForestClassifier()),
        ("extra trees", ExtraTreesClassifier()),
        ("logistic", LogisticRegression(standardize=True) if units else LogisticRegression()),
    ]


def default_regressors(n_rows: int | None, schema: Schema) -> Named:
    """For so many rows, None where they have not been counted."""
    chosen = _matrix_columns(schema) <= MOST_DECOMPOSED or (n_rows is not None and n_rows <= MOST_DECOMPOSED)
    return [
        ("boosting", GradientBoostingRegressor()),
        ("forest", RandomForestRegressor()),
        ("extra trees", ExtraTreesRegressor()),
        ("ridge", Ridge(alpha="loo", standardize=True) if chosen else Ridge(standardize=True)),
    ]


def _matrix_columns(schema: Schema) -> int:
    """How many columns of numbers the table becomes, an indicator for each category."""
    return sum(len(c.categories) if c.coded and c.kind != "ordinal" else 1 for c in schema)
