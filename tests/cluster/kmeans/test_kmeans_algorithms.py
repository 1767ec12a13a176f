"""KMeans by other roads than plain rounds: bounds, exchange of rows, mini-batches; and how it shows itself."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal

import learnt
from learnt import KMeans
from learnt.errors import InputError, ParameterError


def blobs(n=600, p=5, k=4, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    centers = 4 * rng.standard_normal((k, p))
    return (centers[rng.integers(0, k, n)] + rng.standard_normal((n, p))).astype(dtype)


# Bounds


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "seed"), [(2, 0), (50, 1), (150, 2)])
def test_bounds_end_exactly_where_plain_rounds_end(dtype, k, seed):
    x = blobs(n=1500, k=30, seed=seed, dtype=dtype)
    weights = np.random.default_rng(seed).uniform(0, 2, len(x))
    plain, bounds = (
        KMeans(k, init=x[:k], tol=0, algorithm=name).fit(x, sample_weight=weights) for name in ("lloyd", "bounds")
    )
    assert_array_equal(plain.labels_, bounds.labels_)
    assert_array_equal(plain.cluster_centers_, bounds.cluster_centers_)
    assert (plain.inertia_, plain.n_iter_) == (bounds.inertia_, bounds.n_iter_)


def test_auto_says_what_it_took_and_gives_the_same():
    x = blobs(n=3000, p=16, k=80)
    many, few = (KMeans(k, init=x[:k]).fit(x) for k in (128, 8))
    assert (many.algorithm_, few.algorithm_) == ("bounds", "lloyd")
    assert_array_equal(many.labels_, KMeans(128, init=x[:128], algorithm="lloyd").fit(x).labels_)


def test_bounds_refill_centres_that_lose_their_rows():
    x = blobs(n=400)
    start = np.vstack([x[:3], x[:1] + 1000, x[:1] - 1000])
    plain, bounds = (KMeans(5, init=start, algorithm=name).fit(x) for name in ("lloyd", "bounds"))
    assert np.bincount(plain.labels_, minlength=5).all()
    assert_array_equal(plain.labels_, bounds.labels_)


def test_many_clusters_end_where_scikit_learn_ends():
    x = blobs(n=2000, k=60)
    ours = KMeans(200, init=x[:200], tol=0, algorithm="bounds").fit(x)
    theirs = sklearn.cluster.KMeans(200, init=x[:200], n_init=1, tol=0, algorithm="elkan").fit(x)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-9)


# Exchange


def test_exchange_frees_the_trapped_rectangle():
    corners = np.array([[0.0, 0], [4, 0], [0, 2], [4, 2]])
    assert KMeans(2, init=[[2.0, 0], [2, 2]]).fit(corners).inertia_ == pytest.approx(16)
    assert KMeans(2, init=[[2.0, 0], [2, 2]], algorithm="exchange").fit(corners).inertia_ == pytest.approx(4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_exchange_is_never_worse_than_lloyd_and_no_single_move_helps(seed, weighted):
    x = blobs(n=150, k=12, p=3, seed=seed)
    weights = np.random.default_rng(seed).integers(0, 3, 150).astype(float) if weighted else None
    lloyd = KMeans(10, init=x[:10], tol=0).fit(x, sample_weight=weights)
    model = KMeans(10, init=x[:10], tol=0, algorithm="exchange").fit(x, sample_weight=weights)
    assert model.inertia_ <= lloyd.inertia_ * (1 + 1e-12)
    assert model.converged_
    w = np.ones(150) if weights is None else weights

    def inertia(labels):
        total = 0.0
        for c in np.unique(labels[w > 0]):
            own = (labels == c) & (w > 0)
            mean = np.average(x[own], axis=0, weights=w[own])
            total += float(w[own] @ ((x[own] - mean) ** 2).sum(axis=1))
        return total

    assert inertia(model.labels_) == pytest.approx(model.inertia_)
    for i in np.random.default_rng(9).choice(150, 25, replace=False):
        for c in range(10):
            moved = model.labels_.copy()
            moved[i] = c
            assert inertia(moved) >= model.inertia_ * (1 - 1e-9)
    again = KMeans(10, init=model.cluster_centers_, tol=0).fit(x, sample_weight=weights)
    assert_array_equal(again.labels_, model.labels_)  # where no row moves alone, rounds do not move either


def test_exchange_of_sparse_rows_is_that_of_dense_ones():
    x = scipy.sparse.random(300, 40, 0.1, random_state=0, format="csr")
    start = x[:6].toarray()
    sparse, dense = (KMeans(6, init=start, tol=0, algorithm="exchange").fit(rows) for rows in (x, x.toarray()))
    assert sparse.inertia_ == pytest.approx(dense.inertia_, rel=1e-9)
    assert_array_equal(sparse.labels_, dense.labels_)


# Mini-batches


def test_minibatches_come_close_to_full_rounds():
    x = blobs(n=20_000, k=8, p=4)
    full = KMeans(8, n_init=5, random_state=0).fit(x)
    part = KMeans(8, algorithm="minibatch", n_init=3, random_state=0).fit(x)
    assert part.inertia_ < 1.1 * full.inertia_
    assert part.inertia_ == pytest.approx(-part.score(x))
    assert_array_equal(part.predict(x), part.labels_)


def test_a_first_mini_batch_moves_each_centre_to_the_mean_of_its_rows():
    x = blobs(n=300)
    model = KMeans(4, init=x[:4]).partial_fit(x)
    nearest = ((x[:, None] - x[:4]) ** 2).sum(axis=2).argmin(axis=1)
    assert_allclose(model.cluster_centers_, [x[nearest == c].mean(axis=0) for c in range(4)], rtol=1e-12)
    more = blobs(n=100, seed=5)
    before, seen = model.cluster_centers_.copy(), model.cluster_sizes_.copy()
    nearest = ((more[:, None] - before) ** 2).sum(axis=2).argmin(axis=1)
    model.partial_fit(more)
    for c in range(4):
        rows = more[nearest == c]
        wanted = (seen[c] * before[c] + rows.sum(axis=0)) / (seen[c] + len(rows))
        assert_allclose(model.cluster_centers_[c], wanted, rtol=1e-9)
    assert len(model.labels_) == 100
    assert model.n_iter_ == 2


def test_partial_fit_goes_on_from_fit_keeps_columns_and_leaves_the_model_as_it_was_when_it_fails():
    x = blobs(n=300)
    model = KMeans(4, init=x[:4]).fit(x)
    centers = model.cluster_centers_.copy()
    with pytest.raises(InputError):
        model.partial_fit(x[:, :3])
    with pytest.raises(InputError, match="infinite"):
        model.partial_fit(np.where(x > 1e9, x, np.inf))
    assert_array_equal(model.cluster_centers_, centers)
    assert model.partial_fit(x).n_iter_ > 1
    assert_allclose(model.cluster_centers_, centers, atol=0.5)


def test_a_starving_centre_begins_anew():
    x = blobs(n=2000, k=3, p=2)
    start = np.vstack([x[:2], [[1e4, 1e4]]])
    model = KMeans(3, init=start, algorithm="minibatch", random_state=0).fit(x)
    assert np.bincount(model.labels_, minlength=3).min() > 100


def test_minibatches_of_a_scan_are_drawn_from_a_sample_of_it(tmp_path):
    frame = pd.DataFrame(blobs(n=3000), columns=list("abcde"))
    frame.to_parquet(tmp_path / "rows.parquet")
    scan = learnt.scan(tmp_path / "rows.parquet")
    model = KMeans(4, algorithm="minibatch", random_state=0).fit(scan)
    assert model.inertia_ < 1.3 * KMeans(4, n_init=3, random_state=0).fit(frame).inertia_
    assert model.cluster_sizes_.sum() == 3000
    for name in ("bounds", "exchange"):
        with pytest.raises(InputError, match="must be in memory"):
            KMeans(4, algorithm=name).fit(scan)


# Modes


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    town = rng.choice(["Bern", "Basel", "Genf"], 200)
    return pd.DataFrame({"age": rng.normal(40, 10, 200), "town": town, "member": rng.random(200) < 0.4})


@pytest.mark.parametrize("gamma", [0.3, 2.0])
def test_modes_are_the_k_prototypes_of_a_plain_loop(people, gamma):
    start = people.iloc[[0, 5, 9]]
    model = KMeans(3, init=start, categories="modes", gamma=gamma, standardize=False, tol=0).fit(people)
    age, cells = people["age"].to_numpy(), people[["town", "member"]].astype(str).to_numpy()
    mean, mode = age[[0, 5, 9]], cells[[0, 5, 9]]
    for _ in range(50):
        cost = (age[:, None] - mean) ** 2 + gamma * (cells[:, None, :] != mode).sum(axis=2)
        labels = cost.argmin(axis=1)
        mean = np.array([age[labels == c].mean() for c in range(3)])
        for c in range(3):
            for j in range(2):
                names, counts = np.unique(cells[labels == c, j], return_counts=True)
                if counts.max() > (cells[labels == c, j] == mode[c, j]).sum():
                    mode[c, j] = names[counts.argmax()]
    cost = (age[:, None] - mean) ** 2 + gamma * (cells[:, None, :] != mode).sum(axis=2)
    assert model.inertia_ == pytest.approx(cost.min(axis=1).sum())
    assert_array_equal(model.labels_, cost.argmin(axis=1))
    assert_allclose(model.transform(people) ** 2, cost, rtol=1e-9, atol=1e-9)
    assert_array_equal(model.predict(people), model.labels_)


def test_gamma_is_half_the_mean_deviation_unless_given(people):
    model = KMeans(2, categories="modes", standardize=False, random_state=0).fit(people)
    assert model.gamma_ == pytest.approx(people["age"].std(ddof=0) / 2)
    assert KMeans(2, categories="modes", random_state=0).fit(people).gamma_ == pytest.approx(0.5)
    assert KMeans(2, categories="modes", random_state=0).fit(people[["town"]]).gamma_ == 1


def test_weka_s_sum_of_squares_of_iris_with_its_class_is_reproduced():
    # SimpleKMeans -N 2 on iris.arff prints 62.1436882815797: columns scaled to [0, 1], a different class costs 1.
    iris = learnt.datasets.load("iris")
    names = [name for name in iris.names if name != "class"]
    frame = pd.DataFrame({n: iris[n].values for n in names})
    frame = (frame - frame.min()) / (frame.max() - frame.min())
    frame["class"] = iris["class"].labels()
    model = KMeans(2, categories="modes", gamma=1, standardize=False, n_init=10, random_state=0).fit(frame)
    assert model.inertia_ == pytest.approx(62.1436882815797, rel=1e-12)


def test_modes_are_shown_as_categories_and_refuse_what_needs_means(people):
    model = KMeans(2, categories="modes", random_state=0).fit(people)
    assert any(town in str(model) for town in ("Bern", "Basel", "Genf"))
    assert "%" not in str(model).split("\n")[3].split("%", 1)[1]
    for name in ("exchange", "minibatch"):
        with pytest.raises(ParameterError, match="moves means"):
            KMeans(2, categories="modes", algorithm=name).fit(people)
    with pytest.raises(ParameterError, match="partial_fit moves means"):
        KMeans(2, categories="modes").partial_fit(people)


# Awkward data


@pytest.mark.parametrize("algorithm", ["lloyd", "bounds", "exchange", "minibatch"])
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_sizes_near_the_ends_of_the_range_change_nothing(algorithm, scale):
    x = np.repeat([[0.0, 0], [3, 0], [0, 3]], 20, axis=0) + np.linspace(0, 0.5, 60)[:, None]
    model = KMeans(3, random_state=0, algorithm=algorithm).fit(x * scale)
    assert len(set(model.labels_[:20])) == len(set(model.labels_[20:40])) == 1
    assert len(set(model.labels_)) == 3
    assert np.isfinite(model.inertia_)


@pytest.mark.parametrize(("scale", "dtype"), [(1e160, float), (1e-170, float), (1e25, np.float32), (1e-25, np.float32)])
def test_sizes_beyond_the_range_are_told(scale, dtype):
    x = (blobs() * scale).astype(dtype)
    with pytest.raises(InputError, match=r"standard deviation .* leave the range of float|squares (overflow|vanish)"):
        KMeans(3).fit(x)


@pytest.mark.filterwarnings("ignore:Only 1 of 3 clusters")
@pytest.mark.parametrize("algorithm", ["lloyd", "bounds", "exchange", "minibatch"])
def test_copies_of_one_row_are_one_cluster(algorithm):
    model = KMeans(3, algorithm=algorithm, random_state=0).fit(np.full((9, 2), 4.0))
    assert model.inertia_ == 0
    assert_array_equal(model.predict([[4.0, 4.0]]), model.labels_[:1])


@pytest.mark.parametrize("algorithm", ["bounds", "exchange", "minibatch"])
def test_a_hundred_thousand_sparse_columns_stay_sparse(algorithm):
    rng = np.random.default_rng(0)
    cells = (rng.random(6000, dtype=np.float32), (rng.integers(300, size=6000), rng.integers(100_000, size=6000)))
    x = scipy.sparse.csr_matrix(cells, shape=(300, 100_000))
    model = KMeans(4, algorithm=algorithm, random_state=0, max_iter=3).fit(x)
    assert model.cluster_centers_.shape == (4, 100_000)
    assert model.inertia_ <= float((x.data**2).sum()) * 1.01


def test_a_model_prints_its_centres_in_the_units_of_the_table():
    frame = pd.DataFrame({"größe": [1.0, 1.5, 9.0, 9.5], "ort": ["Bern", "Bern", "Bern", "Genf"]})
    model = KMeans(2, init=frame.iloc[[0, 3]]).fit(frame)
    lines = str(model).splitlines()
    assert lines[0].startswith("KMeans: 2 clusters, inertia")
    assert lines[2].split() == ["cluster", "size", "share", "größe", "ort"]
    assert lines[3].split() == ["0", "2", "50.0", "%", "1.25", "Bern"]
    assert lines[4].split() == ["1", "2", "50.0", "%", "9.25", "Bern", "50", "%"]
    assert str(model.summary()) == str(model)
    assert str(KMeans(2)) == "KMeans(n_clusters=2)"


def test_of_many_clusters_and_columns_the_first_are_printed_and_the_rest_counted():
    x = blobs(n=400, p=30)
    model = KMeans(40, random_state=0).fit(x)
    assert "… 28 smaller clusters and 24 more columns" in str(model)
    assert len(str(model.summary()).splitlines()) > 30
    assert model.cluster_sizes_.sum() == 400
