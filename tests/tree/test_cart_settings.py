"""Settings of CART in every combination that may meet, on tables at the edge; and the tools of others."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.tree.test_cart import rows
from tests.tree.test_cart_laws import MISSING, NOMINAL, table_of

from learnt import DecisionTreeClassifier, DecisionTreeRegressor, Table
from learnt.errors import NotFittedError, ParameterError

PRUNE = [None, "cost_complexity", "cost_complexity_1se", "reduced_error", "error", "mdl"]


@pytest.mark.parametrize("prune", PRUNE)
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("n", [1, 2, 3, 11])
def test_few_rows_can_be_pruned_in_any_way(prune, missing, n):
    table, y, _, w = table_of(0, n=n)
    model = DecisionTreeClassifier(prune=prune, missing=missing, random_state=0).fit(table, y, w)
    p = model.predict_proba(table)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p.shape == (n, len(set(y.tolist())))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "misclassification"])
@pytest.mark.parametrize("nominal", NOMINAL)
@pytest.mark.parametrize("missing", MISSING)
def test_every_criterion_goes_with_every_kind_of_split(criterion, nominal, missing):
    table, y, _, w = table_of(1, n=200)
    model = DecisionTreeClassifier(criterion=criterion, nominal=nominal, missing=missing, max_depth=6).fit(table, y, w)
    assert model.get_depth() <= 6
    assert model.score(table, y, w) > 0.6
    assert (model.tree_.n_children <= 2).all() or nominal == "multiway"


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("nominal", NOMINAL)
@pytest.mark.parametrize("missing", ["learned", "majority", "fractional"])
def test_every_criterion_of_numbers_goes_with_every_kind_of_split(criterion, nominal, missing):
    table, _, y, w = table_of(1, n=200)
    settings = {"criterion": criterion, "nominal": nominal, "missing": missing}
    model = DecisionTreeRegressor(max_depth=5, **settings).fit(table, y, w)
    assert model.score(table, y, w) > 0.5


def test_limits_count_weight():
    x, y, numbers, w = rows(n=500)
    for settings, least in (({"min_samples_leaf": 40}, 40), ({"min_weight_fraction_leaf": 0.1}, 0.1 * w.sum())):
        for cls, goal in ((DecisionTreeClassifier, y), (DecisionTreeRegressor, numbers)):
            tree = cls(**settings).fit(x, goal, w).tree_
            assert tree.node_count > 3
            assert tree.weight.min() >= least * (1 - 1e-8)
    tree = DecisionTreeClassifier(min_samples_split=100).fit(x, y, w).tree_
    assert tree.weight[~tree.is_leaf].min() >= 100 * (1 - 1e-8)
    assert DecisionTreeClassifier(max_leaf_nodes=7).fit(x, y).get_n_leaves() == 7


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"min_samples_leaf": 1.5}, "min_samples_leaf"),
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"max_features": 0}, "max_features"),
        ({"splitter": "worst"}, "splitter"),
        ({"class_weight": {}}, "class_weight"),
        ({"class_weight": {0: -1.0}}, "class_weight"),
        ({"class_weight": {0: 0.0, 1: 0.0, 2: 0.0}}, "class_weight"),
        ({"feature_costs": [1.0]}, "feature_costs"),
        ({"loss": [[0, 1], [1, 0]]}, "loss"),
        ({"loss": [[0, 1, np.nan]] * 3}, "loss"),
        ({"smoothing": "lots"}, "smoothing"),
        ({"window": 0}, "window"),
        ({"prune": "hard"}, "prune"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_named(settings, said):
    x, y, _, _ = rows(n=60)
    model = DecisionTreeClassifier(**settings)
    with pytest.raises(ParameterError, match=said):
        model.fit(x, y)
    with pytest.raises(NotFittedError):
        model.get_n_leaves()


def test_an_unfitted_tree_says_so_whatever_it_is_asked():
    model, x = DecisionTreeClassifier(), np.ones((2, 2))
    asked = (
        lambda: model.predict(x),
        lambda: model.decision_function(x),
        lambda: model.apply(x),
        lambda: model.decision_path(x),
        lambda: model.get_depth(),
        lambda: model.feature_importances_,
        lambda: model.draw(),
        lambda: model.to_dot(),
        lambda: model.to_rules(),
        lambda: model.to_dnf("a"),
        lambda: model.explain(x),
    )
    for ask in asked:
        with pytest.raises(NotFittedError):
            ask()
    assert str(model) == "DecisionTreeClassifier()"


def test_a_fitted_tree_shows_itself_as_text_picture_graph_and_rules(tmp_path):
    table, y, numbers, _ = table_of(2)
    labels = np.array(["low", "mid", "high"])[y]
    model = DecisionTreeClassifier(max_depth=3).fit(table, labels)
    assert str(model).splitlines()[0] == str(DecisionTreeClassifier(max_depth=3).fit(table, labels)).splitlines()[0]
    assert "<svg" in model._repr_html_()
    assert model.to_dot().startswith("digraph")
    assert len(model.to_rules()) == model.get_n_leaves()
    held = model.to_dnf("high").test(table)
    whole = ~np.any([c.missing for c in table.columns], axis=0)
    np.testing.assert_array_equal(held[whole], (model.predict(table) == "high")[whole])
    model.draw(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text("utf-8").startswith("<svg")
    assert len(DecisionTreeRegressor(max_depth=3).fit(table, numbers).to_rules()) > 2


def test_a_sparse_matrix_is_the_table_it_stands_for():
    from scipy.sparse import csr_matrix

    x, y, _, _ = rows(n=200)
    x[np.abs(x) < 0.8] = 0
    dense, sparse = (
        DecisionTreeClassifier(max_depth=5).fit(x, y),
        DecisionTreeClassifier(max_depth=5).fit(csr_matrix(x), y),
    )
    np.testing.assert_array_equal(sparse.apply(csr_matrix(x)), dense.apply(x))
    np.testing.assert_array_equal(sparse.decision_path(csr_matrix(x)).toarray(), dense.decision_path(x).toarray())
    assert sparse.explain(csr_matrix(x))[3] == dense.explain(x)[3]


def test_scikit_learns_tools_take_our_trees():
    x, y, numbers, _ = rows(n=600)
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2, 5], "prune": [None, "error"]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.36
    scores = cross_val_score(
        make_pipeline(StandardScaler(), DecisionTreeClassifier()), x, y > 0, scoring="roc_auc", cv=3
    )
    assert scores.mean() > 0.5
    kept = SelectFromModel(DecisionTreeRegressor(max_depth=4)).fit(x, numbers).get_support()
    assert kept[2]
    assert not kept.all()


def test_columns_and_categories_never_seen_with_rows_do_no_harm():
    import pandas as pd

    frame = pd.DataFrame(
        {
            "town": pd.Categorical(["a", "b", "a", "b", "a", "b"], categories=["z", "a", "b", "never"]),
            "empty": [np.nan] * 6,
            "nothing": pd.Categorical([None] * 6, categories=[]),
        }
    )
    for nominal in NOMINAL:
        for missing in MISSING:
            model = DecisionTreeClassifier(nominal=nominal, missing=missing).fit(frame, list("ABABAB"))
            assert model.predict(frame).tolist() == list("ABABAB")
            other = frame.assign(town=["never", "z", None, "new", "a", "b"])
            assert model.predict(other).tolist()[4:] == ["A", "B"]
            assert len(Table(other)) == 6


def test_a_loss_may_be_given_by_truth_and_answer():
    x, y = [[0.0], [0.0], [0.0], [1.0]], ["-", "-", "+", "-"]
    loss = {("+", "-"): 10, ("-", "+"): 1}
    by_pairs = DecisionTreeClassifier(loss=loss).fit(x, y)
    by_rows = DecisionTreeClassifier(loss=[[0, 10], [1, 0]]).fit(x, y)
    assert by_pairs.predict(x).tolist() == by_rows.predict(x).tolist() == ["+", "+", "+", "-"]


def test_a_loss_that_lacks_a_cost_or_has_another_answer_is_told_in_words():
    x, y = [[0.0], [1.0]], ["+", "-"]
    with pytest.raises(ParameterError, match=r"answering '\+' costs when the truth is '-'"):
        DecisionTreeClassifier(loss={("+", "-"): 10}).fit(x, y)
    with pytest.raises(ParameterError, match="with_loss"):
        DecisionTreeClassifier(loss={("+", "-"): 10, ("-", "+"): 1, ("+", "ask"): 2, ("-", "ask"): 2}).fit(x, y)
