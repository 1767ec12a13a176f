"""Merged trees against the votes they come from, on every cell that their tests can tell apart."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.data.table import Column, Table
from learnt.errors import InputError, ParameterError

N = 80


def mixed_rows(seed: int, gaps: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 6, N).astype(float),
            "b": rng.standard_normal(N).round(1),
            "town": rng.choice(["Basel", "Bern", "Chur", "Genf"], N),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
            "own": rng.random(N) < 0.5,
        }
    )
    if gaps:
        for name in ("a", "town", "size"):
            frame[name] = frame[name].mask(pd.Series(rng.random(N) < 0.15))
    return frame


def target_of(frame: pd.DataFrame, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed + 100)
    score = frame["a"].fillna(2) + (frame["town"] == "Bern") * 3 + frame["b"] + rng.standard_normal(N)
    return np.where(score > 5, "high", np.where(score > 2.5, "mid", "low"))


def grid_of(trees: list, frame: pd.DataFrame) -> Table:
    """A row for each combination of cells that the tests of trees tell apart, gaps among them."""
    table = Table(frame)
    cells = []
    for j, column in enumerate(table.columns):
        if column.kind != "numeric":
            cells.append([*range(len(column.categories)), -1])
            continue
        cuts = sorted({float(t) for tree in trees for t in tree.threshold[tree.feature == j]})
        cuts = [cut for cut in cuts if np.isfinite(cut)]
        between = [(low + high) / 2 for low, high in itertools.pairwise(cuts)]
        ends = [cuts[0] - 1, cuts[-1] + 1] if cuts else [0.0]
        cells.append([*cuts, *between, *ends, np.nan])
    rows = np.array(list(itertools.product(*cells)))
    if len(rows) > 60_000:
        rows = rows[np.random.default_rng(0).permutation(len(rows))[:60_000]]
    return Table.of_columns([Column.like(c, rows[:, j].astype(c.values.dtype)) for j, c in enumerate(table.columns)])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_merged_bag_says_what_the_bag_says_of_every_row_there_could_be(seed: int, vote: str) -> None:
    frame = mixed_rows(seed)
    tree = learnt.DecisionTreeClassifier(max_depth=2 + seed % 2)
    bag = learnt.BaggingClassifier(tree, n_estimators=3, vote=vote, random_state=seed).fit(
        frame, target_of(frame, seed)
    )
    one = learnt.merge_trees(bag)
    grid = grid_of([one.tree_, *(member.tree_ for member in bag.estimators_)], frame)
    np.testing.assert_allclose(one.predict_proba(grid), bag.predict_proba(grid), atol=1e-12)
    type(one.tree_)(**one.tree_.fields())  # passes all checks of trees that come from outside
    one.tree_.check_columns(one._schema)


@pytest.mark.parametrize("seed", range(3))
def test_merged_regressors_predict_the_weighted_mean(seed: int) -> None:
    frame = mixed_rows(seed)
    y = frame["a"].fillna(1).to_numpy() ** 2 + np.random.default_rng(seed).standard_normal(N)
    members = [learnt.DecisionTreeRegressor(max_depth=d) for d in (1, 2, 3)]
    vote = learnt.VotingRegressor(members, weights=[1, 2, 5]).fit(frame, y)
    one = learnt.merge_trees(vote)
    grid = grid_of([member.tree_ for member in vote.estimators_], frame)
    np.testing.assert_allclose(one.predict(grid), vote.predict(grid), rtol=1e-12)
    fitted = [learnt.clone(member).fit(frame, y) for member in members]
    np.testing.assert_array_equal(learnt.merge_trees(fitted, weights=[1, 2, 5]).predict(grid), one.predict(grid))


def test_a_small_forest_of_drawn_columns_becomes_one_tree() -> None:
    frame = mixed_rows(5)
    forest = learnt.RandomForestClassifier(n_estimators=4, max_leaf_nodes=4).fit(frame, target_of(frame, 5))
    one = learnt.merge_trees(forest)
    grid = grid_of(list(forest.trees_), frame)
    np.testing.assert_allclose(one.predict_proba(grid), forest.predict_proba(grid), atol=1e-12)
    some = learnt.RandomSubspaceClassifier(learnt.DecisionTreeClassifier(max_depth=2), n_estimators=3)
    some.fit(frame, target_of(frame, 5))
    grid = grid_of([member.tree_ for member in [learnt.merge_trees(some)]], frame)
    np.testing.assert_allclose(learnt.merge_trees(some).predict_proba(grid), some.predict_proba(grid), atol=1e-12)


def test_trees_of_many_branches_are_merged() -> None:
    frame = mixed_rows(7, gaps=False)[["town", "size", "own"]].astype(str)
    y = target_of(mixed_rows(7, gaps=False), 7)
    trees = [learnt.ID3Classifier(max_depth=d).fit(frame, y) for d in (1, 2)]
    if any(tree.tree_.cuts_rows for tree in trees):
        with pytest.raises(InputError, match="in parts"):
            learnt.merge_trees(trees)
        return
    one = learnt.merge_trees(trees)
    grid = grid_of([tree.tree_ for tree in trees], frame)
    mean = (trees[0].predict_proba(grid) + trees[1].predict_proba(grid)) / 2
    np.testing.assert_allclose(one.predict_proba(grid), mean, atol=1e-12)


def test_branches_that_no_row_can_reach_are_not_there() -> None:
    x = {"x": np.arange(10.0)}
    early, late = (learnt.DecisionTreeRegressor(max_depth=1).fit(x, (x["x"] > cut).astype(float)) for cut in (2.5, 6.5))
    one = learnt.merge_trees([early, late])
    assert one.tree_.n_leaves == 3  # of four combinations, x ≤ 2.5 and x > 6.5 is none
    assert learnt.merge_trees([early, early, early]).tree_.n_leaves == 2
    np.testing.assert_allclose(one.predict({"x": [0.0, 5.0, 9.0]}), [0, 0.5, 1])


def test_without_missing_cells_their_branches_are_left_out() -> None:
    iris = learnt.datasets.iris()
    bag = learnt.BaggingClassifier(learnt.DecisionTreeClassifier(max_depth=2), n_estimators=3).fit(iris)
    small, large = learnt.merge_trees(bag, missing=False), learnt.merge_trees(bag)
    assert small.get_n_leaves() < large.get_n_leaves()
    grid = grid_of([member.tree_ for member in bag.estimators_], iris.drop("class").to_pandas())
    known = grid.take(~np.isnan(np.column_stack([c.values for c in grid.columns])).any(axis=1))
    np.testing.assert_allclose(small.predict_proba(known), bag.predict_proba(known), atol=1e-12)
    with_gaps = grid.take(np.isnan(np.column_stack([c.values for c in grid.columns])).any(axis=1))
    np.testing.assert_allclose(large.predict_proba(with_gaps), bag.predict_proba(with_gaps), atol=1e-12)


def test_leaves_that_say_the_same_are_put_together() -> None:
    x = {"x": np.arange(10.0)}
    rising = learnt.DecisionTreeRegressor(max_depth=1).fit(x, (x["x"] > 4.5).astype(float))
    falling = learnt.DecisionTreeRegressor(max_depth=1).fit(x, (x["x"] < 4.5).astype(float))
    one = learnt.merge_trees([rising, falling])
    assert one.tree_.n_leaves == 1
    assert one.predict(x).tolist() == [0.5] * 10


def test_rows_of_a_table_are_counted_at_the_nodes() -> None:
    iris = learnt.datasets.iris()
    bag = learnt.BaggingClassifier(learnt.DecisionTreeClassifier(max_depth=2), n_estimators=3).fit(iris)
    one = learnt.merge_trees(bag, iris)
    leaves = np.bincount(one.apply(iris), minlength=one.tree_.node_count)
    np.testing.assert_array_equal(one.tree_.weight[one.tree_.is_leaf], leaves[one.tree_.is_leaf])
    assert one.tree_.weight[0] == 150
    np.testing.assert_allclose(one.predict_proba(iris), bag.predict_proba(iris), atol=1e-12)
    assert "petallength" in str(one)
    told = one.explain(iris)[0]
    assert told.add_up() == pytest.approx(told.total)


def test_what_cannot_be_merged_is_refused(tmp_path) -> None:
    frame = mixed_rows(0)
    y = target_of(frame, 0)
    with pytest.raises(InputError, match="in parts"):
        learnt.merge_trees([learnt.C45Classifier().fit(frame, y)])
    with pytest.raises(InputError, match="no vote of trees"):
        learnt.merge_trees(learnt.NaiveBayesClassifier().fit(frame, y))
    with pytest.raises(InputError, match="no fitted tree"):
        learnt.merge_trees(learnt.VotingClassifier([learnt.NaiveBayesClassifier()]).fit(frame, y))
    with pytest.raises(InputError, match="max_leaves=20 leaves"):
        learnt.merge_trees(learnt.RandomForestClassifier(n_estimators=10).fit(frame, y), max_leaves=20)
    with pytest.raises(ParameterError, match="max_leaves"):
        learnt.merge_trees([], max_leaves=0)
    with pytest.raises(InputError, match="no trees"):
        learnt.merge_trees([])
    pair = [learnt.DecisionTreeClassifier(max_depth=1).fit(some, y) for some in (frame, frame[["b"]])]
    with pytest.raises(InputError, match="same columns"):
        learnt.merge_trees(pair)


def test_rows_with_gaps_fulfil_the_rule_of_the_leaf_that_they_come_to() -> None:
    votes = learnt.datasets.load("vote")
    rows = votes.drop(votes.target)
    bag = learnt.BaggingClassifier(learnt.DecisionTreeClassifier(max_depth=2), n_estimators=3).fit(votes)
    for one in (learnt.merge_trees(bag), learnt.merge_trees(bag, votes)):
        fits = np.array([rule.test(rows) for rule in one.to_rules()])
        np.testing.assert_array_equal(fits.sum(axis=0), 1)
        assert len(np.unique(np.column_stack([one.apply(rows), fits.argmax(axis=0)]), axis=0)) == len(
            np.unique(one.apply(rows))
        )
        assert "is missing" in str(one)
    gaps = rows.columns[one.tree_.feature[0]].missing
    assert one.tree_.missing_weight[0] == gaps.sum() > 0
    assert not learnt.merge_trees(bag, missing=False).tree_.missing_weight.any()


def test_a_merged_tree_is_saved(tmp_path) -> None:
    iris = learnt.datasets.iris()
    one = learnt.merge_trees([learnt.DecisionTreeClassifier(max_depth=d).fit(iris) for d in (1, 2)])
    learnt.save(one, tmp_path / "one.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "one.learnt").predict_proba(iris), one.predict_proba(iris))
