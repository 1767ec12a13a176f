"""Probabilities of machines: from rows held out, against scikit-learn's calibration of LIBSVM's."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC as TheirSVC

from learnt import SVC, datasets
from learnt.kernel.machines.sigmoids import sigmoid_of


@pytest.mark.parametrize("name", ["iris", "glass", "labor"])
def test_they_are_as_good_as_platts_by_the_log_loss(name):
    table = datasets.load(name)
    rows, y = table.drop(table.target), np.array(table[table.target].labels())
    ours, theirs = [], []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(y, y):
        model = SVC().fit(rows.take(train), y[train])
        x = [np.asarray(model._numbers(rows.take(some))) for some in (train, test)]
        peer = CalibratedClassifierCV(TheirSVC(gamma=model._kernel.gamma), ensemble=False, cv=3).fit(x[0], y[train])
        ours.append(log_loss(y[test], model.predict_proba(rows.take(test)), labels=list(model.classes_)))
        theirs.append(log_loss(y[test], peer.predict_proba(x[1]), labels=list(peer.classes_)))
    assert np.mean(ours) < 1.02 * np.mean(theirs)


def test_the_sigmoid_is_the_most_likely_one():
    rng = np.random.default_rng(0)
    f = rng.normal(size=4000)
    first = rng.random(4000) < 1 / (1 + np.exp(-(2.0 * f - 1.0)))
    a, b = sigmoid_of(f, first, np.ones(4000))
    assert (a, b) == (pytest.approx(2.0, abs=0.2), pytest.approx(-1.0, abs=0.15))
    # Weights are copies up to their unit, and units of scores do not matter.
    twice = sigmoid_of(np.repeat(f, 2), np.repeat(first, 2), np.ones(8000))
    assert twice == (pytest.approx(a, abs=1e-2), pytest.approx(b, abs=1e-2))
    scaled = sigmoid_of(1000 * f, first, np.ones(4000))
    assert (scaled[0] * 1000, scaled[1]) == (pytest.approx(a), pytest.approx(b))


def test_scores_that_say_the_opposite_keep_their_order():
    f = np.array([-2.0, -1.0, 1.0, 2.0])
    a, _ = sigmoid_of(f, f < 0, np.ones(4))
    assert a > 0
    assert sigmoid_of(np.zeros(3), np.array([True, False, True]), np.ones(3)) == (1.0, 0.0)
