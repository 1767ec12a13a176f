"""Kernels, and machines that learn sums of them."""

from learnt.kernel.functions import Kernel
from learnt.kernel.gram import gram, is_kernel, kernel_target_alignment
from learnt.kernel.linear.linear_svc import LinearSVC
from learnt.kernel.linear.linear_svr import LinearSVR
from learnt.kernel.machines.one_class import OneClassSVM
from learnt.kernel.machines.svc import SVC
from learnt.kernel.machines.svr import SVR
from learnt.kernel.perceptron.kernel_perceptron import KernelPerceptron
from learnt.kernel.space import add_sums as add_sums

__all__ = [
    "SVC",
    "SVR",
    "Kernel",
    "KernelPerceptron",
    "LinearSVC",
    "LinearSVR",
    "OneClassSVM",
    "gram",
    "is_kernel",
    "kernel_target_alignment",
]
