"""`monotonic_cst`: no row is predicted less when a column it shall rise with rises, and nothing else changes."""

import numpy as np
import pytest
from sklearn import tree as sk
from tests.tree.test_cart import assert_same_tree, rows
from tests.tree.test_cart_laws import table_of

import learnt
from learnt import DecisionTreeClassifier, DecisionTreeRegressor, Table
from learnt.data.table import Column
from learnt.errors import ParameterError

REGRESSION = ["squared_error", "absolute_error"]
CLASSES = ["gini", "entropy", "misclassification", "gain_ratio"]


def wavy(seed, n=600):
    """A target that goes up and down with every column, so that each direction asks for another tree."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype(np.float32)
    return x, np.sin(3 * x[:, 0]) + x[:, 1] ** 2 + x[:, 2] * x[:, 3] + rng.normal(size=n) / 2


def model_of(criterion, **more):
    kind = DecisionTreeRegressor if criterion in REGRESSION else DecisionTreeClassifier
    return kind(criterion=criterion, **more)


def answers(model, x):
    """What shall rise: the prediction, or the share of the second class."""
    return model.predict_proba(x)[:, 1] if hasattr(model, "classes_") else model.predict(x)


def steps(model, x, j):
    """How every row's answer changes from one value to the next as its cell in column `j` goes up."""
    moved = [np.where(np.arange(x.shape[1]) == j, value, x).astype(x.dtype) for value in np.linspace(-3, 3, 60)]
    return np.diff([answers(model, cells) for cells in moved], axis=0)


@pytest.mark.parametrize("more", [{}, {"max_leaf_nodes": 25}, {"splitter": "random", "random_state": 3}], ids=str)
@pytest.mark.parametrize("criterion", [*REGRESSION, *CLASSES])
def test_no_answer_goes_the_wrong_way(criterion, more):
    x, target = wavy(1)
    y = target if criterion in REGRESSION else (target > 0.8).astype(int)
    weights = np.random.default_rng(1).uniform(0.2, 3, len(x))
    free = model_of(criterion, **more).fit(x, y, weights)
    model = model_of(criterion, monotonic_cst=[1, -1, 0, 0], **more).fit(x, y, weights)
    up, down, anywhere = steps(model, x, 0), steps(model, x, 1), steps(free, x, 0)
    assert up.min() > -1e-12
    assert down.max() < 1e-12
    assert min(up.max(), -down.min(), -anywhere.min()) > 0.1  # they move, and the data would have it otherwise
    assert model.tree_.node_count > 10


@pytest.mark.parametrize("more", [{}, {"max_leaf_nodes": 20}], ids=str)
@pytest.mark.parametrize("directions", [[1, 0, 0, 0], [1, -1, 0, 1], [0, 0, 1, 0]], ids=str)
def test_the_trees_of_squares_are_scikit_learns(directions, more):
    for seed in range(4):
        x, y = wavy(seed, 400)
        settings = {"monotonic_cst": directions, "min_samples_leaf": 8, **more}  # a few rows many cuts divide alike
        ours = DecisionTreeRegressor(**settings).fit(x, y)
        theirs = sk.DecisionTreeRegressor(**settings, random_state=0).fit(x, y)
        assert_same_tree(ours, theirs)


def test_the_shares_of_two_classes_are_scikit_learns():
    x, y = wavy(7, 1000)
    y, weights = (y > 0.8).astype(int), np.random.default_rng(7).uniform(0.5, 2, 1000)
    for directions in ([1, 0, 0, 0], [-1, 1, 0, 0]):
        settings = {"monotonic_cst": directions, "min_weight_fraction_leaf": 0.01}
        ours = DecisionTreeClassifier(**settings).fit(x, y, weights)
        theirs = sk.DecisionTreeClassifier(**settings, random_state=0).fit(x, y, weights)
        np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-12)
        np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize("criterion", [*REGRESSION, *CLASSES])
