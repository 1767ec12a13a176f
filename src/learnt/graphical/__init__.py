"""Graphical models: networks, factor graphs, and what they answer."""

from learnt.graphical.factors.factor import Factor
from learnt.graphical.inference.posterior import ImpossibleEvidence, Posterior
from learnt.graphical.network.bayesian_network import BayesianNetwork
from learnt.graphical.network.files import read_bif
from learnt.graphical.undirected.factor_graph import FactorGraph
from learnt.graphical.undirected.markov_network import MarkovNetwork

__all__ = [
    "BayesianNetwork",
    "Factor",
    "FactorGraph",
    "ImpossibleEvidence",
    "MarkovNetwork",
    "Posterior",
    "read_bif",
]
