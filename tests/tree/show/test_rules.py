import math

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.tree.trees import PLAY, build, from_sklearn, leaf, node, numeric, play

from learnt import Table
from learnt.errors import InputError, KindError
from learnt.tree.arrays import one_leaf
from learnt.tree.prune.pessimistic import pessimistic_errors
from learnt.tree.prune.rules import ends, join_ends, prune_rules
from learnt.tree.show.conditions import Among, Between
from learnt.tree.show.rules import Rule, Rules, to_dnf, to_rules


@pytest.fixture(scope="module")
def noisy():
    """A tree that has learnt noise, with its rows."""
    X, y = make_classification(800, 6, n_informative=4, n_redundant=0, flip_y=0.25, n_classes=3, random_state=2)
    model = DecisionTreeClassifier(random_state=0, min_samples_leaf=2).fit(X[:500], y[:500])
    return from_sklearn(model), Table.of_matrix(X), y.astype(np.int32), model


def answers(rules: Rules, table: Table) -> np.ndarray:
    labels = np.array([rule.prediction for rule in rules] + [rules.default.prediction])
    return labels[rules.first(table)]


def test_every_leaf_is_a_rule_in_the_users_words():
    assert str(to_rules(play(), PLAY, ["yes", "no"])) == (
        "1. outlook is sunny and humidity ≤ 75 → yes (2, 100 %)\n"
        "2. outlook is sunny and humidity > 75 → no (3, 100 %)\n"
        "3. outlook is overcast → yes (4, 100 %)\n"
        "4. outlook is rainy and windy is False → yes (3, 100 %)\n"
        "5. outlook is rainy and windy is True → no (2, 100 %)\n"
        "   otherwise → yes (14, 64.3 %)"
    )


def test_rules_of_a_tree_predict_what_the_tree_predicts(noisy):
    tree, table, _, model = noisy
    rules = to_rules(tree, table.schema, [0, 1, 2])
    assert len(rules) == tree.n_leaves
    np.testing.assert_array_equal(answers(rules, table), model.predict(table.matrix))
    applies = np.sum([rule.test(table) for rule in rules], axis=0)
    assert np.all(applies == 1)


def test_rules_of_a_regression_tree_predict_its_numbers():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    rules = to_rules(from_sklearn(model), Table(X).schema)
    # scikit-learn compares float32 cells.
    np.testing.assert_allclose(answers(rules, Table(X.astype(np.float32))), model.predict(X))
    assert all(math.isnan(rule.confidence) for rule in rules)
    assert "%" not in str(rules)
    assert sum(rule.weight for rule in rules) == 442


def test_coverage_and_confidence_are_those_of_the_leaf():
    rules = to_rules(build(node(0, leaf(6, 2), leaf(1, 0), threshold=3.0)), numeric("x"), ["a", "b"])
    assert [(rule.weight, rule.confidence, rule.shares) for rule in rules] == [(8, 0.75, (0.75, 0.25)), (1, 1, (1, 0))]


def test_an_answer_that_costs_less_is_the_prediction_of_the_rule():
    tree = build(node(0, leaf(6, 2), leaf(1, 0), threshold=3.0))
    rule = to_rules(tree, numeric("x"), ["a", "b"], answers=np.array([0, 1, 0]))[0]
    assert (rule.prediction, rule.confidence) == ("b", 0.25)


def test_a_leaf_no_row_reached_is_as_confident_as_its_parent():
    tree = build(node(0, leaf(3, 1), leaf(3, 1, weight=0.0), threshold=1.0, value=(3, 1)))
    rule = to_rules(tree, numeric("x"), ["a", "b"])[1]
    assert (rule.weight, rule.confidence) == (0, 0.75)


def test_a_row_without_the_cell_asked_for_gets_the_default():
    table = Table({"outlook": [None, "rainy"], "humidity": [70.0, None], "windy": [True, True]}).matched(PLAY)
    rules = to_rules(play(), PLAY, ["yes", "no"])
    assert rules.first(table).tolist() == [5, 4]
    assert answers(rules, table).tolist() == ["yes", "no"]


