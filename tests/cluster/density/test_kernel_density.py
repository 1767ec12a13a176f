"""Kernel densities: scikit-learn's numbers, SciPy's, mixed tables, bandwidths, draws."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import gaussian_kde, kstest, norm
from sklearn.neighbors import KernelDensity as Peer
from sklearn.utils.estimator_checks import check_estimator

import learnt
from learnt import KernelDensity
from learnt.cluster.density.kernels import KERNELS
from learnt.errors import InputError, ParameterError, SavedModelError

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(300, 3)), RNG.normal(size=(80, 3)) * 1.3
MIXED = {
    "size": [1.0, 2.0, None, 4.0, 2.5, 3.0],
    "weight": [5.0, None, 6.0, 7.0, 5.5, 6.5],
    "town": ["Bern", "Bern", "Basel", None, "Zug", "Basel"],
    "old": [True, False, True, True, None, False],
}


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k != "tricube"])
@pytest.mark.parametrize("weighted", [False, True])
def test_log_densities_are_those_of_scikit_learn(kernel, weighted):
    w = RNG.integers(1, 4, 300) if weighted else None
    found = KernelDensity(bandwidth=0.7, kernel=kernel).fit(X, sample_weight=w).score_samples(Q)
    peer = Peer(bandwidth=0.7, kernel=kernel, rtol=0).fit(X, sample_weight=w).score_samples(Q)
    there = np.isfinite(found)
    assert there.any()
    np.testing.assert_allclose(found[there], peer[there], atol=1e-8)
    # Where no kernel reaches, scikit-learn may be left with rounding of what it added and took away.
    reach = cdist(Q, X).min(axis=1) < 0.7
    np.testing.assert_array_equal(there, reach | (kernel in ("gaussian", "exponential")))
    assert (peer[~there] < -30).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_density_integrates_to_one(kernel):
    x = np.linspace(-40, 40, 160_001)
    for columns in (1, 2):
        model = KernelDensity(bandwidth=0.8, kernel=kernel).fit(X[:40, :columns])
        if columns == 1:
            total = np.trapezoid(np.exp(model.score_samples(x[:, None])), x)
            assert total == pytest.approx(1, abs=1e-6)
        else:
            grid = np.linspace(-9, 9, 361)
            both = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
            total = np.exp(model.score_samples(both)).sum() * (grid[1] - grid[0]) ** 2
            assert total == pytest.approx(1, abs=5e-3)


def test_errors_stay_within_the_tolerance():
    x, q = RNG.normal(size=(5000, 2)), RNG.normal(size=(300, 2))
    exact = KernelDensity(bandwidth=0.2, rtol=0).fit(x).score_samples(q)
    for rtol in (1e-8, 1e-3, 0.1):
        found = KernelDensity(bandwidth=0.2, rtol=rtol).fit(x).score_samples(q)
        assert np.abs(np.expm1(found - exact)).max() <= rtol * (1 + 1e-6) + 1e-12


def test_rules_of_thumb_are_those_of_the_books():
    one = KernelDensity().fit(X[:, :1])
    assert one.bandwidth_[0] == pytest.approx(X[:, 0].std() * 300 ** (-1 / 5))
    silverman = KernelDensity(bandwidth="silverman").fit(X).bandwidth_
    np.testing.assert_allclose(silverman, X.std(axis=0) * (300 * 5 / 4) ** (-1 / 7))
    # SciPy's bandwidth of one column is Scott's, by the spread with n − 1.
    kde = gaussian_kde(X[:, 0], bw_method=one.bandwidth_[0] / X[:, 0].std(ddof=1))
    np.testing.assert_allclose(np.exp(one.score_samples(Q[:, :1])), kde(Q[:, 0]), rtol=1e-7)


def test_one_bandwidth_for_each_column_is_a_change_of_units():
    found = KernelDensity(bandwidth=[0.5, 1.0, 2.0]).fit(X).score_samples(Q)
    peer = Peer(bandwidth=1.0, rtol=0).fit(X / [0.5, 1, 2]).score_samples(Q / [0.5, 1, 2])
    np.testing.assert_allclose(found, peer, atol=1e-8)  # 0.5 · 1 · 2 = 1


def test_cross_validation_takes_the_bandwidth_that_says_most_about_rows_left_out():
    x = np.concatenate([RNG.normal(-3, 0.3, 100), RNG.normal(3, 0.3, 100)])[:, None]
    model = KernelDensity(bandwidth="cv").fit(x)
    h = float(model.bandwidth_[0])

    def left_out(width):
        k = norm.pdf((x - x.T) / width) / width
        np.fill_diagonal(k, 0)
        return np.log(k.sum(axis=1) / 199).mean()

    assert model.likelihoods_.max() == pytest.approx(left_out(h), abs=1e-3)
    grid = h * np.linspace(0.7, 1.4, 15)
    assert left_out(h) >= max(left_out(g) for g in grid) - 2e-3
    assert h < 0.3 * KernelDensity().fit(x).bandwidth_[0]  # Scott's is fooled by two peaks


@pytest.mark.parametrize("columns", [["petallength"], ["petalwidth"], ["sepalwidth", "petalwidth"]])
def test_rounded_numbers_do_not_make_the_bandwidth_collapse(columns):
    iris = learnt.datasets.load("iris").select(columns)  # to one decimal, as measured
    rounded = KernelDensity(bandwidth="cv").fit(iris)
    smooth = {name: iris[name].values + np.random.default_rng(1).uniform(-0.05, 0.05, 150) for name in columns}
    exact = KernelDensity(bandwidth="cv").fit(smooth)
    assert (rounded.bandwidth_ >= 0.05 - 1e-9).all()  # half a step
    np.testing.assert_allclose(rounded.bandwidth_, exact.bandwidth_, rtol=0.5)
    assert rounded.score(smooth) > KernelDensity().fit(iris).score(smooth) - 5


def test_integers_are_smoothed_over_their_steps():
    x = np.random.default_rng(0).poisson(6, 2000)[:, None].astype(float)
    h = float(KernelDensity(bandwidth="cv").fit(x).bandwidth_[0])
    assert 0.5 <= h < 1


def test_copies_of_all_rows_change_no_bandwidth_and_weights_are_copies():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-3, 0.3, 40), rng.normal(3, 0.3, 40)])[:, None]
    once = KernelDensity(bandwidth="cv").fit(x)
    tried = dict(zip(once.factors_ * KernelDensity().fit(x).bandwidth_[0], once.likelihoods_, strict=True))
    five = KernelDensity(bandwidth="cv").fit(np.repeat(x, 5, axis=0))
    assert five.bandwidth_[0] == pytest.approx(once.bandwidth_[0], rel=0.02)
    assert five.likelihoods_.max() == pytest.approx(max(tried.values()), abs=1e-3)
    w = rng.integers(1, 4, 80)
    weighted = KernelDensity(bandwidth="cv").fit(x, sample_weight=w)
    repeated = KernelDensity(bandwidth="cv").fit(np.repeat(x, w, axis=0))
    np.testing.assert_allclose(weighted.bandwidth_, repeated.bandwidth_, rtol=1e-12)


def test_a_label_beside_rounded_numbers_and_a_gap_do_not_make_it_collapse():
    iris = learnt.datasets.load("iris").select(["petallength", "petalwidth", "class"])
    gaps = np.where(np.arange(150) % 7 == 0, np.nan, iris["petalwidth"].values)
    table = {"length": iris["petallength"].values, "width": gaps, "class": iris["class"].labels()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = KernelDensity(bandwidth="cv").fit(table).bandwidth_
    assert (found[:2] >= 0.05 - 1e-9).all()
    two_values = KernelDensity(bandwidth="cv").fit({"x": [0.0, 0.0, 1.0, 1.0], "c": list("abab")})
    assert np.isfinite(two_values.bandwidth_).all()


def test_mixed_rows_with_gaps_have_the_density_of_the_definition():
    model = KernelDensity(bandwidth=[0.5, 0.8, 0.3, 0.2]).fit(MIXED)
    size, weight, town = (np.array(MIXED[c], dtype=object) for c in ("size", "weight", "town"))
    old = np.array(MIXED["old"], dtype=object)

    def bell(values, x):
        known = np.array([v for v in values if v is not None], dtype=float)
        return norm.pdf(x, known.mean(), known.std())

    def share(values, x):
        known = [v for v in values if v is not None]
        return known.count(x) / len(known)

    def kernel(i, row):
        found = 1.0
        for name, values, h in (("size", size, 0.5), ("weight", weight, 0.8)):
            if row[name] is not None:
                found *= bell(values, row[name]) if values[i] is None else norm.pdf(row[name], values[i], h)
        for name, values, away, k in (("town", town, 0.3, 3), ("old", old, 0.2, 2)):
            if row[name] is not None:
                near = 1 - away if values[i] == row[name] else away / (k - 1)
                found *= share(values, row[name]) if values[i] is None else near
        return found

    rows = [
        {"size": 2.2, "weight": 6.1, "town": "Basel", "old": True},
        {"size": None, "weight": 5.0, "town": None, "old": False},
        {"size": 1.0, "weight": None, "town": "Zug", "old": None},
    ]
    expected = [np.log(np.mean([kernel(i, row) for i in range(6)])) for row in rows]
    columns = {name: [row[name] for row in rows] for name in MIXED}
    np.testing.assert_allclose(model.score_samples(columns), expected, rtol=1e-12)


def test_probabilities_of_labels_add_up_to_one():
    model = KernelDensity().fit({"town": ["a", "b", "a", "c", None], "x": [1.0, 2.0, 2.0, 1.0, 3.0]})
    at = {"town": ["a", "b", "c"], "x": [1.5] * 3}
    whole = np.exp(model.score_samples({"town": [None], "x": [1.5]}))
    assert np.exp(model.score_samples(at)).sum() == pytest.approx(whole[0])


def test_weights_are_copies():
    w = RNG.integers(0, 4, 300)
    for settings in ({}, {"bandwidth": "cv"}, {"kernel": "epanechnikov", "bandwidth": 1.5}):
        weighted = KernelDensity(**settings).fit(X, sample_weight=w)
        copied = KernelDensity(**settings).fit(np.repeat(X, w, axis=0))
        np.testing.assert_allclose(weighted.bandwidth_, copied.bandwidth_, rtol=1e-9)
        np.testing.assert_allclose(weighted.score_samples(Q), copied.score_samples(Q), atol=1e-7)
    assert weighted.score(Q[:5], sample_weight=[1, 2, 0, 1, 1]) == pytest.approx(
        weighted.score_samples(Q[:5]) @ [1, 2, 0, 1, 1]
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_draws_follow_the_density(kernel):
    model = KernelDensity(bandwidth=0.6, kernel=kernel).fit(X[:50, :1])
    drawn = model.sample(4000, random_state=0)
    assert drawn.shape == (4000, 1)
    grid = np.linspace(-30, 30, 20_001)
    mass = np.cumsum(np.exp(model.score_samples(grid[:, None]))) * (grid[1] - grid[0])
    assert kstest(drawn[:, 0], lambda x: np.interp(x, grid, mass)).pvalue > 0.001
    np.testing.assert_array_equal(model.sample(10, random_state=3), model.sample(10, random_state=3))
    flat = KernelDensity(bandwidth=0.6, kernel=kernel).fit([[0.0, 0, 0], [1e-9, 1e-9, 1e-9]])
    radius = np.sqrt((flat.sample(500, random_state=1) ** 2).sum(axis=1)) / 0.6
    assert kernel in ("gaussian", "exponential") or radius.max() <= 1 + 1e-6


def test_labels_are_drawn_and_smoothed_by_their_share_of_the_kernel():
    towns = {"town": ["a"] * 45 + ["b"] * 4 + ["c"]}
    thumb = KernelDensity().fit(towns)
    assert thumb.bandwidth_[0] == pytest.approx(2 / 3 * 50 ** (-2 / 5))
    model = KernelDensity(bandwidth=[0.3]).fit(towns)
    shares = np.exp(model.score_samples({"town": ["a", "b", "c"]}))
    np.testing.assert_allclose(shares, 0.7 * np.array([0.9, 0.08, 0.02]) + 0.15 * np.array([0.1, 0.92, 0.98]))
    drawn = np.bincount(model.sample(20_000, random_state=0)["town"].values, minlength=3) / 20_000
    np.testing.assert_allclose(drawn, shares, atol=0.015)


def test_draws_of_a_mixed_table_are_a_table():
    model = KernelDensity().fit(MIXED)
    drawn = model.sample(500, random_state=0)
    assert drawn.names == tuple(MIXED)
    assert not any(c.missing.any() for c in drawn.columns)
    assert np.isfinite(model.score_samples(drawn)).all()


def test_columns_that_never_vary_are_left_out():
    plain = KernelDensity().fit(X)
    wide = np.column_stack([X, np.full(300, 7.0), np.full(300, np.nan)])
    model = KernelDensity().fit(wide)
    assert model.bandwidth_[3:].tolist() == [0, 0]
    more = np.column_stack([Q, np.zeros(80), np.zeros(80)])
    np.testing.assert_allclose(model.score_samples(more), plain.score_samples(Q), atol=1e-12)
    assert "left out" in str(model)
    assert KernelDensity().fit(np.ones((4, 1))).score_samples([[5.0]]).tolist() == [0.0]


def test_a_column_of_one_cell_or_of_none_takes_a_given_bandwidth():
    rows = {"x": [0.0, 1.0, 2.0], "one": [None, 5.0, None], "none": [None, None, None]}
    model = KernelDensity(bandwidth=1.0).fit(rows)
    assert model.bandwidth_.tolist() == [1, 1, 0]
    asked = {"x": [1.0], "one": [6.0], "none": [3.0]}
    bell = [np.exp(-((x - 1) ** 2) / 2) / np.sqrt(2 * np.pi) for x in rows["x"]]
    one = np.exp(-1 / 2) / np.sqrt(2 * np.pi)  # a missing cell may be like the one that is there
    np.testing.assert_allclose(model.score_samples(asked), np.log(np.mean(bell) * one))
    far = {"x": [1e300], "one": [None], "none": [None]}
    assert model.score_samples(far).tolist() == [-np.inf]


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scales_move_densities_by_their_logarithm(scale):
    found = KernelDensity().fit(X * scale).score_samples(Q * scale)
    np.testing.assert_allclose(found + 3 * np.log(scale), KernelDensity().fit(X).score_samples(Q), atol=1e-7)


def test_what_makes_no_sense_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="bandwidth=0"):
        KernelDensity(bandwidth=0).fit(X)
    with pytest.raises(ParameterError, match="2 entries"):
        KernelDensity(bandwidth=[1.0, 2.0]).fit(X)
    with pytest.raises(ParameterError, match="at most 1"):
        KernelDensity(bandwidth=[1.0, 1.0, 1.5, 0.1]).fit(MIXED)
    with pytest.raises(ParameterError, match="kernel"):
        KernelDensity(kernel="bell").fit(X)
    with pytest.raises(ParameterError, match="than a number can say"):
        KernelDensity(bandwidth=1e-300).fit([[1e10]])
    with pytest.raises(InputError, match="infinite"):
        KernelDensity().fit([[np.inf]])
    with pytest.raises(ParameterError, match="n_samples"):
        KernelDensity().fit(X).sample(0)
    with pytest.raises(learnt.errors.NotFittedError):
        KernelDensity().score_samples(X)


def test_a_density_is_kept_in_a_file_and_a_wrong_one_is_refused(tmp_path):
    model = KernelDensity(bandwidth="cv").fit(MIXED, sample_weight=[1, 2, 1, 0, 1, 3])
    learnt.save(model, tmp_path / "d.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "d.learnt").score_samples(MIXED), model.score_samples(MIXED))
    for name, value in (
        ("bandwidth_", np.ones(3)),
        ("bandwidth_", np.array([1.0, -1, 0.1, 0.1])),
        ("bandwidth_", np.array([1.0, 1, 2.0, 0.1])),
        ("_weights", np.ones(2)),
        ("kernel", "bell"),
    ):
        broken = KernelDensity().fit(MIXED)
        setattr(broken, name, value)
        with pytest.raises(SavedModelError):
            broken._check_fitted_state()


def test_an_explanation_names_the_rows_that_add_most_and_adds_up():
    for rows, judged in ((X, Q[:3]), (MIXED, {name: cells[:3] for name, cells in MIXED.items()})):
        model = KernelDensity().fit(rows)
        logs = model.score_samples(judged)
        for i, told in enumerate(model.explain(judged)):
            assert told.add_up() == pytest.approx(told.total)
            assert told.total == pytest.approx(np.exp(logs[i]), rel=1e-7)
    nearest = int((((X - Q[2]) / KernelDensity().fit(X).bandwidth_) ** 2).sum(axis=1).argmin())
    assert KernelDensity().fit(X).explain(Q)[2].evidence[0].column == f"row {nearest}"


def test_it_is_an_estimator_to_scikit_learn():
    for told in check_estimator(KernelDensity(), on_fail=None):
        assert told["status"] in ("passed", "skipped"), told
