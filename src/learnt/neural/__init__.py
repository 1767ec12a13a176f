"""Neural networks."""

from learnt.neural.gradient_check import GradientCheck as GradientCheck
from learnt.neural.gradient_check import check_gradients
from learnt.neural.mlp_classifier import MLPClassifier
from learnt.neural.mlp_regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor", "check_gradients"]
