"""Bayes: probabilities learnt from counts and priors, and decisions made with them."""

from learnt.bayes import estimate
from learnt.bayes.decision.brute_force import BruteForceMAP, mdl_score
from learnt.bayes.decision.cost_curves import CostCurve, cost_curve
from learnt.bayes.decision.decisions import Decision, decide, optimal_threshold
from learnt.bayes.decision.least_error import BayesError, bayes_error
from learnt.bayes.decision.minimum_risk import MinimumRiskClassifier
from learnt.bayes.decision.optimal import BayesOptimalClassifier
from learnt.bayes.decision.probabilities import from_odds, likelihood_ratio, odds
from learnt.bayes.discriminant.discriminant import DiscriminantClassifier, Hyperplane
from learnt.bayes.naive.draw import drawn_between as drawn_between
from learnt.bayes.naive.draw import generator as generator
from learnt.bayes.naive.event_models import BernoulliNB, ComplementNB, MultinomialNB
from learnt.bayes.naive.joint_table import JointTableClassifier
from learnt.bayes.naive.naive_bayes import NaiveBayesClassifier
from learnt.bayes.naive.text import TextClassifier, text_classifier
from learnt.bayes.posterior import JointClassifier as JointClassifier
from learnt.bayes.posterior import log_odds as log_odds
from learnt.bayes.posterior import log_posterior as log_posterior
from learnt.learner.loss_matrix import LossMatrix, loss_matrix

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
