"""Intervals: against SciPy, published figures, definitions written out, and how often they hold the truth."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.peer import scored

from learnt.errors import InputError, ParameterError
from learnt.evaluate import metrics as m
from learnt.evaluate.metrics.intervals import PROPORTION_METHODS


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 200), share=st.floats(0, 1), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilsons_and_the_exact_interval_are_scipys(n, share, level):
    k = round(share * n)
    for method in ("wilson", "exact"):
        expected = scipy.stats.binomtest(k, n).proportion_ci(level, method)
        assert tuple(m.proportion_interval(k, n, level=level, method=method)) == pytest.approx(expected, abs=1e-9)


def test_jeffreys_interval_is_the_betas_except_at_the_ends():
    beta = scipy.stats.beta(7.5, 13.5)
    assert tuple(m.proportion_interval(7, 20, method="jeffreys")) == pytest.approx(beta.ppf([0.025, 0.975]))
    assert m.proportion_interval(0, 20, method="jeffreys").low == 0
    assert m.proportion_interval(20, 20, method="jeffreys").high == 1


def test_published_intervals_of_a_share_come_out():
    """81 of 263 (Newcombe 1998, Statistics in Medicine 17, table I): normal, Wilson and exact, to four digits."""
    published = {"normal": (0.2522, 0.3638), "wilson": (0.2553, 0.3662), "exact": (0.2527, 0.3676)}
    for method, ends in published.items():
        assert tuple(m.proportion_interval(81, 263, method=method)) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize("method", PROPORTION_METHODS)
def test_an_interval_of_a_share_stays_between_0_and_1_and_holds_the_share(method):
    for k in (0, 1, 5, 9, 10):
        interval = m.proportion_interval(k, 10, method=method)
        assert 0 <= interval.low <= interval.high <= 1
        assert interval.estimate in interval


def test_intervals_of_accuracy_precision_and_recall_are_those_of_their_shares():
    truth, answer = ["y"] * 6 + ["n"] * 6, ["y"] * 4 + ["n"] * 7 + ["y"]
    assert m.accuracy_interval(truth, answer) == m.proportion_interval(9, 12)
    assert m.precision_interval(truth, answer, pos_label="y") == m.proportion_interval(4, 5)
    assert m.recall_interval(truth, answer, pos_label="y", method="exact") == m.proportion_interval(
        4, 6, method="exact"
    )


def test_an_interval_prints_what_it_is():
    assert str(m.proportion_interval(1, 2)) == "0.5  [0.09453, 0.9055]  (95 %, wilson)"


HANLEY = (
    [0] * 58 + [1] * 51,
    [1] * 33 + [2] * 6 + [3] * 6 + [4] * 11 + [5] * 2 + [1] * 3 + [2] * 2 + [3] * 2 + [4] * 11 + [5] * 33,
)


def test_the_published_interval_of_rated_images_comes_out():
    """109 computed tomograms of Hanley and McNeil (1982); area and interval as Stata's manual prints for roctab."""
    interval = m.auc_interval(*HANLEY, method="delong")
    assert interval.estimate == pytest.approx(0.8932, abs=5e-5)
    assert tuple(interval) == pytest.approx((0.83295, 0.95339), abs=5e-6)


def _structural(truth, score):
    """DeLong's components by their definition, all pairs."""
    hits, misses = score[truth], score[~truth]
    wins = (hits[:, None] > misses) + (hits[:, None] == misses) / 2
    return wins.mean(axis=1), wins.mean(axis=0)


@settings(max_examples=60, deadline=None)
@given(rows=scored(most=30).filter(lambda r: len(np.unique(r[0])) == 2))
def test_delongs_variance_is_that_of_all_pairs(rows):
    labels, score, _ = rows
    truth = labels == max(labels.tolist())
    v10, v01 = _structural(truth, score)
    interval = m.auc_interval(labels, score, method="delong")
    assert interval.estimate == pytest.approx(v10.mean(), abs=1e-12)
    if 0 < v10.mean() < 1:
        variance = sum(v.var(ddof=1) / len(v) if len(v) > 1 else 0 for v in (v10, v01))
        half = scipy.stats.norm.ppf(0.975) * math.sqrt(variance)
        assert tuple(interval) == pytest.approx((max(0, v10.mean() - half), min(1, v10.mean() + half)), abs=1e-12)


