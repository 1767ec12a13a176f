"""GaussianMixture against scikit-learn's, a plain EM, closed forms and awkward data."""

import contextlib
import warnings

import numpy as np
import pytest
import sklearn.mixture
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.stats import multivariate_normal
from tests.cluster.mixture.plain_em import plain_full_step

import learnt
from learnt import GaussianMixture
from learnt.errors import ConvergenceWarning, InputError, KindError, ParameterError

SHAPES = ("full", "tied", "diag", "spherical")


def rows(n=240, k=3, p=4, seed=0, gaps=0.0):
    """Three clouds of other shapes, in columns of other units."""
    rng = np.random.default_rng(seed)
    at = rng.integers(k, size=n)
    shapes = np.eye(p) + 0.4 * rng.normal(size=(k, p, p))
    x = 2.5 * rng.normal(size=(k, p))[at] + np.einsum("nij,nj->ni", shapes[at], rng.normal(size=(n, p)))
    x = x * np.array([1.0, 100.0, 0.01, 3.0])[:p] + 5
    x[rng.random(x.shape) < gaps] = np.nan
    return x


def start(x, shape, k=3):
    """The same start for us and for scikit-learn."""
    variance, p = np.nanvar(x, axis=0), x.shape[1]
    precision = {
        "full": np.tile(np.diag(1 / variance), (k, 1, 1)),
        "tied": np.diag(1 / variance),
        "diag": np.tile(1 / variance, (k, 1)),
        "spherical": np.full(k, 1 / variance.mean()),
    }[shape]
    means = np.nanmean(x, axis=0) + np.linspace(-1, 1, k)[:, None] * np.sqrt(variance) * np.resize([1, -0.5, 0.3], p)
    return {
        "weights_init": np.arange(1, k + 1) / np.arange(1, k + 1).sum(),
        "means_init": means,
        "precisions_init": precision,
    }


def quietly(model, x, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, sample_weight=weights)


def never_falls(model):
    return bool(np.all(np.diff(model.lower_bounds_) >= -1e-11 * np.abs(model.lower_bounds_[1:])))


@pytest.mark.parametrize("shape", SHAPES)
def test_from_the_same_start_every_round_is_scikit_learns(shape):
    x = rows()
    settings = {"covariance_type": shape, "reg_covar": 0, "tol": 0, **start(x, shape)}
    bounds = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rounds in (1, 2, 3, 12):
            theirs = sklearn.mixture.GaussianMixture(3, max_iter=rounds, **settings).fit(x)
            ours = GaussianMixture(3, max_iter=rounds, **settings).fit(x)
            bounds.append(theirs.lower_bound_)
            assert_allclose(ours.weights_, theirs.weights_, rtol=1e-6)
            assert_allclose(ours.means_, theirs.means_, rtol=1e-6)
            assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-6, atol=1e-9)
            assert_allclose(
                ours.precisions_, theirs.precisions_, rtol=1e-5, atol=1e-6 * np.abs(theirs.precisions_).max()
            )
            assert_allclose(ours.score_samples(x), theirs.score_samples(x), rtol=1e-6)
            assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-6)
            assert_array_equal(ours.predict(x), theirs.predict(x))
            assert ours.bic(x) == pytest.approx(theirs.bic(x), rel=1e-9)
            assert ours.aic(x) == pytest.approx(theirs.aic(x), rel=1e-9)
    assert_allclose(ours.lower_bounds_[[0, 1, 2, 11]], bounds, rtol=1e-9)


@pytest.mark.parametrize("gaps", [0.0, 0.25])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_objective_never_falls_whatever_is_missing_noisy_or_prior(shape, gaps):
    x = rows(gaps=gaps)
    for more in ({}, {"reg_covar": 0.05}, {"covariance_prior": 8, "weight_concentration_prior": 3}, {"reg_covar": 0}):
        model = quietly(GaussianMixture(4, covariance_type=shape, tol=0, max_iter=25, random_state=1, **more), x)
        assert never_falls(model), more
        assert model.lower_bounds_[-1] > model.lower_bounds_[0]


