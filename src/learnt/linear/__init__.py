"""Linear models."""

from learnt.linear.dual_perceptron import DualPerceptron
from learnt.linear.elastic_net import ElasticNet
from learnt.linear.kernel_perceptron import KernelPerceptron
from learnt.linear.lasso import Lasso
from learnt.linear.linear_regression import LinearRegression
from learnt.linear.linear_unit import LinearUnit
from learnt.linear.logistic_regression import LogisticRegression
from learnt.linear.multi_label import MultiLabelClassifier
from learnt.linear.multi_response import MultiResponseClassifier
from learnt.linear.one_vs_rest import OneVsRestClassifier
from learnt.linear.ordinal_regression import OrdinalRegression
from learnt.linear.pairwise_ranker import PairwiseRanker
from learnt.linear.penalty_path import elastic_net_path, lasso_path
from learnt.linear.perceptron import Perceptron
from learnt.linear.ridge import Ridge
from learnt.linear.sgd_classifier import SGDClassifier
from learnt.linear.sgd_regressor import SGDRegressor
from learnt.linear.winnow import Winnow

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
