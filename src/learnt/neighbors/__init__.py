"""Neighbours: rows that are alike, found fast."""

from learnt.neighbors.index import Index, build_index
from learnt.neighbors.k_neighbors_classifier import KNeighborsClassifier
from learnt.neighbors.k_neighbors_regressor import KNeighborsRegressor

__all__ = ["Index", "KNeighborsClassifier", "KNeighborsRegressor", "build_index"]
