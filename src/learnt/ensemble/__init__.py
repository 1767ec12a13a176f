"""Many trees, or other learners, that answer together: boosting, forests, bagging, voting, stacking."""

from learnt.ensemble.adaboost.classifier import AdaBoostClassifier
from learnt.ensemble.adaboost.regressor import AdaBoostRegressor
from learnt.ensemble.additive.logit_boost import LogitBoostClassifier
from learnt.ensemble.additive.regressor import AdditiveRegressor
from learnt.ensemble.bagging.learners import BaggingClassifier, BaggingRegressor
from learnt.ensemble.bagging.random_subspace import RandomSubspaceClassifier
from learnt.ensemble.boosting.classifier import GradientBoostingClassifier
from learnt.ensemble.boosting.regressor import GradientBoostingRegressor
from learnt.ensemble.experts.learners import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from learnt.ensemble.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from learnt.ensemble.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from learnt.ensemble.members import CLASSIFIER as CLASSIFIER
from learnt.ensemble.members import aligned_probabilities as aligned_probabilities
from learnt.ensemble.merging.merging import merge_trees
from learnt.ensemble.stacking.learners import StackingClassifier, StackingRegressor
from learnt.ensemble.trees.forest import Forest
from learnt.ensemble.triplet.learner import TripletBoostClassifier
from learnt.ensemble.vote_margins import Margins, margins
from learnt.ensemble.voting.assembling import vote_of_fitted as vote_of_fitted
from learnt.ensemble.voting.learners import VotingClassifier, VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "AdditiveRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Forest",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LogitBoostClassifier",
    "Margins",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomSubspaceClassifier",
    "StackingClassifier",
    "StackingRegressor",
    "TripletBoostClassifier",
    "VotingClassifier",
    "VotingRegressor",
    "margins",
    "merge_trees",
]
