"""Linear models."""

from learnt.linear.encoded import Encoded as Encoded
from learnt.linear.encoded import TakeSparseSums as TakeSparseSums
from learnt.linear.encoded import encode_training as encode_training
from learnt.linear.encoded import kernel_csr as kernel_csr
from learnt.linear.gathered_rows import GatherRows as GatherRows
from learnt.linear.inference.printed import Grid as Grid
from learnt.linear.inference.printed import Printed as Printed
from learnt.linear.least_squares.linear_regression import LinearRegression
from learnt.linear.logistic.lasso import solved as solved
from learnt.linear.logistic.logistic_regression import LogisticRegression
from learnt.linear.logistic.passes import CountWeights as CountWeights
from learnt.linear.online.dual_perceptron import DualPerceptron
from learnt.linear.online.linear_unit import LinearUnit
from learnt.linear.online.mistakes import by_unit as by_unit
from learnt.linear.online.mistakes import report_pass as report_pass
from learnt.linear.online.mistakes import unit_codes as unit_codes
from learnt.linear.online.mistakes import unit_count as unit_count
from learnt.linear.online.mistakes import visits as visits
from learnt.linear.online.mistakes import warn_if_not_separated as warn_if_not_separated
from learnt.linear.online.novikoff import FEW_CELLS as FEW_CELLS
from learnt.linear.online.novikoff import Margin as Margin
from learnt.linear.online.novikoff import MistakeBound as MistakeBound
from learnt.linear.online.novikoff import margin as margin
from learnt.linear.online.perceptron import Perceptron
from learnt.linear.online.perceptron_learner import VARIANTS as VARIANTS
from learnt.linear.online.perceptron_votes import one_by_one as one_by_one
from learnt.linear.online.rows import Scaling as Scaling
from learnt.linear.online.rows import center_and_spread as center_and_spread
from learnt.linear.online.rows import plain_scaling as plain_scaling
from learnt.linear.online.rows import scaled_rows as scaled_rows
from learnt.linear.online.rows import standard_scaling as standard_scaling
from learnt.linear.online.sgd_classifier import SGDClassifier
from learnt.linear.online.sgd_regressor import SGDRegressor
from learnt.linear.online.winnow import Winnow
from learnt.linear.ordinal.ordinal_regression import OrdinalRegression
from learnt.linear.penalised.elastic_net import ElasticNet
from learnt.linear.penalised.lasso import Lasso
from learnt.linear.penalised.path import elastic_net_path, lasso_path
from learnt.linear.penalised.ridge import Ridge
from learnt.linear.score_classifier import STEEPEST as STEEPEST
from learnt.linear.score_classifier import ScoreClassifier as ScoreClassifier
from learnt.linear.score_classifier import steepness as steepness
from learnt.linear.several.multi_label import MultiLabelClassifier
from learnt.linear.several.multi_response import MultiResponseClassifier
from learnt.linear.several.one_vs_rest import OneVsRestClassifier
from learnt.linear.several.pairwise_ranker import PairwiseRanker
from learnt.linear.weighted_sum import LinearClassifier as LinearClassifier
from learnt.linear.weighted_sum import LinearRegressor as LinearRegressor
from learnt.linear.weighted_sum import WeightedSum as WeightedSum
from learnt.linear.weighted_sum import softmax as softmax

__all__ = [
    "DualPerceptron",
    "ElasticNet",
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
