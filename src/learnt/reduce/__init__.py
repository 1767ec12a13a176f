"""Fewer columns: what a table is mostly about."""

from learnt.reduce.ica import ICA
from learnt.reduce.latent_semantic_analysis import LatentSemanticAnalysis
from learnt.reduce.mds import MDS
from learnt.reduce.pca import PCA
from learnt.reduce.random_projection import RandomProjection, johnson_lindenstrauss_size

__all__ = ["ICA", "MDS", "PCA", "LatentSemanticAnalysis", "RandomProjection", "johnson_lindenstrauss_size"]
