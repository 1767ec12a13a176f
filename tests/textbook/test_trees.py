"""Worked examples on trees, as textbooks print them: entropies, gains, splits, pruning, and what trees can express."""

import itertools
from math import comb

import numpy as np
import pytest

import learnt
from learnt.information import (
    conditional_entropy,
    entropy,
    gain_ratio,
    information_gain,
    mutual_information,
    split_information,
)
from learnt.tree.prune.error_based import prune_error_based
from learnt.tree.prune.pessimistic import pessimistic_errors

# Entropy and gain, by hand.


def test_a_code_that_fits_costs_as_many_bits_as_the_entropy():
    symbols = [1 / 2, 1 / 4, 1 / 8, 1 / 8]
    assert entropy(symbols) == 1.75
    assert np.dot(symbols, [1, 2, 3, 3]) == entropy(symbols)


def test_three_equal_symbols_need_a_little_less_than_their_best_code():
    assert entropy([1, 1, 1]) == pytest.approx(1.585, abs=5e-4)
    assert np.mean([1, 2, 2]) == pytest.approx(1.667, abs=5e-4)


def test_the_gains_of_two_splits_of_29_positive_and_35_negative_examples():
    assert entropy([29, 35]) == pytest.approx(0.9937, abs=5e-5)
    assert information_gain([[21, 5], [8, 30]]) == pytest.approx(0.2659, abs=5e-5)
    assert information_gain([[18, 33], [11, 2]]) == pytest.approx(0.1214, abs=5e-5)


@pytest.fixture
def tennis():
    return learnt.datasets.load("play_tennis")


def test_the_root_of_play_tennis(tennis):
    play = tennis["play"]
    assert entropy(labels=play) == pytest.approx(0.9403, abs=5e-5)
    gains = {"outlook": 0.2467, "humidity": 0.1518, "wind": 0.0481, "temperature": 0.0292}
    ratios = {"outlook": 0.1564, "humidity": 0.1518, "wind": 0.0488, "temperature": 0.0188}
    for name, gain in gains.items():
        assert information_gain(tennis[name], play) == pytest.approx(gain, abs=6e-5), name
        assert gain_ratio(tennis[name], play) == pytest.approx(ratios[name], abs=6e-5), name
        split = split_information(labels=tennis[name])
        assert information_gain(tennis[name], play) == pytest.approx(split * gain_ratio(tennis[name], play))
        assert entropy(labels=play) - conditional_entropy(tennis[name], play) == pytest.approx(gain, abs=6e-5)


def test_what_is_asked_below_the_root_of_play_tennis(tennis):
    outlook = np.array(tennis["outlook"].labels())
    for value, winner in (("Sunny", "humidity"), ("Rain", "wind")):
        part = tennis.take(outlook == value)
        gains = {name: mutual_information(part[name], part["play"]) for name in ("humidity", "wind", "temperature")}
        assert max(gains, key=gains.get) == winner
        assert gains[winner] == pytest.approx(0.971, abs=5e-4)


TEMPERATURE = np.array([40.0, 48, 60, 72, 80, 90])
PLAYED = np.array(["No", "No", "Yes", "Yes", "Yes", "No"])


def test_thresholds_lie_where_the_class_changes():
    cuts = {t: information_gain(t >= TEMPERATURE, PLAYED) for t in (TEMPERATURE[1:] + TEMPERATURE[:-1]) / 2}
    assert cuts[54] == pytest.approx(0.4591, abs=5e-5)
    assert cuts[85] == pytest.approx(0.1909, abs=5e-5)
    assert max(cuts, key=cuts.get) == 54
    # Fayyad's theorem: between two rows of one class no cut is best.
    assert all(cuts[t] < cuts[54] for t in (44, 66, 76))


# Trees.


def told(model, i=0):
    """A fitted tree as nested dicts in the user's words: {column: {branch: …}}, answers at the leaves."""
    tree, schema = model.tree_, model._schema
    if tree.is_leaf[i]:
        return model.classes_[tree.value[i].argmax()] if hasattr(model, "classes_") else float(tree.value[i, 0])
    column, children = schema.columns[tree.feature[i]], tree.children_of(i).tolist()
    if tree.route_start[i] < 0:
        words = [f"≤ {tree.threshold[i]:g}", f"> {tree.threshold[i]:g}"]
        return {column.name: {word: told(model, child) for word, child in zip(words, children, strict=True)}}
    routes = tree.routes[tree.route_start[i] :][: len(column.categories)]
    return {
        column.name: {
            label: told(model, children[route])
            for label, route in zip(column.categories, routes.tolist(), strict=True)
            if route >= 0
        }
    }


