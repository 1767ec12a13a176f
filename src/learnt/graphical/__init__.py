"""Graphical models: networks of columns that depend on each other."""

from learnt.graphical.classifier.bayes_net import BayesNetClassifier
from learnt.graphical.structure.learn import learn_structure
from learnt.graphical.structure.result import Structure

__all__ = ["BayesNetClassifier", "Structure", "learn_structure"]
