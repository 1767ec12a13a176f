"""Filled cells against scikit-learn, NumPy and counts by hand."""

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer

import learnt
from learnt import Table
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.prepare import Imputer

RNG = np.random.default_rng(9)


def gappy(n: int = 120, decimals: int = 1, rng=RNG) -> np.ndarray:
    x = rng.normal(5, 2, (n, 4)).round(decimals)
    x[rng.random((n, 4)) < 0.2] = np.nan
    return x


PEOPLE = {
    "age": [20.0, None, 40.0, 21.0, 45.0],
    "town": ["Bern", "Bern", None, "Basel", "Genf"],
    "own": [True, None, False, True, True],
}
CLASSES = ["young", "old", "old", "young", "old"]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("decimals", [0, 9])
def test_numbers_are_filled_as_by_scikit_learn(strategy, decimals):
    x, other = gappy(decimals=decimals), gappy(decimals=decimals)
    one = SimpleImputer(strategy=strategy, fill_value=-7.5).fit(x)
    two = Imputer(strategy, fill_value=-7.5 if strategy == "constant" else None).fit(x)
    np.testing.assert_allclose(two.transform(other), one.transform(other), rtol=1e-12)
    np.testing.assert_allclose(list(two.fills_.values()), one.statistics_.astype(float), rtol=1e-12)


def test_indicators_are_those_of_scikit_learn():
    x = gappy()
    x[:, 2] = 1.0
    expected = SimpleImputer(add_indicator=True).fit_transform(x)
    model = Imputer(add_indicator=True)
    np.testing.assert_allclose(model.fit_transform(x), expected)
    assert model.get_feature_names_out()[4:].tolist() == [f"x{j} is missing" for j in (0, 1, 3)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "class", "model"])
def test_a_weight_of_two_is_a_row_twice(strategy, seed):
    rng = np.random.default_rng(seed)  # of its own: the test is the same whichever ran before
    x, counts = gappy(decimals=9, rng=rng), rng.integers(0, 4, 120)
    y = rng.integers(3, size=120)
    copies = np.repeat(np.arange(120), counts)
    weighted = Imputer(strategy).fit(x, y, sample_weight=counts)
    copied = Imputer(strategy).fit(x[copies], y[copies])
    np.testing.assert_allclose(list(weighted.fills_.values()), list(copied.fills_.values()), rtol=1e-12)
    np.testing.assert_allclose(weighted.transform(x), copied.transform(x), rtol=1e-9)
    if strategy == "class":
        np.testing.assert_allclose(weighted.class_fills_, copied.class_fills_, rtol=1e-12)


def test_the_median_lies_between_two_numbers_that_halve_the_weight():
    for weights, expected in (
        ([1, 1, 1, 1], 2.5),
        ([1, 1, 2, 4], 5.0),
        ([1, 1, 1, 4], 7.0),
        ([0.1, 0.2, 0.1, 0.2], 2.5),
    ):
        model = Imputer("median").fit({"x": [1.0, 2.0, 3.0, 7.0]}, sample_weight=weights)
        assert model.fills_["x"] == pytest.approx(expected)


def test_categories_are_filled_with_the_most_frequent_one():
    table = Table(PEOPLE | {"size": ["S", "L", None, "L", "M"]}, ordinal={"size": ["S", "M", "L"]})
    out = Imputer().fit_transform(table)
    assert out["town"].labels() == ["Bern", "Bern", "Bern", "Basel", "Genf"]
    assert out["own"].labels() == [True, True, False, True, True]
    assert out["size"].labels()[2] == "L"
    assert dict(out.kinds) == dict(table.kinds)
    assert Imputer("median").fit_transform(table)["size"].labels()[2] == "M"


