"""Kernels, and machines that learn sums of them."""

from learnt.kernel.features.fourier import RandomFourierFeatures
from learnt.kernel.features.nystroem import NystroemFeatures
from learnt.kernel.functions import Kernel
from learnt.kernel.gram import gram, is_kernel, kernel_target_alignment
from learnt.kernel.linear.linear_svc import LinearSVC
from learnt.kernel.linear.linear_svr import LinearSVR
from learnt.kernel.machines.one_class import OneClassSVM
from learnt.kernel.machines.svc import SVC
from learnt.kernel.machines.svr import SVR
from learnt.kernel.perceptron.kernel_perceptron import KernelPerceptron
from learnt.kernel.unsupervised.kernel_kmeans import KernelKMeans
from learnt.kernel.unsupervised.kernel_pca import KernelPCA

__all__ = [
    "SVC",
    "SVR",
    "Kernel",
    "KernelKMeans",
    "KernelPCA",
    "KernelPerceptron",
    "LinearSVC",
    "LinearSVR",
    "NystroemFeatures",
    "OneClassSVM",
    "RandomFourierFeatures",
    "gram",
    "is_kernel",
    "kernel_target_alignment",
]
