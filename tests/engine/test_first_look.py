"""The first look: quick sums where they can be trusted, a survey where not, and the same design from both."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt.engine.engines import run
from learnt.engine.first_look import FirstLook, first_look, look_at, standardizes
from learnt.engine.training import prepare
from learnt.errors import InputError
from learnt.linear.least_squares.cross_products import TakeCrossProducts

RNG = np.random.default_rng(1)
NUMBERS = RNG.normal(3, 2, size=(50, 3))
MIXED = learnt.Table({"a": [1.0, 2.0, 4.0], "town": ["Bern", "Basel", "Bern"]})


def look(x, **settings) -> FirstLook:
    training = prepare(x, np.arange(len(x), dtype=float), None, "numbers", "It")
    return run(first_look(training, drop_reference=True, **settings), training)


def test_quick_sums_give_the_design_and_moments_of_a_survey() -> None:
    quick, slow = look(NUMBERS, quick=TakeCrossProducts(None)), look(NUMBERS)
    assert (quick.survey is None, slow.quick is None) == (True, True)
    np.testing.assert_allclose(quick.design.fill, slow.design.fill, rtol=1e-12)
    for ours, theirs in zip(quick.moments, (NUMBERS.mean(axis=0), NUMBERS.var(axis=0)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    np.testing.assert_allclose(slow.moments[1], NUMBERS.var(axis=0), rtol=1e-12)


def test_a_missing_cell_shows_in_the_sums_and_is_surveyed() -> None:
    gaps = NUMBERS.copy()
    gaps[4, 1] = np.nan
    found = look(gaps, quick=TakeCrossProducts(None))
    assert found.quick is None
    assert found.surveyed.missing.tolist() == [0, 1, 0]
    assert found.design.fill[1] == pytest.approx(np.nanmean(gaps[:, 1]))


def test_sums_that_are_not_trusted_are_not_used() -> None:
    assert look(NUMBERS, quick=TakeCrossProducts(None), trusted=lambda sums: False).survey is not None


def test_an_infinite_cell_is_an_error_on_either_way() -> None:
    endless = NUMBERS.copy()
    endless[4, 1] = np.inf
    for quick in (None, TakeCrossProducts(None)):
        with pytest.raises(InputError, match="infinite"):
            look(endless, quick=quick)


def test_a_table_at_hand_is_looked_at_without_passes() -> None:
    found = look_at(MIXED, np.array([1.0, 1.0, 2.0]), drop_reference=False)
    np.testing.assert_allclose(found.moments[0], [2.75, 0.25, 0.75])


@pytest.mark.parametrize(("asked", "table", "wanted"), [
    ("auto", MIXED, True), ("auto", learnt.Table(NUMBERS), False), (True, MIXED, True), (False, MIXED, False)
])  # fmt: skip
def test_by_default_tables_are_scaled_that_are_not_all_numbers(asked, table, wanted) -> None:
    assert standardizes(asked, table.schema) is wanted
