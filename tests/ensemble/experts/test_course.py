"""Expectation and maximisation, against a mixture of two constants worked out step by step."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from learnt.data.design import Design
from learnt.data.table import Table
from learnt.engine.survey import survey
from learnt.ensemble.experts.course import Expert, log_sums, run_course
from learnt.ensemble.experts.gate import GateRows

RNG = np.random.default_rng(0)
Y = np.concatenate([RNG.normal(-2, 1, 30), RNG.normal(2, 1, 50)])
TABLE = Table({"x": np.zeros(80)})  # the gate has nothing to go by but how many rows there are
ROWS = GateRows.of(Design.of(survey(TABLE), drop_reference=True), TABLE, np.ones(80), 1.0)


def constant(h):
    mean = np.average(Y, weights=h)
    return Expert(mean, norm.logpdf(Y, mean), 1.0)


def test_sums_of_exponentials_are_those_of_scipy():
    joint = RNG.normal(size=(6, 3)) * [1, 100, 1000]
    np.testing.assert_allclose(log_sums(joint), logsumexp(joint, axis=1))


def test_it_ends_where_plain_expectation_and_maximisation_do():
    first = np.column_stack([Y < 0, Y >= 0]).astype(float)
    found = run_course(ROWS, first, constant, max_iter=500, tol=0.0, owner="a test")
    mean, share = np.array([Y[Y < 0].mean(), Y[Y >= 0].mean()]), first.mean(axis=0)
    for _ in range(500):
        h = share * norm.pdf(Y[:, None], mean)
        h /= h.sum(axis=1, keepdims=True)
        mean, share = (h * Y[:, None]).sum(axis=0) / h.sum(axis=0), h.mean(axis=0)
    np.testing.assert_allclose([e.member for e in found.experts], mean, rtol=1e-6)
    np.testing.assert_allclose(np.exp(ROWS.log_shares(found.v))[0], share, rtol=1e-5)
    likelihood = np.log((share * norm.pdf(Y[:, None], mean)).sum(axis=1)).sum()
    assert found.log_likelihood(ROWS) == pytest.approx(likelihood)
    assert (np.diff(found.objectives) >= -1e-9).all()


def test_an_expert_that_does_worse_is_not_taken():
    fits = []

    def worse_and_worse(h):
        fits.append(len(fits))
        return Expert(len(fits), norm.logpdf(Y, 0) - len(fits), 1.0)

    found = run_course(ROWS, np.full((80, 2), 0.5), worse_and_worse, max_iter=3, tol=0.0, owner="a test")
    assert [e.member for e in found.experts] == [1, 2]