def test_the_same_class_fills_while_fitting_and_all_rows_fill_later():
    model = Imputer("class")
    out = model.fit_transform(PEOPLE, CLASSES).to_dict()
    assert out["age"][1] == (40 + 45) / 2
    assert out["town"][2] == "Bern"  # of Bern and Genf, once each, the first
    assert out["own"][1] is False  # of False and True, once each, the first
    assert model.transform(PEOPLE).to_dict()["age"][1] == (20 + 40 + 21 + 45) / 4
    assert model.fit(PEOPLE, CLASSES).transform(PEOPLE).to_dict()["own"][1] is True
    assert model.class_fills_[0, 0] == 42.5


def test_a_class_without_a_cell_is_filled_from_all_rows():
    out = Imputer("class").fit_transform({"x": [1.0, 3.0, None, None]}, ["a", "a", "b", "a"])
    assert out["x"].labels() == [1.0, 3.0, 2.0, 2.0]


def test_class_needs_a_target_and_keeps_it_out_of_the_table():
    with pytest.raises(InputError, match="requires y"):
        Imputer("class").fit(PEOPLE)
    out = Imputer("class").fit_transform(PEOPLE | {"class": CLASSES}, "class")
    assert out.names == ("age", "town", "own")


def test_filling_by_class_is_the_groups_mean_of_pandas():
    frame = pd.DataFrame(gappy(), columns=list("abcd")).assign(y=RNG.choice(["u", "v"], 120))
    expected = frame.drop(columns="y").fillna(frame.groupby("y").transform("mean"))
    out = Imputer("class").set_output(transform="pandas").fit_transform(frame, "y")
    pd.testing.assert_frame_equal(out, expected)


def test_a_model_fills_with_what_the_other_columns_say():
    n = 400
    height = RNG.normal(170, 10, n)
    sex = np.where(height + RNG.normal(0, 2, n) > 170, "m", "f").astype(object)
    weight = height - 100 + RNG.normal(0, 1, n)
    gaps, no_sex = RNG.random(n) < 0.2, RNG.random(n) < 0.2
    cells = {
        "height": height,
        "weight": np.where(gaps, np.nan, weight),
        "sex": [None if none else s for s, none in zip(sex, no_sex, strict=True)],
    }
    model = Imputer("model").fit(cells)
    out = model.transform(cells)
    by_mean = np.abs(np.nanmean(cells["weight"]) - weight[gaps]).mean()
    assert np.abs(out["weight"].values[gaps] - weight[gaps]).mean() < by_mean / 4
    told = np.array(out["sex"].labels(), dtype=object)
    assert (told[no_sex] == sex[no_sex]).mean() > 0.85
    np.testing.assert_array_equal(out["weight"].values[~gaps], weight[~gaps])
    assert 1 <= model.n_iter_ <= 5
    alone = model.transform({name: cells[name][:30] for name in cells})
    assert alone.to_dict() == {name: values[:30] for name, values in out.to_dict().items()}


def test_a_model_is_saved_with_its_trees(tmp_path):
    x = gappy()
    model = Imputer("model", add_indicator=True).fit(x)
    learnt.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnt.load(tmp_path / "model").transform(x), model.transform(x))


def test_one_column_has_no_others_to_say_anything():
    out = Imputer("model").fit_transform({"x": [1.0, None, 3.0]})
    assert out["x"].labels() == [1.0, 2.0, 3.0]


def test_each_column_may_have_its_own_strategy_and_the_others_stay():
    model = Imputer({"age": "median", "town": "constant"}, fill_value={"town": "nowhere"}).fit(PEOPLE)
    out = model.transform(PEOPLE)
    assert out["age"].labels()[1] == 30.5
    assert out["town"].labels()[2] == "nowhere"
    assert out["own"].labels()[1] is None
    assert model.fills_ == {"age": 30.5, "town": "nowhere"}
    with pytest.raises(ParameterError, match=r"'agee'.*'age'"):
        Imputer({"agee": "mean"}).fit(PEOPLE)
    with pytest.raises(ParameterError, match="strategy="):
        Imputer({"age": "average"}).fit(PEOPLE)


