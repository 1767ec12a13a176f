"""Attributions are Shapley values by definition, add up to the answer, and agree with other programs."""

import lightgbm
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.ensemble.forest.random_forests import LEVELS, at_level, forest_of, mixed, numbers, trees_of
from tests.ensemble.trees.plain_shapley import plain_shapley
from tests.tree.trees import build, leaf, node, play

from learnt import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, Table, _core
from learnt.data.table import Column
from learnt.ensemble.trees.forest import Forest
from learnt.errors import ParameterError
from learnt.tree.arrays import one_leaf
from learnt.tree.attribution import contributions_of, interactions_of
from learnt.tree.grow.exact import GrowOptions, grow

TABLES = {
    "numbers": numbers(1, 60, 3),
    "float32": numbers(2, 60, 3, np.float32),
    "mixed": mixed(3, 60, many=9),
    "one column": numbers(4, 60, 1),
}


def shares(tree):
    return tree.value / tree.value.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("level", LEVELS)
def test_forests_give_the_shapley_values_of_all_subsets(table, level):
    trees = trees_of(table, 5, 3, leaves=12)
    forest = Forest.of(trees)
    with at_level(level):
        found, pairs = forest.contributions(table, shares=True), forest.interactions(table, shares=True)
    for i in (0, 17, 59):
        plain = [plain_shapley(tree, table, i, shares(tree)) for tree in trees]
        np.testing.assert_allclose(found[i], sum(p[0] for p in plain) / 3, atol=1e-13)
        np.testing.assert_allclose(pairs[i], sum(p[1] for p in plain) / 3, atol=1e-13)
        np.testing.assert_allclose(forest.expected(shares=True), sum(p[2] for p in plain) / 3, atol=1e-13)


@pytest.mark.parametrize("missing", ["fractional", "majority", "learned"])
@pytest.mark.parametrize("nominal", ["multiway", "equals", "subset"])
def test_single_trees_too_however_many_branches_and_wherever_missing_cells_go(nominal, missing):
    table = mixed(6, 80, many=6, missing=0.25)
    y = np.random.default_rng(1).integers(0, 3, 80).astype(np.int32)
    tree = grow(table, y, None, GrowOptions(nominal=nominal, missing=missing, max_depth=5), n_classes=3)
    answers = shares(tree)
    found, expected = contributions_of(tree, table, answers)
    pairs = interactions_of(tree, table, answers)
    for i in (0, 33, 79):
        parts, together, base = plain_shapley(tree, table, i, answers)
        np.testing.assert_allclose(found[i], parts, atol=1e-13)
        np.testing.assert_allclose(pairs[i], together, atol=1e-13)
        np.testing.assert_allclose(expected, base, atol=1e-13)


def test_a_row_may_lack_what_the_multiway_tree_asks_for():
    table = Table.of_columns(
        [
            Column("outlook", "nominal", np.array([0, -1, 2], np.int32), ("sunny", "overcast", "rainy")),
            Column("humidity", "numeric", np.array([np.nan, 70.0, 80.0])),
            Column("windy", "boolean", np.array([0, -1, 1], np.int32), (False, True)),
        ]
    )
    tree = play()
    found, _ = contributions_of(tree, table, shares(tree))
    for i in range(3):
        np.testing.assert_allclose(found[i], plain_shapley(tree, table, i, shares(tree))[0], atol=1e-14)


@pytest.mark.parametrize("leaves", [2, 30, None])
def test_the_parts_add_up_to_the_answer(leaves):
    table = mixed(7, 300)
    forest = forest_of(table, 8, 6, leaves=leaves)
    found = forest.contributions(table, shares=True)
    np.testing.assert_allclose(found.sum(axis=1) + forest.expected(shares=True), forest.mean_shares(table), atol=1e-12)
    scores = forest_of(table, 8, 6, leaves=leaves, classes=0)
    found = scores.contributions(table)
    np.testing.assert_allclose(found.sum(axis=1) + scores.expected(), scores.sums(table), atol=1e-12)
    np.testing.assert_allclose(scores.interactions(table.rows(0, 9)).sum(axis=2), found[:9], atol=1e-12)
    found = scores.contributions(table, group=3)
    np.testing.assert_allclose(found.sum(axis=1) + scores.expected(group=3), scores.sums(table, group=3), atol=1e-12)
    found = scores.contributions(table, mean=True)
    np.testing.assert_allclose(found.sum(axis=1) + scores.expected(mean=True), scores.means(table), atol=1e-12)


