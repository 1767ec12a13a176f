"""Clustering: groups of rows that are alike. Called, as in `learnt.cluster(client)`, it means a cluster of machines."""

import sys
from types import ModuleType
from typing import Any

from learnt.cluster.density.dbscan import DBSCAN
from learnt.cluster.density.eps import NeighborDistances, suggest_eps
from learnt.cluster.density.highest_density import DensityRegion, highest_density_region
from learnt.cluster.density.kernel_density import KernelDensity
from learnt.cluster.distances_from_means import DistancesFromMeans as DistancesFromMeans
from learnt.cluster.hierarchy.agglomerative import AgglomerativeClustering
from learnt.cluster.hierarchy.divisive import DivisiveClustering
from learnt.cluster.hierarchy.hierarchy import Hierarchy
from learnt.cluster.judging.choice_of_k import ChoiceOfK
from learnt.cluster.judging.consensus import Consensus, consensus_clustering
from learnt.cluster.judging.number_of_clusters import choose_k
from learnt.cluster.judging.profile import Profile, profile_clusters
from learnt.cluster.judging.silhouette import Silhouette, silhouette
from learnt.cluster.judging.versus import ClusterTable, compare_clusters
from learnt.cluster.kmeans.learner import KMeans
from learnt.cluster.medoids.learner import KMedoids
from learnt.cluster.mixture.choose import ComponentChoice, choose_components
from learnt.cluster.mixture.gaussian_mixture import GaussianMixture
from learnt.cluster.mixture.mixture_model import MixtureModel
from learnt.engine.cluster.context import cluster

__all__ = [
    "DBSCAN",
    "AgglomerativeClustering",
    "ChoiceOfK",
    "ClusterTable",
    "ComponentChoice",
    "Consensus",
    "DensityRegion",
    "DivisiveClustering",
    "GaussianMixture",
    "Hierarchy",
    "KMeans",
    "KMedoids",
    "KernelDensity",
    "MixtureModel",
    "NeighborDistances",
    "Profile",
    "Silhouette",
    "choose_components",
    "choose_k",
    "compare_clusters",
    "consensus_clustering",
    "highest_density_region",
    "profile_clusters",
    "silhouette",
    "suggest_eps",
]


class _Clusters(ModuleType):
    """One word for two things: a family of learners, and machines that work together."""

    def __call__(self, client: Any) -> Any:
        return cluster(client)


_Clusters.__call__.__doc__ = cluster.__doc__
sys.modules[__name__].__class__ = _Clusters