def test_a_perfect_area_has_an_interval_too():
    interval = m.auc_interval([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    assert tuple(interval) == tuple(m.proportion_interval(2, 2))
    assert interval.estimate == 1


def test_the_interval_of_an_area_is_that_of_a_share_with_its_variance():
    delong, wilson = m.auc_interval(*HANLEY, method="delong"), m.auc_interval(*HANLEY)
    area, error = wilson.estimate, (delong.high - delong.low) / 2 / 1.959964
    few = min(np.bincount(HANLEY[0]))  # of the smaller class, to which one more row brings what a share of them varies
    error = math.sqrt((few * error**2 + area * (1 - area) / few) / (few + 1))
    for end in wilson:  # where the area is z standard errors away, if those grow with θ(1 − θ)
        assert abs(area - end) / (error * math.sqrt(end * (1 - end) / (area * (1 - area)))) == pytest.approx(1.959964)


def test_ties_alone_leave_a_wide_interval():
    low, high = m.auc_interval([0, 1, 1], [3, 3, 3])
    assert low < 0.2 < 0.8 < high


@pytest.mark.parametrize(("n", "area", "least"), [(30, 0.8, 0.935), (30, 0.95, 0.95), (100, 0.95, 0.93)])
def test_the_interval_of_an_area_holds_it(n, area, least):
    rng, y = np.random.default_rng(11), np.arange(n) % 2
    apart = math.sqrt(2) * scipy.stats.norm.ppf(area)
    held = [area in m.auc_interval(y, rng.normal(apart * y)) for _ in range(1000)]
    assert least <= np.mean(held) <= 0.985  # ± z standard errors: .92, .86, .91


@pytest.mark.parametrize(("positive", "negative", "area"), [(10, 90, 0.8), (90, 10, 0.95)])
def test_the_interval_of_an_area_holds_it_with_ten_rows_of_a_class(positive, negative, area):
    rng, y = np.random.default_rng(12), np.repeat([1, 0], [positive, negative])
    apart = math.sqrt(2) * scipy.stats.norm.ppf(area)
    held = [area in m.auc_interval(y, rng.normal(apart * y)) for _ in range(1000)]
    assert np.mean(held) >= 0.935  # without a share of the smaller class in its variance: .92, .88


def test_delongs_test_is_that_of_the_covariance_of_all_pairs():
    rng = np.random.default_rng(0)
    truth = rng.random(80) < 0.4
    a, b = rng.normal(truth * 1.0, 1, 80).round(1), rng.normal(truth * 0.6, 1, 80).round(1)
    parts = [_structural(truth, s) for s in (a, b)]
    covariance = sum(np.cov(parts[0][i], parts[1][i]) / len(parts[0][i]) for i in (0, 1))
    z = (parts[0][0].mean() - parts[1][0].mean()) / math.sqrt(
        covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    )
    test = m.delong_test(truth, a, b)
    assert test.z == pytest.approx(z, rel=1e-10)
    assert test.p_value == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), rel=1e-10)
    assert test.significant == (0 not in test.interval)
    assert m.delong_test(truth, b, a).z == pytest.approx(-z, rel=1e-10)
    assert "cannot be told apart" in str(m.delong_test(truth, a, a))
    assert m.delong_test(truth, a, a).p_value == 1


def test_bootstrapped_areas_agree_with_delong():
    rng = np.random.default_rng(2)
    truth = rng.random(400) < 0.4
    score = rng.normal(truth * 1.0, 1)
    wald, boot = (
        m.auc_interval(truth, score, method="delong"),
        m.auc_interval(truth, score, method="bootstrap", n_resamples=500),
    )
    assert tuple(boot) == pytest.approx(tuple(wald), abs=0.012)
    assert boot == m.auc_interval(truth, score, method="bootstrap", n_resamples=500)