def test_a_tree_much_deeper_than_it_has_columns_adds_up():
    """A chain of 400 tests of two columns, whose shares get tiny."""
    root = leaf(7.0, weight=1.0)
    for depth in range(400):
        side = leaf(float(depth % 5), weight=1.0)
        root = node(depth % 2, root, side, threshold=400.0 - depth, missing=0, weight=root["weight"] + 1.0)
        root["value"] = np.zeros(1)
    tree = build(root)
    table = Table(np.random.default_rng(0).uniform(0, 400, (40, 2)))
    forest = Forest.of([tree])
    found = forest.contributions(table)
    np.testing.assert_allclose(found.sum(axis=1) + forest.expected(), forest.sums(table), atol=1e-9)
    np.testing.assert_allclose(contributions_of(tree, table, tree.value)[0], found, atol=1e-15)


def test_a_path_of_many_columns_adds_up():
    """Sixty columns on one path: thirty points of Gauss's rule."""
    root = leaf(1.0, weight=1.0)
    for j in range(60):
        root = node(j, root, leaf(0.0, weight=1.0), threshold=0.5, missing=0, weight=root["weight"] + 1)
        root["value"] = np.zeros(1)
    forest = Forest.of([build(root)])
    table = Table(np.random.default_rng(1).integers(0, 2, (30, 60)) * np.random.default_rng(2).random((30, 1)))
    found = forest.contributions(table)
    np.testing.assert_allclose(found.sum(axis=1) + forest.expected(), forest.sums(table), atol=1e-12)
    assert np.abs(found).max() > 1e-3


def test_a_branch_no_training_row_took_counts_only_for_rows_that_take_it():
    tree = build(node(0, leaf(1.0, weight=4.0), leaf(9.0, weight=0.0), threshold=0.0, missing=0, weight=4.0))
    forest, table = Forest.of([tree]), Table(np.array([[-1.0], [1.0], [np.nan]]))
    assert forest.expected() == 1.0
    np.testing.assert_array_equal(forest.contributions(table)[:, 0, 0], [0.0, 8.0, 0.0])


def test_a_column_that_is_not_tested_adds_nothing():
    table = numbers(3, 50, 4)
    forest = forest_of(Table(table.matrix[:, :2]), 1)
    found = forest.contributions(table)
    assert not found[:, 2:].any()
    assert found[:, :2].any()
    np.testing.assert_array_equal(Forest.of([one_leaf(3.0, 1.0)]).contributions(table), np.zeros((50, 4, 1)))


def test_neither_threads_nor_other_rows_change_a_bit():
    table = mixed(9, 500)
    forest = forest_of(table, 1, 4, leaves=20)
    before = _core.get_threads()
    try:
        found = []
        for threads in (1, 2, 5):
            _core.set_threads(threads)
            found.append(forest.contributions(table).tobytes())
    finally:
        _core.set_threads(before)
    assert found[0] == found[1] == found[2]
    np.testing.assert_array_equal(forest.contributions(table.rows(77, 78))[0], forest.contributions(table)[77])


def of_lightgbm(booster):
    def part(t):
        if "leaf_value" in t:
            return leaf(t["leaf_value"], weight=t["leaf_count"])
        children = part(t["left_child"]), part(t["right_child"])
        missing = 0 if t["default_left"] else 1
        return node(
            t["split_feature"], *children, threshold=t["threshold"], missing=missing, weight=t["internal_count"]
        )

    return Forest.of([build(part(t["tree_structure"])) for t in booster.dump_model()["tree_info"]])


