"""C45Classifier: what it grows, how it treats missing cells and weights, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tree.mixed_tables import mixed_table
from tests.tree.plain_c45 import PlainC45, flat, grow_plainly

import learnt
from learnt import C45Classifier, Table, datasets
from learnt.errors import InputError, ParameterError
from learnt.tree.prune.pessimistic import pessimistic_errors

FIELDS = ("feature", "threshold", "n_children", "children", "routes", "weight", "value", "missing_weight", "impurity")


def assert_same_tree(one, other):
    for name in FIELDS:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("how", [{}, {"binary": True}, {"mdl": False}, {"least": 5}, {"least": 1, "binary": True}])
def test_the_unpruned_tree_is_the_one_that_the_rules_of_c45_give_when_followed_row_by_row(seed, how):
    table, codes = mixed_table(seed, missing=0.1 * (seed % 3))
    names = {"least": "min_samples_leaf", "mdl": "mdl_correction", "binary": "binary"}
    settings = {names[key]: value for key, value in how.items()}
    model = C45Classifier(prune=None, collapse=False, **settings).fit(table, codes)
    assert_same_tree(model.tree_, grow_plainly(table, codes, **how))
    assert model.tree_.node_count > 5


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("raising", [True, False])
@pytest.mark.parametrize("binary", [True, False])
def test_the_pruned_tree_is_the_one_that_the_rules_of_c45_give_when_followed_row_by_row(seed, raising, binary):
    table, codes = mixed_table(seed, 120, missing=0.1 * (seed % 3))
    model = C45Classifier(collapse=False, raising=raising, binary=binary, min_samples_leaf=1).fit(table, codes)
    plain = PlainC45(table, codes, binary=binary, least=1)

    def estimate(weight, errors):
        return float(pessimistic_errors(weight, errors))

    grown = plain.grown()
    size = flat(grown).node_count
    pruned = flat(plain.pruned(grown, np.arange(120), np.ones(120), estimate, raising))
    assert_same_tree(model.tree_, pruned)
    assert model.tree_.node_count < size


def test_subtree_raising_takes_place_in_these_tables():
    """Or the test above would say nothing about it."""
    raised = 0
    for seed in range(15):
        table, codes = mixed_table(seed, 120, missing=0.1 * (seed % 3))
        cuts = C45Classifier(collapse=False, binary=True, min_samples_leaf=1).fit(table, codes).cuts_
        raised += any("branch" in cut.why for cut in cuts)
    assert raised >= 10


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("settings", [{}, {"prune": None}, {"prune": "mdl"}, {"raising": False}, {"binary": True}])
def test_a_row_twice_is_a_weight_of_two(seed, settings):
    table, codes = mixed_table(seed)
    counts = np.random.default_rng(seed).integers(0, 4, table.n_rows)
    rows = np.repeat(np.arange(table.n_rows), counts)
    weighted = C45Classifier(**settings).fit(table, codes, counts)
    copied = C45Classifier(**settings).fit(table.take(rows), codes[rows])
    assert_same_tree(weighted.tree_, copied.tree_)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_does_not_matter(seed):
    table, codes = mixed_table(seed, 200)
    order = np.random.default_rng(seed).permutation(table.n_rows)
    one = C45Classifier().fit(table, codes)
    other = C45Classifier().fit(table.take(order), codes[order])
    assert_same_tree(one.tree_, other.tree_)


@pytest.mark.parametrize("settings", [{}, {"prune": None, "collapse": False}])
def test_weights_of_leaves_add_up_to_the_rows_however_often_they_were_cut_up(settings):
    table, codes = mixed_table(5, 200, missing=0.3)
    tree = C45Classifier(**settings).fit(table, codes).tree_
    assert tree.weight[tree.is_leaf].sum() == pytest.approx(200)
    counted = np.where(tree.weight[:, None] > 0, tree.value, 0)[tree.is_leaf].sum(axis=0)
    np.testing.assert_allclose(counted, np.bincount(codes))


def test_a_row_with_a_missing_cell_gets_the_branches_mixed_by_their_weights():
    table = Table({"sky": ["sun"] * 3 + ["rain"] * 5 + ["fog"] * 2})
    y = ["a"] * 3 + ["b"] * 5 + ["a", "b"]
    model = C45Classifier(prune=None, collapse=False).fit(table, y)
    p = model.predict_proba({"sky": [None, "hail", "fog"]})
    np.testing.assert_allclose(p, [[0.4, 0.6], [0.4, 0.6], [0.5, 0.5]])


def test_a_category_without_rows_has_a_leaf_that_predicts_as_its_parent():
    table = datasets.load("breast_cancer")
    tree = C45Classifier(prune=None).fit(table).tree_
    empty = np.flatnonzero(tree.weight == 0)
    assert len(empty) > 10
    assert tree.is_leaf[empty].all()
    np.testing.assert_array_equal(tree.value[empty], tree.value[tree.parents()[empty]])


def test_thresholds_occur_in_the_data_and_not_between():
    """Six temperatures, N N Y Y Y N: the midpoints 54 and 85 of the textbook become 48 and 80."""
    table = {"temperature": [40, 48, 60, 72, 80, 90]}
    settings = {"min_samples_leaf": 1, "prune": None, "mdl_correction": False}
    model = C45Classifier(**settings).fit(table, list("NNYYYN"))
    assert model.tree_.threshold[model.tree_.feature >= 0].tolist() == [48, 80]


def test_a_smaller_confidence_and_a_larger_least_leaf_give_smaller_trees():
    table = datasets.load("vote")
    sizes = [C45Classifier(confidence=c).fit(table).tree_.node_count for c in (0.5, 0.25, 0.05, 0.001)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
    leaves = [C45Classifier(min_samples_leaf=m, prune=None).fit(table).get_n_leaves() for m in (1, 2, 10, 50)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[-1]


@pytest.mark.parametrize(
    "settings",
    [
        {"prune": "mdl"},
        {"prune": "reduced_error"},
        {"estimate": "wilson"},
        {"estimate": "binomial"},
        {"chi2_alpha": 0.01},
    ],
)
def test_every_way_of_pruning_gives_a_smaller_tree_and_says_what_it_cut(settings):
    table = datasets.load("breast_cancer")
    whole = C45Classifier(prune=None, collapse=False).fit(table)
    model = C45Classifier(collapse=False, **settings).fit(table)
    assert model.tree_.node_count < whole.tree_.node_count
    assert model.cuts_
    assert "against" in str(model.cuts_[0])
    assert model.score(table) > 0.7


def test_xor_is_learnt_without_pruning_on_the_way_and_missed_with_it():
    """Neither column alone tells anything: a test on the way up sees both, one on the way down stops at once."""
    cells = {"a": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10}
    table = Table(cells, kinds={"a": "nominal", "b": "nominal"})
    y = [a ^ b for a, b in zip(cells["a"], cells["b"], strict=True)]
    noisy = np.array(y)
    noisy[0] = 1 - noisy[0]  # C4.5 does not split without any gain: a row out of place gives it one
    model = C45Classifier().fit(table, noisy)
    assert model.score(table, y) == 1
    assert C45Classifier(chi2_alpha=0.05).fit(table, noisy).get_n_leaves() == 1


def test_windowing_finds_the_tree_of_clean_data_in_a_part_of_the_rows():
    rng = np.random.default_rng(0)
    x = rng.random((4000, 3))
    y = (x[:, 0] > 0.6) | (x[:, 1] < 0.2)
    model = C45Classifier(window=300, random_state=1).fit(x, y)
    assert model.tree_.weight[0] < 1000
    assert model.score(x, y) > 0.99
    again = C45Classifier(window=300, random_state=1).fit(x, y)
    assert_same_tree(model.tree_, again.tree_)


def test_a_window_of_all_rows_gives_the_tree_of_all_rows_and_rows_without_weight_never_enter():
    table, codes = mixed_table(3, 100)
    weights = np.repeat([1.0, 0.0], 50)
    windowed = C45Classifier(window=1.0, random_state=0).fit(table, codes, weights)
    assert_same_tree(windowed.tree_, C45Classifier().fit(table.rows(0, 50), codes[:50]).tree_)


def test_a_scan_is_refused_unless_a_window_of_it_is_grown_from(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(3000), "sky": rng.choice(["sun", "rain"], 3000)})
    frame["y"] = np.where((frame.x > 0.5) == (frame.sky == "sun"), "yes", "no")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    scan = learnt.scan(tmp_path / "rows.csv", target="y")
    with pytest.raises(InputError, match="window="):
        C45Classifier().fit(scan)
    model = C45Classifier(window=0.2, random_state=0).fit(scan)
    assert model.score(scan) > 0.95
    in_memory = C45Classifier(window=0.2, random_state=0).fit(frame, "y")
    assert_same_tree(model.tree_, in_memory.tree_)


def test_one_class_or_one_row_or_nothing_to_tell_them_apart_is_one_leaf():
    for table, y in (
        ({"a": [1.0, 2, 3, 4]}, ["x"] * 4),
        ({"a": [1.0]}, ["x"]),
        ({"a": [1.0] * 6, "b": ["k"] * 6}, list("xyxyxy")),
        ({"a": [np.nan] * 6, "b": [None] * 6}, list("xyxyxy")),
    ):
        model = C45Classifier().fit(table, y)
        assert model.get_n_leaves() == 1
        assert model.predict(table).tolist() == ["x"] * len(y)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"confidence": 0}, "confidence"),
        ({"confidence": 0.6}, "confidence"),
        ({"prune": "no"}, "prune"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"estimate": "normal"}, "estimate"),
        ({"window": 0}, "window"),
        ({"window": 1.5}, "window"),
        ({"smoothing": "none"}, "smoothing"),
        ({"prune_parts": 1}, "prune_parts"),
    ],
)
def test_settings_outside_their_range_are_named(settings, said):
    with pytest.raises(ParameterError, match=said):
        C45Classifier(**settings).fit({"a": [1, 2]}, ["x", "y"])


def test_a_saved_tree_answers_and_explains_as_before(tmp_path):
    table = datasets.load("labor")
    model = C45Classifier(smoothing="laplace").fit(table)
    learnt.save(model, tmp_path / "tree")
    loaded = learnt.load(tmp_path / "tree")
    np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
    assert str(loaded) == str(model)
    assert loaded.cuts_ == model.cuts_
    for i, told in enumerate(loaded.explain(table)):
        assert told.add_up() == pytest.approx(model.predict_proba(table)[i].max())
