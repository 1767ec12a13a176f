"""Linear models."""

from learnt.linear.least_squares.linear_regression import LinearRegression
from learnt.linear.logistic.logistic_regression import LogisticRegression
from learnt.linear.online.dual_perceptron import DualPerceptron
from learnt.linear.online.kernel_perceptron import KernelPerceptron
from learnt.linear.online.linear_unit import LinearUnit
from learnt.linear.online.perceptron import Perceptron
from learnt.linear.online.sgd_classifier import SGDClassifier
from learnt.linear.online.sgd_regressor import SGDRegressor
from learnt.linear.online.winnow import Winnow
from learnt.linear.ordinal.ordinal_regression import OrdinalRegression
from learnt.linear.penalised.elastic_net import ElasticNet
from learnt.linear.penalised.lasso import Lasso
from learnt.linear.penalised.path import elastic_net_path, lasso_path
from learnt.linear.penalised.ridge import Ridge
from learnt.linear.several.multi_label import MultiLabelClassifier
from learnt.linear.several.multi_response import MultiResponseClassifier
from learnt.linear.several.one_vs_rest import OneVsRestClassifier
from learnt.linear.several.pairwise_ranker import PairwiseRanker
from learnt.linear.weighted_sum import softmax as softmax

__all__ = [
    "DualPerceptron",
    "ElasticNet",
    "KernelPerceptron",
    "Lasso",
    "LinearRegression",
    "LinearUnit",
    "LogisticRegression",
    "MultiLabelClassifier",
    "MultiResponseClassifier",
    "OneVsRestClassifier",
    "OrdinalRegression",
    "PairwiseRanker",
    "Perceptron",
    "Ridge",
    "SGDClassifier",
    "SGDRegressor",
    "Winnow",
    "elastic_net_path",
    "lasso_path",
]