PLAY_TENNIS = {
    "outlook": {
        "Overcast": "Yes",
        "Rain": {"wind": {"Strong": "No", "Weak": "Yes"}},
        "Sunny": {"humidity": {"High": "No", "Normal": "Yes"}},
    }
}


def test_id3_grows_the_tree_of_play_tennis(tennis):
    model = learnt.ID3Classifier().fit(tennis)
    assert told(model) == PLAY_TENNIS
    assert model.score(tennis) == 1
    assert model.tree_.impurity[0] == pytest.approx(0.9403, abs=5e-5)


def test_c45_grows_the_same_tree_when_it_is_not_pruned(tennis):
    assert told(learnt.C45Classifier(prune=None).fit(tennis)) == PLAY_TENNIS


def test_the_swapped_rows_of_the_misprint_would_give_another_tree(tennis):
    wind = tennis.to_dict()["wind"]
    wind[6], wind[9] = wind[9], wind[6]
    assert told(learnt.ID3Classifier().fit(tennis.to_dict() | {"wind": wind}, "play")) != PLAY_TENNIS


def test_cart_cuts_halfway_and_c45_at_a_value_of_the_data():
    table = {"temperature": TEMPERATURE}
    whole = {"temperature": {"≤ 54": "No", "> 54": {"temperature": {"≤ 85": "Yes", "> 85": "No"}}}}
    assert told(learnt.DecisionTreeClassifier(criterion="entropy").fit(table, PLAYED)) == whole
    c45 = learnt.C45Classifier(min_samples_leaf=1, prune=None, mdl_correction=False).fit(table, PLAYED)
    assert told(c45) == {"temperature": {"≤ 48": "No", "> 48": {"temperature": {"≤ 80": "Yes", "> 80": "No"}}}}


def test_the_price_of_an_organ_depends_on_its_model_then_on_its_leslie():
    organs = learnt.datasets.load("organs")
    price = organs["price"].values

    def means_squared(name):
        groups = [price[organs[name].values == code] for code in range(len(organs[name].categories))]
        return sum(len(g) * g.mean() ** 2 for g in groups if len(g)) / len(price)

    scores = {name: means_squared(name) for name in organs.drop("price")}
    assert scores == pytest.approx({"model": 3.21e6, "condition": 2.68e6, "leslie": 1.55e6}, rel=2e-3)
    reductions = {name: score - price.mean() ** 2 for name, score in scores.items()}
    assert reductions == pytest.approx({"model": 1668111, "condition": 1140040, "leslie": 6050}, abs=0.6)

    tree = learnt.DecisionTreeRegressor(nominal="multiway", max_depth=2).fit(organs)
    assert told(tree) == {
        "model": {
            "A100": {"leslie": {"no": 1410.5, "yes": 1900}},
            "B3": 4513,
            "E112": 77,
            "M102": 870,
            "T202": {"leslie": {"no": 184.5, "yes": 625}},
        }
    }


def test_with_models_in_the_leaves_the_price_of_an_organ_is_one_sum():
    """M5 asks first what lowers the deviation most, of all columns with their categories in order of the mean price;
    the linear model of what is asked below errs less than the tree, whose tests count as parameters too."""
    organs = learnt.datasets.load("organs")
    price = organs["price"].values

    def reduction(name, above):
        there = np.isin(organs[name].labels(), above)
        parts = (price[there], price[~there])
        return price.std() - sum(len(part) * part.std() for part in parts) / len(price)

    tests = []
    for name in organs.drop("price"):
        labels = np.array(organs[name].labels())
        order = sorted(set(labels), key=lambda label: price[labels == label].mean())
        tests += [(reduction(name, order[k:]), name, order[k:]) for k in range(1, len(order))]
    assert max(tests)[1:] == ("model", ["B3"])
    grown = learnt.ModelTreeRegressor(terms=None, smoothing=0, prune=False, min_samples_leaf=1, min_deviation=0)
    grown.fit(organs)
    assert str(grown).startswith("model is not B3")
    np.testing.assert_array_equal(grown.predict(organs.drop("price")), price)

    pruned = learnt.ModelTreeRegressor(min_samples_leaf=1).fit(organs)
    asked = [("model", "A100 B3"), ("model", "B3"), ("condition", "good excellent"), ("condition", "excellent")]
    terms = [np.isin(organs[name].labels(), labels.split()) for name, labels in [*asked, ("leslie", "no")]]
    x = np.column_stack([np.ones(9), *terms])
    by_hand = np.linalg.lstsq(x, price, rcond=None)[0]
    assert by_hand == pytest.approx([700, 905.5, 2743, 194.8, 619.2, -649.5], rel=1e-3)
    np.testing.assert_allclose(pruned.predict(organs.drop("price")), x @ by_hand)
    assert pruned.get_n_leaves() == 1


