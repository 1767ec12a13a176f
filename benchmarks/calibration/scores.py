"""Tests of scores: of pairs, of ranks, of many learners, of many tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from calibration import ALPHA, Answers, group, holds, one_by_one
from learnt.evaluate import (
    adjust,
    bayesian_t_test,
    corrected_t_test,
    critical_difference,
    friedman_test,
    mcnemar_test,
    one_sample_t_test,
    paired_t_test,
    sign_test,
    tied_groups,
    wilcoxon_test,
)


@group("Gaussian scores of two learners on n independent samples")
@one_by_one
def independent_scores(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    a, b = rng.normal(0.8, 0.05, (2, n))
    one, pair = one_sample_t_test(a, mean=0.8), paired_t_test(a, b)
    return {
        "one_sample_t_test": one.p_value,
        "one_sample_t_test(tail='greater')": one_sample_t_test(a, mean=0.8, tail="greater").p_value,
        "one_sample_t_test().interval": holds(one.interval, 0.0),  # of the mean less 0.8
        "paired_t_test": pair.p_value,
        "paired_t_test().interval": holds(pair.interval, 0.0),
    }


@group("n folds whose differences correlate by ρ = n_test / n_all = .1, as Nadeau and Bengio suppose", (10, 30, 100))
@one_by_one
def correlated_folds(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    d = 0.02 * (np.sqrt(0.1) * rng.normal() + np.sqrt(0.9) * rng.normal(size=n))
    b = rng.normal(0.8, 0.05, n)
    test = corrected_t_test(b + d, b, n_train=90, n_test=10)
    posterior = bayesian_t_test(b + d, b, rho=0.1, rope=0.0)
    return {
        "corrected_t_test": test.p_value,
        "corrected_t_test().interval": holds(test.interval, 0.0),
        # Without a region of equivalence, to be 97.5 % sure of either sign is a two-tailed test.
        "bayesian_t_test(rope=0), either ≥ .975": 2 * min(posterior.first_higher, posterior.second_higher),
    }


@cache
def binomial_level(n: int) -> float:
    """The level of the exact two-tailed test of n fair coins."""
    from scipy.stats import binom

    k = np.arange(n + 1)
    p = np.minimum(1, 2 * np.minimum(binom.cdf(k, n, 0.5), binom.sf(k - 1, n, 0.5)))
    return float(binom.pmf(k, n, 0.5)[p <= ALPHA].sum())


@cache
def signed_rank_level(n: int) -> float:
    """The level of the exact two-tailed test of n signed ranks, counted out; NaN beyond, where it is Gaussian."""
    if n > 50:
        return float("nan")
    ways = np.ones(1)
    for r in range(1, n + 1):
        ways = np.concatenate([ways, np.zeros(r)]) + np.concatenate([np.zeros(r), ways])
    chance = ways / ways.sum()
    p = np.minimum(1, 2 * np.minimum(np.cumsum(chance), np.cumsum(chance[::-1])[::-1]))
    return float(chance[p <= ALPHA].sum())


@group(
    "two learners on n tables, differences symmetric about 0",
    (10, 30, 100, 1000),
    reachable={"sign_test": binomial_level, "wilcoxon_test": signed_rank_level},
)
@one_by_one
def pairs_of_tables(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    a, b = rng.standard_t(3, (2, n))
    return {"sign_test": sign_test(a, b).p_value, "wilcoxon_test": wilcoxon_test(a, b).p_value}


@cache
def mcnemar_level(n: int, exact: bool | None) -> float:
    """Of n rows of which a share .32 is answered differently: the level, over all numbers of such rows."""
    from scipy.stats import binom

    from learnt.evaluate import mcnemar_counts

    level = 0.0
    for m in range(1, n + 1):
        weight = float(binom.pmf(m, n, 0.32))
        if weight < 1e-9:
            continue
        k = np.arange(m // 2 + 1)
        rejected = [mcnemar_counts(int(i), int(m - i), exact=exact).p_value <= ALPHA for i in k]
        most = int(np.sum(rejected))  # they come first: the fewer, the smaller the p-value
        level += weight * 2 * float(binom.cdf(most - 1, m, 0.5)) if most else 0.0
    return level


@group(
    "two classifiers that are right on 80 % of n rows, independently",
    reachable={
        "mcnemar_test": lambda n: mcnemar_level(n, None),
        "mcnemar_test(exact=True)": lambda n: mcnemar_level(n, True),
        "mcnemar_test(exact=False)": lambda n: mcnemar_level(n, False),
    },
)
@one_by_one
def two_classifiers(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    truth = np.zeros(n, dtype=np.int64)
    a, b = (rng.random((2, n)) < 0.2).astype(np.int64)
    return {
        "mcnemar_test": mcnemar_test(truth, a, b).p_value,
        "mcnemar_test(exact=True)": mcnemar_test(truth, a, b, exact=True).p_value,
        "mcnemar_test(exact=False)": mcnemar_test(truth, a, b, exact=False).p_value,
    }


@cache
def reach(k: int, n: int) -> float:
    return critical_difference(k, n)


@group("five learners on n tables, all alike", (10, 30))
@one_by_one
def ranks_of_five(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    test = friedman_test(rng.normal(size=(n, 5)))
    ranks = list(test.ranks.values())
    return {
        "friedman_test": test.p_value,
        "friedman_test().iman_davenport": test.iman_davenport.p_value,
        "nemenyi, any pair": 0.0 if max(ranks) - min(ranks) >= reach(5, n) else 1.0,
    }


@group("four learners on n folds that correlate by ρ = .1, all alike", (10,))
@one_by_one
def four_learners(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    scores = 0.8 + 0.02 * (np.sqrt(0.1) * rng.normal(size=(4, 1)) + np.sqrt(0.9) * rng.normal(size=(4, n)))
    ties = tied_groups(dict(zip("abcd", scores, strict=True)), n_train=90, n_test=10)
    return {"tied_groups, any pair": min(pair.adjusted_p_value for pair in ties.pairs)}


@group("n independent tests of which none has anything to find", (10,))
def many_tests(rng: np.random.Generator, n: int, times: int) -> Answers:
    p = rng.random((times, n))
    methods = ("holm", "bonferroni", "hochberg", "benjamini_hochberg")
    return {f"adjust(…, '{m}'), any of {n}": np.array([adjust(row, m).min() for row in p]) for m in methods}
