"""Graphical models: networks of columns that depend on each other, and chains of hidden states."""

from learnt.graphical.classifier.bayes_net import BayesNetClassifier
from learnt.graphical.hmm.choose import StateChoice, choose_states
from learnt.graphical.hmm.forecast import Forecast
from learnt.graphical.hmm.learner import HiddenMarkovModel
from learnt.graphical.hmm.path import StatePath
from learnt.graphical.structure.learn import learn_structure
from learnt.graphical.structure.result import Structure

__all__ = [
    "BayesNetClassifier",
    "Forecast",
    "HiddenMarkovModel",
    "StateChoice",
    "StatePath",
    "Structure",
    "choose_states",
    "learn_structure",
]
