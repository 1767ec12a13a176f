"""How many rows a component needs: the parameters that it has, counted in the arrays of the fitted mixture."""

import numpy as np
import pytest

from learnt import GaussianMixture
from learnt.cluster.mixture.thin import fewest_rows, has_enough_rows, rows_needed

X = np.concatenate([np.random.default_rng(0).normal(c, 1, size=(60, 3)) for c in (-6, 0, 6)])


def parameters(model):
    """Of the means, and of the covariances, which are symmetric; a tied one is shared out, rounded up."""
    covariances = np.atleast_1d(model.covariances_)
    if model.covariance_type == "full":
        return 3 + len(np.unique(covariances[0].round(12)))
    if model.covariance_type == "tied":
        return 3 + -(-len(np.unique(covariances.round(12))) // model.n_components)
    return 3 + covariances[0].size


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_a_component_needs_as_many_rows_as_it_has_parameters(shape):
    model = GaussianMixture(n_components=3, covariance_type=shape).fit(X)
    assert rows_needed(model) == parameters(model)


def test_a_column_that_does_not_vary_needs_no_rows():
    model = GaussianMixture(n_components=2).fit(np.column_stack([X, np.ones(len(X))]))
    assert rows_needed(model) == rows_needed(GaussianMixture(n_components=2).fit(X))


def test_the_smallest_component_decides():
    model = GaussianMixture(n_components=3).fit(X)
    assert fewest_rows(model, len(X)) == pytest.approx(60, abs=1e-3)
    assert has_enough_rows(model, len(X))
    assert has_enough_rows(model, 3 * rows_needed(model) * 1.001)
    assert not has_enough_rows(model, 3 * rows_needed(model) * 0.999)
