"""Trees of votes, bags and forests: what their leaves say, put together by hand, is what the model says."""

import numpy as np
import pytest

import learnt
from learnt.ensemble.merging.voters import voters_of
from learnt.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")


def leaf_of(tree, x):
    """Walked by hand, of numbers without gaps."""
    node = 0
    while not tree.is_leaf[node]:
        node = int(tree.children_of(node)[int(x[tree.feature[node]] > tree.threshold[node])])
    return node


def mean_of(voters, rows):
    return np.array([sum(v.weight * v.says[leaf_of(v.tree, x[v.columns])] for v in voters.all) for x in rows])


@pytest.mark.parametrize("kind", ["vote", "bag", "forest", "hard"])
def test_what_leaves_say_is_what_the_model_says(kind):
    trees = [learnt.DecisionTreeClassifier(max_depth=d) for d in (1, 2, 3)]
    model = {
        "vote": learnt.VotingClassifier(trees, weights=[1, 2, 3]),
        "hard": learnt.VotingClassifier(trees, vote="hard"),
        "bag": learnt.BaggingClassifier(learnt.DecisionTreeClassifier(max_depth=3), n_estimators=4),
        "forest": learnt.RandomForestClassifier(n_estimators=4),
    }[kind].fit(X, Y)
    voters = voters_of(model)
    np.testing.assert_allclose(mean_of(voters, X), model.predict_proba(X), atol=1e-9)
    assert voters.classes.tolist() == ["no", "yes"]
    assert sum(v.weight for v in voters.all) == pytest.approx(1)


def test_a_list_of_trees_counts_by_its_weights_and_none_is_left_out():
    trees = [learnt.DecisionTreeRegressor(max_depth=d).fit(X, X[:, 0] * 3) for d in (1, 2, 3)]
    voters = voters_of(trees, [1.0, 0.0, 3.0])
    assert [v.weight for v in voters.all] == [0.25, 0.75]
    found = mean_of(voters, X)[:, 0]
    np.testing.assert_allclose(found, 0.25 * trees[0].predict(X) + 0.75 * trees[2].predict(X), atol=1e-9)


def test_what_is_no_vote_of_trees_is_told():
    tree = learnt.DecisionTreeRegressor().fit(X, X[:, 0])
    with pytest.raises(InputError, match="no trees"):
        voters_of([])
    with pytest.raises(InputError, match="no vote of trees"):
        voters_of(learnt.Ridge().fit(X, X[:, 0]))
    with pytest.raises(InputError, match="Expected one ≥ 0 for each"):
        voters_of([tree], [-1.0])
    with pytest.raises(InputError, match="same columns"):
        voters_of([tree, learnt.DecisionTreeRegressor().fit(X[:, :2], X[:, 0])])
    with pytest.raises(InputError, match="some numbers"):
        voters_of([tree, learnt.DecisionTreeClassifier().fit(X, Y)])
