"""Importance of columns by what shuffling them costs, in any metric, with intervals."""

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance as sklearn_importance
from sklearn.linear_model import LinearRegression as ForeignRegression
from tests.tree.test_cart_laws import table_of

from learnt import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    KMeans,
    LinearRegression,
    LogisticRegression,
    MajorityClassifier,
    Table,
    permutation_importance,
)
from learnt.errors import InputError, ParameterError
from learnt.evaluate import PermutationImportance
from learnt.prepare import Discretizer
from learnt.watch import watch


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


def test_the_interval_is_students_over_the_repeats():
    costs = np.array([[0.1, 0.2, 0.3, 0.2], [0.0, 0.0, 0.0, 0.0]])
    found = PermutationImportance(("a", "b"), 0.9, costs)
    theirs = stats.t.interval(0.9, 3, costs[0].mean(), stats.sem(costs[0]))
    np.testing.assert_allclose(found.intervals(0.9)[0], theirs)
    np.testing.assert_array_equal(found.intervals()[1], [0, 0])
    assert str(found).splitlines()[1].startswith("  a  0.2  ")
    with pytest.raises(ParameterError, match="level=95"):
        found.intervals(95)


def test_one_repeat_has_no_interval():
    found = PermutationImportance(("a",), 0.9, np.array([[0.25]]))
    assert np.isnan(found.intervals()).all()
    assert str(found) == "score 0.9; shuffling a column (once) costs\n  a  0.25"


@pytest.mark.costly
def test_intervals_cover_the_cost_over_very_many_shuffles():
    """Of 200 intervals at 90 %, at least 160 and not all hold the mean of 2,000 shuffles."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = 2 * x[:, 0] + rng.normal(size=60)
    model = LinearRegression().fit(x, y)
    truth = permutation_importance(model, x, y, n_repeats=2000, random_state=1).importances_mean[0]
    found = [permutation_importance(model, x, y, n_repeats=5, random_state=s).intervals(0.9)[0] for s in range(200)]
    covered = sum(low <= truth <= high for low, high in found)
    assert 160 <= covered < 200


@pytest.mark.parametrize("metric", ["accuracy", "auc", "log_loss", "f1"])
def test_any_metric_may_get_worse(metric):
    table, y, _, _ = table_of(2, n=300, gaps=0.05)
    model = DecisionTreeClassifier(max_depth=4).fit(table, y)
    found = permutation_importance(model, table, y, metric=metric, random_state=0)
    assert set(found.top(2)) == {"age", "town"}
    assert found.importances_mean[found.order()[0]] > 0  # though a log loss grows when it gets worse
    assert found.metric != "score"


def test_the_metric_is_that_of_the_table_as_it_is():
    table, _, numbers, _ = table_of(3)
    model = DecisionTreeRegressor(max_depth=3).fit(table, numbers)
    found = permutation_importance(model, table, numbers, metric="mae", random_state=0)
    assert found.score == pytest.approx(np.abs(model.predict(table) - numbers).mean())


def test_the_same_cells_are_shuffled_whatever_is_measured():
    table, y, _, _ = table_of(5)
    model = DecisionTreeClassifier(max_depth=3).fit(table, y)
    own = permutation_importance(model, table, y, random_state=3)
    named = permutation_importance(model, table, y, metric="accuracy", random_state=3)
    np.testing.assert_allclose(own.importances, named.importances, atol=1e-15)


def test_learners_of_scikit_learn_are_asked_too():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    y = np.where(x[:, 1] > 0, "up", "down")
    found = permutation_importance(RandomForestClassifier(20, random_state=0).fit(x, y), x, y, random_state=0)
    assert found.top(1) == ["x1"]
    assert found.metric == "accuracy"
    found = permutation_importance(ForeignRegression().fit(x, x[:, 2]), x, x[:, 2], metric="rmse", random_state=0)
    assert found.top(1) == ["x2"]


def test_rows_may_lack_classes_that_the_learner_knows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 2))
    y = np.array(["a", "b", "c"])[np.digitize(x[:, 0], [-0.5, 0.5])]
    model = LogisticRegression().fit(x, y)
    some = y != "c"
    for metric in ("accuracy", "log_loss"):
        found = permutation_importance(model, x[some], y[some], metric=metric, random_state=0)
        assert found.top(1) == ["x0"]


def test_a_metric_of_another_task_is_refused():
    x = np.random.default_rng(0).normal(size=(20, 2))
    model = DecisionTreeRegressor().fit(x, x[:, 0])
    with pytest.raises(ParameterError, match="not for regression"):
        permutation_importance(model, x, x[:, 0], metric="accuracy")
    with pytest.raises(InputError, match="no method 'fit'"):
        permutation_importance("a tree", x, x[:, 0])


def test_whoever_watches_sees_every_column_pass():
    table, y, _, _ = table_of(5)
    model = MajorityClassifier().fit(table, y)
    seen = []
    with watch(seen.append):
        permutation_importance(model, table, y, n_repeats=1, random_state=0)
    assert [event.iteration for event in seen] == [1, 2, 3, 4, 5]


def test_the_picture_has_a_bar_and_an_interval_for_each_column_shown():
    import matplotlib as mpl

    mpl.use("Agg")
    costs = np.array([[0.1, 0.2, 0.3], [0.0, 0.01, -0.01], [0.4, 0.5, 0.6]])
    axes = PermutationImportance(("a", "$b$", "c"), 0.9, costs).plot(most=2)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["c", "a"]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.5, 0.2])
    assert "95 % intervals" in axes.get_xlabel()
    assert axes.get_title() == "2 most important of 3 columns"
    mpl.pyplot.close("all")
