"""Sums of sparse columns: the moments they give, that they add, and what they say of cells too large for them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from learnt import LogisticRegression, SGDClassifier, Table
from learnt.engine.passes import Batch
from learnt.errors import InputError
from learnt.linear.encoded import TakeSparseSums
from learnt.linear.logistic.passes import TakeSparseMoments

RNG = np.random.default_rng(0)
DENSE = np.where(RNG.random((60, 4)) < 0.4, RNG.normal(2, 1, (60, 4)), 0.0)
DENSE[:, 3] = 0.1  # whose square is no exact number
WEIGHTS = RNG.random(60)


def rows(start: int, stop: int) -> Batch:
    return Batch(Table(csr_array(DENSE[start:stop])), start, None, WEIGHTS[start:stop])


@pytest.mark.parametrize("take", [TakeSparseSums(), TakeSparseMoments()], ids=lambda take: type(take).__name__)
@pytest.mark.parametrize("cut", [0, 1, 29, 60])
def test_moments_are_those_of_all_rows_however_they_are_cut(take, cut) -> None:
    found = take.summarize(rows(0, cut)) + take.summarize(rows(cut, 60))
    mean = np.average(DENSE, axis=0, weights=WEIGHTS)
    ours, variance = found.column_moments()
    np.testing.assert_allclose(ours, mean, rtol=1e-12)
    np.testing.assert_allclose(variance, np.average((DENSE - mean) ** 2, axis=0, weights=WEIGHTS), atol=1e-12)
    assert variance[3] == 0
    assert found.finite


def test_the_share_of_stored_cells_is_counted_by_weight() -> None:
    found = TakeSparseSums().summarize(rows(0, 60))
    np.testing.assert_allclose(found.there, (DENSE != 0).T @ WEIGHTS, rtol=1e-12)


@pytest.mark.parametrize("cell", [np.nan, np.inf, 1e200])
def test_cells_that_are_missing_or_too_large_show_in_the_sums(cell) -> None:
    strange = DENSE.copy()
    strange[5, 1] = cell
    for take in (TakeSparseSums(), TakeSparseMoments()):
        assert not take.summarize(Batch(Table(csr_array(strange)))).finite


@pytest.mark.parametrize("learner", [LogisticRegression(), SGDClassifier()], ids=lambda learner: type(learner).__name__)
def test_a_column_whose_squares_overflow_is_no_constant(learner) -> None:
    strange = DENSE.copy()
    strange[5, 1] = 1e200
    with pytest.raises(InputError, match="large"), np.errstate(all="ignore"):
        learner.fit(csr_array(strange), np.arange(60) % 2)
