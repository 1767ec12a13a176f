"""Gaussian discriminants against scikit-learn, the formulas, and numerical integration."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.covariance import OAS
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import learnt
from learnt import DiscriminantClassifier, datasets
from learnt.errors import InputError, ParameterError

RNG = np.random.default_rng(5)


def blobs(n=400, p=4, k=3, seed=0):
    """Correlated classes that overlap, far from the origin."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=[0.5, 0.3, 0.2][:k] if k == 3 else None)
    mixing = np.eye(p) + 0.4 * rng.normal(size=(k, p, p))
    means = rng.normal(size=(k, p))
    x = np.array([means[c] + mixing[c] @ rng.normal(size=p) for c in y])
    return x * np.logspace(-0.5, 0.5, p) + 10, y


@pytest.mark.parametrize("seed", range(3))
def test_shared_covariances_give_the_posteriors_of_lda(seed):
    x, y = blobs(seed=seed)
    ours = DiscriminantClassifier().fit(x, y)
    for solver in ("svd", "lsqr", "eigen"):
        theirs = LinearDiscriminantAnalysis(solver=solver).fit(x, y)
        np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-8)
    given = [0.2, 0.2, 0.6]
    theirs = LinearDiscriminantAnalysis(solver="svd", priors=given).fit(x, y)
    # The priors given also weigh the classes in scikit-learn's covariance, but not in its svd.
    ours = DiscriminantClassifier(priors=given).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_own_covariances_give_the_posteriors_of_qda(seed):
    x, y = blobs(seed=seed)
    ours, theirs = DiscriminantClassifier("full").fit(x, y), QuadraticDiscriminantAnalysis().fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-8)


def test_diagonal_covariances_are_gaussian_naive_bayes():
    x, y = blobs()
    ours, theirs = DiscriminantClassifier("diagonal").fit(x, y), GaussianNB(var_smoothing=0).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-8)


