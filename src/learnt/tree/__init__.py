"""Decision trees: grown, pruned, printed, drawn, turned into rules."""

from learnt.tree.alternating.classifier import AlternatingTreeClassifier
from learnt.tree.array_checks import spans as spans
from learnt.tree.arrays import TreeArrays as TreeArrays
from learnt.tree.base import TreeClassifier as TreeClassifier
from learnt.tree.base import TreeRegressor as TreeRegressor
from learnt.tree.c45 import C45Classifier
from learnt.tree.cart import DecisionTreeClassifier, DecisionTreeRegressor
from learnt.tree.explain_path import steps_of as steps_of
from learnt.tree.grow.cart import CRITERIA as CRITERIA
from learnt.tree.grow.exact import kernel_rows as kernel_rows
from learnt.tree.grow.exact import n_categories as n_categories
from learnt.tree.id3 import ID3Classifier
from learnt.tree.importance import impurity_importance as impurity_importance
from learnt.tree.importance import split_counts as split_counts
from learnt.tree.model_tree.regressor import ModelTreeRegressor
from learnt.tree.nodes import Nodes as Nodes
from learnt.tree.nodes import joined_fields as joined_fields
from learnt.tree.nodes import moved as moved
from learnt.tree.oblique.learners import ObliqueTreeClassifier, ObliqueTreeRegressor
from learnt.tree.option.classifier import OptionTreeClassifier
from learnt.tree.prune.pruned import Pruned as Pruned
from learnt.tree.reach import leaves_of as leaves_of
from learnt.tree.reach import path_matrix as path_matrix
from learnt.tree.rule_list import RuleListClassifier
from learnt.tree.settings import DIRECTIONS as DIRECTIONS
from learnt.tree.settings import SHARE_OR_COUNT as SHARE_OR_COUNT
from learnt.tree.settings import SPLIT as SPLIT
from learnt.tree.settings import TRIED as TRIED
from learnt.tree.settings import Share as Share
from learnt.tree.settings import column_directions as column_directions
from learnt.tree.settings import columns_tried as columns_tried
from learnt.tree.settings import least_weight as least_weight
from learnt.tree.show.conditions import branch_condition as branch_condition
from learnt.tree.show.dot import tree_dot as tree_dot
from learnt.tree.show.draw import draw as draw
from learnt.tree.show.html import tree_html as tree_html
from learnt.tree.show.rules import to_rules as to_rules
from learnt.tree.show.text import tree_text as tree_text
from learnt.tree.smoothing import class_shares as class_shares
from learnt.tree.stump import DecisionStumpClassifier, DecisionStumpRegressor

__all__ = [
    "AlternatingTreeClassifier",
    "C45Classifier",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "OptionTreeClassifier",
    "RuleListClassifier",
]
