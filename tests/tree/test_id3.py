"""ID3Classifier: information gain and branches for all categories, checked by hand and by definition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tree.mixed_tables import mixed_table
from tests.tree.plain_c45 import gain_of

from learnt import ID3Classifier, Table, datasets
from learnt.errors import ParameterError


def test_the_tree_of_the_tennis_players_is_the_one_of_the_books():
    model = ID3Classifier().fit(datasets.load("play_tennis"))
    assert str(model).splitlines() == [
        "outlook is Sunny",
        "|   humidity is High: No (3)",
        "|   humidity is Normal: Yes (2)",
        "outlook is Overcast: Yes (4)",
        "outlook is Rain",
        "|   wind is Weak: Yes (3)",
        "|   wind is Strong: No (2)",
    ]


@pytest.mark.parametrize("seed", range(10))
def test_every_node_tests_the_column_of_the_largest_gain(seed):
    table, codes = mixed_table(seed, 60, missing=0)
    table = table.select(["sky", "wet"])
    tree = ID3Classifier().fit(table, codes).tree_
    k = int(codes.max()) + 1
    waiting = [(0, np.arange(60))]
    while waiting:
        i, rows = waiting.pop()
        np.testing.assert_array_equal(tree.value[i], np.bincount(codes[rows], minlength=k))
        gains = []
        for column in table.columns:
            bags = [
                np.bincount(codes[rows[column.values[rows] == c]], minlength=k) for c in range(len(column.categories))
            ]
            gains.append(gain_of(np.array(bags, float), len(rows)))
        if tree.is_leaf[i]:
            assert max(gains) == 0 or len(np.unique(codes[rows])) == 1
            continue
        assert gains[tree.feature[i]] == pytest.approx(max(gains))
        cells = table.columns[tree.feature[i]].values[rows]
        waiting += [(int(c), rows[cells == n]) for n, c in enumerate(tree.children_of(i)) if (cells == n).any()]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_it_learns_any_boolean_function_parity_included(n):
    """No column of a parity gains anything alone; ID3 goes on until no column is left."""
    rows = np.array(np.meshgrid(*[[0, 1]] * n)).reshape(n, -1).T
    table = Table({f"b{j}": rows[:, j] for j in range(n)}, kinds={f"b{j}": "nominal" for j in range(n)})
    for y in (rows.sum(axis=1) % 2, rows.sum(axis=1) >= 2, rows.all(axis=1)):
        assert ID3Classifier().fit(table, y).score(table, y) == 1
    assert ID3Classifier().fit(table, rows.sum(axis=1) % 2).get_n_leaves() == 2**n


def test_chi2_stops_where_a_split_may_be_chance():
    table = datasets.load("play_tennis")
    for correction in ("none", "yates", "exact"):
        stopped = ID3Classifier(chi2_alpha=0.01, chi2_correction=correction).fit(table)
        assert stopped.get_n_leaves() == 1
        assert stopped.cuts_[0].after > 0.01
    vote = datasets.load("vote")
    assert 1 < ID3Classifier(chi2_alpha=0.01).fit(vote).get_n_leaves() < ID3Classifier().fit(vote).get_n_leaves()


@pytest.mark.parametrize("missing", ["majority", "class_majority", "fractional"])
def test_missing_cells_are_taken_in_each_way(missing):
    table, codes = mixed_table(4, 80, missing=0.2)
    model = ID3Classifier(missing=missing).fit(table, codes)
    assert model.score(table, codes) > 0.8
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1)
    leaves = model.tree_.is_leaf
    assert model.tree_.weight[leaves].sum() == pytest.approx(80)


def test_a_missing_cell_counts_as_the_most_frequent_one():
    table = {"sky": ["sun"] * 4 + ["rain"] * 2 + [None]}
    model = ID3Classifier().fit(table, list("aaaabbb"))
    assert model.tree_.value[model.tree_.is_leaf].tolist() == [[0, 2], [4, 1]]  # rain, then sun
    assert model.predict({"sky": [None, "fog"]}).tolist() == ["a", "a"]


def test_a_category_without_rows_predicts_as_its_parent():
    table, codes = mixed_table(0, missing=0)
    model = ID3Classifier(max_depth=1).fit(table.select(["sky"]), codes)
    hail = model.predict_proba(Table({"sky": ["hail"]}))
    np.testing.assert_allclose(hail[0], np.bincount(codes) / len(codes))
    assert model.get_n_leaves() == 5


def test_depth_and_sizes_are_limited_on_request():
    table, codes = mixed_table(2, 200)
    whole = ID3Classifier().fit(table, codes)
    assert ID3Classifier(max_depth=2).fit(table, codes).get_depth() == 2 < whole.get_depth()
    large = ID3Classifier(min_samples_leaf=10).fit(table, codes).tree_
    assert large.weight[large.is_leaf & (large.weight > 0)].min() >= 10
    few = ID3Classifier(min_samples_split=50).fit(table, codes).tree_
    assert few.weight[~few.is_leaf].min() >= 50
    strict = ID3Classifier(min_impurity_decrease=0.05).fit(table, codes)
    assert 1 < strict.get_n_leaves() < whole.get_n_leaves()


@pytest.mark.parametrize(
    "settings", [{"max_depth": 0}, {"chi2_alpha": 1}, {"missing": "learned"}, {"chi2_correction": None}]
)
def test_settings_outside_their_range_are_named(settings):
    with pytest.raises(ParameterError, match=next(iter(settings))):
        ID3Classifier(**settings).fit({"a": [1, 2]}, ["x", "y"])
