"""Groups and directions of rows in the space of a kernel; apart, since machines need no clusters."""

from learnt.kernel.unsupervised.kernel_kmeans import KernelKMeans
from learnt.kernel.unsupervised.kernel_pca import KernelPCA

__all__ = ["KernelKMeans", "KernelPCA"]