@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_missing_cells_are_expected_as_a_plain_row_by_row_em_expects_them(noise):
    x = rows(60, p=3, gaps=0.3)
    x[0] = np.nan
    given = start(x, "full")
    weight, mean, covariance = given["weights_init"], given["means_init"], np.linalg.inv(given["precisions_init"])
    blur = noise * np.diag(np.nanvar(x, axis=0))
    bounds = []
    for _ in range(4):
        weight, mean, covariance, total = plain_full_step(x, weight, mean, covariance, blur)
        bounds.append(total / len(x))
    ours = quietly(GaussianMixture(3, tol=0, max_iter=4, reg_covar=noise, **given), x)
    assert_allclose(ours.lower_bounds_, bounds, rtol=1e-9)
    assert_allclose(ours.weights_, weight, rtol=1e-8)
    assert_allclose(ours.means_, mean, rtol=1e-8)
    assert_allclose(ours.covariances_, covariance, rtol=1e-7, atol=1e-10)


def test_the_density_of_a_row_with_gaps_is_that_of_the_cells_it_has():
    model = GaussianMixture(3, random_state=0).fit(rows())
    asked = rows(20, gaps=0.4, seed=9)
    for i, logs in enumerate(model.score_samples(asked)):
        o = ~np.isnan(asked[i])
        parts = [
            w * (multivariate_normal(m[o], s[np.ix_(o, o)]).pdf(asked[i, o]) if o.any() else 1.0)
            for w, m, s in zip(model.weights_, model.means_, model.covariances_, strict=True)
        ]
        assert logs == pytest.approx(np.log(sum(parts)), rel=1e-9, abs=1e-9)
        assert_allclose(model.predict_proba(asked[i : i + 1])[0], np.array(parts) / sum(parts), atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_weights_are_copies(shape):
    x, counts = rows(gaps=0.1), np.random.default_rng(1).integers(0, 4, 240)
    settings = {"covariance_type": shape, "means_init": start(x, shape)["means_init"], "max_iter": 20, "tol": 0}
    weighted = quietly(GaussianMixture(3, **settings), x, counts)
    copied = quietly(GaussianMixture(3, **settings), np.repeat(x, counts, axis=0))
    assert_allclose(weighted.means_, copied.means_, rtol=1e-8)
    assert_allclose(weighted.covariances_, copied.covariances_, rtol=1e-6, atol=1e-9)
    assert weighted.score(x, sample_weight=counts) == pytest.approx(copied.score(np.repeat(x, counts, axis=0)))
    assert weighted.bic(x, counts) == pytest.approx(copied.bic(np.repeat(x, counts, axis=0)))


@pytest.mark.parametrize("shape", ["full", "diag"])
def test_a_scan_gives_the_model_of_the_table_from_a_drawn_start_too(shape, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    x = rows(gaps=0.05)
    names = ("a", "b", "c", "d")
    for i, part in enumerate(np.split(x, [50, 51, 200])):
        pq.write_table(pa.table(dict(zip(names, part.T, strict=True))), tmp_path / f"{i}.parquet")
    settings = {"covariance_type": shape, "random_state": 3, "n_init": 2}
    one = GaussianMixture(3, **settings).fit(dict(zip(names, x.T, strict=True)))
    two = GaussianMixture(3, **settings).fit(learnt.scan(tmp_path, batch_rows=64))
    assert_allclose(two.means_, one.means_, rtol=1e-7)
    assert_allclose(two.covariances_, one.covariances_, rtol=1e-6, atol=1e-9)
    assert_allclose(two.lower_bounds_, one.lower_bounds_, rtol=1e-9)


def test_float32_rows_are_taken_as_they_are():
    x = rows().astype(np.float32)
    one, two = (GaussianMixture(3, random_state=0).fit(a) for a in (x, x.astype(np.float64)))
    assert_allclose(one.means_, two.means_, rtol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_number_of_threads_changes_no_bit(shape):
    x, found = rows(6000, gaps=0.0), []
    for threads in (1, 2, 3):
        with learnt.threads(threads):
            model = quietly(GaussianMixture(3, covariance_type=shape, random_state=0, max_iter=4), x)
            found.append(model.means_.tobytes() + model.covariances_.tobytes() + model.predict_proba(x).tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("shape", ["full", "tied", "diag"])
def test_units_and_origins_of_columns_do_not_matter(shape):
    x = rows()
    unit, origin = np.array([1e150, 1e-150, 1.0, 1e3]), np.array([0.0, 0.0, -7.0, 1e5])
    one = GaussianMixture(3, covariance_type=shape, random_state=0).fit(x)
    two = GaussianMixture(3, covariance_type=shape, random_state=0).fit(x * unit + origin)
    assert_allclose(two.predict_proba(x * unit + origin), one.predict_proba(x), atol=1e-6)
    assert two.lower_bound_ == pytest.approx(one.lower_bound_ - np.log(unit).sum(), rel=1e-7)


def test_noise_keeps_a_component_from_shrinking_onto_one_row():
    x = np.vstack([rows(), rows().mean(axis=0) + 1e6])
    model = GaussianMixture(4, random_state=0, tol=0, max_iter=60)
    quietly(model, x)
    assert np.isfinite(model.lower_bounds_).all()
    assert never_falls(model)
    least = np.array([np.diag(c) for c in model.covariances_]) / x.var(axis=0)
    assert (least >= 1e-6 * (1 - 1e-9)).all()


def test_known_sigma_and_equal_weights_are_the_textbooks_two_means():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 80), rng.normal(3, 1, 80)])
    mean = np.array([-1.0, 1.0])
    settings = {"covariance_type": "spherical", "sigma": 1.0, "equal_weights": True, "tol": 0}
    for rounds in range(1, 4):
        e = np.exp(-0.5 * (x[:, None] - mean) ** 2)
        e /= e.sum(axis=1, keepdims=True)
        mean = (e * x[:, None]).sum(axis=0) / e.sum(axis=0)
        model = quietly(GaussianMixture(2, means_init=[[-1.0], [1.0]], max_iter=rounds, **settings), x[:, None])
        assert_allclose(model.means_.ravel(), mean, rtol=1e-10)
    assert_array_equal(model.weights_, [0.5, 0.5])
    assert_allclose(model.covariances_, [1.0, 1.0])
    assert model.n_parameters_ == 2


def test_one_component_with_priors_is_its_closed_form():
    x, rows_of_prior = rows(), 7
    model = GaussianMixture(1, reg_covar=0, covariance_prior=rows_of_prior).fit(x)
    plain = np.cov(x.T, ddof=0)
    pulled = (len(x) * plain + rows_of_prior * np.diag(np.diag(plain))) / (len(x) + rows_of_prior)
    assert_allclose(model.means_[0], x.mean(axis=0), rtol=1e-10)
    assert_allclose(model.covariances_[0], pulled, rtol=1e-9)


def test_a_prior_on_the_weights_draws_them_together():
    x = rows()
    model = quietly(GaussianMixture(3, means_init=start(x, "full")["means_init"], max_iter=1), x)
    drawn = quietly(
        GaussianMixture(3, means_init=start(x, "full")["means_init"], max_iter=1, weight_concentration_prior=101), x
    )
    assert_allclose(drawn.weights_, (model.weights_ * len(x) + 100) / (len(x) + 300), rtol=1e-9)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data", "random"])
@pytest.mark.parametrize("shape", SHAPES)
def test_any_start_ends_in_a_sensible_model_of_awkward_rows(shape, init):
    x = rows(60)
    gaps = np.column_stack([rows(60, gaps=0.3), np.full(60, np.nan)])
    gaps[:3] = np.nan
    for name, table in {
        "duplicates only": np.ones((30, 3)),
        "a constant column": np.column_stack([x, np.full(60, 1e9)]),
        "columns that repeat others": np.column_stack([x, 2 * x[:, 0], x @ [1, 1, 1, 1]]),
        "two points": np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0),
        "more columns than rows": np.random.default_rng(0).normal(size=(6, 30)),
        "gaps": gaps,
        "as many rows as components": x[:3],
    }.items():
        model = quietly(GaussianMixture(3, covariance_type=shape, init_params=init, random_state=0), table)
        share = model.predict_proba(table)
        assert np.isfinite(share).all(), name
        assert_allclose(share.sum(axis=1), 1, rtol=1e-9)
        assert np.isfinite(model.score_samples(table)).all(), name
        assert never_falls(model), name


