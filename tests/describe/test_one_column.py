"""What one column tells of a target, against models of scikit-learn that leave each row out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from learnt.data.table import Column
from learnt.describe.one_column import FEW_VALUES, WINDOW, skill


def numbers(name, values):
    return Column(name, "numeric", np.asarray(values, dtype=np.float64))


def labels(name, codes):
    codes = np.asarray(codes, dtype=np.int32)
    return Column(name, "nominal", codes, tuple(f"l{c}" for c in range(int(codes.max()) + 1)))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_a_straight_relation_is_judged_by_the_line_through_the_other_rows(rng):
    x = rng.normal(size=80)
    y = 3 * x + rng.normal(size=80)
    line = r2_score(y, cross_val_predict(LinearRegression(), x[:, None], y, cv=LeaveOneOut()))
    assert skill(numbers("x", x), numbers("y", y)) == pytest.approx(line)


def test_a_bent_relation_is_judged_by_the_rows_next_to_it(rng):
    """The four rows around each in the order of x, fewer at the ends, against a loop; no line comes near."""
    x = rng.permutation(200) / 20
    y = np.sin(3 * x) + 0.1 * rng.normal(size=200)
    order = np.argsort(x)
    answers = np.empty(200)
    for place, row in enumerate(order):
        around = [p for p in range(place - WINDOW, place + WINDOW + 1) if p != place and 0 <= p < 200]
        answers[row] = np.mean(y[order[around]])
    assert skill(numbers("x", x), numbers("y", y)) == pytest.approx(r2_score(y, answers))
    assert r2_score(y, answers) > 0.9


def test_a_class_is_voted_by_the_rows_next_to_it(rng):
    x = rng.permutation(120).astype(float)
    y = (x + rng.normal(0, 10, 120) > 60).astype(int)
    order, right = np.argsort(x), np.zeros(120)
    for place, row in enumerate(order):
        around = [p for p in range(place - WINDOW, place + WINDOW + 1) if p != place and 0 <= p < 120]
        same = np.mean(y[order[around]] == y[row])
        right[row] = 1.0 if same > 0.5 else 0.5 if same == 0.5 else 0.0
    guessing = 120 - np.bincount(y).max()
    assert skill(numbers("x", x), labels("y", y)) == pytest.approx(1 - (1 - right).sum() / guessing)


def test_labels_answer_by_the_mean_of_their_other_rows(rng):
    codes, y = rng.integers(0, 5, 60), rng.normal(size=60)
    others = [y[(codes == codes[i]) & (np.arange(60) != i)].mean() for i in range(60)]
    assert skill(labels("x", codes), numbers("y", y)) == pytest.approx(r2_score(y, others))


def test_few_different_numbers_are_taken_one_by_one_in_any_order(rng):
    """A parity is on no line and no curve, yet each number says it."""
    x = rng.integers(0, FEW_VALUES, 1000).astype(float)
    y = (x % 2).astype(int)
    assert skill(numbers("x", x), labels("y", y)) == 1.0


def test_noise_tells_nothing_and_a_copy_everything(rng):
    y = rng.normal(size=500)
    assert skill(numbers("x", rng.normal(size=500)), numbers("y", y)) < 0.05
    assert skill(numbers("x", -2 * y + 1), numbers("y", y)) == pytest.approx(1.0)
    assert skill(numbers("x", np.ones(500)), numbers("y", y)) < 0.01


def test_rows_without_a_number_are_answered_by_the_mean(rng):
    x = rng.normal(size=200)
    y, gaps = 2 * x, np.arange(200) < 100
    told = skill(numbers("x", np.where(gaps, np.nan, x)), numbers("y", y))
    left = ((y[gaps] - y.mean()) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert told == pytest.approx(1 - left, abs=0.02)


def test_some_rows_may_stand_for_all(rng):
    x, y = rng.normal(size=300), rng.normal(size=300)
    some = np.arange(0, 300, 3)
    assert skill(numbers("x", x), numbers("y", y), some) == skill(numbers("x", x[some]), numbers("y", y[some]))


def test_numbers_too_large_to_square_are_judged_without_a_warning(rng):
    x = rng.normal(size=100) * 1e200
    assert 0.8 < skill(numbers("x", x), numbers("y", x / 1e200)) <= 1
