"""Splits of ratings by time, which cannot leak."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import leave_last_out, split_by_time
from learnt.errors import InputError, KindError, ParameterError


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"user": rng.integers(20, size=300), "item": rng.integers(30, size=300), "time": rng.integers(50, size=300)}
    )


@pytest.mark.parametrize("n", [1, 3])
def test_nothing_in_training_is_as_late_as_a_test_row_of_its_user(rows, n):
    train, test = leave_last_out(rows, n)
    assert len(train) + len(test) == 300
    first = test.groupby("user")["time"].min()
    last = train.groupby("user")["time"].max().reindex(first.index)
    assert (last < first)[last.notna()].all()
    assert (test.groupby("user").size() >= n).all()
    # Each part of a tie goes the way of the others: without ties it would be exactly n.
    apart = rows.assign(time=np.arange(300))
    assert (leave_last_out(apart, n)[1].groupby("user").size() == n).all()


def test_users_with_few_rows_are_only_trained_on():
    train, test = leave_last_out(learnt.Table({"user": ["a", "b", "b"], "time": [3, 1, 2]}))
    assert train["user"].labels() == ["a", "b"]
    assert test["time"].values.tolist() == [2]


def test_nothing_in_training_is_as_late_as_the_cut(rows):
    for share in (0.01, 0.2, 0.9):
        train, test = split_by_time(rows, share)
        assert train["time"].max() < test["time"].min()
        assert len(test) >= share * 300 - 1
    train, test = split_by_time(rows, at=25)
    assert train["time"].max() < 25 <= test["time"].min()


def test_moments_may_be_dates():
    rows = learnt.Table({"user": [1, 2], "when": [date(2024, 1, 1), date(2024, 6, 1)]})
    for at in (date(2024, 3, 1), "2024-03-01"):
        train, test = split_by_time(rows, at=at, time="when")
        assert (train.n_rows, test.n_rows) == (1, 1)


def test_what_cannot_be_split_is_told(rows):
    with pytest.raises(InputError, match="no row to test"):
        split_by_time(rows, at=99)
    with pytest.raises(InputError, match="no row to train"):
        split_by_time(rows.assign(time=1))
    with pytest.raises(ParameterError, match="moment"):
        split_by_time(rows, at="soon")
    with pytest.raises(ParameterError, match="n=0"):
        leave_last_out(rows, 0)
    with pytest.raises(KindError, match="no order"):
        leave_last_out(rows.assign(time="x"))
    with pytest.raises(InputError, match="place is not known"):
        leave_last_out(rows.assign(time=np.nan))
    with pytest.raises(InputError, match="Name it: time"):
        leave_last_out(rows[["user", "item"]])