def test_where_the_target_rises_anyway_nothing_changes(criterion):
    x = np.random.default_rng(4).normal(size=(300, 1))
    y = np.exp(x[:, 0]) if criterion in REGRESSION else (x[:, 0] > 0.3).astype(int)
    free = model_of(criterion).fit(x, y).tree_
    bound = model_of(criterion, monotonic_cst=[1]).fit(x, y).tree_
    for name in ("feature", "threshold", "weight", "value", "impurity"):
        np.testing.assert_array_equal(getattr(free, name), getattr(bound, name), err_msg=name)
    opposite = model_of(criterion, monotonic_cst=[-1]).fit(x, y).tree_
    assert opposite.node_count == 1  # no cut of a rising target falls


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize("nominal", ["subset", "equals"])
def test_ordinal_and_boolean_columns_of_tables_with_gaps_have_directions_too(kind, missing, nominal):
    table, _, numbers, w = table_of(5, 300)
    # The middle size is best, and to own is good for the old only: every direction finds something to ask about.
    numbers = numbers + 1.5 * (table["size"].values == 1) + table["owned"].values * np.sign(table["age"].values - 40)
    y = np.nan_to_num(numbers) if kind == "numbers" else (np.nan_to_num(numbers) > 1).astype(int)
    learner = DecisionTreeRegressor if kind == "numbers" else DecisionTreeClassifier
    asked = set()
    for name, direction in (("size", 1), ("size", -1), ("owned", 1), ("owned", -1)):
        settings = {"monotonic_cst": {name: direction}, "missing": missing, "nominal": nominal, "min_samples_leaf": 3}
        model, column, moved = learner(**settings).fit(table, y, w), table[name], []
        for code in range(len(column.categories)):
            same = Column(name, column.kind, np.full(len(column), code, np.int32), column.categories)
            columns = [same if other.name == name else other for other in table.columns]
            moved.append(answers(model, Table.of_columns(columns)))
        change = np.diff(moved, axis=0) * direction
        assert change.min() > -1e-12
        asked |= {(name, direction)} if change.max() > 0.01 else set()
    assert {name for name, _ in asked} == {"size", "owned"}  # or the test would say nothing


def test_columns_are_named_in_any_order_and_a_direction_of_zero_is_none():
    x, y = wavy(2)
    names = ["d", "a", "c", "b"]
    table = {name: x[:, j] for j, name in enumerate(names)}
    by_name = DecisionTreeRegressor(monotonic_cst={"a": -1, "d": 1, "c": 0}, max_depth=6).fit(table, y)
    by_place = DecisionTreeRegressor(monotonic_cst=np.array([1, -1, 0, 0]), max_depth=6).fit(x, y)
    np.testing.assert_allclose(by_name.predict(table), by_place.predict(x))
    free = DecisionTreeRegressor(max_depth=6).fit(x, y)
    none = DecisionTreeRegressor(monotonic_cst=[0, 0, 0, 0], max_depth=6).fit(x, y)
    np.testing.assert_array_equal(free.tree_.value, none.tree_.value)


def test_a_pruned_tree_keeps_its_direction_and_so_does_a_saved_one(tmp_path):
    x, y = wavy(3)
    model = DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0], ccp_alpha=0.01).fit(x, y)
    assert steps(model, x, 0).min() > -1e-12
    learnt.save(model, tmp_path / "tree.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "tree.learnt").predict(x), model.predict(x))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"monotonic_cst": [1, 0]}, "2 entries. Expected 5"),
        ({"monotonic_cst": {"agee": 1}}, "'agee', which is not a column"),
        ({"monotonic_cst": {"age": 2}}, "is 2 for column 'age'"),
        ({"monotonic_cst": {"age": 0.5}}, "is 0.5 for column 'age'"),
        ({"monotonic_cst": {"town": 1}}, "'town', whose categories have no order"),
        ({"monotonic_cst": "up"}, "monotonic_cst"),
        ({"monotonic_cst": {"age": 1}, "missing": "fractional"}, "missing='fractional'"),
        ({"monotonic_cst": {"age": 1}, "nominal": "multiway"}, "nominal='multiway'"),
        ({"monotonic_cst": {"age": 1}, "smoothing": "laplace"}, "smoothing"),
    ],
    ids=str,
)
def test_what_cannot_be_kept_is_refused(settings, said):
    table, classes, _, _ = table_of(6)
    with pytest.raises(ParameterError, match=said):
        DecisionTreeClassifier(**settings).fit(table, classes > 0)


def test_three_classes_have_no_direction():
    x, y, _, _ = rows(n=90)
    with pytest.raises(ParameterError, match="there are 3 classes"):
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0, 0, 0]).fit(x, y)
