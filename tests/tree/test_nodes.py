"""Trees are checked where they come from outside; what kernels grow would pass the checks, and is not checked again."""

import pickle
from dataclasses import fields

import numpy as np
import pytest
from tests.tree.mixed_tables import mixed_table

import learnt
from learnt.ensemble.trees.forest import Forest
from learnt.errors import InputError
from learnt.tree import nodes as nodes_module
from learnt.tree.arrays import TreeArrays

NOMINAL = {
    "tree": learnt.DecisionTreeClassifier(),
    "pruned by cost": learnt.DecisionTreeClassifier(ccp_alpha=0.01),
    "C4.5": learnt.C45Classifier(),
    "C4.5 without pruning": learnt.C45Classifier(prune=None),
    "pruned by rows held out": learnt.C45Classifier(prune="reduced_error"),
    "stump": learnt.DecisionStumpClassifier(),
    "forest": learnt.RandomForestClassifier(n_estimators=4),
    "boosted": learnt.GradientBoostingClassifier(max_iter=4),
    "stumps": learnt.AdaBoostClassifier(n_estimators=4),
}
NUMBERS = {
    "tree": learnt.DecisionTreeRegressor(),
    "forest": learnt.RandomForestRegressor(n_estimators=4),
    "boosted": learnt.GradientBoostingRegressor(max_iter=4),
    "boosted medians": learnt.GradientBoostingRegressor(max_iter=4, loss="absolute_error", max_leaf_nodes=5),
}
CASES = [(name, model, True) for name, model in NOMINAL.items()] + [
    (f"{name} of numbers", model, False) for name, model in NUMBERS.items()
]


def made_of(model):
    """The tree or the forest that a fitted model holds."""
    names = ("tree_", "trees_", "forest_")
    return next(getattr(model, name) for name in names if getattr(model, name, None) is not None)


def checked(nodes):
    """The same by the constructor, which checks it."""
    again = type(nodes)(**{field.name: getattr(nodes, field.name) for field in fields(nodes)})
    for field in fields(nodes):
        one, two = getattr(nodes, field.name), getattr(again, field.name)
        assert one.dtype == two.dtype
        assert not one.flags.writeable
        np.testing.assert_array_equal(one, two)
    return again


@pytest.mark.parametrize(("model", "classes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
@pytest.mark.parametrize("seed", [0, 1])
def test_what_a_learner_grows_passes_the_checks(model, classes, seed):
    table, codes = mixed_table(seed, n=120)
    model.fit(table, codes if classes else codes + np.linspace(0, 1, len(codes)))
    nodes = checked(made_of(model))
    for tree in nodes if isinstance(nodes, Forest) else [nodes]:
        checked(tree)
        checked(tree.subtree(tree.node_count - 1))
        checked(tree.collapsed([0]))
        checked(tree.replaced(tree.node_count - 1, tree))
    if isinstance(nodes, Forest):
        checked(nodes.part(1, len(nodes)))
        checked(nodes.joined(nodes))
        checked(Forest.of(list(nodes)))


@pytest.mark.parametrize(("model", "classes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_fitting_checks_no_shapes_and_unpickling_does(monkeypatch, model, classes):
    table, codes = mixed_table(2, n=120)
    looks, check = [], nodes_module.check_tests
    monkeypatch.setattr(nodes_module, "check_tests", lambda nodes: (looks.append(nodes), check(nodes)))
    model.fit(table, codes if classes else codes.astype(float))
    model.predict(table)
    assert looks == []
    pickle.loads(pickle.dumps(made_of(model)))
    assert len(looks) == 1


@pytest.mark.parametrize(
    "model",
    [learnt.DecisionTreeRegressor(), learnt.GradientBoostingRegressor(max_iter=3)],
    ids=["tree", "boosted"],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_too_large_to_add_are_refused_in_a_fit(model):
    with pytest.raises(InputError, match="so large that their squares overflow"):
        model.fit(np.arange(8.0)[:, None], np.array([1e308, 1.5e308] * 4))


def test_other_numbers_in_a_tree_leave_the_first_as_it_was():
    table, codes = mixed_table(3)
    tree = learnt.DecisionTreeClassifier(max_depth=2).fit(table, codes).tree_
    before = tree.weight.copy()
    other = tree.changed(weight=tree.weight * 2)
    np.testing.assert_array_equal(tree.weight, before)
    np.testing.assert_array_equal(other.weight, before * 2)
    with pytest.raises(InputError, match="predicts nan"):
        tree.changed(value=np.full_like(tree.value, np.nan))
    assert isinstance(other, TreeArrays)