def test_more_starts_end_no_worse():
    x = rows(k=6)
    once = [
        quietly(GaussianMixture(6, init_params="random_from_data", random_state=s), x).lower_bound_ for s in range(5)
    ]
    often = quietly(GaussianMixture(6, init_params="random_from_data", random_state=0, n_init=5), x).lower_bound_
    assert often >= once[0]
    assert often > min(once)


def test_new_rows_look_like_the_mixture():
    model = GaussianMixture(2, random_state=0).fit(rows(400, k=2))
    table, labels = model.sample(20_000, random_state=1)
    x = np.column_stack([c.values for c in table.columns])
    for c in range(2):
        assert_allclose((labels == c).mean(), model.weights_[c], atol=0.02)
        spread = np.sqrt(np.diag(model.covariances_[c]))
        assert (np.abs(x[labels == c].mean(axis=0) - model.means_[c]) < 5 * spread / np.sqrt((labels == c).sum())).all()
        scaled = np.cov(x[labels == c].T) / np.outer(spread, spread)
        assert_allclose(scaled, model.covariances_[c] / np.outer(spread, spread), atol=0.08)


def test_explanations_are_the_odds_column_by_column():
    x = rows(gaps=0.2)
    for shape in SHAPES:
        model = quietly(GaussianMixture(3, covariance_type=shape, random_state=0), x)
        logs = model.predict_log_proba(x)
        for i in (0, 5, 17):
            told = model.explain(x)[i]
            best, second = np.sort(logs[i])[::-1][:2]
            assert told.prediction == model.predict(x)[i]
            assert told.add_up() == pytest.approx(best - second, rel=1e-9, abs=1e-9)
            gone = [e.contribution for e, cell in zip(told.evidence, x[i], strict=True) if np.isnan(cell)]
            assert not any(gone)
    alone = GaussianMixture().fit(x)
    assert alone.explain(x)[3].add_up() == pytest.approx(alone.score_samples(x)[3])


