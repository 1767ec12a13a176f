"""Graphical models: networks of columns that depend on each other, factor graphs, chains of hidden states."""

from learnt.graphical.classifier.bayes_net import BayesNetClassifier
from learnt.graphical.factors.factor import Factor
from learnt.graphical.hmm.choose import StateChoice, choose_states
from learnt.graphical.hmm.forecast import Forecast
from learnt.graphical.hmm.learner import HiddenMarkovModel
from learnt.graphical.hmm.matching import read_as_fitted as read_as_fitted
from learnt.graphical.hmm.path import StatePath
from learnt.graphical.hmm.sequences import Sequences as Sequences
from learnt.graphical.hmm.sequences import cells_of_sequences as cells_of_sequences
from learnt.graphical.hmm.sequences import read_sequences as read_sequences
from learnt.graphical.inference.compiled import MEMORY as MEMORY
from learnt.graphical.inference.evidence import Findings as Findings
from learnt.graphical.inference.evidence import findings_of as findings_of
from learnt.graphical.inference.posterior import ImpossibleEvidence, Posterior
from learnt.graphical.network.bayesian_network import BayesianNetwork
from learnt.graphical.network.files import read_bif
from learnt.graphical.structure.learn import learn_structure
from learnt.graphical.structure.result import Structure
from learnt.graphical.undirected.factor_graph import FactorGraph
from learnt.graphical.undirected.markov_network import MarkovNetwork

__all__ = [
    "BayesNetClassifier",
    "BayesianNetwork",
    "Factor",
    "FactorGraph",
    "Forecast",
    "HiddenMarkovModel",
    "ImpossibleEvidence",
    "MarkovNetwork",
    "Posterior",
    "StateChoice",
    "StatePath",
    "Structure",
    "choose_states",
    "learn_structure",
    "read_bif",
]
