"""Random projections keep distances, and are the same for a seed."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from learnt import RandomProjection, johnson_lindenstrauss_size
from learnt.errors import ParameterError
from learnt.reduce.random_directions import coins, scattered_coins

KINDS = ("dense", "sparse")


def test_the_size_is_that_of_dasgupta_and_gupta():
    for n in (2, 100, 10**6):
        for eps in (0.05, 0.1, 0.5, 0.99):
            assert johnson_lindenstrauss_size(n, eps) == max(1, johnson_lindenstrauss_min_dim(n, eps=eps))
    assert johnson_lindenstrauss_size(1) == 1
    for wrong in ((0, 0.1), (10, 0.0), (10, 1.0), (2.5, 0.1)):
        with pytest.raises(ParameterError):
            johnson_lindenstrauss_size(*wrong)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", ["bells", "one cell", "heavy"])
def test_all_squared_distances_stay_within_the_bound(kind, make):
    """The bound holds with probability above 1 − 1/n, and for these seeds."""
    rng = np.random.default_rng(0)
    x = {
        "bells": lambda: rng.normal(size=(60, 8000)),
        "one cell": lambda: np.eye(60, 8000) * rng.uniform(1, 9, (60, 1)),
        "heavy": lambda: rng.standard_cauchy(size=(60, 8000)).clip(-1e4, 1e4),
    }[make]()
    for seed in range(3):
        model = RandomProjection(eps=0.4, kind=kind, random_state=seed)
        few = model.fit_transform(x)
        assert few.shape == (60, johnson_lindenstrauss_size(60, 0.4))
        ratio = pdist(few) ** 2 / pdist(x) ** 2
        assert ratio.min() > 0.6
        assert ratio.max() < 1.4
        assert ratio.mean() == pytest.approx(1, abs=0.12)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_the_product_with_the_directions(kind):
    x = np.random.default_rng(1).normal(size=(30, 50))
    model = RandomProjection(7, kind=kind, random_state=3).fit(x)
    directions = model.components_ if kind == "dense" else model.components_.toarray()
    assert directions.shape == (7, 50)
    np.testing.assert_allclose(model.transform(x), x @ directions.T, atol=1e-12)
    thin = model.transform(sparse.csr_matrix(x))
    np.testing.assert_allclose(thin if kind == "dense" else thin.toarray(), x @ directions.T, atol=1e-12)
    assert sparse.issparse(thin) == (kind == "sparse")


def test_directions_drawn_in_parts_are_those_drawn_at_once():
    whole = coins(5, 0, 200, 70)
    np.testing.assert_array_equal(np.vstack([coins(5, 0, 33, 70), coins(5, 33, 34, 70), coins(5, 34, 200, 70)]), whole)
    np.testing.assert_allclose(np.abs(whole), 1 / np.sqrt(70))
    np.testing.assert_allclose(whole.mean(), 0, atol=4 / np.sqrt(70 * 70 * 200))
    # Fixed for all time: saved models keep the seed alone.
    assert "".join("-+"[int(sign > 0)] for sign in whole[0, :24]) == "+---+--+--++----+-++++++"
    assert scattered_coins(5, 40, 64).indices[:8].tolist() == [2, 6, 8, 13, 16, 22, 26, 31]


def test_every_column_is_asked_by_a_few_directions_with_length_one():
    found = scattered_coins(1, 1000, 300)
    assert np.all(np.diff(found.indptr) == 16)
    np.testing.assert_allclose(np.asarray(found.multiply(found).sum(axis=1)).ravel(), 1)
    used = np.bincount(found.indices, minlength=300)
    assert used.min() > 20  # 53 each, on the average
    assert scattered_coins(1, 5, 2).shape == (5, 2)


def test_large_directions_are_drawn_again_in_parts(monkeypatch):
    import learnt.reduce.random_projection as module

    x = np.random.default_rng(1).normal(size=(20, 90))
    expected = RandomProjection(11, kind="dense", random_state=0).fit_transform(x)
    monkeypatch.setattr(module, "KEPT_CELLS", 100)
    for rows in (x, sparse.csr_matrix(x)):
        np.testing.assert_allclose(RandomProjection(11, kind="dense", random_state=0).fit_transform(rows), expected)
    many = RandomProjection(11, kind="sparse", random_state=0)
    np.testing.assert_allclose(many.fit_transform(x), x @ many.components_.toarray().T, atol=1e-12)


def test_explanations_add_up_in_the_users_columns():
    table = {"a": [1.0, None, 3.0], "town": ["x", "y", "x"]}
    for kind in KINDS:
        model = RandomProjection(4, kind=kind, random_state=0).fit(table)
        told = model.explain(table, component=2)[1]
        assert told.total == pytest.approx(np.array(model.transform(table))[1, 2])
        assert [e.column for e in told.evidence] == ["a", "town"]


def test_where_nothing_is_to_be_gained_columns_pass():
    x = np.random.default_rng(0).normal(size=(50, 20))
    model = RandomProjection().fit(x)
    np.testing.assert_array_equal(model.transform(x), x)
    np.testing.assert_array_equal(model.components_, np.eye(20))
    assert RandomProjection(25, random_state=0).fit_transform(x).shape == (50, 25)


def test_a_hundred_thousand_columns_stay_small():
    rng = np.random.default_rng(0)
    places = rng.integers(50, size=3000), rng.integers(100_000, size=3000)
    x = sparse.coo_matrix((rng.normal(size=3000), places), shape=(50, 100_000)).tocsr()
    model = RandomProjection(1000, random_state=0).fit(x)
    few = model.transform(x)
    assert sparse.issparse(few)
    assert model.components_.data.nbytes < 20e6
    ratio = pdist(few.toarray()) ** 2 / pdist(x.toarray()[:, np.unique(x.indices)]) ** 2
    assert 0.6 < ratio.min() <= ratio.max() < 1.4
    assert "_directions" not in model.__getstate__()


def test_sums_of_infinite_terms_of_both_signs_are_weighed_against_each_other():
    model = RandomProjection(n_components=8, kind="dense").fit(np.random.default_rng(0).normal(size=(20, 6)))
    far = np.array([[1.7e308, -1.7e308, 1.7e308, -1.7e308, 1.7e308, 1e308], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    found = np.asarray(model.transform(far))
    with np.errstate(over="ignore"):
        wanted = (far.astype(np.longdouble) @ model.components_.T.astype(np.longdouble)).astype(np.float64)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