def _as_of_students(level, n):
    """The level at which a Gaussian interval of a mean, its variance divided by n, is as wide as Student's."""
    return 1 - 2 * scipy.stats.norm.sf(math.sqrt(n / (n - 1)) * scipy.stats.t.ppf((1 + level) / 2, n - 1))


def test_the_bootstrapped_interval_of_a_mean_of_few_rows_is_as_wide_as_students():
    error = np.linspace(1, 3, 12)
    low, high = m.bootstrap_interval("mae", np.zeros(12), error, method="percentile", n_resamples=10_000)
    expected = scipy.stats.ttest_1samp(error, 0).confidence_interval()
    assert high - low == pytest.approx(expected.high - expected.low, rel=0.05)


def _scipy(statistic, columns, method, seed):
    result = scipy.stats.bootstrap(
        columns,
        statistic,
        paired=True,
        vectorized=False,
        n_resamples=4000,
        method=method,
        confidence_level=_as_of_students(0.95, len(columns[0])),
        rng=np.random.default_rng(seed),
    )
    return result.confidence_interval


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_intervals_are_scipys_up_to_chance(method):
    rng = np.random.default_rng(4)
    truth = rng.normal(size=60)
    answer = truth + rng.exponential(0.5, 60)
    found = m.bootstrap_interval("rmse", truth, answer, method=method, n_resamples=4000)
    expected = _scipy(lambda t, a: math.sqrt(np.mean((t - a) ** 2)), (truth, answer), method, 1)
    assert tuple(found) == pytest.approx(tuple(expected), abs=0.015)
    codes, guess = (truth > 0).astype(int), (answer > 0.6).astype(int)
    found = m.bootstrap_interval("accuracy", codes, guess, method=method, n_resamples=4000)
    expected = _scipy(lambda t, a: np.mean(t == a), (codes, guess), method, 1)
    assert tuple(found) == pytest.approx(tuple(expected), abs=1.01 / 60)


def test_skewness_moves_a_bca_interval_away_from_percentiles():
    rng = np.random.default_rng(0)
    truth = np.zeros(40)
    answer = rng.lognormal(0, 1.2, 40)
    plain, moved = (m.bootstrap_interval("mse", truth, answer, method=how) for how in ("percentile", "bca"))
    assert moved.high > plain.high
    assert moved.low > plain.low


@pytest.mark.parametrize("name", ["auc", "log_loss", "brier", "f1", "kappa", "pearson", "median_absolute_error"])
def test_every_sort_of_metric_can_be_bootstrapped(name):
    rng = np.random.default_rng(5)
    truth = rng.random(90) < 0.5
    p = np.clip(rng.normal(0.3 + 0.4 * truth, 0.2), 0.01, 0.99)
    given = p if m.metric(name).needs != "labels" else p > 0.5
    labels = truth.astype(float) if m.metric(name).needs == "numbers" else truth
    interval = m.bootstrap_interval(name, labels, given, n_resamples=200)
    assert interval.low < interval.estimate < interval.high
    assert interval == m.bootstrap_interval(name, labels, given, n_resamples=200)
    other = m.bootstrap_interval(name, labels, given, n_resamples=200, random_state=1)
    assert tuple(other) != tuple(interval)
    weighted = m.bootstrap_interval(name, labels, given, n_resamples=200, sample_weight=np.ones(90))
    assert weighted.estimate == pytest.approx(interval.estimate)
    assert tuple(weighted) == pytest.approx(tuple(interval), abs=0.08)


def test_a_function_of_truth_and_answer_can_be_bootstrapped():
    def worst(truth, answer):
        return np.max(np.abs(truth - answer))

    assert m.bootstrap_interval(worst, [1.0, 2, 3, 4], [1.0, 2, 3, 9], n_resamples=50, method="percentile").high == 5


