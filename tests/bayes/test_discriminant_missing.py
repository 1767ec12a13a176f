"""Gaussians fitted to rows with missing cells: against EM written out row by row, and SciPy's densities."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import learnt
from learnt import DiscriminantClassifier
from learnt.bayes.discriminant import expectation
from learnt.watch import watch


def correlated(n, p=30, factors=6, k=3, seed=0):
    """Classes that differ little beside what their columns have in common, so that pairs of columns tell little."""
    rng = np.random.default_rng(seed)
    loadings, means = rng.normal(size=(p, factors)), 0.09 * rng.normal(size=(k, p))
    y = rng.integers(k, size=n)
    x = means[y] + rng.normal(size=(n, factors)) @ loadings.T + 0.1 * rng.normal(size=(n, p))
    return x * np.logspace(-2, 2, p) + 5, y


def with_gaps(x, share, seed=1):
    x = x.copy()
    x[np.random.default_rng(seed).random(x.shape) < share] = np.nan
    return x


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_cells_missing_at_random_cost_little_accuracy(covariance):
    x, y = correlated(5000)
    score = {}
    for share in (0, 0.05, 0.2):
        cells = with_gaps(x, share)
        model = DiscriminantClassifier(covariance).fit(cells[:3000], y[:3000])
        score[share] = model.score(cells[3000:], y[3000:])
        assert model.converged_
        assert not model.raised_.any()
    assert score[0] > 0.97
    assert score[0.05] > 0.96
    assert score[0.2] > 0.95


def literal_prior(x, y, weights, shared):
    """Rows each class's prior is worth, a tenth of the cells that a row of it misses, and the variances around it."""
    k, p = int(y.max()) + 1, x.shape[1]
    rows, squares, cells = np.zeros(k), np.zeros((k, p)), np.zeros((k, p))
    for c in range(k):
        own, w = x[y == c], weights[y == c][:, None]
        here = ~np.isnan(own)
        cells[c] = (w * here).sum(axis=0)
        mean = np.nansum(w * own, axis=0) / cells[c]
        squares[c] = np.nansum(w * (own - mean) ** 2, axis=0)
        rows[c] = (w * ~here).sum() / w.sum() / 10
    if not shared:
        return rows, squares / cells
    total = np.array([weights[y == c].sum() for c in range(k)])
    return np.full(k, rows @ total / total.sum()), np.array([squares.sum(axis=0) / cells.sum(axis=0)] * k)


def literal_em(x, y, weights, shared, steps=400):
    """Means and covariances by the textbook's conditional expectations, row by row, from zero and one."""
    k, p = int(y.max()) + 1, x.shape[1]
    rows, around = literal_prior(x, y, weights, shared)
    extra_rows = rows[:, None, None] * np.array([np.diag(variance) for variance in around])
    mean, sigma = np.zeros((k, p)), np.array([np.eye(p)] * k)
    for _ in range(steps):
        total, sums, squares = np.zeros(k), np.zeros((k, p)), np.zeros((k, p, p))
        for row, c, w in zip(x, y, weights, strict=True):
            o, m = ~np.isnan(row), np.isnan(row)
            filled, extra = row.copy(), np.zeros((p, p))
            regression = sigma[c][np.ix_(m, o)] @ np.linalg.inv(sigma[c][np.ix_(o, o)])
            filled[m] = mean[c][m] + regression @ (row[o] - mean[c][o])
            extra[np.ix_(m, m)] = sigma[c][np.ix_(m, m)] - regression @ sigma[c][np.ix_(o, m)]
            total[c] += w
            sums[c] += w * filled
            squares[c] += w * (np.outer(filled, filled) + extra)
        mean = sums / total[:, None]
        within = squares - total[:, None, None] * mean[:, :, None] * mean[:, None, :]
        before = sigma
        if shared:
            sigma = np.array([(within.sum(axis=0) + extra_rows[0]) / (total.sum() + rows[0])] * k)
        else:
            sigma = (within + extra_rows) / (total + rows)[:, None, None]
        if abs(sigma - before).max() < 1e-9:
            break
    return mean, sigma


