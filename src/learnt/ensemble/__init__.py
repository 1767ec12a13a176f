"""Many trees, or other learners, that answer together: boosting, forests, bagging."""

from learnt.ensemble.adaboost import AdaBoostClassifier
from learnt.ensemble.adaboost_regressor import AdaBoostRegressor
from learnt.ensemble.bagging import BaggingClassifier, BaggingRegressor
from learnt.ensemble.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from learnt.ensemble.forest import Forest
from learnt.ensemble.gradient_boosting_classifier import GradientBoostingClassifier
from learnt.ensemble.gradient_boosting_regressor import GradientBoostingRegressor
from learnt.ensemble.random_forest import RandomForestClassifier, RandomForestRegressor
from learnt.ensemble.random_subspace import RandomSubspaceClassifier
from learnt.ensemble.vote_margins import Margins, margins

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Forest",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "Margins",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomSubspaceClassifier",
    "margins",
]