def test_ordered_categories_enter_by_rank():
    sizes = learnt.Table({"size": ["S", "M", "L", None] * 10}, ordinal={"size": ["S", "M", "L"]})
    model = GaussianMixture().fit(sizes)
    assert model.means_[0, 0] == pytest.approx(1.0)
    assert set(model.sample(50, random_state=0)[0]["size"].labels()) <= {"S", "M", "L"}


def test_what_cannot_be_done_is_said():
    x = rows(20)
    for given, error, words in (
        ({"X": {"town": ["a", "b"], "x": [1, 2]}}, KindError, "'town' is nominal.*MixtureModel"),
        ({"n_components": 30}, InputError, "n_samples=20 should be >= n_components=30"),
        ({"sigma": 1.0}, ParameterError, "covariance_type='full'.*'spherical'"),
        ({"n_components": 2, "means_init": [[1.0, 2, 3]]}, ParameterError, r"shape \(1, 3\).*\(2, 4\)"),
        ({"n_components": 2, "means_init": np.full((2, 4), np.nan)}, ParameterError, "missing"),
        ({"n_components": 2, "weights_init": [0.5, 0.6]}, ParameterError, "sum to 1"),
        ({"n_components": 2, "precisions_init": np.eye(4)}, ParameterError, r"\(2, 4, 4\)"),
        ({"covariance_type": "tied", "precisions_init": -np.eye(4)}, ParameterError, "positive definite"),
        ({"covariance_type": "diag", "precisions_init": -np.ones((1, 4))}, ParameterError, "above 0"),
        ({"X": np.column_stack([x, x]), "reg_covar": 0}, InputError, "not positive definite.*reg_covar"),
        ({"X": x * 1e200}, InputError, "variance of column 'x0' is beyond"),
        ({"X": np.zeros((3, 2001))}, InputError, "2001 columns.*'diag'"),
        ({"X": csr_matrix(x)}, KindError, "sparse"),
    ):
        settings = dict(given)
        table = settings.pop("X", x)
        with pytest.raises(error, match=words):
            GaussianMixture(**settings).fit(table)
    with pytest.warns(ConvergenceWarning, match="after 1 round"):
        GaussianMixture(2, max_iter=1, random_state=0).fit(x)


def test_it_is_printed_in_a_few_lines():
    model = GaussianMixture(2, random_state=0).fit({"height": [1.0, 1.1, 1.2, 3.0, 3.1, 3.2]})
    assert str(GaussianMixture(2)) == "GaussianMixture(n_components=2)"
    assert "height" in str(model)
    assert "50.0 %" in str(model)
    assert len(str(model).splitlines()) == 4


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_without_noise_equal_cells_are_an_error_in_words(shape, k):
    """A component of variance 0 has no density: it is said, whatever the covariances."""
    constant = np.ones((30, 2))
    with pytest.raises(InputError, match="Raise reg_covar"):
        GaussianMixture(k, covariance_type=shape, reg_covar=0).fit(constant)
    with contextlib.suppress(InputError):
        GaussianMixture(3, covariance_type=shape, reg_covar=0).fit(np.repeat([[0.0], [1.0], [2.0]], 10, axis=0))