def test_the_interval_of_a_mean_signed_error_is_students():
    rng = np.random.default_rng(6)
    truth, answer = rng.normal(size=(2, 25))
    expected = scipy.stats.ttest_1samp(answer - truth, 0).confidence_interval()
    assert tuple(m.mean_error_interval(truth, answer, of="signed")) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("of", ["absolute", "squared"])
def test_the_ends_of_the_interval_of_a_mean_error_are_t_away_after_halls_transformation(of):
    rng = np.random.default_rng(6)
    error = rng.normal(size=25)
    values = abs(error) if of == "absolute" else error**2
    interval = m.mean_error_interval(np.zeros(25), error, of=of)
    w = (values.mean() - np.array(tuple(interval))) / values.std(ddof=1)
    a = np.mean(((values - values.mean()) / values.std(ddof=1)) ** 3)
    moved = w + a * w**2 / 3 + a**2 * w**3 / 27 + a / (6 * 25)
    assert moved * 5 == pytest.approx(scipy.stats.t.ppf([0.975, 0.025], 24))


def test_symmetric_sizes_of_errors_get_students_interval_nearly():
    error = np.concatenate([np.linspace(1, 3, 51)])
    expected = scipy.stats.ttest_1samp(error, 0).confidence_interval()
    assert tuple(m.mean_error_interval(np.zeros(51), error)) == pytest.approx(tuple(expected), rel=1e-3)
    assert tuple(m.mean_error_interval([1, 2, 3], [2, 3, 4])) == (1, 1)


@pytest.mark.parametrize(("of", "truth", "n"), [("absolute", math.sqrt(2 / math.pi), 30), ("squared", 1, 30)])
def test_the_interval_of_a_mean_error_holds_it(of, truth, n):
    rng = np.random.default_rng(12)
    held = [truth in m.mean_error_interval(np.zeros(n), rng.normal(size=n), of=of) for _ in range(2000)]
    assert 0.93 <= np.mean(held) <= 0.97  # Student's t: .94 of sizes, .91 of squares


def test_the_interval_of_the_rmse_is_chi_squared():
    truth, answer = np.zeros(10), np.full(10, 2.0)
    low, high = m.rmse_interval(truth, answer)
    assert low == pytest.approx(2 * math.sqrt(10 / 20.4832), rel=1e-5)  # χ² of 10 degrees: 3.247 and 20.483
    assert high == pytest.approx(2 * math.sqrt(10 / 3.24697), rel=1e-5)


def test_intervals_of_rmse_r2_and_r_hold_the_truth_as_often_as_they_say():
    """500 samples of 40 rows: 95 % should hold it, 2 standard errors are 2 %."""
    rng = np.random.default_rng(7)
    held = np.zeros(2)
    for _ in range(500):
        answer = rng.normal(size=40)
        truth = answer + rng.normal(0, 0.5, 40)
        held += [0.5 in m.rmse_interval(truth, answer), 1 / math.sqrt(1.25) in m.pearson_interval(truth, answer)]
    assert held / 500 == pytest.approx([0.95, 0.95], abs=0.025)


DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n) / math.sqrt(2),
    "Student, 5 degrees": lambda rng, n: rng.standard_t(5, n) / math.sqrt(5 / 3),
}


@pytest.mark.parametrize("errors", DRAWS)
@pytest.mark.parametrize(("n", "least"), [(30, 0.90), (100, 0.915), (500, 0.915)])
def test_the_interval_of_r2_holds_the_truth_as_often_as_it_says(errors, n, least):
    """95 % of the samples should; of 400, 2 standard errors are 2.2 %. In 2,000 samples each it was 93.0 % to 95.4 % at
    30 rows, 93.4 % to 95.1 % at 100, and 94.1 % to 96.0 % at 500."""
    rng = np.random.default_rng(n)
    for r2 in (0.1, 0.5, 0.9):
        held = 0
        for _ in range(400):
            answer = rng.normal(size=n) * math.sqrt(r2)
            held += r2 in m.r2_interval(answer + DRAWS[errors](rng, n) * math.sqrt(1 - r2), answer)
        assert least <= held / 400 <= 0.985, r2