def small(n=60, p=4, seed=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    mixing = rng.normal(size=(2, p, p))
    x = np.array([mixing[c] @ rng.normal(size=p) + c for c in y])
    return with_gaps(x, 0.2, seed), y


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_means_and_covariances_are_those_of_em_written_out(covariance, monkeypatch):
    x, y = small()
    weights = np.random.default_rng(0).integers(1, 4, len(x)).astype(float)
    mean, sigma = literal_em(x, y, weights, covariance == "shared")
    sigma = sigma[0] if covariance == "shared" else sigma
    model = DiscriminantClassifier(covariance).fit(x, y, weights)
    np.testing.assert_allclose(model.means_, mean, atol=0.003)  # deviations are about 2
    np.testing.assert_allclose(model.covariance_, sigma, atol=0.01)
    monkeypatch.setattr(expectation, "GAIN", 1e-13)
    model = DiscriminantClassifier(covariance).fit(x, y, weights)
    np.testing.assert_allclose(model.means_, mean, atol=1e-6)
    np.testing.assert_allclose(model.covariance_, sigma, atol=1e-5)


def log_posterior(x, y, model):
    """Of the means and covariances, up to a constant: SciPy's densities of the cells that are there, and the prior."""
    k = len(model.classes_)
    shared = model.covariance_.ndim == 2
    sigma = [model.covariance_] * k if shared else model.covariance_
    found = sum(
        multivariate_normal.logpdf(row[o], model.means_[c][o], sigma[c][np.ix_(o, o)])
        for row, o, c in zip(x, ~np.isnan(x), y, strict=True)
        if o.any()
    )
    rows, around = literal_prior(x, y, np.ones(len(x)), shared)
    for c in range(1 if shared else k):
        found -= 0.5 * rows[c] * (np.linalg.slogdet(sigma[c])[1] + np.diag(np.linalg.inv(sigma[c])) @ around[c])
    return found


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_the_log_posterior_given_the_cells_that_are_there_never_falls(covariance):
    x, y = small(200, 5)
    with watch() as log:
        model = DiscriminantClassifier(covariance).fit(x, y)
    found = np.array(log["objective"])
    assert len(found) == model.n_iter_ > 3
    assert (np.diff(found) >= 0).all()
    end = log_posterior(x, y, model)
    assert 0 <= end - found[-1] < 2.5e-6 * len(x)  # the step beyond the last one
    for factor in (0.99, 1.01):  # any other covariance is less probable
        model.covariance_ = model.covariance_ * factor
        assert log_posterior(x, y, model) < end
        model.covariance_ = model.covariance_ / factor


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_a_third_of_cells_missing_from_few_rows_needs_few_steps_and_no_warning(covariance):
    labor = learnt.datasets.labor()
    with warnings.catch_warnings(), watch() as log:
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "The covariance of class 'good' is singular")  # it never varies there
        model = DiscriminantClassifier(covariance).fit(labor)
    assert model.converged_
    assert model.n_iter_ < 80  # EM alone takes 300 and more
    assert (np.diff(log["objective"]) >= 0).all()


@pytest.mark.costly
def test_what_few_rows_leave_open_costs_little_accuracy():
    """Covariances most likely given the cells that are there, without a prior, have 0.77."""
    labor = learnt.datasets.labor()
    rows, y = labor.drop("class"), np.array(labor.to_dict()["class"])
    hits = []
    for fold in range(10):
        kept = np.arange(len(y)) % 10 != fold
        model = DiscriminantClassifier().fit(rows.take(np.flatnonzero(kept)), y[kept])
        hits.extend(model.predict(rows.take(np.flatnonzero(~kept))) == y[~kept])
    assert np.mean(hits) > 0.82


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_a_weight_is_a_number_of_copies_with_missing_cells_too(covariance):
    x, y = small(80)
    weights = np.random.default_rng(5).integers(0, 3, len(x))
    one = DiscriminantClassifier(covariance).fit(x, y, weights)
    two = DiscriminantClassifier(covariance).fit(np.repeat(x, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(one.covariance_, two.covariance_, atol=1e-6)
    np.testing.assert_allclose(one.means_, two.means_, atol=1e-6)


@pytest.mark.parametrize("noise", [None, {"x1": 0.5}])
@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_densities_of_rows_with_any_cells_missing_are_those_of_the_others(covariance, noise):
    x, y = small(100, 5)
    model = DiscriminantClassifier(covariance, noise=noise, priors="uniform").fit(x, y)
    rows = with_gaps(np.nan_to_num(x), 0.5)
    sigma = np.broadcast_to(model.covariance_, (2, 5, 5)) + np.diag([0.0, 0.5 if noise else 0.0, 0, 0, 0])
    expected = np.full((len(rows), 2), np.log(0.5))
    for i, row in enumerate(rows):
        o = ~np.isnan(row)
        if o.any():
            for c in (0, 1):
                expected[i, c] += multivariate_normal.logpdf(row[o], model.means_[c][o], sigma[c][np.ix_(o, o)])
    found = model.discriminants(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    alone = np.vstack([model.discriminants(rows[i : i + 1]) for i in range(len(rows))])
    np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize("shrinkage", [0, 0.1])
def test_classes_of_fewer_rows_than_columns_are_fitted_by_shrinkage_or_by_the_prior_of_missing_cells(shrinkage):
    x, y = correlated(45, p=20, seed=4)
    x = with_gaps(x / np.logspace(-2, 2, 20), 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DiscriminantClassifier("full", shrinkage=shrinkage).fit(x, y)
    assert model.converged_
    assert np.linalg.eigvalsh(model.covariance_).min() > 0


def test_columns_that_repeat_others_are_told_of_with_missing_cells_too():
    x, y = small(200)
    x = np.column_stack([x, y])
    with pytest.warns(UserWarning, match="singular or nearly so"):
        DiscriminantClassifier("full").fit(x, y)


def test_a_column_that_is_missing_half_the_time_still_explains_the_others():
    """Missing at random given the others: the mean over cells that are there would be off by half a deviation."""
    rng = np.random.default_rng(8)
    a = rng.normal(size=4000)
    b = a + 0.5 * rng.normal(size=4000)
    b[a > 0] = np.nan
    model = DiscriminantClassifier("full").fit(np.column_stack([a, b]), np.arange(4000) % 2)
    assert np.nanmean(b) < -0.7
    np.testing.assert_allclose(model.means_[:, 1], 0, atol=0.08)
    np.testing.assert_allclose(model.covariance_[:, 1, 1], 1.25, atol=0.12)
