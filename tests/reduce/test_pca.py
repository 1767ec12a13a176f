"""PCA against scikit-learn, NumPy and its own definition."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition

import learnt
from learnt import PCA
from learnt.errors import ConvergenceWarning, InputError, ParameterError

METHODS = ("covariance", "svd", "randomized", "power")


def cloud(n=300, p=8, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return rng.normal(size=(n, p)) * 2.0 ** -np.arange(p) @ turn + offset


def stored(n, p, cells, seed):
    """A sparse matrix of so many cells."""
    rng = np.random.default_rng(seed)
    places = rng.integers(n, size=cells), rng.integers(p, size=cells)
    return sparse.coo_matrix((rng.normal(size=cells), places), shape=(n, p)).tocsr()


def same_axes(one, other, tolerance):
    np.testing.assert_allclose(np.abs((one * other).sum(axis=1)), 1, rtol=tolerance)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "arpack", "randomized"])
def test_every_method_gives_what_every_solver_of_scikit_learn_gives(method, solver):
    x = cloud()
    theirs = decomposition.PCA(4, svd_solver=solver, random_state=0, iterated_power=30).fit(x)
    ours = PCA(4, method=method, random_state=0, tol=1e-12).fit(x)
    assert ours.converged_
    same_axes(ours.components_, theirs.components_, 1e-9)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-12, err_msg=name)
    sign = np.sign((ours.components_ * theirs.components_).sum(axis=1))
    np.testing.assert_allclose(ours.transform(x) * sign, theirs.transform(x), atol=1e-6)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(x)), theirs.inverse_transform(theirs.transform(x)))


@pytest.mark.parametrize("method", METHODS)
def test_whitened_scores_have_variance_one_and_go_back(method):
    x = cloud(offset=3.0)
    model = PCA(3, whiten=True, method=method, random_state=0).fit(x)
    scores = model.transform(x)
    np.testing.assert_allclose(np.cov(scores.T), np.eye(3), atol=1e-6)
    plain = PCA(3, method=method, random_state=0).fit(x)
    np.testing.assert_allclose(model.inverse_transform(scores), plain.inverse_transform(plain.transform(x)), atol=1e-9)


def test_the_largest_loading_of_every_component_is_positive():
    for method in METHODS:
        found = PCA(method=method, random_state=1).fit(cloud()).components_
        assert np.all(found[np.arange(len(found)), np.abs(found).argmax(axis=1)] > 0), method


def test_power_iteration_finds_components_one_by_one_at_right_angles():
    model = PCA(method="power", random_state=3).fit(cloud())
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(8), atol=1e-12)
    with pytest.warns(ConvergenceWarning, match="come to rest"):
        PCA(method="power", max_iter=2, random_state=3).fit(cloud())


@pytest.mark.parametrize("method", METHODS)
def test_numbers_far_from_zero_lose_nothing(method):
    x = cloud()
    far = PCA(method=method, random_state=0).fit(x + 1e8)
    np.testing.assert_allclose(far.explained_variance_, PCA().fit(x).explained_variance_, rtol=1e-5)
    np.testing.assert_allclose(far.explained_variance_[:3], PCA().fit(x).explained_variance_[:3], rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e150, 1e-150, 1e170, 1e-170])
@pytest.mark.parametrize("standardize", [True, False])
def test_very_large_and_very_small_numbers_are_numbers(method, size, standardize):
    x = cloud(80, 3)
    settings = {"method": method, "standardize": standardize, "random_state": 0, "tol": 1e-10}
    ours, plain = PCA(**settings).fit(x * size), PCA(**settings).fit(x)
    np.testing.assert_allclose(ours.components_, plain.components_, atol=1e-7)
    unit = 1.0 if standardize else size
    np.testing.assert_allclose(ours.transform(x * size) / unit, plain.transform(x), atol=1e-6)
    np.testing.assert_allclose(ours.singular_values_ / unit, plain.singular_values_, rtol=1e-9)


@pytest.mark.parametrize("size", [1e150, 1e-150, 1e170])
@pytest.mark.parametrize("method", ["covariance", "randomized"])
def test_very_large_and_very_small_sparse_numbers_are_numbers(method, size):
    x = stored(60, 12, 300, seed=3)
    ours, plain = (PCA(3, method=method, random_state=0).fit(rows) for rows in (x * size, x))
    np.testing.assert_allclose(ours.transform(x * size) / size, plain.transform(x), atol=1e-6)


def test_small_components_keep_their_digits_by_svd():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    x = np.linalg.qr(rng.normal(size=(50, 3)) - 0.0)[0]
    x = (x - x.mean(axis=0)) * [1.0, 1e-5, 1e-11] @ turn
    exact = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(PCA(3, method="svd").fit(x).singular_values_, exact, rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_share_of_the_variance_or_a_number_says_how_many(method):
    x = cloud()
    ratio = PCA().fit(x).explained_variance_ratio_
    for share in (0.3, 0.75, 0.99):
        if method == "randomized":
            with pytest.raises(InputError, match="share of the variance"):
                PCA(share, method=method).fit(x)
            continue
        wanted = int(np.flatnonzero(np.cumsum(ratio) >= share)[0]) + 1
        assert PCA(share, method=method, random_state=0).fit(x).n_components_ == wanted
    with pytest.raises(InputError, match=r"n_components=9 must be between 1 and min\(n_samples, n_features\)=8"):
        PCA(9, method=method).fit(x)
    for wrong in (0, 1.5, 1.0, "mle", True):
        with pytest.raises(ParameterError):
            PCA(wrong).fit(x)


def test_all_means_all_axes_along_which_rows_differ():
    x = cloud(40, 5)
    twice = np.column_stack([x, x[:, 0], np.full(40, 7.0)])
    for method in ("covariance", "svd", "power"):
        assert PCA(method=method, random_state=0).fit(twice).n_components_ == 5, method
    assert PCA().fit(np.ones((4, 3))).n_components_ == 1
    np.testing.assert_array_equal(PCA().fit(np.ones((4, 3))).explained_variance_, [0.0])


def test_weights_are_copies_for_every_method():
    x, counts = cloud(60, 4), np.random.default_rng(1).integers(0, 4, 60)
    for method in METHODS:
        one = PCA(method=method, random_state=0).fit(x, sample_weight=counts)
        two = PCA(method=method, random_state=0).fit(np.repeat(x, counts, axis=0))
        np.testing.assert_allclose(one.components_, two.components_, atol=1e-6)
        np.testing.assert_allclose(one.explained_variance_, two.explained_variance_, rtol=1e-8)


def test_a_hundred_thousand_sparse_columns_are_not_made_dense():
    rng = np.random.default_rng(0)
    topics = stored(3, 100_000, 600, seed=1)
    x = (
        sparse.csr_matrix(rng.normal(size=(400, 3)) * [8, 4, 2]) @ topics + stored(400, 100_000, 400, seed=2) * 0.01
    ).tocsr()
    model = PCA(3, random_state=0).fit(x)
    assert model.method_ == "randomized"
    assert model.converged_
    # The scatter of rows has the same eigenvalues as that of columns.
    centered = np.asarray((x @ x.T).todense())
    centered = centered - centered.mean(axis=0) - centered.mean(axis=1)[:, None] + centered.mean()
    np.testing.assert_allclose(model.singular_values_**2, np.linalg.eigvalsh(centered)[::-1][:3], rtol=1e-8)
    assert model.transform(x[:5]).shape == (5, 3)
    told = model.explain(x[:1])[0]
    assert told.add_up() == pytest.approx(told.total, rel=1e-9)
    assert len(told.evidence) == x[:1].nnz + 1


def test_a_sparse_matrix_gives_what_its_dense_twin_gives():
    x = stored(400, 1500, 9000, seed=0)
    dense, thin = (
        PCA(2, method="svd").fit(x.toarray()),
        PCA(2, method="randomized", random_state=0, max_iter=100).fit(x),
    )
    np.testing.assert_allclose(thin.explained_variance_, dense.explained_variance_, rtol=1e-8)


def test_missing_cells_and_categories_enter_as_the_page_says():
    table = {"a": [1.0, None, 3.0, 5.0, 3.0, 0.0], "town": ["x", "y", None, "x", "x", "y"]}
    model = PCA(standardize=False).fit(table)
    assert model.get_design_names() == ("a", "town=x", "town=y")
    encoded = np.array([[1, 1, 0], [2.4, 0, 1], [3, 1, 0], [5, 1, 0], [3, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(model.mean_, encoded.mean(axis=0))
    values, vectors = np.linalg.eigh(np.cov(encoded.T))
    np.testing.assert_allclose(model.explained_variance_, values[::-1][:2], rtol=1e-12)
    same_axes(model.components_, vectors[:, ::-1].T[:2], 1e-12)
    back = model.inverse_transform(model.transform(table))
    assert back.names == ("a", "town=x", "town=y")
    np.testing.assert_allclose(np.array(back), encoded, atol=1e-12)


def test_explanations_add_up_to_every_score_in_the_users_columns():
    iris = learnt.datasets.load("iris")
    model = PCA(3).fit(iris)
    scores = np.array(model.transform(iris))
    for c in range(3):
        told = model.explain(iris, component=c)[17]
        assert told.total == pytest.approx(scores[17, c], rel=1e-10)
        assert told.add_up() == pytest.approx(told.total)
        assert [e.column for e in told.evidence] == list(iris.drop("class").names)
    with pytest.raises(InputError, match="no component 3"):
        model.explain(iris, component=3)


def test_components_print_as_sums_of_columns():
    x = {"height": [1.0, 2.0, 3.0, 4.0], "width": [-2.0, -4.0, -6.0, -8.0], "new\nline": [0.0, 0.0, 0.0, 0.0]}
    model = PCA().fit(x)
    assert model.component(0) == "0.89·width − 0.45·height"
    assert "0.89·width" in str(model)
    assert "100.0 %" in str(model)
    assert str(PCA(2)) == "PCA(n_components=2)"


def test_files_give_the_model_of_the_table(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    x = cloud(900, 5, offset=1e6)
    names = [f"c{j}" for j in range(5)]
    for part in range(3):
        rows = x[part * 300 : part * 300 + 300]
        pq.write_table(pa.table(dict(zip(names, rows.T, strict=True))), tmp_path / f"{part}.parquet")
    source = learnt.scan(tmp_path / "*.parquet")
    for method in METHODS:
        ours = PCA(3, method=method, random_state=0).fit(source)
        np.testing.assert_allclose(ours.explained_variance_, PCA(3).fit(x).explained_variance_, rtol=1e-8)
    assert ours.transform(source).shape == (900, 3)


@pytest.mark.parametrize("method", METHODS)
def test_strange_tables_do_no_harm(method):
    for x in (np.ones((1, 1)), np.ones((5, 3)), np.zeros((2, 4)), np.arange(3.0)[:, None], np.eye(3, 20)):
        model = PCA(method=method, random_state=0).fit(x)
        assert np.isfinite(model.transform(x)).all()
    x = cloud(20, 3)
    x[:, 1] = np.nan
    x[3, 0] = np.nan
    assert np.isfinite(PCA(method=method, random_state=0).fit_transform(x)).all()
    with pytest.raises(InputError, match="infinite"):
        PCA(method=method).fit(np.where(np.isnan(x), np.inf, x))
    with pytest.raises(InputError, match="scores of each row"):
        PCA(method=method, random_state=0).fit(cloud()).inverse_transform(np.ones((2, 3)))


def test_pictures_can_be_drawn():
    import matplotlib

    matplotlib.use("Agg")
    iris = learnt.datasets.load("iris")
    model = PCA().fit(iris.drop("class"))
    ax = model.plot()
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(100 * model.explained_variance_ratio_)
    ax = model.biplot(iris.drop("class"), color=iris["class"].labels())
    assert {"petallength", "sepalwidth"} <= {text.get_text() for text in ax.texts}
