"""Columns whose inner products are about those of a kernel, for linear learners."""

from learnt.kernel.features.fourier import RandomFourierFeatures
from learnt.kernel.features.nystroem import NystroemFeatures

__all__ = ["NystroemFeatures", "RandomFourierFeatures"]
