"""What principal components lose, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from learnt import Table
from learnt.novelty.reconstruction import ReconstructionError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 5)) @ RNG.normal(size=(5, 5))
NEW = RNG.normal(size=(40, 5)) * 3


@pytest.mark.parametrize("kept", [1, 3, 0.6])
def test_errors_are_those_of_scikit_learn(kept):
    model = ReconstructionError.fitted(Table(X), np.ones(200), kept, standardize=False)
    pca = PCA(n_components=kept).fit(X)
    wanted = ((NEW - pca.inverse_transform(pca.transform(NEW))) ** 2).sum(axis=1)
    np.testing.assert_allclose(model.novelty(Table(NEW)), wanted, rtol=1e-8)


def test_something_is_always_lost():
    model = ReconstructionError.fitted(Table(X), np.ones(200), 99, standardize=False)
    assert len(model.components) == 4
    one = ReconstructionError.fitted(Table(X[:, :1]), np.ones(200), 0.9, standardize=True)
    assert len(one.components) == 0
    assert (one.novelty(Table([[50.0]])) > 10).all()
