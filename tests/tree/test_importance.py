"""Importance of columns: of impurity by definition, of shuffled cells by what shuffling does."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance as sklearn_importance
from tests.tree.test_cart_laws import MISSING, NOMINAL, table_of

from learnt import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    KMeans,
    LinearRegression,
    MajorityClassifier,
    Table,
    permutation_importance,
)
from learnt.errors import InputError, ParameterError
from learnt.prepare import Discretizer
from learnt.tree.importance import impurity_importance


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("nominal", NOMINAL)
def test_impurity_importance_is_what_the_tests_of_a_column_take_away(missing, nominal):
    table, y, _, w = table_of(1)
    model = DecisionTreeClassifier(missing=missing, nominal=nominal, max_depth=5).fit(table, y, w)
    tree, found = model.tree_, np.zeros(5)
    for i in np.flatnonzero(~tree.is_leaf):
        below = tree.children_of(i)
        found[tree.feature[i]] += tree.weight[i] * tree.impurity[i] - tree.weight[below] @ tree.impurity[below]
    np.testing.assert_allclose(model.feature_importances_, found / found.sum(), rtol=1e-10)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() in (0, 2)  # age and town make the target


def test_a_tree_without_tests_has_no_important_column():
    model = DecisionTreeRegressor().fit(np.ones((4, 3)), [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(3))
    np.testing.assert_array_equal(impurity_importance(model.tree_, 3), np.zeros(3))


def test_columns_that_matter_are_found_among_those_that_do_not():
    table, y, numbers, w = table_of(2, n=400, gaps=0.05)
    for model, goal in (
        (DecisionTreeClassifier(max_depth=4), y),
        (DecisionTreeRegressor(max_depth=4), numbers),
        (LinearRegression(), numbers),
    ):
        found = permutation_importance(model.fit(table, goal), table, goal, w, n_repeats=3, random_state=0)
        assert set(found.top(2)) == {"age", "town"}
        assert found.importances.shape == (5, 3)
        assert found.score == model.score(table, goal, w)
        assert str(found).splitlines()[1].split()[0] == found.top(1)[0]


def test_shuffling_costs_what_scikit_learn_finds():
    """Over many repeats the mean is the same, to four standard errors."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = (x[:, 0] + 0.5 * x[:, 1] + rng.normal(0, 0.5, 300) > 0).astype(int)
    model = DecisionTreeClassifier(max_depth=3).fit(x, y)
    ours = permutation_importance(model, x, y, n_repeats=60, random_state=0)
    theirs = sklearn_importance(model, x, y, n_repeats=60, random_state=1)
    error = np.sqrt((ours.importances_std**2 + theirs.importances_std**2) / 60)
    assert (np.abs(ours.importances_mean - theirs.importances_mean) <= 4 * error + 1e-12).all()


def test_a_column_nobody_asks_about_costs_nothing_to_shuffle():
    table, y, _, _ = table_of(3)
    found = permutation_importance(MajorityClassifier().fit(table, y), table, y, random_state=0)
    np.testing.assert_array_equal(found.importances, 0)


def test_the_target_may_be_named_and_the_seed_repeats():
    table, y, _, _ = table_of(4, gaps=0.0)
    whole = {**table.to_dict(), "goal": y}
    model = DecisionTreeClassifier(max_depth=3).fit(whole, "goal")
    one, two = (permutation_importance(model, whole, "goal", random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.importances, two.importances)
    assert one.names == table.names
    assert not np.array_equal(one.importances, permutation_importance(model, whole, "goal", random_state=6).importances)


def test_nonsense_is_refused():
    x, y = np.ones((4, 2)), [0, 1, 0, 1]
    model = DecisionTreeClassifier().fit(x, y)
    with pytest.raises(ParameterError, match="n_repeats=0"):
        permutation_importance(model, x, y, n_repeats=0)
    with pytest.raises(InputError, match="y"):
        permutation_importance(model, x)
    with pytest.raises(ParameterError, match="Discretizer has no score"):
        permutation_importance(Discretizer(), x)


def test_a_learner_without_a_target_is_judged_by_its_own_score():
    x = np.random.default_rng(0).normal(size=(60, 2)) * [10, 0.1]
    found = permutation_importance(KMeans(2, random_state=0).fit(x), x, random_state=0)
    assert found.names == ("x0", "x1")
    assert np.isfinite(found.importances).all()


def test_the_table_is_left_as_it_was():
    table, y, _, _ = table_of(6)
    before = table.to_dict()
    permutation_importance(DecisionTreeClassifier().fit(table, y), table, y, random_state=0)
    assert Table(before).to_dict() == table.to_dict()
