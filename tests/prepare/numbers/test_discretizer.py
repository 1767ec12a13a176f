"""Intervals against definitions written out in a few lines, against NumPy and pandas, and against Weka."""

import time
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest

import learnt
from learnt.errors import InputError, SavedModelError
from learnt.information import entropy, information_gain
from learnt.prepare import Discretizer

RNG = np.random.default_rng(11)

#: The cut points Weka 3.9.6 prints for its naive Bayes with supervised discretisation (NaiveBayes -D).
WEKA = {
    "iris": {
        "sepallength": [5.55, 6.15],
        "sepalwidth": [2.95, 3.35],
        "petallength": [2.45, 4.75],
        "petalwidth": [0.8, 1.75],
    },
    "glass": {
        "RI": [1.517335, 1.517985],
        "Na": [14.065],
        "Mg": [2.695],
        "Al": [1.39, 1.775],
        "Si": [],
        "K": [0.055, 0.615, 0.745],
        "Ca": [7.02, 8.315, 10.075],
        "Ba": [0.335],
        "Fe": [],
    },
    "labor": {
        "duration": [],
        "wage-increase-first-year": [2.65],
        "wage-increase-second-year": [3.25],
        "wage-increase-third-year": [3.25],
        "working-hours": [],
        "standby-pay": [6],
        "shift-differential": [3.5],
        "statutory-holidays": [10.5],
    },
    "weather_numeric": {"temperature": [], "humidity": []},
}


@pytest.mark.parametrize("name", WEKA)
def test_mdl_cuts_where_weka_cuts(name):
    edges = Discretizer("mdl").fit(learnt.datasets.load(name)).edges_
    assert list(edges) == list(WEKA[name])
    for column, cuts in WEKA[name].items():
        np.testing.assert_allclose(edges[column], cuts, rtol=1e-6, err_msg=column)


def mdl_cuts(x, y):
    """Fayyad and Irani's definition, every cut tried by counting anew."""
    levels, whole = np.unique(x), np.unique(y, return_counts=True)[1]
    cuts = [(a + b) / 2 for a, b in pairwise(levels)]
    if not cuts:
        return []
    gains = [information_gain(x <= cut, y) for cut in cuts]
    best = next(i for i, gain in enumerate(gains) if gain >= max(gains) - 1e-11)
    parts = [y[x <= cuts[best]], y[x > cuts[best]]]
    counts = [np.unique(part, return_counts=True)[1] for part in parts]
    inside = sum(len(c) * entropy(c) for c in counts)
    delta = np.log2(3 ** len(whole) - 2) - len(whole) * entropy(whole) + inside
    if gains[best] <= 1e-11 or gains[best] <= (np.log2(len(x) - 1) + delta) / len(x):
        return []
    low = x <= cuts[best]
    return [*mdl_cuts(x[low], y[low]), cuts[best], *mdl_cuts(x[~low], y[~low])]


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_mdl_is_fayyad_and_iranis_definition(n_classes, decimals):
    x = RNG.normal(size=150).round(decimals) * 3
    y = (np.floor(x + RNG.normal(size=150) * 0.3).astype(int)) % n_classes
    np.testing.assert_allclose(Discretizer("mdl").fit(x[:, None], y).edges_["x0"], mdl_cuts(x, y), rtol=1e-12)


def test_noise_is_not_cut_by_mdl():
    x, y = RNG.normal(size=(500, 3)), RNG.integers(2, size=500)
    assert [len(cuts) for cuts in Discretizer("mdl").fit(x, y).edges_.values()] == [0, 0, 0]


def test_equal_width_divides_the_range():
    x = RNG.gamma(2, size=(100, 2))
    for j, cuts in enumerate(Discretizer("width", n_bins=4).fit(x).edges_.values()):
        np.testing.assert_allclose(cuts, np.linspace(x[:, j].min(), x[:, j].max(), 5)[1:-1], rtol=1e-12)


