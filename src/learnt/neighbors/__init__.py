"""Neighbours: rows that are alike, found fast."""

from learnt.medians import geometric_median
from learnt.neighbors.basic_linear import BasicLinearClassifier
from learnt.neighbors.condensed import CondensedNeighbors
from learnt.neighbors.edited import EditedNeighbors
from learnt.neighbors.index import Index, build_index
from learnt.neighbors.instance_based import InstanceBasedClassifier
from learnt.neighbors.k_neighbors_classifier import KNeighborsClassifier
from learnt.neighbors.k_neighbors_regressor import KNeighborsRegressor
from learnt.neighbors.locally_weighted import LocallyWeightedRegressor
from learnt.neighbors.nearest_exemplar import NearestExemplar
from learnt.neighbors.nested_exemplars import NestedExemplarsClassifier

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
