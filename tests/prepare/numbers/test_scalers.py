"""Scales against scikit-learn and NumPy, on numbers of every size, in one go and in instalments."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import preprocessing

import learnt
from learnt import Table
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.prepare import MinMaxScaler, StandardScaler

RNG = np.random.default_rng(6)
BOTH = pytest.mark.parametrize("scaler", [MinMaxScaler, StandardScaler])


def rows(n: int = 300) -> np.ndarray:
    x = RNG.gamma(2, size=(n, 4)) * [1, 1e-6, 1e6, 1] + [0, 0, 1e5, 1e3]
    x[RNG.random((n, 4)) < 0.1] = np.nan
    return x


@pytest.mark.parametrize("settings", [{}, {"with_mean": False}, {"with_std": False}])
def test_standard_scores_are_those_of_scikit_learn(settings):
    x, weights = rows(), RNG.integers(1, 5, 300)
    one = preprocessing.StandardScaler(**settings).fit(x, sample_weight=weights)
    two = StandardScaler(**settings).fit(x, sample_weight=weights)
    np.testing.assert_allclose(two.transform(x), one.transform(x), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(two.mean_, one.mean_, rtol=1e-12)
    np.testing.assert_allclose(two.var_, np.nanvar(np.repeat(x, weights, axis=0), axis=0), rtol=1e-11)
    np.testing.assert_allclose(two.inverse_transform(two.transform(x)), x, rtol=1e-12)


def test_ranges_are_those_of_scikit_learn():
    x = rows()
    one, two = preprocessing.MinMaxScaler().fit(x), MinMaxScaler().fit(x)
    np.testing.assert_allclose(two.transform(x), one.transform(x), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(two.data_min_, one.data_min_)
    np.testing.assert_array_equal(two.data_max_, one.data_max_)
    np.testing.assert_allclose(two.inverse_transform(two.transform(x)), x, rtol=1e-12)


def test_ddof_one_is_the_standard_deviation_of_a_sample():
    x = RNG.normal(size=(30, 2))
    np.testing.assert_allclose(StandardScaler(ddof=1).fit(x).scale_, x.std(axis=0, ddof=1), rtol=1e-13)
    with pytest.raises(InputError, match=r"'x0' has rows of weight 0.6.*ddof=0"):
        StandardScaler(ddof=1).fit(x[:2], sample_weight=0.3)
    assert StandardScaler(ddof=1).fit(x[:1]).scale_.tolist() == [1, 1]


@pytest.mark.parametrize("size", [1e150, 1e-160, 1e300, 1e-300, 1e200])
@BOTH
def test_huge_and_tiny_numbers_are_scaled_like_any_others(scaler, size):
    x = RNG.normal(size=(500, 3)) + 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (scaler().fit(x * size), scaler().partial_fit(x[:100] * size).partial_fit(x[100:] * size)):
            np.testing.assert_allclose(model.transform(x * size), scaler().fit_transform(x), rtol=1e-11, atol=1e-12)


@BOTH
def test_a_range_that_is_no_number_is_an_error(scaler):
    with pytest.raises(InputError, match=r"'x0' reaches from -1.7e\+308 to 1.7e\+308"):
        scaler().fit(np.array([[-1.7e308], [1.7e308]]))


@BOTH
def test_far_from_zero_nothing_is_lost(scaler):
    x = RNG.integers(0, 100, (1000, 2)).astype(float)  # the mean itself is rounded: to 1e-16 of 2²⁰
    np.testing.assert_allclose(scaler().fit_transform(x + 2.0**20), scaler().fit_transform(x), rtol=0, atol=1e-11)


@BOTH
def test_instalments_give_the_scale_of_all_rows(scaler, tmp_path):
    frame = pd.DataFrame(rows(), columns=list("abcd")).assign(t=["u", "v"] * 150, w=RNG.integers(0, 4, 300))
    frame.loc[:1, "w"] = 2
    whole = scaler().fit(frame, sample_weight="w")
    parts = scaler()
    for start, stop in pairwise([0, 2, 70, 200, 300]):
        parts.partial_fit(frame[start:stop], sample_weight="w")
    frame[:100].to_csv(tmp_path / "0.csv", index=False)
    frame[100:].to_csv(tmp_path / "1.csv", index=False)
    source = learnt.scan(tmp_path)
    for other in (parts, scaler().fit(source, sample_weight="w")):
        np.testing.assert_allclose(other.scale_, whole.scale_, rtol=1e-12)
        one, two = (np.asarray(learnt.Table(m.transform(X)).drop("t")) for m, X in ((other, source), (whole, frame)))
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)


def test_columns_of_a_group_share_their_range():
    cells = {"length": [4.0, 8.0, None], "width": [2.0, 6.0, 3.0], "age": [10.0, 20.0, 15.0]}
    model = MinMaxScaler(groups={"metres": ["length", "width"]}).fit(cells)
    out = model.transform(cells).to_dict()
    assert out["length"] == [(4 - 2) / 6, 1.0, None]
    assert out["width"] == [0.0, 4 / 6, 1 / 6]
    assert out["age"] == [0.0, 1.0, 0.5]
    assert model.data_min_.tolist() == [2, 2, 10]


def test_groups_of_columns_that_are_not_there_or_no_numbers_are_errors():
    cells = {"length": [4.0, 8.0], "town": ["a", "b"]}
    with pytest.raises(ParameterError, match=r"'lenght'.*'length'"):
        MinMaxScaler(groups={"g": ["lenght"]}).fit(cells)
    with pytest.raises(ParameterError, match=r"'town', which is nominal"):
        MinMaxScaler(groups={"g": ["length", "town"]}).fit(cells)
    for bad in ({"g": ["length"], "h": ["length"]}, {"g": []}, {"g": "length"}, ["length"]):
        with pytest.raises(ParameterError, match="groups="):
            MinMaxScaler(groups=bad).fit(cells)


@BOTH
def test_other_columns_pass_and_gaps_stay(scaler):
    table = Table({"n": [1.0, None, 3.0], "t": ["a", None, "b"], "s": ["S", "M", None]}, ordinal={"s": ["S", "M"]})
    out = scaler().fit_transform(table)
    assert dict(out.kinds) == {"n": "numeric", "t": "nominal", "s": "ordinal"}
    assert out["n"].labels()[1] is None
    assert {k: v for k, v in out.to_dict().items() if k != "n"} == {
        k: v for k, v in table.to_dict().items() if k != "n"
    }
    assert np.isnan(scaler().fit(table).scale_[1:]).all()


@BOTH
def test_constant_columns_become_zero_and_empty_ones_pass(scaler):
    x = np.array([[0.1, np.nan, 0.1], [0.1, np.nan, 0.3], [0.1, np.nan, 0.2]] * 7)
    model = scaler().fit(x)
    assert model.transform(x)[:, 0].tolist() == [0.0] * 21
    assert model.scale_[0] == 1
    assert model.transform(np.array([[0.1, 5.0, 0.1]]))[0, 1] == 5.0


@BOTH
def test_rows_of_weight_zero_do_not_widen_the_range(scaler):
    x = np.array([[1.0], [2.0], [1e9]])
    np.testing.assert_array_equal(scaler().fit(x, sample_weight=[1, 1, 0]).scale_, scaler().fit(x[:2]).scale_)


def test_sparse_rows_stay_sparse_where_zero_stays_zero():
    x = sparse.random(50, 6, 0.3, format="csr", random_state=0)
    out = StandardScaler(with_mean=False).fit_transform(x)
    assert sparse.issparse(out)
    np.testing.assert_allclose(out.toarray(), preprocessing.StandardScaler(with_mean=False).fit_transform(x).toarray())
    back = StandardScaler(with_mean=False).fit(x).inverse_transform(out)
    np.testing.assert_allclose(back.toarray(), x.toarray())
    np.testing.assert_allclose(StandardScaler().fit_transform(x), preprocessing.scale(x.toarray()), atol=1e-12)
    assert sparse.issparse(MinMaxScaler().fit_transform(x))


def test_frames_and_pipelines_of_scikit_learn_are_served():
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    frame = pd.DataFrame(RNG.normal(5, 3, (60, 2)), columns=["a", "b"], index=np.arange(60) + 7)
    out = StandardScaler().set_output(transform="pandas").fit_transform(frame)
    pd.testing.assert_frame_equal(out, (frame - frame.mean()) / frame.std(ddof=0))
    y = frame["a"] * 2
    ours = make_pipeline(StandardScaler(), Ridge()).fit(frame, y).predict(frame)
    theirs = make_pipeline(preprocessing.StandardScaler(), Ridge()).fit(frame, y).predict(frame)
    np.testing.assert_allclose(ours, theirs)


def test_scales_that_contradict_the_columns_are_not_loaded():
    model = StandardScaler().fit(np.eye(3))
    model.scale_ = np.ones(2)
    with pytest.raises(SavedModelError):
        model._check_fitted_state()


@BOTH
def test_numbers_next_to_0_are_not_divided_by_a_spread_that_vanished(scaler):
    found = np.asarray(scaler().fit_transform(np.array([[0.0], [5e-324], [0.0]])))
    assert np.isfinite(found).all()
    assert (np.diff(found[:, 0])[[0]] >= 0).all()
