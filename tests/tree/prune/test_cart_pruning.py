"""Cost complexity against scikit-learn's and by its own optimality; the other ways to prune; leaf answers."""

import numpy as np
import pytest
from sklearn import tree as sk
from tests.tree.test_cart import rows
from tests.tree.test_cart_laws import MISSING, table_of

import learnt
from learnt import DecisionTreeClassifier, DecisionTreeRegressor, Table
from learnt.errors import ParameterError
from learnt.tree.prune.cost_complexity import cost_complexity_path, prune_cost_complexity


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_path_is_scikit_learns(kind):
    x, y, numbers, w = rows(n=600)
    if kind == "classes":
        limits = {"min_weight_fraction_leaf": 0.02, "criterion": "entropy"}
        ours, theirs = DecisionTreeClassifier(**limits), sk.DecisionTreeClassifier(random_state=0, **limits)
        found, expected = (m.cost_complexity_pruning_path(x, y, w) for m in (ours, theirs))
    else:
        limits = {"min_samples_leaf": 8}
        ours, theirs = DecisionTreeRegressor(**limits), sk.DecisionTreeRegressor(random_state=0, **limits)
        found, expected = (m.cost_complexity_pruning_path(x, numbers) for m in (ours, theirs))
    assert len(found.ccp_alphas) > 20
    np.testing.assert_allclose(found.ccp_alphas, expected.ccp_alphas, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.impurities, expected.impurities, rtol=1e-8)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("nominal", ["subset", "multiway"])
def test_each_tree_of_the_path_costs_least_at_its_alpha(missing, nominal):
    """R(T) + α·leaves of every tree of the path, and no other of them is cheaper where it is the one chosen."""
    table, classes, _, w = table_of(3, n=120)
    tree = DecisionTreeClassifier(missing=missing, nominal=nominal).fit(table, classes, w).tree_
    path = cost_complexity_path(tree)
    assert (np.diff(path.ccp_alphas) >= -1e-12).all()
    assert (np.diff(path.impurities) >= -1e-12).all()
    assert path.impurities[-1] == pytest.approx(tree.impurity[0], rel=1e-9)

    def risk(small):
        leaf = small.is_leaf
        return float(small.weight[leaf] @ small.impurity[leaf]) / float(tree.weight[0])

    trees = [prune_cost_complexity(tree, alpha).tree for alpha in np.maximum.accumulate(path.ccp_alphas)[::3]]
    for alpha in (0.0, *np.unique(path.ccp_alphas)[1::3] * 1.0001):
        chosen = prune_cost_complexity(tree, alpha).tree
        costs = [risk(t) + alpha * t.n_leaves for t in trees]
        assert risk(chosen) + alpha * chosen.n_leaves <= min(costs) + 1e-12
    sizes = [t.node_count for t in trees]
    assert sizes == sorted(sizes, reverse=True)
    assert prune_cost_complexity(tree, path.ccp_alphas[-1]).tree.node_count == 1


@pytest.mark.parametrize("prune", ["cost_complexity", "cost_complexity_1se", "reduced_error", "error", "mdl"])
def test_pruning_never_makes_a_tree_larger_and_says_what_it_cut(prune):
    table, classes, _, w = table_of(5, n=300)
    whole = DecisionTreeClassifier().fit(table, classes, w)
    pruned = DecisionTreeClassifier(prune=prune, random_state=0).fit(table, classes, w)
    assert pruned.get_n_leaves() < whole.get_n_leaves()
    assert pruned.cuts_
    assert not whole.cuts_
    fresh, truth, _, _ = table_of(6, n=2000)
    assert pruned.score(fresh, truth) > whole.score(fresh, truth)


def test_the_largest_alpha_within_one_standard_error_gives_the_smaller_tree():
    x, y, numbers, _ = rows(n=800)
    for cls, goal in ((DecisionTreeClassifier, y), (DecisionTreeRegressor, numbers)):
        best, small = (
            cls(prune=prune, random_state=0).fit(x, goal) for prune in ("cost_complexity", "cost_complexity_1se")
        )
        assert 1 < small.get_n_leaves() <= best.get_n_leaves() < cls().fit(x, goal).get_n_leaves()


