"""Scores put together from those of partitions, against the score of all rows."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.errors import InputError
from learnt.learner.partitions.scores import MeanScore, SquaredErrors


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    found["y"] = found["a"] + 1e6 + rng.normal(size=50)
    found["w"] = np.r_[np.zeros(20), rng.random(30)]
    return found


def test_squared_errors_add_up_in_any_grouping(rows):
    truth, answer, weights = rows["y"].to_numpy(), rows["a"].to_numpy() + 1e6, rows["w"].to_numpy()
    whole = SquaredErrors.of(truth, answer, weights)
    for cut in (1, 20, 33, 49):
        parts = [SquaredErrors.of(truth[s], answer[s], weights[s]) for s in (slice(cut), slice(cut, None))]
        assert (parts[0] + parts[1]).score() == pytest.approx(whole.score(), rel=1e-9)
        assert (parts[1] + parts[0]).rows == 50
    other = ((truth - answer) ** 2 * weights).sum() / (
        (truth - np.average(truth, weights=weights)) ** 2 * weights
    ).sum()
    assert whole.score() == pytest.approx(1 - other)


def test_one_row_and_a_target_without_variance_score_as_ever():
    one = np.ones(1)
    assert np.isnan(SquaredErrors.of(one, one, None).score())
    ones = np.ones(3)
    assert SquaredErrors.of(ones, ones, None).score() == 1.0
    assert (SquaredErrors.of(ones, ones, None) + SquaredErrors.of(ones, ones * 2, None)).score() == 0.0


def test_means_weigh_as_their_rows_do():
    assert (MeanScore(1.0, 3.0) + MeanScore(0.0, 1.0)).score() == 0.75


@pytest.mark.parametrize("weights", [None, "w"])
def test_targets_may_be_a_column_a_series_or_an_array(rows, weights):
    model = learnt.LinearRegression().fit(rows[["a", "b"]], rows["y"])
    spread = dd.from_pandas(rows, npartitions=4)
    expected = model.score(rows, "y", sample_weight=weights)
    assert model.score(spread, "y", sample_weight=weights) == pytest.approx(expected, rel=1e-9)
    w = None if weights is None else spread["w"]
    assert model.score(spread[["a", "b"]], spread["y"], w) == pytest.approx(expected, rel=1e-9)
    plain = learnt.LinearRegression().fit(rows[["a", "b"]].to_numpy(), rows["y"].to_numpy())
    x, y, v = (da.from_array(rows[names].to_numpy(), chunks=13) for names in (["a", "b"], "y", "w"))
    assert plain.score(x, y, None if weights is None else v) == pytest.approx(expected, rel=1e-9)


def test_sums_are_added_and_means_averaged(rows):
    numbers = rows[["a", "b"]]
    spread = dd.from_pandas(numbers, npartitions=4)
    for learner in (
        learnt.KMeans(2, random_state=0),
        learnt.KernelDensity(),
        learnt.GaussianMixture(2, random_state=0),
    ):
        model = learner.fit(numbers)
        assert model.score(spread) == pytest.approx(model.score(numbers), rel=1e-12)


def test_a_score_of_no_rows_and_of_other_partitions_is_refused(rows):
    model = learnt.LinearRegression().fit(rows[["a", "b"]], rows["y"])
    spread = dd.from_pandas(rows, npartitions=4)
    with pytest.raises(InputError, match="no rows that count"):
        model.score(spread[spread["a"] > 1e9], "y")
    with pytest.raises(InputError, match="4 partitions, but y has 2"):
        model.score(spread, dd.from_pandas(rows["y"], npartitions=2))
    with pytest.raises(InputError, match="y is a ndarray"):
        model.score(spread, rows["y"].to_numpy())


def test_arrays_may_be_cut_in_other_ways(rows):
    x, y = rows[["a", "b"]].to_numpy(), rows["y"].to_numpy()
    model = learnt.LinearRegression().fit(x, y)
    found = model.score(da.from_array(x, chunks=(15, 1)), da.from_array(y, chunks=10))
    assert found == pytest.approx(model.score(x, y), rel=1e-9)
