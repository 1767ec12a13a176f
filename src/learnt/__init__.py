"""learnt: classical machine learning on tables. Any columns in, every prediction explained."""

__version__ = "0.1.0"

from typing import TYPE_CHECKING

from learnt.data import Scan, Table, read, scan
from learnt.describe import describe
from learnt.lazy import attach
from learnt.registry import learners
from learnt.settings import clone
from learnt.threads import threads
from learnt.watch import watch

if TYPE_CHECKING:  # what the lazy names below are, for type checkers and editors
    from learnt import (
        baseline,
        bayes,
        cluster,
        datasets,
        engine,
        errors,
        explain,
        information,
        linear,
        plot,
        prepare,
        report,
        tree,
    )
    from learnt.baseline import MajorityClassifier, MeanRegressor
    from learnt.bayes import (
        BayesOptimalClassifier,
        BernoulliNB,
        BruteForceMAP,
        ComplementNB,
        DiscriminantClassifier,
        JointTableClassifier,
        MinimumRiskClassifier,
        MultinomialNB,
        NaiveBayesClassifier,
        TextClassifier,
        bayes_error,
        cost_curve,
        decide,
        likelihood_ratio,
        mdl_score,
        odds,
        optimal_threshold,
        text_classifier,
    )
    from learnt.cluster import KMeans
    from learnt.explain import Explanation
    from learnt.linear import LinearRegression
    from learnt.prepare import BagOfWords, Discretizer
    from learnt.saving import load, save
    from learnt.tree import (
        C45Classifier,
        DecisionStumpClassifier,
        DecisionStumpRegressor,
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ID3Classifier,
        RuleListClassifier,
        permutation_importance,
    )

_HOMES = {
    "BagOfWords": "learnt.prepare",
    "BayesOptimalClassifier": "learnt.bayes",
    "BernoulliNB": "learnt.bayes",
    "BruteForceMAP": "learnt.bayes",
    "C45Classifier": "learnt.tree",
    "ComplementNB": "learnt.bayes",
    "DecisionStumpClassifier": "learnt.tree",
    "DecisionStumpRegressor": "learnt.tree",
    "DecisionTreeClassifier": "learnt.tree",
    "DecisionTreeRegressor": "learnt.tree",
    "Discretizer": "learnt.prepare",
    "DiscriminantClassifier": "learnt.bayes",
    "Explanation": "learnt.explain",
    "ID3Classifier": "learnt.tree",
    "JointTableClassifier": "learnt.bayes",
    "KMeans": "learnt.cluster",
    "LinearRegression": "learnt.linear",
    "MajorityClassifier": "learnt.baseline",
    "MeanRegressor": "learnt.baseline",
    "MinimumRiskClassifier": "learnt.bayes",
    "MultinomialNB": "learnt.bayes",
    "NaiveBayesClassifier": "learnt.bayes",
    "RuleListClassifier": "learnt.tree",
    "TextClassifier": "learnt.bayes",
    "bayes_error": "learnt.bayes",
    "cost_curve": "learnt.bayes",
    "decide": "learnt.bayes",
    "likelihood_ratio": "learnt.bayes",
    "load": "learnt.saving",
    "mdl_score": "learnt.bayes",
    "odds": "learnt.bayes",
    "optimal_threshold": "learnt.bayes",
    "permutation_importance": "learnt.tree",
    "save": "learnt.saving",
    "text_classifier": "learnt.bayes",
}
_PACKAGES = (
    "baseline",
    "bayes",
    "cluster",
    "datasets",
    "engine",
    "errors",
    "explain",
    "information",
    "linear",
    "plot",
    "prepare",
    "report",
    "tree",
)

__all__ = [
    "BagOfWords",
    "BayesOptimalClassifier",
    "BernoulliNB",
    "BruteForceMAP",
    "C45Classifier",
    "ComplementNB",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Discretizer",
    "DiscriminantClassifier",
    "Explanation",
    "ID3Classifier",
    "JointTableClassifier",
    "KMeans",
    "LinearRegression",
    "MajorityClassifier",
    "MeanRegressor",
    "MinimumRiskClassifier",
    "MultinomialNB",
    "NaiveBayesClassifier",
    "RuleListClassifier",
    "Scan",
    "Table",
    "TextClassifier",
    "bayes_error",
    "clone",
    "cost_curve",
    "decide",
    "describe",
    "learners",
    "likelihood_ratio",
    "load",
    "mdl_score",
    "odds",
    "optimal_threshold",
    "permutation_importance",
    "read",
    "save",
    "scan",
    "text_classifier",
    "threads",
    "watch",
]

_find, __dir__ = attach(__name__, _HOMES, [*__all__, *_PACKAGES])


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        import importlib

        return importlib.import_module(f"learnt.{name}")
    return _find(name)
