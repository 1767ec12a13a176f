"""Clustering: groups of rows that are alike."""

from learnt.cluster.kmeans import KMeans

__all__ = ["KMeans"]
