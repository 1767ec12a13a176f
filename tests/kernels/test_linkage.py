"""Kernels of hierarchies and density clusters at every instruction set, and what their bindings refuse."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from learnt import _core


def room(n):
    return np.empty((n - 1, 2), np.int64), np.empty(n - 1), np.empty(n - 1, np.int64)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("method", ["single", "ward", "centroid", "median"])
@pytest.mark.parametrize("shape", [(2, 1), (33, 2), (65, 17), (400, 5)])
def test_trees_from_coordinates_are_those_of_scipy(method, shape, threads):
    _core.set_threads(threads)
    x = np.random.default_rng(1).normal(size=shape)
    out = room(len(x))
    assert _core.link_rows(x, method, "l2", 2.0, None, None, *out) == len(x) - 1
    wanted = linkage(x, method)
    np.testing.assert_allclose(out[1], wanted[:, 2], rtol=1e-10)
    np.testing.assert_array_equal(np.column_stack([out[0], out[2]]), wanted[:, [0, 1, 3]])


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("norm", ["l1", "l2", "max", "lp", "hamming"])
def test_single_linkage_takes_every_norm_and_column_weights(norm):
    x = np.random.default_rng(2).integers(0, 9, (70, 6)).astype(float)
    w = np.array([1.0, 2.0, 0.5, 0.0, 1.0, 3.0])
    name = {"l1": "cityblock", "l2": "euclidean", "max": "chebyshev", "lp": "minkowski", "hamming": "hamming"}[norm]
    wanted = linkage(x, "single", name) if norm != "lp" else linkage(pdist(x, name, p=3), "single")
    out = room(70)
    _core.link_rows(x, "single", norm, 3.0, None, None, *out)
    np.testing.assert_allclose(out[1], wanted[:, 2], rtol=1e-12)
    _core.link_rows(x, "single", norm, 3.0, w, None, *out)
    given = pdist(x * w, name) if norm == "max" else pdist(x, name, **({"p": 3} if norm == "lp" else {}), w=w)
    np.testing.assert_allclose(out[1], linkage(given, "single")[:, 2], rtol=1e-12)


@pytest.mark.usefixtures("level")
def test_density_clusters_hold_what_chains_of_cores_reach(dtype):
    x = np.random.default_rng(3).integers(0, 12, (150, 2)).astype(dtype)
    near = squareform(pdist(x.astype(float))) <= 1.0
    core = near.sum(1) >= 4
    reach = np.linalg.matrix_power((near & core & core[:, None]).astype(float), 64) > 0
    labels, found = np.empty(150, np.int32), np.empty(150, np.uint8)
    _core.dbscan(x, "l2", 2.0, None, 1.0, 4.0, None, labels, found)
    np.testing.assert_array_equal(found, core)
    np.testing.assert_array_equal((labels[:, None] == labels)[np.ix_(core, core)], reach[np.ix_(core, core)])
    np.testing.assert_array_equal(labels >= 0, (near & core).any(1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: _core.link_rows(np.zeros((5, 2)), "wards", "l2", 2.0, None, None, *room(5)), "'method' is 'wards'"),
        (
            lambda: _core.link_rows(np.zeros((5, 2)), "average", "l2", 2.0, None, None, *room(5)),
            "distances of all pairs",
        ),
        (lambda: _core.link_rows(np.zeros((5, 2)), "ward", "l1", 2.0, None, None, *room(5)), "Only 'single'"),
        (lambda: _core.link_rows(np.zeros((5, 2)), "ward", "l2", 2.0, None, None, *room(4)), "'children' is 3 × 2"),
        (lambda: _core.link_rows(np.full((5, 2), np.nan), "ward", "l2", 2.0, None, None, *room(5)), "not finite"),
        (lambda: _core.link_rows(np.full((5, 2), np.nan), "single", "l2", 2.0, None, None, *room(5)), "not finite"),
        (lambda: _core.link_rows(np.full((5, 2), np.nan), "median", "l2", 2.0, None, None, *room(5)), "not finite"),
        (lambda: _core.link_pairs(np.zeros(9), 5, "average", None, *room(5)), "'distances' has the length 9"),
        (lambda: _core.link_pairs(np.full(10, np.nan), 5, "average", None, *room(5)), "not finite"),
        (lambda: _core.link_pairs(np.full(10, np.nan), 5, "centroid", None, *room(5)), "not finite"),
        (lambda: _core.divide_pairs(np.zeros(9), 5, *room(5)), "'distances' has the length 9"),
        (
            lambda: _core.link_graph(np.array([0, 1, 1]), np.array([2]), np.ones(1), None, "single", None, *room(2)),
            "a row that is not there",
        ),
        (
            lambda: _core.link_graph(np.array([0, 1, 0, 1]), np.array([2]), np.ones(1), None, "single", None, *room(3)),
            "goes backwards",
        ),
        (
            lambda: _core.dbscan(
                np.zeros((5, 2)), "l2", 2.0, None, -1.0, 4.0, None, np.empty(5, np.int32), np.empty(5, np.uint8)
            ),
            "'eps' is negative",
        ),
        (
            lambda: _core.dbscan(
                np.zeros((5, 2)), "l2", 2.0, None, 1.0, 4.0, np.ones(4), np.empty(5, np.int32), np.empty(5, np.uint8)
            ),
            "'weights' has the length 4",
        ),
    ],
)
def test_wrong_shapes_and_numbers_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