@pytest.mark.parametrize("n_bins", [2, 3, 5, 8])
def test_equal_frequency_gives_each_interval_its_share(n_bins):
    x = RNG.permutation(np.arange(120.0))
    codes = Discretizer(n_bins=n_bins).fit_transform(x[:, None])[:, 0]
    np.testing.assert_array_equal(np.bincount(codes.astype(int)), np.full(n_bins, 120 // n_bins))


def test_equal_frequency_is_pandas_qcut_where_no_value_repeats():
    x = RNG.normal(size=1000)
    codes = Discretizer(n_bins=10).fit_transform(x[:, None])[:, 0]
    np.testing.assert_array_equal(codes, pd.qcut(x, 10, labels=False))


def test_equal_values_stay_together():
    x = np.array([0.0] * 60 + [1.0] * 20 + [2.0] * 20)
    assert Discretizer(n_bins=4).fit(x[:, None]).edges_["x0"].tolist() == [0.5, 1.5]
    assert Discretizer(n_bins=4).fit(np.ones((9, 1))).edges_["x0"].tolist() == []


@pytest.mark.parametrize("strategy", ["width", "frequency", "mdl"])
def test_a_weight_of_two_is_a_row_twice(strategy):
    x, counts = RNG.normal(size=(90, 2)).round(1), RNG.integers(0, 4, 90)
    y = (x[:, 0] > 0.3).astype(int)
    weighted = Discretizer(strategy).fit(x, y, sample_weight=counts).edges_
    copied = Discretizer(strategy).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts)).edges_
    for name, cuts in weighted.items():
        np.testing.assert_allclose(cuts, copied[name], rtol=1e-12)
    assert len(weighted["x0"]) > 0


@pytest.mark.parametrize("strategy", ["width", "frequency", "mdl"])
def test_missing_cells_stay_missing_and_count_for_nothing(strategy):
    x, y = np.arange(40.0), np.arange(40) > 17
    gaps = np.concatenate([x, np.full(9, np.nan)])[:, None]
    model = Discretizer(strategy).fit(gaps, np.append(y, [True] * 9))
    np.testing.assert_array_equal(model.edges_["x0"], Discretizer(strategy).fit(x[:, None], y).edges_["x0"])
    codes = model.transform(gaps)[:, 0]
    assert np.isnan(codes[40:]).all()
    assert not np.isnan(codes[:40]).any()


def test_an_interval_is_open_below_and_closed_above():
    model = Discretizer("width", n_bins=2).fit({"x": [0.0, 20.0]})
    table = model.transform({"x": [-5.0, 10.0, np.nextafter(10.0, 11), 99.0, None]})
    assert table["x"].labels() == ["(−∞, 10]", "(−∞, 10]", "(10, ∞)", "(10, ∞)", None]
    assert table["x"].kind == "ordinal"
    assert table["x"].categories == ("(−∞, 10]", "(10, ∞)")


def test_cuts_that_differ_read_differently():
    x = 1e6 + np.arange(8) * 1e-7
    labels = Discretizer(n_bins=8).fit_transform({"x": x})["x"].categories
    assert len(set(labels)) == 8
    big = Discretizer(n_bins=2).fit_transform({"x": [123456789.0, 123456792.0]})["x"].categories
    assert big == ("(−∞, 123456790.5]", "(123456790.5, ∞)")
    assert Discretizer(n_bins=2).fit_transform({"x": [-3.0, -2.0]})["x"].categories[0] == "(−∞, −2.5]"


def test_other_columns_pass_through():
    cells = {"n": [1.0, 2.0, 3.0], "t": ["a", None, "b"], "b": [True, False, None]}
    table = learnt.Table(cells | {"s": ["S", "L", "M"]}, ordinal={"s": ["S", "M", "L"]})
    out = Discretizer(n_bins=3).fit_transform(table)
    assert isinstance(out, learnt.Table)
    assert dict(out.kinds) == {"n": "ordinal", "t": "nominal", "b": "boolean", "s": "ordinal"}
    assert {k: v for k, v in out.to_dict().items() if k != "n"} == {
        k: v for k, v in table.to_dict().items() if k != "n"
    }


def test_an_array_gives_an_array_of_interval_numbers():
    out = Discretizer(n_bins=3).fit_transform(np.array([[3.0, 9], [2, 9], [1, 9]]))
    np.testing.assert_array_equal(out, [[2, 0], [1, 0], [0, 0]])
    assert out.dtype == np.float64


