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
    from learnt.cluster import KMeans
    from learnt.explain import Explanation
    from learnt.linear import LinearRegression
    from learnt.prepare import Discretizer
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
    "C45Classifier": "learnt.tree",
    "DecisionStumpClassifier": "learnt.tree",
    "DecisionStumpRegressor": "learnt.tree",
    "DecisionTreeClassifier": "learnt.tree",
    "DecisionTreeRegressor": "learnt.tree",
    "Discretizer": "learnt.prepare",
    "Explanation": "learnt.explain",
    "ID3Classifier": "learnt.tree",
    "KMeans": "learnt.cluster",
    "LinearRegression": "learnt.linear",
    "MajorityClassifier": "learnt.baseline",
    "MeanRegressor": "learnt.baseline",
    "RuleListClassifier": "learnt.tree",
    "load": "learnt.saving",
    "permutation_importance": "learnt.tree",
    "save": "learnt.saving",
}
_PACKAGES = (
    "baseline",
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
    "C45Classifier",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Discretizer",
    "Explanation",
    "ID3Classifier",
    "KMeans",
    "LinearRegression",
    "MajorityClassifier",
    "MeanRegressor",
    "RuleListClassifier",
    "Scan",
    "Table",
    "clone",
    "describe",
    "learners",
    "load",
    "permutation_importance",
    "read",
    "save",
    "scan",
    "threads",
    "watch",
]

_find, __dir__ = attach(__name__, _HOMES, [*__all__, *_PACKAGES])


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        import importlib

        return importlib.import_module(f"learnt.{name}")
    return _find(name)
