"""Decision trees: grown, pruned, printed, drawn, turned into rules."""

from learnt.tree.c45 import C45Classifier
from learnt.tree.cart import DecisionTreeClassifier, DecisionTreeRegressor
from learnt.tree.id3 import ID3Classifier
from learnt.tree.rule_list import RuleListClassifier
from learnt.tree.stump import DecisionStumpClassifier, DecisionStumpRegressor

__all__ = [
    "C45Classifier",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "RuleListClassifier",
]
