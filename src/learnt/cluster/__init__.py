"""Clustering: groups of rows that are alike."""

from learnt.cluster.agglomerative import AgglomerativeClustering
from learnt.cluster.choice_of_k import ChoiceOfK
from learnt.cluster.consensus import Consensus, consensus_clustering
from learnt.cluster.dbscan import DBSCAN
from learnt.cluster.divisive import DivisiveClustering
from learnt.cluster.eps import NeighborDistances, suggest_eps
from learnt.cluster.gaussian_mixture import GaussianMixture
from learnt.cluster.hierarchy import Hierarchy
from learnt.cluster.highest_density import DensityRegion, highest_density_region
from learnt.cluster.kernel_density import KernelDensity
from learnt.cluster.kmeans import KMeans
from learnt.cluster.kmedoids import KMedoids
from learnt.cluster.mixture.choose import ComponentChoice, choose_components
from learnt.cluster.mixture_model import MixtureModel
from learnt.cluster.number_of_clusters import choose_k
from learnt.cluster.profile import Profile, profile_clusters
from learnt.cluster.silhouette import Silhouette, silhouette
from learnt.cluster.versus import ClusterTable, compare_clusters

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
