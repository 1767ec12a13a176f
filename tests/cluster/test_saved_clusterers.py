"""What a file may not hold: hierarchies, rows and cores that contradict each other."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import pdist, squareform

import learnt
from learnt import DBSCAN, AgglomerativeClustering, DivisiveClustering
from learnt.distance import Metric
from learnt.errors import SavedModelError

ROWS = np.random.default_rng(0).normal(size=(30, 2))


def changed(name, change):
    return lambda model: setattr(model, name, change(getattr(model, name)))


def with_first(value):
    def change(array):
        array = array.copy()
        array[0] = value
        return array

    return change


EVERY = [
    changed("labels_", lambda a: a[:-1]),
    changed("labels_", lambda a: a.astype(float)),
    changed("labels_", with_first(-2)),
    changed("labels_", with_first(99)),
    changed("labels_", lambda a: a + 1),
    changed("_rows", lambda rows: None),
    changed("_rows", lambda rows: dataclasses.replace(rows, matrix=rows.matrix[:, :1])),
    changed("_rows", lambda rows: dataclasses.replace(rows, matrix=rows.matrix * np.inf)),
    changed("n_clusters_", lambda k: k + 1),
]
TREES = [
    changed("hierarchy_", lambda tree: AgglomerativeClustering().fit(ROWS[:9]).hierarchy_),
    changed("_design", lambda design: AgglomerativeClustering().fit(ROWS[:, :1])._design),
    changed("_design", lambda design: None),
]
DENSE = [
    changed("_kept_core", with_first(-1)),
    changed("_kept_core", lambda a: a[::-1].copy()),
    changed("_kept_core", lambda a: a + 30),
    changed("_kept_core", lambda a: a[:-1]),
    changed("core_sample_indices_", lambda a: a + 30),
    changed("_metric", lambda m: Metric("mixed", ranges=np.ones(5))),
    changed("_row_weights", lambda w: np.ones(3)),
    changed("eps", lambda eps: -1.0),
]
CASES = [
    *((AgglomerativeClustering(3), harm) for harm in EVERY + TREES),
    *((DivisiveClustering(3), harm) for harm in EVERY + TREES),
    *((DBSCAN(0.6, min_samples=3), harm) for harm in EVERY + DENSE),
]


@pytest.mark.parametrize(("learner", "harm"), CASES)
def test_a_model_that_contradicts_itself_is_refused(learner, harm):
    model = learner.fit(ROWS)
    model._check_fitted_state()
    harm(model)
    with pytest.raises(SavedModelError):
        model._check_fitted_state()


@pytest.mark.parametrize(
    "learner",
    [
        AgglomerativeClustering(3),
        AgglomerativeClustering(3, linkage="average", metric="manhattan"),
        AgglomerativeClustering(3, linkage="complete", connectivity=np.ones((30, 30))),
        DivisiveClustering(4),
        DivisiveClustering(4, method="diana"),
        DBSCAN(0.6, min_samples=3),
    ],
)
def test_models_come_back_from_a_file_as_they_were(learner, tmp_path):
    model = learner.fit(ROWS)
    learnt.save(model, tmp_path / "model.learnt")
    back = learnt.load(tmp_path / "model.learnt")
    new = np.random.default_rng(1).normal(size=(50, 2))
    assert_array_equal(back.predict(new), model.predict(new))
    assert_array_equal(back.labels_, model.labels_)
    assert str(back) == str(model)
    if hasattr(model, "hierarchy_"):
        assert_array_equal(back.linkage_matrix_, model.linkage_matrix_)


def test_models_of_given_distances_come_back_and_still_refuse_rows(tmp_path):
    square = squareform(pdist(ROWS))
    for learner in (
        AgglomerativeClustering(3, metric="precomputed"),
        DivisiveClustering(3, method="diana", metric="precomputed"),
        DBSCAN(0.6, min_samples=3, metric="precomputed"),
    ):
        model = learner.fit(square, sample_weight=[1.0] * 29 + [0.0])
        learnt.save(model, tmp_path / "model.learnt")
        back = learnt.load(tmp_path / "model.learnt")
        assert_array_equal(back.labels_, model.labels_)
        with pytest.raises(learnt.errors.InputError, match="cannot place new rows"):
            back.predict(square)
