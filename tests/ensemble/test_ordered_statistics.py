"""Statistics of categories by place: against their definition, row by row."""

import numpy as np
import pytest

from learnt.ensemble.ordered_statistics import (
    LEAST_PRIOR,
    MOST_PRIOR,
    category_bins,
    deviations,
    error_lowered,
    fitting_prior,
    listed_side,
    place_count,
)


def rows(seed=0, n=900, k=30, effect=1.0, places=16):
    rng = np.random.default_rng(seed)
    code, place, weight = rng.integers(0, k, n), rng.integers(0, places, n), rng.integers(1, 4, n).astype(float)
    return code, place, weight, effect * rng.normal(size=k)[code] + rng.normal(size=n)


def totals(code, place, weight, y, k=30, places=16):
    cell = code * places + place
    return [np.bincount(cell, w, k * places).reshape(k, places) for w in (weight, weight * y)]


def statistics(code, place, weight, y, prior):
    """Of each row the mean of the rows of its category at earlier places, drawn to that of all."""
    mean, found = np.average(y, weights=weight), []
    for c, at in zip(code, place, strict=True):
        before = (code == c) & (place < at)
        found.append((weight[before] @ y[before] + prior * mean) / (weight[before].sum() + prior))
    return np.array(found)


@pytest.mark.parametrize("prior", [0.5, 10.0])
def test_bins_rise_with_the_mean_of_the_rows_before(prior):
    code, place, weight, y = rows()
    found = category_bins(*totals(code, place, weight, y), 255, prior)
    mean = np.average(y, weights=weight)
    whole = [(weight[code == c] @ y[code == c] + prior * mean) / (weight[code == c].sum() + prior) for c in range(30)]
    bins = np.append(found.rows[code, place], found.categories).astype(int)
    numbers = np.append(statistics(code, place, weight, y, prior), whole)
    order = np.argsort(numbers, kind="stable")
    assert (np.diff(bins[order])[np.diff(numbers[order]) > 1e-9] >= 0).all()
    assert len(np.unique(found.categories)) == 30 == found.n_bins


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_the_error_lowered_is_that_of_the_rows(effect):
    code, place, weight, y = rows(effect=effect)
    mean, told = np.average(y, weights=weight), statistics(code, place, weight, y, 3.0)
    expected = weight @ (y - mean) ** 2 - weight @ (y - told) ** 2
    assert error_lowered(*totals(code, place, weight, y), 3.0) == pytest.approx(expected)
    assert (expected > 0) == (effect > 0)


def test_deviations_are_those_of_shuffled_targets():
    code, place, _, y = rows(effect=0.3)
    ones, rng = np.ones(900), np.random.default_rng(7)

    def moment(y):
        return (statistics(code, place, ones, told, 3.0) - y.mean()) @ (y - y.mean())

    told = y
    by_chance = [moment(rng.permutation(y)) for _ in range(400)]
    assert deviations(*totals(code, place, ones, y), y @ y, 3.0) == pytest.approx(
        moment(y) / np.std(by_chance), rel=0.1
    )
    alike = np.ones(900)
    assert deviations(*totals(code, place, ones, alike), 900.0, 3.0) == 0


def test_rows_that_stand_at_one_place_tell_nothing():
    code, _, weight, y = rows()
    assert error_lowered(*totals(code, np.zeros_like(code), weight, y)) == 0
    assert error_lowered(np.zeros((3, 4)), np.zeros((3, 4))) == 0


@pytest.mark.parametrize("between", [0.3, 1.0, 3.0])
def test_the_prior_is_the_variance_within_categories_through_that_between_them(between):
    rng = np.random.default_rng(1)
    code, place = rng.integers(0, 400, 20_000), rng.integers(0, 16, 20_000)
    y = 5 + between * rng.normal(size=400)[code] + 2 * rng.normal(size=20_000)
    found = fitting_prior(*totals(code, place, np.ones(20_000), y, 400), y @ y)
    assert found == pytest.approx(4 / between**2, rel=0.2)


def test_the_prior_stays_in_bounds():
    code, place, weight, _ = rows(k=3)
    alike = np.tile([1.0, -1.0], 450)
    assert fitting_prior(*totals(np.repeat(np.arange(30), 30), place, np.ones(900), alike), 900.0) == MOST_PRIOR
    own = code.astype(float)
    assert fitting_prior(*totals(code, place, weight, own), weight @ own**2) == LEAST_PRIOR


def test_the_smaller_side_is_listed():
    codes, child = listed_side(np.array([True, False, True, True]))
    assert (codes.tolist(), child) == ([1], 0)
    codes, child = listed_side(np.array([False, False, True]))
    assert (codes.tolist(), child) == ([2], 1)


def test_places_are_fewer_where_categories_are_very_many():
    assert place_count(100, 1) == 64
    assert place_count(1 << 18, 1) == 16
    assert place_count(1 << 30, 4) == 2