# Pruning.


def test_the_pessimistic_errors_of_three_leaves_are_more_than_those_of_their_parent():
    rows, wrong = np.array([6, 2, 6]), np.array([2, 1, 2])
    rates = pessimistic_errors(rows, wrong, estimate="wilson", z=0.69) / rows
    assert rates == pytest.approx([0.47, 0.72, 0.47], abs=5e-3)
    assert rates @ rows / 14 == pytest.approx(0.51, abs=5e-3)
    parent = float(pessimistic_errors(14, 5, estimate="wilson", z=0.69)) / 14
    assert parent == pytest.approx(0.45, abs=5e-3)


def test_so_the_three_leaves_are_pruned():
    plan = ["none"] * 6 + ["half"] * 2 + ["full"] * 6
    quality = ["bad"] * 4 + ["good"] * 2 + ["bad", "good"] + ["bad"] * 4 + ["good"] * 2
    grown = learnt.ID3Classifier().fit({"health plan": plan}, quality)
    assert grown.get_n_leaves() == 3
    pruned = prune_error_based(grown.tree_, 0.25, estimate="wilson")
    assert pruned.tree.n_leaves == 1
    (cut,) = pruned.cuts
    assert cut.after / 14 == pytest.approx(0.45, abs=5e-3)
    assert cut.before / 14 == pytest.approx(0.51, abs=5e-3)


@pytest.fixture
def xor():
    """Each corner of a cube twenty times; class a xor b, with three wrong labels in each corner where c holds."""
    corners = np.repeat(np.array(list(itertools.product([False, True], repeat=3))), 20, axis=0)
    y = corners[:, 0] ^ corners[:, 1]
    noisy = y ^ (corners[:, 2] & (np.arange(160) % 20 < 3))
    return dict(zip("abc", corners.T, strict=True)), y, noisy


@pytest.mark.parametrize("setting", [{"min_impurity_decrease": 0.01}, {"chi2_alpha": 0.05}], ids=str)
def test_pre_pruning_never_starts_on_xor(xor, setting):
    table, y, noisy = xor
    model = learnt.DecisionTreeClassifier(**setting).fit(table, noisy)
    assert model.get_n_leaves() == 1
    assert model.score(table, y) == 0.5


@pytest.mark.parametrize("prune", ["error", "mdl", "reduced_error", "cost_complexity_1se"])
def test_post_pruning_learns_xor(xor, prune):
    table, y, noisy = xor
    grown = learnt.DecisionTreeClassifier().fit(table, noisy)
    assert grown.get_n_leaves() == 8
    pruned = learnt.DecisionTreeClassifier(prune=prune, random_state=0).fit(table, noisy)
    assert pruned.score(table, y) == 1
    assert pruned.get_n_leaves() == 4
    assert len(pruned.cuts_) == 4


# What trees can express.


@pytest.mark.parametrize(("m", "n"), [(1, 4), (2, 3), (3, 5), (4, 6), (5, 5)])
def test_m_of_n_takes_a_tree_of_as_many_leaves_as_there_are_ways_to_be_sure(m, n):
    """A path ends at the m-th one, or when too few columns are left: C(n + 1, m) ways, whatever the order."""
    rows = np.array(list(itertools.product([False, True], repeat=n)))
    y = rows.sum(axis=1) >= m
    table = {f"x{j}": rows[:, j] for j in range(n)}
    for model in (learnt.ID3Classifier(), learnt.DecisionTreeClassifier()):
        model.fit(table, y)
        assert model.score(table, y) == 1
        assert model.get_n_leaves() == comb(n + 1, m)
        assert model.get_depth() == n


def test_parity_takes_a_tree_of_all_rows():
    rows = np.array(list(itertools.product([False, True], repeat=4)))
    model = learnt.DecisionTreeClassifier().fit(rows.astype(float), rows.sum(axis=1) % 2)
    assert model.get_n_leaves() == 16
    assert model.score(rows.astype(float), rows.sum(axis=1) % 2) == 1
