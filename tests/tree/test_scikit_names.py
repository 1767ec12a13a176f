"""The arrays of a tree by the names scikit-learn has for them."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier as Peer

import learnt

IRIS = learnt.datasets.load("iris")
X, Y = np.asarray(IRIS.drop("class"), dtype=float), np.asarray(IRIS["class"])


def test_counts_of_nodes_are_those_of_scikit_learn():
    ours = learnt.DecisionTreeClassifier(max_depth=2).fit(X, Y).tree_
    theirs = Peer(max_depth=2, random_state=0).fit(X, Y).tree_
    assert ours.n_node_samples.dtype == np.int64
    assert ours.n_node_samples.tolist() == theirs.n_node_samples.tolist()
    np.testing.assert_array_equal(ours.weighted_n_node_samples, theirs.weighted_n_node_samples)
    assert ours.node_count == theirs.node_count
    np.testing.assert_array_equal(ours.children_left, theirs.children_left)


def test_weights_are_counted():
    weight = np.full(150, 0.5)
    tree = learnt.DecisionTreeClassifier(max_depth=1).fit(X, Y, weight).tree_
    assert tree.n_node_samples[0] == 75
