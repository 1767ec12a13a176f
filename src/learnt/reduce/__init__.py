"""Fewer columns: what a table is mostly about."""

from learnt.reduce.axes import fix_signs as fix_signs
from learnt.reduce.axes import largest_eigenpairs as largest_eigenpairs
from learnt.reduce.ica import ICA
from learnt.reduce.latent_semantic_analysis import LatentSemanticAnalysis
from learnt.reduce.leading import Leading as Leading
from learnt.reduce.leading import drive as drive
from learnt.reduce.leading import leading as leading
from learnt.reduce.mds import MDS
from learnt.reduce.pca import PCA
from learnt.reduce.projection import given_scores as given_scores
from learnt.reduce.projection import rows_in_units as rows_in_units
from learnt.reduce.random_projection import RandomProjection, johnson_lindenstrauss_size

__all__ = ["ICA", "MDS", "PCA", "LatentSemanticAnalysis", "RandomProjection", "johnson_lindenstrauss_size"]