def test_many_rows_are_tested_in_blocks(monkeypatch, noisy):
    tree, table, _, _ = noisy
    rules = to_rules(tree, table.schema, [0, 1, 2])
    whole = rules.first(table)
    monkeypatch.setattr("learnt.tree.show.rules.BLOCK", 7)
    np.testing.assert_array_equal(rules.first(table), whole)
    assert rules.first(table.rows(0, 0)).tolist() == []


def test_a_tree_without_tests_is_a_rule_that_always_holds():
    rules = to_rules(one_leaf([9, 5], 14), PLAY, ["yes", "no"])
    assert str(rules[0]) == "always → yes (14, 64.3 %)"


def test_nearly_sure_is_not_told_as_sure():
    assert Rule((), "a", 10_000.0, 0.9999).answer == "a (10000, 99.99 %)"
    assert Rule((), "a", 3.0, 1.0).answer == "a (3, 100 %)"


def test_rules_are_shown_in_notebooks_without_markup_of_the_data():
    tree = build(node(0, leaf(3, 1), leaf(0, 2), threshold=0.5))
    html = to_rules(tree, numeric("<b>"), ["<script>", "b"])._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert html.count("<tr>") == 4


# Formulas


def test_a_class_is_a_disjunction_of_its_leaves():
    assert str(to_dnf(play(), PLAY, ["yes", "no"], "yes")) == (
        "(outlook is sunny and humidity ≤ 75)\nor (outlook is overcast)\nor (outlook is rainy and windy is False)"
    )


def test_a_formula_holds_where_the_tree_predicts_the_class(noisy):
    tree, table, _, model = noisy
    predicted = model.predict(table.matrix)
    for c in range(3):
        np.testing.assert_array_equal(to_dnf(tree, table.schema, [0, 1, 2], c).test(table), predicted == c)


def test_branches_that_agree_are_one_term():
    inner = node(1, leaf(3, 1), leaf(2, 0), threshold=7.0)
    tree = build(node(0, inner, leaf(0, 5), threshold=1.0))
    assert str(to_dnf(tree, numeric("x", "z"), ["a", "b"], "a")) == "x ≤ 1"


def test_a_class_never_or_always_predicted_says_so():
    tree = one_leaf([9, 5], 14)
    table = Table({"outlook": ["rainy"], "humidity": [1.0], "windy": [True]}).matched(PLAY)
    never, always = (to_dnf(tree, PLAY, ["yes", "no"], c) for c in ("no", "yes"))
    assert (str(never), never.test(table).tolist()) == ("never", [False])
    assert (str(always), always.test(table).tolist()) == ("always", [True])


def test_a_formula_needs_a_class_of_the_tree():
    with pytest.raises(InputError, match="no class 'maybe'"):
        to_dnf(play(), PLAY, ["yes", "no"], "maybe")
    with pytest.raises(KindError, match="predicts numbers"):
        to_dnf(one_leaf(2.0, 3), PLAY, None, "maybe")


# Pruning


def error_rate(rule_test, y, c, weights=None, **how):
    weights = np.ones(len(y)) if weights is None else weights
    weight, wrong = weights[rule_test].sum(), weights[rule_test & (y != c)].sum()
    return float(pessimistic_errors(weight, wrong, **{"estimate": "wilson", **how})) / weight if weight else 1.0


def pruned_slowly(rule, table, y, labels, **how):
    """Drop conditions one at a time, every rule tried on all rows anew."""
    kept = [part for condition in rule.conditions for part in ends(condition)]
    c = labels.index(rule.prediction)

    def rate(conditions):
        fits = np.logical_and.reduce([k.test(table) for k in conditions]) if conditions else np.ones(table.n_rows, bool)
        return error_rate(fits, y, c, **how)

    while kept:
        tried = [rate(kept[:i] + kept[i + 1 :]) for i in range(len(kept))]
        best = int(np.argmin(tried))
        if tried[best] > rate(kept) + 1e-12:
            break
        del kept[best]
    return join_ends(kept)


@pytest.mark.parametrize("how", [{}, {"confidence": 0.05}, {"estimate": "binomial"}, {"estimate": "j48"}])
def test_conditions_go_as_if_every_choice_were_counted_anew(noisy, how):
    tree, table, y, _ = noisy
    table, y = table.rows(0, 500), y[:500]
    rules = to_rules(tree, table.schema, [0, 1, 2])
    wanted = {pruned_slowly(rule, table, y, [0, 1, 2], **how) for rule in rules}
    pruned = prune_rules(rules, table, y, [0, 1, 2], **how)
    assert 0 < len(pruned) < len(rules)
    assert {rule.conditions for rule in pruned} <= wanted