def test_the_interval_of_r2_is_the_jackknifes_of_its_logarithm():
    rng = np.random.default_rng(8)
    answer = rng.normal(size=40)
    truth = answer + rng.laplace(0, 0.5, 40)
    rows = np.arange(40)
    logs = np.array([math.log(1 - m.r2_score(truth[rows != i], answer[rows != i])) for i in rows])
    error = math.sqrt(39 / 40 * ((logs - logs.mean()) ** 2).sum())
    reach = scipy.stats.t.ppf(0.95, 39) * error
    r2 = m.r2_score(truth, answer)
    found = m.r2_interval(truth, answer, level=0.9)
    assert tuple(found) == pytest.approx((1 - (1 - r2) * math.exp(reach), 1 - (1 - r2) * math.exp(-reach)), rel=1e-10)
    boot = m.r2_interval(truth, answer, level=0.9, method="bootstrap")
    assert tuple(boot) == pytest.approx(tuple(found), abs=0.07)  # that knows of skewness, too


def test_intervals_of_r2_exist_where_leaving_out_a_row_leaves_nothing():
    assert tuple(m.r2_interval([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])) == (1, 1)
    for truth, answer in [([1, 2, 3, 4], [1, 2, 3, 9]), ([0, 0, 0, 1], [0, 0.1, 0, 1]), ([1, 2], [1, 3])]:
        low, high = m.r2_interval(truth, answer)
        assert low < m.r2_score(truth, answer) < high <= 1


def test_the_interval_of_pearsons_r_is_scipys():
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(2, 30))
    expected = scipy.stats.pearsonr(x, x + y).confidence_interval(0.9)
    assert tuple(m.pearson_interval(x, x + y, level=0.9)) == pytest.approx(tuple(expected))
    assert tuple(m.pearson_interval(x, x)) == pytest.approx((1, 1))


@pytest.mark.parametrize(
    "call",
    [
        lambda: m.proportion_interval(3, 2),
        lambda: m.proportion_interval(-1, 2),
        lambda: m.proportion_interval(0, 0),
        lambda: m.proportion_interval(1, float("nan")),
        lambda: m.auc_interval([1, 1], [0.1, 0.2]),
        lambda: m.auc_interval([0, 1, 2], [0.1, 0.2, 0.3]),
        lambda: m.auc_interval([0, 1], [0.1, 0.2], pos_label=7),
        lambda: m.mean_error_interval([1], [1]),
        lambda: m.pearson_interval([1, 2, 3], [1, 2, 3]),
        lambda: m.bootstrap_interval("auc", [1, 1], [0.5, 0.5], labels=[0, 1]),
    ],
)
def test_samples_without_an_interval_are_refused(call):
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: m.proportion_interval(1, 2, method="guess"),
        lambda: m.proportion_interval(1, 2, level=95),
        lambda: m.auc_interval([0, 1], [0.1, 0.2], method="guess"),
        lambda: m.auc_interval([0, 1], [0.1, 0.2], method="bootstrap", n_resamples=0),
        lambda: m.bootstrap_interval("rmse", [1, 2], [1, 2], method="guess"),
        lambda: m.bootstrap_interval("rmse", [1, 2], [1, 2], n_resamples=1.5),
        lambda: m.bootstrap_interval("rsme", [1, 2], [1, 2]),
        lambda: m.rmse_interval([1, 2], [1, 2], method="guess"),
        lambda: m.r2_interval([1, 2], [1, 2], method="chi2"),
        lambda: m.mean_error_interval([1, 2], [1, 2], of="cubed"),
    ],
)
def test_wrong_settings_are_refused(call):
    with pytest.raises(ParameterError):
        call()
