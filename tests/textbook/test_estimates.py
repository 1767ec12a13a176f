"""Worked examples on estimation, as textbooks print them: coins, e-mails, a Gaussian."""

import math

import pytest

from learnt.bayes.estimate import BetaBernoulli, NormalGamma, NormalKnownVariance


def test_the_density_of_66_degrees_where_the_mean_is_73_and_the_standard_deviation_6_2():
    known = NormalKnownVariance(mean=73, variance=1e-12, noise_variance=6.2**2)
    assert known.predictive().pdf(66) == pytest.approx(0.0340, abs=5e-5)
    # The same from two days with that mean and deviation, by maximum likelihood.
    seen = NormalGamma(0, 0, 0.5, 0).update([73 - 6.2, 73 + 6.2]).map()
    sigma = math.sqrt(seen.variance)
    density = math.exp(-((66 - seen.mean) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
    assert density == pytest.approx(0.0340, abs=5e-5)


def test_one_ham_and_nine_spam_leave_little_room_for_a_majority_of_ham():
    mail = BetaBernoulli(success="spam").update(["ham"] + ["spam"] * 9)
    assert mail.posterior.cdf(0.5) == pytest.approx(0.0059, abs=5e-5)
    assert mail.map() == pytest.approx(0.9)


def test_seven_tosses_of_a_coin():
    coin = BetaBernoulli(1, 1, success="H").update(["H", "H", "T", "T", "T", "H", "H"])
    assert coin.statistics.weight.tolist() == [4, 3]
    assert coin.map() == pytest.approx(4 / 7)
    assert BetaBernoulli(0, 0, success="H").update("HHTTTHH").mean() == pytest.approx(4 / 7)
    assert coin.predictive().pmf(1) == pytest.approx(5 / 9)
    assert math.exp(coin.log_marginal_likelihood()) == pytest.approx(
        math.factorial(4) * math.factorial(3) / math.factorial(8)
    )


def test_the_variance_of_a_beta_distribution():
    assert BetaBernoulli(2, 3).posterior.var() == pytest.approx(2 * 3 / (5**2 * 6))
