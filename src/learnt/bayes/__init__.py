"""Bayes: probabilities learnt from counts and priors, and decisions made with them."""

from learnt.bayes import estimate
from learnt.bayes.brute_force import BruteForceMAP, mdl_score
from learnt.bayes.cost_curves import CostCurve, cost_curve
from learnt.bayes.decisions import Decision, decide, optimal_threshold
from learnt.bayes.discriminant import DiscriminantClassifier, Hyperplane
from learnt.bayes.event_models import BernoulliNB, ComplementNB, MultinomialNB
from learnt.bayes.joint_table import JointTableClassifier
from learnt.bayes.least_error import BayesError, bayes_error
from learnt.bayes.losses import LossMatrix, loss_matrix
from learnt.bayes.minimum_risk import MinimumRiskClassifier
from learnt.bayes.naive_bayes import NaiveBayesClassifier
from learnt.bayes.optimal import BayesOptimalClassifier
from learnt.bayes.probabilities import from_odds, likelihood_ratio, odds
from learnt.bayes.text import TextClassifier, text_classifier

__all__ = [
    "BayesError",
    "BayesOptimalClassifier",
    "BernoulliNB",
    "BruteForceMAP",
    "ComplementNB",
    "CostCurve",
    "Decision",
    "DiscriminantClassifier",
    "Hyperplane",
    "JointTableClassifier",
    "LossMatrix",
    "MinimumRiskClassifier",
    "MultinomialNB",
    "NaiveBayesClassifier",
    "TextClassifier",
    "bayes_error",
    "cost_curve",
    "decide",
    "estimate",
    "from_odds",
    "likelihood_ratio",
    "loss_matrix",
    "mdl_score",
    "odds",
    "optimal_threshold",
    "text_classifier",
]