def test_pruned_rules_stand_by_confidence_then_coverage_and_know_their_rows(noisy):
    tree, table, y, _ = noisy
    table, y = table.rows(0, 500), y[:500]
    pruned = prune_rules(to_rules(tree, table.schema, [0, 1, 2]), table, y, [0, 1, 2])
    keys = [(-rule.confidence, -rule.weight) for rule in pruned]
    assert keys == sorted(keys)
    for rule in pruned:
        fits = rule.test(table)
        counts = np.bincount(y[fits], minlength=3)
        assert rule.weight == fits.sum()
        np.testing.assert_allclose(rule.shares, counts / counts.sum())
        assert rule.prediction == counts.argmax()
        assert rule.steps[0] == pytest.approx(np.mean(y == rule.prediction))
        assert rule.steps[-1] == pytest.approx(rule.confidence)
    rest = np.bincount(y[pruned.first(table) == len(pruned)], minlength=3)
    np.testing.assert_allclose(pruned.default.shares, rest / rest.sum())


def test_the_last_rule_is_worth_its_place(noisy):
    tree, table, y, _ = noisy
    table, y = table.rows(0, 500), y[:500]
    pruned = prune_rules(to_rules(tree, table.schema, [0, 1, 2]), table, y, [0, 1, 2])

    def expected(rules):
        first = Rules(tuple(rules), pruned.default).first(table)
        answer = [rule.prediction for rule in rules] + [pruned.default.prediction]
        rates = [error_rate(first == r, y, c) * np.sum(first == r) for r, c in enumerate(answer)]
        return sum(rates)

    whole = expected(list(pruned))
    assert expected(list(pruned)[:-1]) > whole


def test_pruning_does_not_lose_accuracy_on_new_rows(noisy):
    tree, table, y, model = noisy
    pruned = prune_rules(to_rules(tree, table.schema, [0, 1, 2]), table.rows(0, 500), y[:500], [0, 1, 2])
    new, truth = table.rows(500, 800), y[500:]
    assert np.mean(answers(pruned, new) == truth) > model.score(table.matrix[500:], truth) - 0.05
    assert sum(len(r.conditions) for r in pruned) < sum(
        len(r.conditions) for r in to_rules(tree, table.schema, [0, 1, 2])
    )


def test_a_row_of_weight_two_is_a_row_that_stands_there_twice(noisy):
    tree, table, y, _ = noisy
    table, y = table.rows(0, 500), y[:500]
    rules = to_rules(tree, table.schema, [0, 1, 2])
    weights = np.random.default_rng(0).integers(0, 3, 500)
    rows = np.repeat(np.arange(500), weights)
    weighted = prune_rules(rules, table, y, [0, 1, 2], weights.astype(float))
    repeated = prune_rules(rules, table.take(rows), y[rows], [0, 1, 2])
    assert str(weighted) == str(repeated)


def test_an_interval_may_lose_one_of_its_ends():
    X, y = load_iris(return_X_y=True)
    table = Table(X)
    needless = Rule((Between("x3", -5.0, 0.8),), "setosa", 50.0, 1.0)
    pruned = prune_rules(Rules((needless,), needless), table, y.astype(np.int32), ["setosa", "versicolor", "virginica"])
    assert [str(rule) for rule in pruned] == ["x3 ≤ 0.8 → setosa (50, 100 %)"]


def test_ends_are_joined_again():
    conditions = (Between("x", 1.0, 2.0), Among("t", ("a",)), Between("z", None, 3.0, missing=True))
    apart = [part for condition in conditions for part in ends(condition)]
    assert len(apart) == 4
    assert join_ends(apart) == conditions
    assert join_ends(list(reversed(apart[:2]))) == (Between("x", 1.0, 2.0),)


def test_one_class_leaves_only_the_default():
    table = Table({"x": [1.0, 2.0, 3.0]})
    rules = to_rules(one_leaf([3.0], 3), table.schema, ["a"])
    pruned = prune_rules(rules, table, np.zeros(3, np.int32), ["a"])
    assert (len(pruned), pruned.default.prediction, pruned.default.weight) == (0, "a", 3)