def test_constants_are_numbers_labels_or_a_category_of_their_own():
    out = Imputer({"age": "constant", "town": "constant"}).fit_transform(PEOPLE)
    assert out["age"].labels()[1] == 0
    assert out["town"].labels()[2] == "missing"
    assert out["town"].categories == ("Basel", "Bern", "Genf", "missing")
    assert Imputer("constant", fill_value={"own": False}).fit_transform(PEOPLE)["own"].labels()[1] is False
    with pytest.raises(ParameterError, match=r"boolean column 'own'.*fill_value"):
        Imputer("constant").fit(PEOPLE)
    sizes = Table({"size": ["S", None]}, ordinal={"size": ["S", "M"]})
    assert Imputer("constant", fill_value="M").fit_transform(sizes)["size"].labels() == ["S", "M"]
    with pytest.raises(ParameterError, match=r"'XL' is not a category of the ordinal column 'size'"):
        Imputer("constant", fill_value="XL").fit(sizes)
    with pytest.raises(ParameterError, match="Expected a number"):
        Imputer("constant", fill_value={"age": "old"}).fit(PEOPLE)


def test_a_column_without_a_cell_stays_missing():
    x = np.column_stack([np.full(4, np.nan), [1.0, np.nan, 3.0, 4.0]])
    for strategy in ("mean", "median", "most_frequent", "model"):
        out = Imputer(strategy).fit_transform(x)
        assert np.isnan(out[:, 0]).all()
        assert not np.isnan(out[:, 1]).any()


def test_single_precision_is_filled_in_double():
    x = np.array([[0.1], [np.nan], [0.2]], np.float32)
    assert Imputer().fit_transform(x)[1, 0] == pytest.approx((np.float64(x[0, 0]) + np.float64(x[2, 0])) / 2, rel=1e-15)


def test_scans_are_filled_and_what_needs_a_table_says_so(tmp_path):
    frame = pd.DataFrame(gappy(), columns=list("abcd")).assign(y=RNG.choice(["u", "v"], 120))
    frame[:50].to_csv(tmp_path / "0.csv", index=False)
    frame[50:].to_csv(tmp_path / "1.csv", index=False)
    source = learnt.scan(tmp_path)
    by_class = Imputer("class").fit_transform(source, "y").to_dict()
    for name, cells in Imputer("class").fit_transform(frame, "y").to_dict("list").items():
        np.testing.assert_allclose(by_class[name], cells, rtol=1e-12)
    for strategy in ("median", "most_frequent", "model"):
        with pytest.raises(InputError, match="in memory"):
            Imputer(strategy).fit(source, "y")


def test_a_million_rows_are_filled_within_seconds():
    x = RNG.normal(size=(1_000_000, 10))
    x[RNG.random(x.shape) < 0.05] = np.nan
    start = time.process_time()
    assert not np.isnan(Imputer("median").fit_transform(x)).any()
    assert time.process_time() - start < 15


def test_fills_that_contradict_the_columns_are_not_loaded():
    for damage in (
        lambda m: setattr(m, "_fill", np.zeros(7)),
        lambda m: setattr(m, "_fill", np.array([0.0, 9.0, 0.0])),
        lambda m: setattr(m, "_marked", [5]),
        lambda m: setattr(m, "_places", [0]),
    ):
        model = Imputer().fit(PEOPLE)
        damage(model)
        with pytest.raises(SavedModelError):
            model._check_fitted_state()


def test_imputed_dates_are_dates_and_scaled_ones_are_numbers():
    from datetime import date

    days = [date(2024, 5, 1), None, date(2024, 5, 3), date(2024, 5, 2)]
    table = learnt.Table({"day": days, "n": [1.0, 2.0, 3.0, 4.0]})
    filled = learnt.Imputer().fit(table).transform(table)
    assert filled.kinds["day"] == "date"
    assert filled["day"].labels() == [days[0], date(2024, 5, 2), *days[2:]]
    assert learnt.StandardScaler().fit(table).transform(table).kinds["day"] == "numeric"
