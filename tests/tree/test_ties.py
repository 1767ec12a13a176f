"""Of equally good columns every tree learner tests the first by position: a frame and its array give one tree."""

import numpy as np
import pytest

import learnt

TREES = [
    learnt.ID3Classifier(),
    learnt.C45Classifier(),
    learnt.DecisionTreeClassifier(),
    learnt.DecisionTreeRegressor(),
    learnt.DecisionTreeRegressor(criterion="absolute_error"),
    learnt.DecisionStumpClassifier(),
    learnt.DecisionStumpRegressor(),
    learnt.RuleListClassifier(),
    learnt.RandomForestClassifier(n_estimators=3, random_state=0),
    learnt.ExtraTreesRegressor(n_estimators=3, random_state=0),
    learnt.GradientBoostingClassifier(max_iter=3),
    learnt.GradientBoostingRegressor(max_iter=3),
    learnt.AdaBoostClassifier(n_estimators=3),
]
NAMES = ["x10", "x2", "b", "a"]


@pytest.mark.parametrize("learner", TREES, ids=lambda learner: type(learner).__name__)
def test_a_frame_and_its_array_give_one_model(learner):
    rng = np.random.default_rng(1)
    x = rng.integers(4, size=(60, 2)).astype(float)
    cells = np.concatenate([x, x[:, ::-1]], axis=1)  # every column has a twin
    y = (x.sum(axis=1) > 3).astype(int) if learner.task == "classification" else x.sum(axis=1) + rng.normal(size=60)
    probe = np.concatenate([cells, rng.integers(4, size=(200, 4))])  # where twins differ
    if isinstance(learner, learnt.ID3Classifier):
        words = [[f"v{int(cell)}" for cell in column] for column in cells.T]
        model = learner.fit(dict(zip(NAMES, words, strict=True)), y)
        assert {NAMES[j] for j in model.tree_.feature.tolist() if j >= 0} <= {"x10", "x2"}
        return
    by_array = learnt.clone(learner).fit(cells, y).predict(probe)
    by_name = learnt.clone(learner).fit(dict(zip(NAMES, cells.T, strict=True)), y)
    np.testing.assert_array_equal(by_name.predict(dict(zip(NAMES, probe.T, strict=True))), by_array)


def test_the_first_of_two_equal_columns_is_tested():
    x = {"x10": [1, 2, 3, 4], "x2": [1, 2, 3, 4]}
    for names in (["x10", "x2"], ["x2", "x10"]):
        table = {name: x[name] for name in names}
        assert str(learnt.DecisionTreeClassifier().fit(table, ["a", "a", "b", "b"])).startswith(names[0])
