"""Distances and inertia against SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from learnt import KernelKMeans, KMeans


def test_transform_gives_distances_and_score_the_inertia():
    x = np.random.default_rng(0).normal(size=(60, 3))
    model = KMeans(3, standardize=False).fit(x)
    exact = cdist(x, model.cluster_centers_)
    np.testing.assert_allclose(model.transform(x), exact, atol=1e-9)
    assert model.score(x) == pytest.approx(-(exact.min(axis=1) ** 2).sum())
    weights = np.arange(60) % 3
    assert model.score(x, sample_weight=weights) == pytest.approx(model.score(np.repeat(x, weights, axis=0)))


def test_fit_transform_is_fit_and_transform():
    x = np.random.default_rng(1).normal(size=(40, 2))
    np.testing.assert_array_equal(KMeans(2).fit_transform(x), KMeans(2).fit(x).transform(x))


def test_means_in_the_space_of_a_linear_kernel_are_the_plain_ones():
    x = np.random.default_rng(2).normal(size=(50, 3))
    model = KernelKMeans(3, kernel="linear", standardize=False).fit(x)
    centres = np.array([x[model.labels_ == c].mean(axis=0) for c in range(3)])
    exact = cdist(x, centres)
    np.testing.assert_allclose(model.transform(x), exact, atol=1e-7)
    assert model.score(x) == pytest.approx(-(exact.min(axis=1) ** 2).sum())
