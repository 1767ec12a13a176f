"""t-tests, counts of errors and corrections for many tests, against SciPy, published numbers and definitions."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import integrate, stats

from learnt.errors import InputError, LearntError, ParameterError
from learnt.evaluate.significance import (
    adjust,
    bayesian_t_test,
    corrected_t_test,
    five_by_two_test,
    mcnemar_counts,
    mcnemar_test,
    one_sample_t_test,
    paired_t_test,
    sign_test,
    wilcoxon_test,
)

SCIPY = {"two": "two-sided", "greater": "greater", "less": "less"}
TAILS = list(SCIPY)
PAIRED = {
    "paired": paired_t_test,
    "corrected": lambda a, b, **more: corrected_t_test(a, b, 90, 10, **more),
    "signs": sign_test,
    "ranks": wilcoxon_test,
}


@pytest.fixture
def scores():
    rng = np.random.default_rng(7)
    a = rng.uniform(0.7, 0.9, 10)
    return a, a - rng.normal(0.02, 0.03, 10)


@pytest.mark.parametrize("tail", TAILS)
def test_the_paired_t_test_is_scipys(scores, tail):
    test, theirs = paired_t_test(*scores, tail=tail), stats.ttest_rel(*scores, alternative=SCIPY[tail])
    assert test.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert test.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    assert test.degrees_of_freedom == theirs.df
    interval = theirs.confidence_interval(0.95)
    assert test.interval == pytest.approx((interval.low, interval.high), rel=1e-9)


@pytest.mark.parametrize("tail", TAILS)
def test_the_one_sample_t_test_is_scipys(scores, tail):
    test = one_sample_t_test(scores[0], mean=0.79, tail=tail)
    theirs = stats.ttest_1samp(scores[0], 0.79, alternative=SCIPY[tail])
    assert test.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert test.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_the_corrected_t_test_is_the_formula_of_nadeau_and_bengio(scores):
    d = scores[0] - scores[1]
    t = d.mean() / math.sqrt((1 / 10 + 20 / 80) * d.var(ddof=1))
    test = corrected_t_test(*scores, n_train=80, n_test=20)
    assert test.statistic == pytest.approx(t, rel=1e-12)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-10)
    uneven = corrected_t_test(*scores, n_train=[80] * 5 + [79] * 5, n_test=[20] * 5 + [21] * 5)
    assert test.statistic > uneven.statistic > 0


def test_on_folds_that_share_rows_only_the_corrected_test_keeps_its_level():
    rng, n, rho, runs = np.random.default_rng(0), 10, 0.1, 2000
    d = math.sqrt(rho) * rng.normal(size=(runs, 1)) + math.sqrt(1 - rho) * rng.normal(size=(runs, n))
    none = np.zeros(n)
    textbook = np.mean([paired_t_test(row, none).significant for row in d])
    corrected = np.mean([corrected_t_test(row, none, n_train=9, n_test=1).significant for row in d])
    assert abs(corrected - 0.05) < 3 * math.sqrt(0.05 * 0.95 / runs)
    assert textbook > 0.1
    assert "too easily" in str(paired_t_test(d[0], none))
    assert "too easily" not in str(corrected_t_test(d[0], none, n_train=9, n_test=1))


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("test", PAIRED.values(), ids=PAIRED)
def test_a_statistic_lies_in_the_critical_region_exactly_when_it_is_significant(test, tail):
    rng = np.random.default_rng(1)
    seen = set()
    for shift in np.linspace(-0.06, 0.06, 25):
        result = test(rng.normal(0.8 + shift, 0.03, 12), np.full(12, 0.8), tail=tail, alpha=0.1)
        inside = any(low <= result.statistic <= high for low, high in result.critical_region)
        assert inside == result.significant
        seen.add(inside)
    assert seen == {True, False}


def test_the_critical_region_is_shown_in_words(scores):
    edge = stats.t.isf(0.025, 9)
    assert f"t ≤ −{edge:.4g} or t ≥ {edge:.4g}" in str(paired_t_test(*scores))
    assert paired_t_test(*scores, tail="less").region_words == f"t ≤ −{stats.t.isf(0.05, 9):.4g}"


@pytest.mark.parametrize("test", PAIRED.values(), ids=PAIRED)
def test_equal_scores_are_never_told_apart(test):
    a = np.array([0.1 + 0.2, 0.7, 0.9, 0.4])
    result = test(a, np.array([0.3, 0.7, 0.9, 0.4]))  # 0.1 + 0.2 is not 0.3 in floating point
    assert result.p_value == 1
    assert not result.significant
    assert "nan" not in str(result)


@pytest.mark.parametrize("test", PAIRED.values(), ids=PAIRED)
@pytest.mark.parametrize("pairs", [0, 1])
def test_fewer_than_two_pairs_decide_nothing_and_say_so(test, pairs):
    result = test([0.9, np.nan][:1] * pairs, [0.5] * pairs)
    assert result.p_value == 1
    assert "nan" not in str(result)


@pytest.mark.parametrize("test", PAIRED.values(), ids=PAIRED)
def test_folds_without_a_score_are_left_out_and_said(test, scores):
    a, b = scores
    a, b = np.append(a, [np.nan, 0.5]), np.append(b, [0.5, np.nan])
    assert test(a, b).p_value == test(*scores).p_value
    assert "2 pairs with a missing score were left out" in str(test(a, b))


def test_differences_without_spread_are_certain_and_the_doubt_is_said():
    a = np.array([0.81, 0.74, 0.9])
    test = paired_t_test(a, a - 0.1)
    assert (test.statistic, test.p_value) == (math.inf, 0)
    assert "variance is 0" in str(test)
    assert paired_t_test(a, a - 0.1, tail="less").p_value == 1
    assert one_sample_t_test([0.5, 0.5, 0.5], 0.5).p_value == 1


@pytest.mark.parametrize("test", PAIRED.values(), ids=PAIRED)
def test_wrong_input_is_refused_in_words(test):
    with pytest.raises(InputError, match="3 first and 2 second"):
        test([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="not numbers"):
        test(["a"], [1])
    with pytest.raises(InputError, match="shape"):
        test([[1, 2]], [[1, 2]])
    with pytest.raises(ParameterError, match=r"alpha=1\.5"):
        test([1, 2], [1, 2], alpha=1.5)
    with pytest.raises(ParameterError, match="tail='both'"):
        test([1, 2], [1, 2], tail="both")


def test_infinite_scores_are_refused_where_means_are_taken():
    with pytest.raises(InputError, match="Score 1 is infinite"):
        paired_t_test([1, np.inf, 2], [1, 2, 3])
    assert sign_test([1, np.inf, 2], [0, 2, 1]).statistic == 3
    with pytest.raises(InputError, match="both above 0"):
        corrected_t_test([1, 2], [2, 4], n_train=0, n_test=5)


def test_a_result_is_plain_data_for_programs(scores):
    test = paired_t_test(*scores)
    record = json.loads(json.dumps(test.to_dict(), allow_nan=False))
    assert record["significant"] == test.significant
    assert record["critical_region"] == [[None, test.critical_region[0][1]], [test.critical_region[1][0], None]]
    json.dumps(bayesian_t_test(*scores).to_dict(), allow_nan=False)
    assert "<script>" not in paired_t_test(*scores, names=("<script>", "b"))._repr_html_()
    assert "\x1b" not in str(paired_t_test(*scores, names=("\x1b[31m", "b")))


# Five times two folds


def five_by_two(a, b):
    """Dietterich's t and Alpaydın's F, step by step."""
    squares, variances = 0.0, []
    for i in range(5):
        first, second = a[2 * i] - b[2 * i], a[2 * i + 1] - b[2 * i + 1]
        mean = (first + second) / 2
        variances.append((first - mean) ** 2 + (second - mean) ** 2)
        squares += first**2 + second**2
    return (a[0] - b[0]) / math.sqrt(sum(variances) / 5), squares / (2 * sum(variances))


def test_five_by_two_folds_follow_dietterich_and_alpaydin(scores):
    t, f = five_by_two(*scores)
    for tail in TAILS:
        test = five_by_two_test(*scores, tail=tail)
        tails = {"two": 2 * stats.t.sf(abs(t), 5), "greater": stats.t.sf(t, 5), "less": stats.t.cdf(t, 5)}
        assert (test.statistic, test.p_value) == pytest.approx((t, tails[tail]), rel=1e-10)
    combined = five_by_two_test(*(s.reshape(5, 2) for s in scores), statistic="f")
    assert (combined.statistic, combined.p_value) == pytest.approx((f, stats.f.sf(f, 10, 5)), rel=1e-10)
    assert combined.critical_region[0][0] == pytest.approx(4.74, abs=0.005)  # as published


def test_five_by_two_folds_must_all_be_there(scores):
    with pytest.raises(InputError, match="Expected ten"):
        five_by_two_test(scores[0][:9], scores[1][:9])
    with pytest.raises(InputError, match="Score 3 of the second is nan"):
        five_by_two_test(scores[0], np.where(np.arange(10) == 3, np.nan, scores[1]))
    with pytest.raises(LearntError, match="no direction"):
        five_by_two_test(*scores, statistic="f", tail="less")
    assert five_by_two_test(scores[0], scores[0]).p_value == 1
    assert five_by_two_test(scores[0], scores[0], statistic="f").p_value == 1
    assert "no spread" in str(five_by_two_test(scores[0], scores[0] - 0.25))


# McNemar


@pytest.mark.parametrize(("one", "other"), [(0, 0), (1, 0), (9, 2), (15, 15), (0, 24)])
def test_mcnemars_exact_test_is_a_fair_coins(one, other):
    p = stats.binomtest(one, one + other, 0.5).pvalue if one + other else 1.0
    assert mcnemar_counts(one, other, exact=True).p_value == pytest.approx(p, rel=1e-10)


def test_mcnemars_chi2_has_edwards_correction():
    test = mcnemar_counts(150, 86)
    assert test.statistic == (64 - 1) ** 2 / 236
    assert test.p_value == pytest.approx(stats.chi2.sf(63**2 / 236, 1), rel=1e-10)
    assert test.significant
    assert mcnemar_counts(13, 13).p_value == 1


def test_mcnemar_counts_the_rows_only_one_gets_right():
    rng = np.random.default_rng(3)
    truth = rng.choice(["no", "yes"], 300)
    first = np.where(rng.random(300) < 0.1, "no", truth)
    second = np.where(rng.random(300) < 0.5, "yes", truth)
    counts = sum((first == truth) & (second != truth)), sum((first != truth) & (second == truth))
    test = mcnemar_test(truth, first, list(second))
    assert (test.statistic, test.n) == (mcnemar_counts(*map(int, counts)).statistic, sum(counts))
    assert "the accuracy of the first is higher" in test.words.lower()
    assert "the same rows" in mcnemar_test(truth, first, first).words
    with pytest.raises(InputError, match="one each per row"):
        mcnemar_test(truth, first, second[:-1])


# The Bayesian test


def test_the_bayesian_test_integrates_the_posterior_of_the_model(scores):
    """Scores with covariance σ²((1−ρ)I + ρJ) and the prior 1/σ, integrated over μ and log σ on a grid."""
    d, rho, rope, n = scores[0] - scores[1], 0.1, 0.01, 10
    precision = np.linalg.inv((1 - rho) * np.eye(n) + rho * np.ones((n, n)))
    mu, log_sigma = (np.arange(-1600, 1800) + 0.5) * 0.00025, np.linspace(-6, 0.5, 400)
    centred = d - mu[:, None]
    q = np.einsum("mi,ij,mj->m", centred, precision, centred)
    log = -n * log_sigma - 0.5 * q[:, None] * np.exp(-2 * log_sigma)  # dσ/σ is d log σ
    density = np.exp(log - log.max()).sum(axis=1)
    density /= density.sum()
    test = bayesian_t_test(*scores, rho=rho, rope=rope)
    wanted = density[mu > rope].sum(), density[np.abs(mu) <= rope].sum(), density[mu < -rope].sum()
    assert (test.first_higher, test.equivalent, test.second_higher) == pytest.approx(wanted, abs=1e-4)
    within, _ = integrate.quad(test.density, -rope, rope)
    assert test.equivalent == pytest.approx(within, abs=1e-9)


def test_the_three_probabilities_add_to_one_and_swap_with_the_learners(scores):
    a, b = scores
    one, other = bayesian_t_test(a, b), bayesian_t_test(b, a)
    assert one.first_higher + one.equivalent + one.second_higher == pytest.approx(1, abs=1e-12)
    assert (one.first_higher, one.second_higher) == pytest.approx((other.second_higher, other.first_higher), abs=1e-12)


def test_equal_scores_are_practically_the_same_and_one_pair_is_refused():
    a = [0.3, 0.7, 0.9, 0.4]
    assert bayesian_t_test(a, a).equivalent == 1
    assert bayesian_t_test(a, a, rope=0).equivalent == 1
    assert bayesian_t_test(a, np.add(a, 0.2)).second_higher == 1
    with pytest.raises(InputError, match="1 pairs"):
        bayesian_t_test([1, np.nan], [2, 3])
    with pytest.raises(ParameterError, match="rho=1"):
        bayesian_t_test(a, a, rho=1)
    with pytest.raises(ParameterError, match="rope"):
        bayesian_t_test(a, a, rope=-0.1)


def test_the_posterior_is_drawn_with_names_that_are_no_formulas(scores):
    import matplotlib as mpl

    mpl.use("Agg")
    axes = bayesian_t_test(*scores, names=("$\\frac$", "b")).plot()
    axes.figure.canvas.draw()
    assert len(axes.collections) == 3
    mpl.pyplot.close(axes.figure)


# Many tests


def test_holms_p_value_is_the_largest_of_all_bonferroni_tests_that_include_it():
    p = np.random.default_rng(2).uniform(0, 0.2, 6)
    for i, adjusted in enumerate(adjust(p)):
        groups = [g for size in range(1, 7) for g in itertools.combinations(range(6), size) if i in g]
        assert adjusted == pytest.approx(max(min(1, len(g) * min(p[list(g)])) for g in groups), rel=1e-12)


def test_hochbergs_p_value_is_the_least_level_that_rejects():
    p = np.random.default_rng(4).uniform(0, 0.1, 7)
    order = np.sort(p)
    for i, adjusted in enumerate(adjust(p, "hochberg")):
        for level, rejected in ((adjusted * (1 + 1e-9), True), (adjusted * (1 - 1e-9), False)):
            largest = max((k for k in range(7) if order[k] <= level / (7 - k)), default=-1)
            assert (largest >= 0 and p[i] <= order[largest]) == rejected


def test_the_false_discovery_rate_is_scipys_and_bonferroni_multiplies():
    p = np.random.default_rng(5).uniform(0, 1, 50) ** 3
    np.testing.assert_allclose(adjust(p, "benjamini_hochberg"), stats.false_discovery_control(p), rtol=1e-12)
    np.testing.assert_allclose(adjust(p, "bonferroni"), np.minimum(1, 50 * p), rtol=1e-12)
    assert adjust([]).shape == (0,)


def test_what_is_no_p_value_is_refused():
    with pytest.raises(InputError, match="p-value 1 is nan"):
        adjust([0.1, np.nan])
    with pytest.raises(InputError, match=r"p-value 0 is 1\.5"):
        adjust({"a": 1.5})
    with pytest.raises(ParameterError, match=r"'sidak'.*'holm'"):
        adjust([0.1], "sidak")
