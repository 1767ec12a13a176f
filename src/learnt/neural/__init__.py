"""Neural networks."""

from learnt.neural.autoencoder import Autoencoder
from learnt.neural.gradient_check import GradientCheck as GradientCheck
from learnt.neural.gradient_check import check_gradients
from learnt.neural.mlp_classifier import MLPClassifier
from learnt.neural.mlp_regressor import MLPRegressor
from learnt.neural.torch_nets.convnet_classifier import ConvNetClassifier
from learnt.neural.torch_nets.lstm_classifier import LSTMClassifier

__all__ = [
    "Autoencoder",
    "ConvNetClassifier",
    "LSTMClassifier",
    "MLPClassifier",
    "MLPRegressor",
    "check_gradients",
]
