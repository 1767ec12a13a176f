"""Concept learning: languages of hypotheses, Find-S, version spaces, advice of experts, geometric concepts."""

from learnt.concepts.attributes import ANY, Hierarchy, Nominal, Ordered
from learnt.concepts.experts import ExpertRun, Halving, Hedge, WeightedMajority
from learnt.concepts.find_s import FindS, RoteLearner
from learnt.concepts.geometry import IntervalLearner, RayLearner, RectangleLearner
from learnt.concepts.language import Hypothesis, Language, at_least_as_general, more_general
from learnt.concepts.version_space import CandidateElimination, ListThenEliminate

__all__ = [
    "ANY",
    "CandidateElimination",
    "ExpertRun",
    "FindS",
    "Halving",
    "Hedge",
    "Hierarchy",
    "Hypothesis",
    "IntervalLearner",
    "Language",
    "ListThenEliminate",
    "Nominal",
    "Ordered",
    "RayLearner",
    "RectangleLearner",
    "RoteLearner",
    "WeightedMajority",
    "at_least_as_general",
    "more_general",
]
