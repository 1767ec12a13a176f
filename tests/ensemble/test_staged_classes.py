"""What is answered after each round: the last is the answer, and each is that of a fit with so many rounds."""

import numpy as np
import pytest

import learnt

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
TARGETS = {"two": np.where(X[:, 0] > 0, "a", "b"), "three": np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])}
LEARNERS = {
    "boosting": lambda t: learnt.GradientBoostingClassifier(max_iter=t, early_stopping=False, min_samples_leaf=5),
    "logit": lambda t: learnt.LogitBoostClassifier(n_estimators=t),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_stage_is_a_fit_of_so_many_rounds(name, target):
    y = TARGETS[target]
    model = LEARNERS[name](5).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 5
    np.testing.assert_allclose(stages[-1], model.predict_proba(X))
    np.testing.assert_allclose(stages[1], LEARNERS[name](2).fit(X, y).predict_proba(X), rtol=1e-9)
    for answer, shares in zip(model.staged_predict(X), stages, strict=True):
        np.testing.assert_array_equal(answer, model.classes_[shares.argmax(axis=1)])


def test_one_class_is_certain():
    model = LEARNERS["logit"](2).fit(X, ["a"] * 90)
    assert (model.predict_proba(X) == 1).all()
