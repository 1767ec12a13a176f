"""Distances: every metric as a function of two rows, between all rows at once, and put to the test."""

from learnt.distance.all_pairs import pairwise
from learnt.distance.axioms import AxiomFailure, MetricCheck, check_metric
from learnt.distance.functions import (
    chebyshev,
    cosine,
    euclidean,
    hamming,
    levenshtein,
    mahalanobis,
    manhattan,
    minkowski,
    mixed,
)
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.resolving import resolve

__all__ = [
    "AxiomFailure",
    "Metric",
    "MetricCheck",
    "OwnMetric",
    "chebyshev",
    "check_metric",
    "cosine",
    "euclidean",
    "hamming",
    "levenshtein",
    "mahalanobis",
    "manhattan",
    "minkowski",
    "mixed",
    "pairwise",
    "resolve",
]
