"""Neighbours: rows that are alike, found fast."""

from learnt.medians import geometric_median
from learnt.neighbors.exemplars.basic_linear import BasicLinearClassifier
from learnt.neighbors.exemplars.nearest_exemplar import NearestExemplar
from learnt.neighbors.exemplars.nested_exemplars import NestedExemplarsClassifier
from learnt.neighbors.index.build import Index, build_index
from learnt.neighbors.index.questions import Lists as Lists
from learnt.neighbors.k_neighbors.classifier import KNeighborsClassifier
from learnt.neighbors.k_neighbors.learner import Function as Function
from learnt.neighbors.k_neighbors.learner import ResolvedMetric as ResolvedMetric
from learnt.neighbors.k_neighbors.regressor import KNeighborsRegressor
from learnt.neighbors.kept_rows import KeptRows as KeptRows
from learnt.neighbors.local.locally_weighted import LocallyWeightedRegressor
from learnt.neighbors.search import Search as Search
from learnt.neighbors.selection.condensed import CondensedNeighbors
from learnt.neighbors.selection.edited import EditedNeighbors
from learnt.neighbors.selection.instance_based import InstanceBasedClassifier

__all__ = [
    "BasicLinearClassifier",
    "CondensedNeighbors",
    "EditedNeighbors",
    "Index",
    "InstanceBasedClassifier",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LocallyWeightedRegressor",
    "NearestExemplar",
    "NestedExemplarsClassifier",
    "build_index",
    "geometric_median",
]
