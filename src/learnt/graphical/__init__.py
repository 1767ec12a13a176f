"""Graphical models: networks of variables, and chains of hidden states."""

from learnt.graphical.hmm.choose import StateChoice, choose_states
from learnt.graphical.hmm.forecast import Forecast
from learnt.graphical.hmm.learner import HiddenMarkovModel
from learnt.graphical.hmm.path import StatePath

__all__ = ["Forecast", "HiddenMarkovModel", "StateChoice", "StatePath", "choose_states"]
