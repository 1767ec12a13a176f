"""Columns of many categories are compared with others by what they gain beyond chance."""

import numpy as np
import pytest

from learnt import DecisionTreeClassifier, DecisionTreeRegressor, OptionTreeClassifier, Table


def first_column(tree, table, y, **fitting):
    return table.names[tree.fit(table, y, **fitting).tree_.feature[0]]


def names_and_number(n, kinds, seed):
    """A column of names that tell nothing, and a number that tells a little."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n)
    names = rng.permutation(np.arange(n) % kinds)
    table = Table({"name": [f"n{code:03}" for code in names], "number": number})
    return table, names, 0.8 * number + rng.normal(size=n), rng


@pytest.mark.parametrize(("rows", "kinds"), [(100, 95), (200, 100), (400, 60), (400, 20)])
def test_names_do_not_win_over_what_tells_of_the_target(rows, kinds):
    for seed in range(5):
        table, _, y, _ = names_and_number(rows, kinds, seed)
        assert first_column(DecisionTreeRegressor(), table, y) == "number"
        labels = np.where(y > 0, "yes", "no")
        for criterion in ("gini", "entropy"):
            assert first_column(DecisionTreeClassifier(criterion=criterion), table, labels) == "number"
        assert first_column(DecisionTreeClassifier(), table, np.digitize(y, [-1, 1]).astype(str)) == "number"


def test_names_that_tell_of_the_target_win():
    table, names, y, rng = names_and_number(400, 40, 0)
    y = y + 3 * rng.normal(size=40)[names]
    assert first_column(DecisionTreeRegressor(), table, y) == "name"
    assert first_column(DecisionTreeClassifier(), table, np.where(y > 0, "yes", "no")) == "name"


def test_names_alone_are_still_tested():
    table, _, y, _ = names_and_number(100, 95, 0)
    assert DecisionTreeRegressor().fit(table.select(["name"]), y).get_n_leaves() > 50


def test_a_row_twice_is_a_weight_of_two():
    table, _, y, rng = names_and_number(60, 50, 0)
    times = rng.integers(1, 3, size=60)
    rows = np.repeat(np.arange(60), times)
    labels = np.where(y > 0, "yes", "no")
    for learner, target in ((DecisionTreeRegressor(), y), (DecisionTreeClassifier(), labels)):
        weighted = str(learner.fit(table, target, sample_weight=times.astype(float)))
        assert weighted == str(learner.fit(table.take(rows), target[rows]))


def test_what_no_noise_shows_is_as_likely_to_win_as_noise():
    """Two columns that tell nothing, one of names, one of 12 labels: names won every time."""
    rng = np.random.default_rng(0)
    won = 0
    for _ in range(60):
        y = rng.normal(size=240)
        many, few = rng.permutation(np.arange(240) % 120), rng.permutation(np.arange(240) % 12)
        table = Table({"many": [f"m{c:03}" for c in many], "few": [f"f{c:02}" for c in few]})
        won += first_column(DecisionTreeRegressor(max_depth=1), table, y) == "many"
    assert 10 <= won <= 50


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("weighted", [False, True])
def test_option_trees_compare_columns_as_trees_do(criterion, weighted):
    """They compute it by NumPy, from counts of all categories."""
    for seed in range(4):
        table, _, y, rng = names_and_number(150, 30, seed)
        labels = np.digitize(y, [-1, 0.5]).astype(str)
        weights = rng.integers(1, 4, size=150) / 2.0 if weighted else None
        names = [None if rng.random() < 0.2 else label for label in table["name"].labels()]
        table = Table({"name": names, "number": table["number"].values})
        one = OptionTreeClassifier(criterion=criterion, max_options=1, prune=None).fit(table, labels, weights)
        other = DecisionTreeClassifier(criterion=criterion).fit(table, labels, weights)
        np.testing.assert_allclose(one.predict_proba(table), other.predict_proba(table))