def test_lightgbm_finds_the_same_values_for_its_own_trees():
    x, y = load_breast_cancer(return_X_y=True)
    settings = {"objective": "binary", "num_leaves": 15, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(x, y), 20)
    forest, theirs = of_lightgbm(booster), booster.predict(x, pred_contrib=True)
    np.testing.assert_allclose(forest.sums(Table(x))[:, 0], booster.predict(x, raw_score=True), rtol=1e-12)
    np.testing.assert_allclose(forest.contributions(Table(x))[..., 0], theirs[:, :-1], atol=1e-12)
    np.testing.assert_allclose(forest.expected()[0], theirs[0, -1], rtol=1e-9)


def test_xgboost_finds_the_same_values_and_interactions_for_its_own_trees():
    reason = "xgboost brings a gigabyte of packages: it is installed for the benchmarks only"
    xgboost = pytest.importorskip("xgboost", reason=reason)
    """Its own trees, read back: weights are its covers, thresholds float32 with < for ≤."""
    x, y = load_breast_cancer(return_X_y=True)
    x = np.ascontiguousarray(x[:, :6], dtype=np.float32)
    data = xgboost.DMatrix(x, y)
    booster = xgboost.train({"objective": "reg:squarederror", "max_depth": 4, "base_score": 0.0, "nthread": 1}, data, 5)
    frame = booster.trees_to_dataframe()

    def part(rows, name):
        row = rows.loc[name]
        if row["Feature"] == "Leaf":
            return leaf(row["Gain"], weight=row["Cover"])
        children = part(rows, row["Yes"]), part(rows, row["No"])
        threshold = float(np.nextafter(np.float32(row["Split"]), np.float32(-np.inf)))
        missing = 0 if row["Missing"] == row["Yes"] else 1
        return node(int(row["Feature"][1:]), *children, threshold=threshold, missing=missing, weight=row["Cover"])

    trees = [build(part(rows.set_index("ID"), f"{t}-0")) for t, rows in frame.groupby("Tree")]
    forest = Forest.of(trees)
    theirs = booster.predict(data, pred_interactions=True)
    np.testing.assert_allclose(forest.interactions(Table(x))[..., 0], theirs[:, :-1, :-1], atol=2e-5)
    np.testing.assert_allclose(
        forest.contributions(Table(x))[..., 0], booster.predict(data, pred_contribs=True)[:, :-1], atol=2e-5
    )


# On request, of single trees

PEOPLE = mixed(11, 200, many=12)
SIGNS = np.array(["no", "yes"])[np.nan_to_num(PEOPLE["x"].values > 0).astype(int)]


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(max_depth=4), C45Classifier()])
def test_a_tree_attributes_its_probability_on_request(learner):
    model = learner.fit(PEOPLE, SIGNS)
    told = model.explain(PEOPLE, kind="attribution")
    probabilities = model.predict_proba(PEOPLE)
    for i in (0, 50, 199):
        one = told[i]
        assert one.kind == "attribution"
        assert one.prediction == model.predict(PEOPLE)[i]
        assert one.total == pytest.approx(probabilities[i].max())
        assert one.add_up() == pytest.approx(one.total, abs=1e-12)
        assert [e.column for e in one.evidence] == list(PEOPLE.names)
    assert "(average)" in str(told[0])
    assert model.explain(PEOPLE)[0].kind == "path"


def test_a_regression_tree_attributes_its_number_on_request():
    y = np.nan_to_num(PEOPLE["x"].values) + PEOPLE["size"].values
    model = DecisionTreeRegressor(max_depth=5).fit(PEOPLE, y)
    told = model.explain(PEOPLE, kind="attribution")
    for i in (0, 199):
        assert told[i].total == pytest.approx(model.predict(PEOPLE)[i])
        assert told[i].add_up() == pytest.approx(told[i].total, abs=1e-12)
    assert told[0].base == pytest.approx(model.tree_.value[0, 0])  # every training row went one way


def test_another_kind_of_explanation_is_refused():
    model = DecisionTreeClassifier(max_depth=1).fit(PEOPLE, SIGNS)
    with pytest.raises(ParameterError, match="kind='shap' is not allowed"):
        model.explain(PEOPLE, kind="shap")