def test_pandas_and_polars_come_out_as_categories_in_order():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "t": ["u", "v", None], "b": [True, False, True]}, index=[7, 5, 3])
    out = Discretizer(n_bins=2).set_output(transform="pandas").fit_transform(frame)
    assert out.index.tolist() == [7, 5, 3]
    assert out["x"].dtype == pd.CategoricalDtype(["(−∞, 2]", "(2, ∞)"], ordered=True)
    assert out["x"].isna().tolist() == [False, True, False]
    assert out["t"].tolist()[:2] == ["u", "v"]
    assert out["b"].dtype == bool
    out = Discretizer(n_bins=2).set_output(transform="polars").fit_transform(frame)
    assert out["x"].dtype == pl.Enum(["(−∞, 2]", "(2, ∞)"])
    assert out["x"].to_list() == ["(−∞, 2]", None, "(2, ∞)"]


def test_a_model_of_named_columns_names_what_an_array_gives():
    model = Discretizer(n_bins=2).fit({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    with pytest.warns(UserWarning, match="feature names"):
        assert model.transform(np.array([[1.0, 4.0]])).to_dict() == {"a": ["(−∞, 1.5]"], "b": ["(3.5, ∞)"]}
    assert model.get_feature_names_out().tolist() == ["a", "b"]


def test_mdl_needs_a_target_and_says_so():
    with pytest.raises(InputError, match="requires y"):
        Discretizer("mdl").fit(np.ones((3, 1)))
    iris = learnt.datasets.load("iris")
    assert "class" not in Discretizer("mdl").fit_transform(iris).names
    assert "class" not in Discretizer("width").fit_transform(iris).names


def test_equal_width_fits_a_scan_and_the_others_say_why_not(tmp_path):
    table = pd.DataFrame({"x": RNG.normal(size=1000), "t": ["a", "b"] * 500})
    table.to_csv(tmp_path / "rows.csv", index=False)
    source = learnt.scan(tmp_path / "rows.csv")
    model = Discretizer("width").fit(source)
    np.testing.assert_allclose(model.edges_["x"], Discretizer("width").fit(table).edges_["x"])
    assert model.transform(source).to_dict() == model.transform(table).to_dict("list")
    for strategy, y in (("frequency", None), ("mdl", "t")):
        with pytest.raises(InputError, match="in memory"):
            Discretizer(strategy).fit(source, y)


def test_edges_that_contradict_the_columns_are_not_loaded():
    model = Discretizer().fit({"a": RNG.normal(size=50)})
    for edges in (
        {},
        {"b": np.zeros(1)},
        {"a": np.array([2.0, 1.0])},
        {"a": np.array([np.nan])},
        {"a": np.zeros((1, 1))},
    ):
        model.edges_ = edges
        with pytest.raises(SavedModelError):
            model._check_fitted_state()


def test_extreme_numbers_are_cut_without_overflow():
    x = np.array([[-1.7e308], [0.0], [5e-324], [1.7e308]])
    for strategy in ("width", "frequency", "mdl"):
        model = Discretizer(strategy, n_bins=4).fit(x, [0, 0, 1, 1])
        cuts = model.edges_["x0"]
        assert np.isfinite(cuts).all()
        assert (np.diff(cuts) > 0).all()
    assert Discretizer(n_bins=4).fit_transform(x)[:, 0].tolist() == [0, 1, 2, 3]


def test_many_classes_need_no_table_of_values_by_classes():
    x = RNG.normal(size=20_000)
    y = np.argsort(np.argsort(x)) // 20
    start = time.process_time()
    cuts = Discretizer("mdl").fit(x[:, None], y).edges_["x0"]
    assert time.process_time() - start < 10
    assert np.isfinite(cuts).all()


def test_the_time_of_mdl_grows_as_that_of_sorting():
    def seconds(n):
        x = np.random.default_rng(0).normal(size=n)
        y = (x > 0.5).astype(int)
        start = time.process_time()
        assert len(Discretizer("mdl").fit(x[:, None], y).edges_["x0"]) == 1
        return time.process_time() - start

    small, large = min(seconds(20_000) for _ in range(3)), min(seconds(400_000) for _ in range(2))
    assert large < 20 * 4 * small + 0.5