def test_each_fold_is_told_to_whoever_watches():
    x, y, _, _ = rows(n=200)
    with learnt.watch() as log:
        model = DecisionTreeClassifier(prune="cost_complexity", random_state=0).fit(x, y)
    assert [step.iteration for step in log if step.what == "fold"] == list(range(1, 11))
    assert model.ccp_alpha_ > 0
    same = DecisionTreeClassifier(ccp_alpha=model.ccp_alpha_).fit(x, y)
    assert str(same) == str(model)


def test_the_loss_of_held_out_rows_is_that_of_the_pruned_trees():
    """Cross-validation adds up losses node by node; here is the same by pruning and predicting for each alpha."""
    from learnt.tree.prune.cost_complexity import _held_out
    from learnt.tree.reach import shares_of

    table, _, numbers, w = table_of(7, n=150)
    fresh, _, truth, weights = table_of(8, n=60)
    for missing in ("learned", "majority"):
        tree = DecisionTreeRegressor(missing=missing).fit(table, numbers, w).tree_
        alphas = np.unique(cost_complexity_path(tree).ccp_alphas)
        tried = np.append(np.sqrt(alphas[1:-1] * alphas[2:]), alphas[-1] * 2)
        found = _held_out(tree, fresh, truth, weights, tried, lambda t, i, y: (y - t.value[i, 0]) ** 2)
        for alpha, loss in zip(tried, found, strict=True):
            small = prune_cost_complexity(tree, alpha).tree
            gap = truth - shares_of(small, fresh, small.value)[:, 0]
            assert loss == pytest.approx(float(weights @ gap**2), rel=1e-9)


def test_alpha_and_depth_leave_a_lone_root_to_be_pruned_no_further():
    x, y, _, _ = rows(n=50)
    alone = DecisionTreeClassifier(ccp_alpha=10.0).fit(x, y)
    assert alone.get_n_leaves() == 1
    assert alone.predict(x).tolist() == [int(np.bincount(y).argmax())] * 50
    assert DecisionTreeClassifier(prune="cost_complexity").fit(x[:1], y[:1]).get_n_leaves() == 1


def test_chi2_stops_where_a_split_may_be_chance():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    assert DecisionTreeClassifier(chi2_alpha=1e-6).fit(x, y).get_n_leaves() == 1
    clear = DecisionTreeClassifier(chi2_alpha=1e-6).fit(x, x[:, 1] > 0)
    assert clear.get_n_leaves() == 2


# Leaf answers: smoothing, losses, scores.


def test_leaf_probabilities_are_shares_laplace_or_m_estimates():
    x = np.array([[0.0], [0], [0], [1], [1], [1], [1], [1]])
    y = ["a", "a", "b", "b", "b", "b", "b", "c"]
    for smoothing, left in (
        (None, [2 / 3, 1 / 3, 0]),
        ("laplace", [3 / 6, 2 / 6, 1 / 6]),
        (2, [(2 + 2 * 2 / 8) / 5, (1 + 2 * 5 / 8) / 5, (2 * 1 / 8) / 5]),
    ):
        model = DecisionTreeClassifier(smoothing=smoothing).fit(x, y)
        np.testing.assert_allclose(model.predict_proba([[0.0]])[0], left)
        np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1)


def test_scores_are_log_ratios_and_stay_finite():
    x, y, _, _ = rows(n=300)
    two = DecisionTreeClassifier(smoothing="laplace", max_depth=4).fit(x, y > 0)
    p = two.predict_proba(x)
    np.testing.assert_allclose(two.decision_function(x), np.log(p[:, 1] / p[:, 0]))
    three = DecisionTreeClassifier(max_depth=4).fit(x, y)
    p = np.clip(three.predict_proba(x), 2**-52, 1 - 2**-52)
    np.testing.assert_allclose(three.decision_function(x), np.log(p / (1 - p)), rtol=1e-6)
    assert np.isfinite(DecisionTreeClassifier().fit(x, y).decision_function(x)).all()