def test_spheres_classify_by_distance_to_the_means():
    x, y = blobs(seed=4)
    model = DiscriminantClassifier("spherical", priors="uniform").fit(x, y)
    means = np.array([x[y == c].mean(axis=0) for c in range(3)])
    nearest = ((x[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(x), nearest)
    within = np.mean([((x[y == c] - means[c]) ** 2).sum() for c in range(3)]) * 3 / (len(x) * 4)
    np.testing.assert_allclose(model.covariance_, within * np.eye(4), rtol=1e-10, atol=1e-12)


def test_ddof_divides_as_in_r():
    x, y = blobs()
    within = sum(np.cov(x[y == c].T) * (np.sum(y == c) - 1) for c in range(3))
    np.testing.assert_allclose(DiscriminantClassifier(ddof=1).fit(x, y).covariance_, within / (400 - 3), rtol=1e-9)
    full = DiscriminantClassifier("full", ddof=1).fit(x, y)
    density = np.column_stack(
        [np.mean(y == c) * multivariate_normal(x[y == c].mean(0), np.cov(x[y == c].T)).pdf(x) for c in range(3)]
    )
    np.testing.assert_allclose(full.predict_proba(x), density / density.sum(axis=1, keepdims=True), atol=1e-8)


def test_shrinkage_is_that_of_scikit_learn():
    x, y = blobs()
    for shrinkage in (0.1, 0.5, 1.0):
        theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(x, y)
        ours = DiscriminantClassifier(shrinkage=shrinkage).fit(x, y)
        np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-8)
    auto = DiscriminantClassifier("full", shrinkage="auto").fit(x, y)
    np.testing.assert_allclose(auto.shrinkage_, [OAS().fit(x[y == c]).shrinkage_ for c in range(3)], rtol=1e-8)
    np.testing.assert_allclose(auto.covariance_[1], OAS().fit(x[y == 1]).covariance_, rtol=1e-8)


def test_discriminants_are_log_joint_densities():
    x, y = blobs()
    model = DiscriminantClassifier("full").fit(x, y)
    for c in range(3):
        log = np.log(np.mean(y == c)) + multivariate_normal(model.means_[c], model.covariance_[c]).logpdf(x)
        np.testing.assert_allclose(model.discriminants(x)[:, c], log, rtol=1e-9)


# Gaps and noise


@pytest.mark.parametrize("covariance", ["spherical", "shared", "full", "diagonal"])
def test_a_missing_cell_is_integrated_out(covariance):
    x, y = blobs(p=3)
    model = DiscriminantClassifier(covariance).fit(x, y)
    gaps = x[:6].copy()
    gaps[0, 1], gaps[1, [0, 2]], gaps[2, 2] = np.nan, np.nan, np.nan
    gaps[4] = np.nan
    spread = np.broadcast_to(model.covariance_, (3, 3, 3))
    for i, row in enumerate(gaps):
        o = np.flatnonzero(~np.isnan(row))
        joint = [
            p * (multivariate_normal(m[o], s[np.ix_(o, o)]).pdf(row[o]) if len(o) else 1)
            for p, m, s in zip(model.class_prior_, model.means_, spread, strict=True)
        ]
        np.testing.assert_allclose(model.predict_proba(gaps)[i], np.array(joint) / sum(joint), atol=1e-9)


def test_a_missing_cell_is_the_mean_over_what_it_may_have_been():
    x, y = blobs(p=2, k=3)
    model = DiscriminantClassifier("full").fit(x, y)
    grid = np.linspace(x[:, 1].min() - 500, x[:, 1].max() + 500, 40_001)
    rows = np.column_stack([np.full(len(grid), x[0, 0]), grid])
    joint = np.exp(model.discriminants(rows))
    integral = np.trapezoid(joint, grid, axis=0)
    said = model.predict_proba([[x[0, 0], np.nan]])[0]
    np.testing.assert_allclose(said, integral / integral.sum(), atol=1e-6)


def test_known_noise_is_integrated_out():
    x, y = blobs(p=2)
    noise = {"x0": 0.3, "x1": 40.0}
    model = DiscriminantClassifier("full", noise=noise).fit(x, y)
    spread = model.covariance_ + np.diag([0.3, 40.0])
    joint = np.column_stack(
        [p * multivariate_normal(m, s).pdf(x) for p, m, s in zip(model.class_prior_, model.means_, spread, strict=True)]
    )
    np.testing.assert_allclose(model.predict_proba(x), joint / joint.sum(axis=1, keepdims=True), atol=1e-9)
    infinite = DiscriminantClassifier(noise={"x0": 1e30, "x1": 1e30}).fit(x, y)
    np.testing.assert_allclose(infinite.predict_proba(x), np.tile(infinite.class_prior_, (400, 1)), atol=1e-9)


def test_noise_of_a_column_that_has_none_is_an_error():
    table = {"a": [1.0, 2.0, 3.0, 5.0], "b": list("xyxy")}
    for noise, said in (({"c": 1.0}, "'c'"), ({"b": 1.0}, "nominal")):
        with pytest.raises(ParameterError, match=said):
            DiscriminantClassifier(noise=noise).fit(table, [0, 0, 1, 1])


def test_gaps_when_fitting_single_columns_leave_the_cells_that_are_there():
    x, y = blobs()
    x[RNG.random(x.shape) < 0.2] = np.nan
    model = DiscriminantClassifier("diagonal", ddof=1).fit(x, y)
    for c in range(3):
        frame = pd.DataFrame(x[y == c])
        np.testing.assert_allclose(model.means_[c], frame.mean(), rtol=1e-9)
        np.testing.assert_allclose(np.diag(model.covariance_[c]), frame.var(), rtol=1e-7, atol=1e-9)


def test_a_column_that_a_class_never_has_takes_its_variance_from_the_others():
    x, y = blobs(p=2)
    x[y == 0, 1] = np.nan
    model = DiscriminantClassifier("full").fit(x, y)
    assert np.isfinite(model.predict_proba(np.nan_to_num(x, nan=100.0))).all()
    within = np.concatenate([x[y == c, 1] - x[y == c, 1].mean() for c in (1, 2)])
    assert model.covariance_[0, 1, 1] == pytest.approx(np.mean(within**2))


# Covariances without an inverse


def test_a_repeated_column_changes_nothing_and_is_reported():
    x, y = blobs()
    for covariance in ("shared", "full"):
        one = DiscriminantClassifier(covariance).fit(x, y)
        with pytest.warns(UserWarning, match="singular"):
            two = DiscriminantClassifier(covariance).fit(np.column_stack([x, x[:, 0]]), y)
        assert (two.raised_ == 1).all()
        assert (one.raised_ == 0).all()
        assert (two.condition_ > 1e12).all()
        said = two.predict_proba(np.column_stack([x, x[:, 0]]))
        np.testing.assert_allclose(said, one.predict_proba(x), atol=1e-5)


def test_shrinkage_mends_singular_covariances():
    x, y = RNG.normal(size=(8, 20)), np.arange(8) % 2
    with pytest.warns(UserWarning, match="class 0.*singular"):
        DiscriminantClassifier("full").fit(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DiscriminantClassifier("full", shrinkage=0.2).fit(x, y)
    assert not model.raised_.any()


def test_classes_told_apart_by_a_column_that_does_not_vary_within_them():
    x = np.column_stack([np.repeat([0.0, 1.0], 20), RNG.normal(size=40)])
    y = np.repeat(["a", "b"], 20)
    with pytest.warns(UserWarning, match="singular"):
        model = DiscriminantClassifier().fit(x, y)
    assert model.score(x, y) == 1
    assert np.isfinite(model.discriminants(x)).all()


# Planes, explanations, samples, tables


@pytest.mark.parametrize("covariance", ["shared", "spherical"])
def test_the_hyperplane_gives_the_log_odds(covariance):
    x, y = blobs()
    model = DiscriminantClassifier(covariance, noise={"x1": 2.0}).fit(x, y)
    plane = model.hyperplane(2, 0)
    log = model.predict_log_proba(x)
    np.testing.assert_allclose((x - plane.x0) @ plane.w, log[:, 2] - log[:, 0], rtol=1e-7, atol=1e-7)
    back = model.hyperplane(0, 2)
    np.testing.assert_allclose(back.w, -plane.w)
    np.testing.assert_allclose(back.x0, plane.x0)
    assert "log-odds of 2 against 0" in str(plane)


def test_between_spheres_the_plane_stands_upright_on_the_line_between_the_means():
    x, y = blobs()
    model = DiscriminantClassifier("spherical", priors="uniform").fit(x, y)
    plane, apart = model.hyperplane(0, 1), model.means_[0] - model.means_[1]
    np.testing.assert_allclose(plane.w / np.linalg.norm(plane.w), apart / np.linalg.norm(apart), atol=1e-12)
    np.testing.assert_allclose(plane.x0, (model.means_[0] + model.means_[1]) / 2)


def test_there_is_no_plane_between_classes_of_their_own_covariance_or_of_one_mean():
    x, y = blobs()
    with pytest.raises(ParameterError, match="curved"):
        DiscriminantClassifier("full").fit(x, y).hyperplane(0, 1)
    with pytest.raises(ParameterError, match="'z'"):
        DiscriminantClassifier().fit(x, y).hyperplane("z", 1)
    with pytest.raises(ParameterError, match="same mean"):
        DiscriminantClassifier().fit(x, y).hyperplane(1, 1)


@pytest.mark.parametrize("covariance", ["spherical", "shared", "full", "diagonal"])
def test_the_terms_of_an_explanation_add_up_to_the_log_odds(covariance):
    x, y = blobs()
    x[3, 1] = np.nan
    model = DiscriminantClassifier(covariance).fit(x, y)
    for i in range(8):
        told = model.explain(x)[i]
        log = np.sort(model.predict_log_proba(x)[i])
        assert told.add_up() == pytest.approx(log[-1] - log[-2], rel=1e-8)
    assert model.explain(x)[3].evidence[1].contribution == 0


def test_cross_terms_are_shared_equally_by_their_columns():
    x, y = blobs(p=2)
    model = DiscriminantClassifier("full").fit(x, y)
    told = model.explain(x)[0]
    best, other = model.classes_.tolist().index(told.prediction), int(np.argsort(model.discriminants(x)[0])[-2])

    def halves(c, j):
        d, inverse = x[0] - model.means_[c], np.linalg.inv(model.covariance_[c])
        return -0.5 * (d[j] ** 2 * inverse[j, j] + d[0] * d[1] * inverse[0, 1])

    for j in range(2):
        assert told.evidence[j].contribution == pytest.approx(halves(best, j) - halves(other, j), rel=1e-8)


def test_drawn_rows_have_the_moments_of_the_model():
    x, y = blobs(p=3)
    model = DiscriminantClassifier("full").fit(x, y)
    rows, labels = model.sample(40_000, random_state=0)
    drawn = np.column_stack([c.values for c in rows.columns])
    for c in range(3):
        part = drawn[labels == c]
        error = 5 * np.sqrt(np.diag(model.covariance_[c]) / len(part))
        assert (np.abs(part.mean(axis=0) - model.means_[c]) < error).all()
        scale = np.sqrt(np.outer(np.diag(model.covariance_[c]), np.diag(model.covariance_[c])))
        assert (np.abs(np.cov(part.T) - model.covariance_[c]) / scale < 0.05).all()
    assert np.abs(np.bincount(labels) / 40_000 - model.class_prior_).max() < 0.01
    again, _ = model.sample(40_000, random_state=0)
    np.testing.assert_array_equal(again.columns[0].values, rows.columns[0].values)


def test_a_mixed_table_is_drawn_as_a_mixed_table():
    table = datasets.load("vote")
    model = DiscriminantClassifier().fit(table)
    rows, labels = model.sample(3_000, random_state=1)
    assert rows.kinds == table.drop("Class").kinds
    assert model.score(rows, labels) > 0.9
    fee = [(a, b) for a, b in zip(rows["physician-fee-freeze"].labels(), labels.tolist(), strict=True)]
    assert np.mean([a == "y" for a, b in fee if b == "republican"]) > 0.9


def test_only_the_most_frequent_categories_get_indicators():
    towns = ["a"] * 30 + ["b"] * 20 + ["c"] * 10 + [f"t{i}" for i in range(40)]
    table, y = {"town": towns, "x": RNG.normal(size=100)}, (RNG.random(100) < 0.5).astype(int)
    model = DiscriminantClassifier(max_categories=2).fit(table, y)
    assert model.column_names_ == ("town=b", "town=c", "x")
    rare, reference = ({"town": [t], "x": [0.1]} for t in ("t3", "a"))
    np.testing.assert_array_equal(model.predict_proba(rare), model.predict_proba(reference))


def test_too_many_columns_are_refused_with_advice():
    with pytest.raises(InputError, match="naive Bayes"):
        DiscriminantClassifier().fit(RNG.normal(size=(10, 2001)), np.arange(10) % 2)


def test_priors_by_label_and_wrong_ones():
    x, y = blobs()
    names = np.array(["u", "v", "w"])[y]
    one = DiscriminantClassifier(priors={"w": 0.6, "u": 0.2, "v": 0.2}).fit(x, names)
    np.testing.assert_allclose(one.class_prior_, [0.2, 0.2, 0.6])
    with pytest.raises(ParameterError, match="3 classes"):
        DiscriminantClassifier(priors=[0.5, 0.5]).fit(x, y)


def test_one_column_two_classes_is_the_textbook_formula():
    x, y = np.array([[1.0], [2.0], [3.0], [6.0], [7.0], [9.0]]), [0, 0, 0, 1, 1, 1]
    model = DiscriminantClassifier("diagonal").fit(x, y)
    a, b = norm(2, np.sqrt(2 / 3)), norm(22 / 3, np.sqrt(np.var([6, 7, 9])))
    at = np.array([4.0, 4.5])
    np.testing.assert_allclose(model.predict_proba(at[:, None])[:, 1], b.pdf(at) / (a.pdf(at) + b.pdf(at)))


def test_a_scan_of_files_gives_the_model_of_the_table(tmp_path):
    x, y = blobs()
    frame = pd.DataFrame(x, columns=list("abcd")).assign(goal=y)
    for i in range(4):
        frame[i * 100 : (i + 1) * 100].to_parquet(tmp_path / f"{i}.parquet")
    model = DiscriminantClassifier("full").fit(learnt.scan(sorted(tmp_path.glob("*.parquet"))), "goal")
    np.testing.assert_allclose(model.covariance_, DiscriminantClassifier("full").fit(x, y).covariance_, rtol=1e-9)
