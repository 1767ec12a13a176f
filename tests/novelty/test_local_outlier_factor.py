"""Local outlier factors are scikit-learn's."""

import numpy as np
import pytest
from sklearn.neighbors import LocalOutlierFactor as TheirFactor

from learnt import Table
from learnt.novelty.local_outlier_factor import LocalOutlierFactor


@pytest.mark.parametrize("k", [1, 5, 20])
def test_factors_of_new_rows_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(0)
    x = np.vstack([rng.normal(size=(200, 3)), 5 + rng.normal(size=(100, 3)) / 9])
    new = rng.normal(size=(60, 3)) * 3
    ours = LocalOutlierFactor.fitted(Table(x), np.ones(300), k, standardize=False).novelty(Table(new))
    theirs = TheirFactor(n_neighbors=k, novelty=True).fit(x)
    np.testing.assert_allclose(ours, -theirs.score_samples(new), rtol=1e-8)


def test_more_copies_than_neighbours_leave_factors_finite():
    x = np.append(np.zeros(30), np.arange(1.0, 11.0))[:, None]
    model = LocalOutlierFactor.fitted(Table(x), np.ones(40), 5, standardize=False)
    near, far = model.novelty(Table([[0.0], [0.5]]))
    np.testing.assert_allclose(near, 1.0)
    assert 1e6 < far < np.inf


def test_a_row_of_weight_two_has_its_copy_as_neighbour():
    x = np.random.default_rng(1).normal(size=(60, 2))
    copies = np.random.default_rng(2).integers(1, 9, 60)
    weighted = LocalOutlierFactor.fitted(Table(x), copies.astype(float), 5, standardize=False)
    repeated = LocalOutlierFactor.fitted(
        Table(np.repeat(x, copies, axis=0)), np.ones(copies.sum()), 5, standardize=False
    )
    new = Table(np.random.default_rng(3).normal(size=(30, 2)))
    np.testing.assert_allclose(weighted.novelty(new), repeated.novelty(new), rtol=1e-9)