def test_answers_are_those_of_least_expected_loss():
    """Rows truth, columns answer: missing a case costs 50, a false alarm 1, so that p > 1/51 is enough."""
    x = np.repeat([[0.0], [1.0]], [100, 100], axis=0)
    y = np.array(["ill"] * 3 + ["well"] * 97 + ["ill"] * 1 + ["well"] * 99)
    model = DecisionTreeClassifier(loss=[[0, 50], [1, 0]]).fit(x, y)
    assert model.predict([[0.0], [1.0]]).tolist() == ["ill", "well"]
    np.testing.assert_allclose(model.predict_proba([[0.0]])[0], [0.03, 0.97])
    assert "ill (100/97)" in str(model)
    assert str(model.to_dnf("ill")) == "x0 ≤ 0.5"
    told = model.explain([[0.0]])[0]
    assert told.prediction == "ill"
    assert told.total == pytest.approx(0.03)
    with pytest.raises(ParameterError, match=r"\(2, 3\).*\(2, 2\)"):
        DecisionTreeClassifier(loss=[[0, 1, 1], [1, 0, 1]]).fit(x, y)


def test_class_weights_are_row_weights():
    table, classes, _, w = table_of(9)
    factors = {0: 0.5, 2: 3.0}
    one = DecisionTreeClassifier(class_weight=factors, max_depth=4).fit(table, classes, w)
    two = DecisionTreeClassifier(max_depth=4).fit(table, classes, w * np.array([0.5, 1.0, 3.0])[classes])
    np.testing.assert_allclose(one.tree_.value, two.tree_.value)
    balanced = DecisionTreeClassifier(class_weight="balanced").fit(table, classes, w)
    np.testing.assert_allclose(balanced.tree_.value[0], balanced.tree_.value[0].mean())
    with pytest.raises(ParameterError, match="'nine'"):
        DecisionTreeClassifier(class_weight={"nine": 2.0}).fit(table, classes)


def test_a_class_of_weight_zero_is_never_predicted():
    x, y, _, _ = rows(n=200)
    model = DecisionTreeClassifier(class_weight={2: 0.0}).fit(x, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(x).tolist()) == {0, 1}


def test_costs_make_a_column_less_welcome():
    rng = np.random.default_rng(0)
    good = rng.normal(size=300)
    table = Table({"scan": good, "thermometer": good + rng.normal(0, 0.4, 300)})
    y = good > 0
    assert DecisionTreeClassifier(max_depth=1).fit(table, y).tree_.feature[0] == 0
    for costs in ({"scan": 100.0}, [100.0, 1.0]):
        assert DecisionTreeClassifier(max_depth=1, feature_costs=costs).fit(table, y).tree_.feature[0] == 1
    reversed_names = Table({"z": good, "a": good + rng.normal(0, 0.4, 300)})
    assert DecisionTreeClassifier(max_depth=1, feature_costs={"z": 100.0}).fit(reversed_names, y).tree_.feature[0] == 1
    with pytest.raises(ParameterError, match="'scam'"):
        DecisionTreeClassifier(feature_costs={"scam": 2.0}).fit(table, y)
    with pytest.raises(ParameterError, match="2 positive"):
        DecisionTreeClassifier(feature_costs=[1.0, 0.0]).fit(table, y)


def test_a_pruned_model_is_saved_with_its_cuts(tmp_path):
    table, classes, _, _ = table_of(5, n=200)
    model = DecisionTreeClassifier(prune="error").fit(table, classes)
    learnt.save(model, tmp_path / "m")
    again = learnt.load(tmp_path / "m")
    assert again.cuts_ == model.cuts_
    assert str(again) == str(model)
