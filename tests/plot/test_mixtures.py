"""Pictures of densities: ellipses lie where the Mahalanobis distance says, marks where the numbers are."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.patches import Ellipse

from learnt import GaussianMixture
from learnt.errors import InputError
from learnt.plot.mixtures import plot_ellipses, plot_neighbor_distances

mpl.use("Agg")
RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(90, 3)) @ RNG.normal(size=(3, 3)) + shift for shift in (0, 12)])


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def outline(ellipse):
    """Points of its edge in the units of the data: of a Bézier curve every third one, the others guide it."""
    return ellipse.get_patch_transform().transform(ellipse.get_path().vertices[:25:3])


def covariance(model, c):
    given = model.covariances_
    return {
        "full": lambda: given[c],
        "tied": lambda: given,
        "diag": lambda: np.diag(given[c]),
        "spherical": lambda: given[c] * np.eye(3),
    }[model.covariance_type]()


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_ellipses_are_one_and_two_deviations_from_their_means(shape):
    model = GaussianMixture(n_components=2, covariance_type=shape).fit(X)
    axes = plot_ellipses(model, X, columns=["x0", "x2"])
    edges = [patch for patch in axes.patches if isinstance(patch, Ellipse) and not patch.get_fill()]
    assert len(edges) == 4
    for at, edge in enumerate(edges):
        c, times = divmod(at, 2)
        inverse = np.linalg.inv(covariance(model, c)[np.ix_([0, 2], [0, 2])])
        away = outline(edge) - model.means_[c, [0, 2]]
        distance = np.sqrt(np.einsum("ij,jk,ik->i", away, inverse, away))
        np.testing.assert_allclose(distance, times + 1, rtol=1e-9)


def test_columns_that_are_not_two_of_the_mixtures_are_refused():
    model = GaussianMixture(n_components=2).fit({"a": X[:, 0], "b": X[:, 1]})
    for columns, words in ((["a", "c"], "no column 'c'"), (["a"], "not two"), (["a", "a"], "not two")):
        with pytest.raises(InputError, match=words):
            plot_ellipses(model, {"a": X[:, 0], "b": X[:, 1]}, columns=columns)
    with pytest.raises(InputError, match="needs two columns"):
        plot_ellipses(GaussianMixture(n_components=2).fit(X[:, :1]), X[:, :1])


def test_the_ring_marks_the_share_of_rows_within_eps():
    distances = np.arange(1.0, 11.0)
    axes = plot_neighbor_distances(distances, 7.5, 4)
    ring = axes.lines[-1]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (0.7, 7.5)
    assert any("70" in text.get_text() for text in axes.texts)
