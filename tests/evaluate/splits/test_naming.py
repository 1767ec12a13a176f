"""Results name the splits they come from: in the order of time, at random, or folds."""

import numpy as np
import pytest
import sklearn.model_selection as peer

import learnt
from learnt.evaluate import splits
from learnt.evaluate.cross_validation import cross_validate
from learnt.evaluate.splits.naming import Splitting

pytestmark = pytest.mark.usefixtures("forked_workers")


def rows(n=60):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return {"day": np.arange(n), "x": x, "y": x + rng.normal(size=n)}


LEARNERS = ["LinearRegression", "MeanRegressor"]
ORDERED = [splits.TimeSeriesSplit(4), peer.TimeSeriesSplit(4)]


@pytest.mark.costly
@pytest.mark.parametrize("splitter", ORDERED, ids=["learnt", "scikit-learn"])
def test_a_comparison_on_a_time_series_says_so_wherever_it_tells_how_it_was_made(splitter):
    pytest.importorskip("jinja2")
    found = learnt.compare(rows(), "y", learners=LEARNERS, cv=splitter, n_jobs=1)
    assert "by 4 time-ordered splits" in str(found)
    assert found.to_dict()["splitting"] == "4 time-ordered splits"
    page = found.to_html()
    for text in (str(found), page):
        assert "-fold cross-validation" not in text
    assert page.count("4 time-ordered splits") >= 2  # above, and in the section on the method
    assert "random folds let learners see the future" not in page


def test_a_cross_validation_on_a_time_series_says_so():
    found = cross_validate(learnt.LinearRegression(), rows(), "y", cv=splits.TimeSeriesSplit(3), n_jobs=1)
    assert "3 time-ordered splits, 60 rows" in str(found)
    assert "3 time-ordered splits" in repr(found)
    pytest.importorskip("matplotlib")
    assert "time" in found.plot().get_xlabel()


@pytest.mark.parametrize(
    ("cv", "n", "words"),
    [
        (10, 10, "10-fold cross-validation"),
        (splits.StratifiedKFold(4), 4, "4-fold cross-validation"),
        (splits.RepeatedKFold(n_splits=5, n_repeats=3), 15, "5-fold cross-validation, repeated 3 times"),
        (peer.RepeatedStratifiedKFold(n_splits=5, n_repeats=3), 15, "5-fold cross-validation, repeated 3 times"),
        (splits.LeaveOneOut(), 60, "cross-validation that leaves out one row at a time"),
        (peer.ShuffleSplit(7), 7, "7 random splits"),
        (splits.TimeSeriesSplit(2, gap=3), 2, "2 time-ordered splits"),
        (peer.PredefinedSplit([0, 1, 1]), 2, "2 splits of PredefinedSplit"),
    ],
)
def test_every_splitter_is_called_what_it_is(cv, n, words):
    assert Splitting.of(cv, n).words == words


def test_folds_by_number_are_named_as_before():
    found = learnt.compare(rows(), "y", learners=LEARNERS, cv=3, repeats=2, n_jobs=1)
    assert "by 3-fold cross-validation, repeated 2 times, seed 0" in " ".join(str(found).split())
