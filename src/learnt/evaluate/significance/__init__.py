"""Significance: which differences between scores are more than chance, and what cannot be concluded."""

from learnt.evaluate.significance.bayesian import BayesianTest, bayesian_t_test
from learnt.evaluate.significance.correction import adjust
from learnt.evaluate.significance.five_by_two import five_by_two_test
from learnt.evaluate.significance.friedman import FriedmanTest, Nemenyi, critical_difference, friedman_test, nemenyi
from learnt.evaluate.significance.mcnemar import mcnemar_counts, mcnemar_test
from learnt.evaluate.significance.rank_picture import rank_diagram
from learnt.evaluate.significance.rank_tests import sign_test, wilcoxon_test
from learnt.evaluate.significance.result import SignificanceTest
from learnt.evaluate.significance.row_ties import row_ties
from learnt.evaluate.significance.sampling import SamplingErrors
from learnt.evaluate.significance.t_tests import corrected_t_test, one_sample_t_test, paired_t_test
from learnt.evaluate.significance.ties import Pair, Ties, tied_groups

__all__ = [
    "BayesianTest",
    "FriedmanTest",
    "Nemenyi",
    "Pair",
    "SamplingErrors",
    "SignificanceTest",
    "Ties",
    "adjust",
    "bayesian_t_test",
    "corrected_t_test",
    "critical_difference",
    "five_by_two_test",
    "friedman_test",
    "mcnemar_counts",
    "mcnemar_test",
    "nemenyi",
    "one_sample_t_test",
    "paired_t_test",
    "rank_diagram",
    "row_ties",
    "sign_test",
    "tied_groups",
    "wilcoxon_test",
]
