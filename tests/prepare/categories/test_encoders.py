"""Indicators and codes against pandas and scikit-learn, and what is done with cells nobody expected."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import preprocessing

import learnt
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.prepare import OneHotEncoder, OrdinalEncoder

RNG = np.random.default_rng(5)


def shirts(n: int = 200) -> pd.DataFrame:
    colours = np.array(["red", "blue", "green", "plum", "teal"])[RNG.choice(5, n, p=[0.4, 0.3, 0.2, 0.07, 0.03])]
    sizes = pd.Categorical(np.array(["S", "M", "L"])[RNG.integers(3, size=n)], ["S", "M", "L"], ordered=True)
    return pd.DataFrame({"colour": colours, "price": RNG.normal(size=n), "size": sizes, "sale": RNG.random(n) < 0.3})


def test_indicators_are_those_of_pandas_and_stand_where_their_column_stood():
    frame = shirts()
    out = OneHotEncoder().set_output(transform="pandas").fit_transform(frame)
    expected = pd.get_dummies(frame.astype({"sale": str}), prefix_sep="=", dtype=float)
    assert list(out)[:6] == [*(f"colour={c}" for c in ("blue", "green", "plum", "red", "teal")), "price"]
    assert list(out)[6:] == ["size=S", "size=M", "size=L", "sale=False", "sale=True"]
    pd.testing.assert_frame_equal(out, expected[list(out)])


RARITY = [{}, {"min_frequency": 20}, {"min_frequency": 0.25}, {"max_categories": 3}, {"max_categories": 1}]


@pytest.mark.parametrize(
    "settings",
    [*({"drop": drop} | rare for drop in (None, "first") for rare in RARITY), {"drop": "if_binary"}],
    ids=str,
)
def test_indicators_are_those_of_scikit_learn(settings):
    frame = shirts()[["colour", "size"]].astype(object)
    frame.loc[frame["size"] == "M", "size"] = "S"  # two sizes: "if_binary" has something to do
    one = preprocessing.OneHotEncoder(sparse_output=False, **settings).fit(frame)
    two = OneHotEncoder(**settings).fit(frame)
    np.testing.assert_array_equal(np.asarray(two.transform(frame)), one.transform(frame))


def test_frequencies_count_weight():
    colours = {"colour": ["red", "blue", "green"]}
    model = OneHotEncoder(min_frequency=2).fit(colours, sample_weight=[3, 1, 2])
    assert model.categories_ == {"colour": ["green", "red", "(rare)"]}
    assert np.asarray(model.transform(colours)).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert OneHotEncoder(min_frequency=0.2).fit(colours, sample_weight=[3, 1, 2]).categories_["colour"][-1] == "(rare)"


def test_of_equally_frequent_categories_the_first_keep_their_indicators():
    model = OneHotEncoder(max_categories=2).fit({"c": ["b", "a", "c"]})
    assert model.categories_ == {"c": ["a", "(rare)"]}


def test_a_missing_cell_has_no_indicator_or_one_of_its_own():
    cells = {"a": ["x", None, "y"], "b": ["u", "v", "v"], "n": [1.0, None, 2.0]}
    zeros = OneHotEncoder().fit_transform(cells).to_dict()
    assert zeros["a=x"] == [1, 0, 0]
    assert zeros["a=y"] == [0, 0, 1]
    assert zeros["n"] == [1, None, 2]
    own = OneHotEncoder(missing="column").fit(cells)
    assert own.get_feature_names_out().tolist() == ["a=x", "a=y", "a=(missing)", "b=u", "b=v", "n"]
    assert own.transform(cells)["a=(missing)"].labels() == [0, 1, 0]
    assert own.transform({"a": ["new"], "b": [None], "n": [0]}).to_dict() == {
        "a=x": [0], "a=y": [0], "a=(missing)": [1], "b=u": [0], "b=v": [0], "n": [0],
    }  # fmt: skip


def test_a_gap_in_a_row_of_weight_zero_makes_no_indicator():
    model = OneHotEncoder(missing="column").fit({"a": ["x", None, "y"]}, sample_weight=[1, 0, 1])
    assert model.categories_ == {"a": ["x", "y"]}


@pytest.mark.parametrize("encoder", [OneHotEncoder, OrdinalEncoder])
def test_an_unseen_category_is_missing_or_an_error_that_names_it(encoder, tmp_path):
    cells = {"n": [1.0, 2.0], "town": ["Bern", "Basel"]}
    new = {"n": [1.0, 2.0, 3.0], "town": [None, "Genf", "Bern"]}
    gap = {"n": [1.0, 2.0, 3.0], "town": [None, None, "Bern"]}
    assert encoder().fit(cells).transform(new).to_dict() == encoder().fit(cells).transform(gap).to_dict()
    strict = encoder(handle_unknown="error").fit(cells)
    assert strict.transform(gap).n_rows == 3
    with pytest.raises(InputError, match=r"'town' has 'Genf' in row 1.*'Basel', 'Bern'"):
        strict.transform(new)
    with pytest.raises(InputError, match=r"'x1' has 'Genf' in row 0"):
        encoder(handle_unknown="error").fit([[1, "Bern"], [2, "Basel"]]).transform([[2, "Genf"]])
    pd.DataFrame(new).to_csv(tmp_path / "new.csv", index=False)
    with pytest.raises(InputError, match=r"scan.*handle_unknown='ignore'"):
        strict.transform(learnt.scan(tmp_path / "new.csv"))


def test_names_that_clash_are_an_error():
    with pytest.raises(InputError, match=r"Two columns are called 'a=x'"):
        OneHotEncoder().fit({"a": ["x", "y"], "a=x": [1.0, 2.0]})


def test_many_categories_stay_sparse_also_in_frames_and_over_scans(tmp_path):
    frame = pd.DataFrame({"id": [f"c{i % 500}" for i in range(1000)], "x": RNG.normal(size=1000)})
    out = OneHotEncoder().fit_transform(frame)
    assert all(isinstance(dtype, pd.SparseDtype) for dtype in out.dtypes)
    assert OneHotEncoder().fit_transform(pl.from_pandas(frame)).sparse.nnz == 2000
    table = OneHotEncoder().fit_transform(learnt.Table(frame))
    assert sparse.issparse(table.sparse)
    assert table.sparse.nnz == 2000
    dense = pd.get_dummies(frame, prefix_sep="=", dtype=float)[list(table.names)]
    np.testing.assert_array_equal(np.asarray(table), dense)
    out = OneHotEncoder().set_output(transform="pandas").fit_transform(frame)
    assert all(isinstance(dtype, pd.SparseDtype) for dtype in out.dtypes)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    scan = learnt.scan(tmp_path / "rows.csv")
    over_files = OneHotEncoder().fit(scan).transform(scan)
    assert (over_files.sparse != table.sparse).nnz == 0


def test_indicators_make_scikit_learns_models_of_mixed_tables():
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    frame = shirts()
    y = (frame["colour"] == "red") & (frame["price"] > 0)
    whole = make_pipeline(OneHotEncoder("first"), LogisticRegression(C=100)).fit(frame, y)
    assert whole.score(frame, y) > 0.8
    parts = ColumnTransformer(
        [("codes", OrdinalEncoder(), ["size"]), ("indicators", OneHotEncoder(), ["colour"])], remainder="drop"
    ).set_output(transform="pandas")
    out = parts.fit_transform(frame)
    assert list(out)[:2] == ["codes__size", "indicators__colour=blue"]
    np.testing.assert_array_equal(out["codes__size"], frame["size"].cat.codes)


def test_codes_are_those_of_scikit_learn_and_keep_a_declared_order():
    frame = shirts()
    frame.loc[3, "colour"] = None
    out = learnt.Table(OrdinalEncoder().fit_transform(frame))
    colours = frame[["colour"]].astype(object)
    expected = preprocessing.OrdinalEncoder().fit_transform(colours.where(colours.notna(), np.nan))
    np.testing.assert_array_equal(out["colour"].values, expected[:, 0])
    np.testing.assert_array_equal(out["size"].values, frame["size"].cat.codes)
    assert out["sale"].labels() == frame["sale"].astype(float).tolist()
    assert set(out.kinds.values()) == {"numeric"}
    assert OrdinalEncoder().fit(frame).categories_["size"] == ["S", "M", "L"]


def test_numbers_pass_as_they_are():
    x = RNG.normal(size=(9, 3))
    x[2, 1] = np.nan
    rows = sparse.csr_matrix(np.eye(4))
    for encoder in (OneHotEncoder(), OrdinalEncoder()):
        out = encoder.fit_transform(x)
        np.testing.assert_array_equal(out, x)
        assert not np.shares_memory(out, x)
        assert (encoder.fit_transform(rows) != rows).nnz == 0


def test_settings_outside_their_domain_are_refused():
    for settings in ({"drop": "last"}, {"min_frequency": 0}, {"min_frequency": 1.5}, {"max_categories": 0}):
        with pytest.raises(ParameterError, match=next(iter(settings))):
            OneHotEncoder(**settings).fit({"a": ["x"]})


def test_codes_that_contradict_the_columns_are_not_loaded():
    for damage in (
        lambda m: m._codes.update(a=np.array([0, 9, -1], np.int32)),
        lambda m: m._codes.update(a=np.array([0, 1], np.int32)),
        lambda m: m._codes.pop("a"),
        lambda m: setattr(m, "_design", OneHotEncoder().fit({"b": ["x", "y"]})._design),
    ):
        model = OneHotEncoder().fit({"a": ["x", "y"]})
        damage(model)
        with pytest.raises(SavedModelError):
            model._check_fitted_state()


TOWNS = pd.DataFrame(
    {
        "town": ["Bern", "Basel", None, "Chur", "Bern", "Bern"],
        "size": pd.Categorical(["S", "M", "S", None, "M", "L"], ["S", "M", "L"], ordered=True),
        "sale": pd.array([True, None, False, True, False, True], dtype="boolean"),
        "price": [1.0, 2.0, 3.0, None, 5.0, 6.0],
    }
)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(),
        OneHotEncoder(missing="column"),
        OneHotEncoder("first", missing="column"),
        OrdinalEncoder(),
    ],
    ids=repr,
)
def test_the_way_back_gives_the_labels(encoder):
    table = learnt.Table(TOWNS)
    back = encoder.fit(table).inverse_transform(encoder.transform(table))
    assert back.to_dict() == table.to_dict()
    assert back.kinds == table.kinds
    frame = encoder.inverse_transform(encoder.transform(TOWNS))
    assert isinstance(frame, pd.DataFrame)
    assert learnt.Table(frame).to_dict() == table.to_dict()


def test_the_way_back_is_that_of_scikit_learn():
    labels = TOWNS[["town"]].fillna("Bern")
    for drop in (None, "first", "if_binary"):
        peer = preprocessing.OneHotEncoder(drop=drop, sparse_output=False).fit(labels)
        numbers = peer.transform(labels)
        ours = OneHotEncoder(drop).fit(labels)
        assert ours.inverse_transform(numbers)["town"].labels() == peer.inverse_transform(numbers)[:, 0].tolist()


def test_rare_categories_come_back_as_rare_and_sparse_rows_as_labels():
    encoder = OneHotEncoder(min_frequency=2).fit(TOWNS[["town"]])
    back = encoder.inverse_transform(encoder.transform(TOWNS[["town"]]))
    assert back["town"].tolist()[:2] == ["Bern", "(rare)"]
    wide = learnt.Table({"id": [f"c{i % 500}" for i in range(1000)], "x": np.arange(1000.0)})
    encoder = OneHotEncoder().fit(wide)
    assert encoder.inverse_transform(encoder.transform(wide)).to_dict() == wide.to_dict()


def test_numbers_that_stand_for_nothing_are_refused():
    encoder = OrdinalEncoder().fit({"town": ["a", "b"]})
    with pytest.raises(InputError, match="Expected whole numbers from 0 to 1"):
        encoder.inverse_transform({"town": [0.0, 2.0]})
    with pytest.raises(InputError, match="Expected the 1 that transform of this OrdinalEncoder gives"):
        encoder.inverse_transform(np.zeros((2, 3)))


def test_a_column_transformer_takes_columns_of_a_table_by_place_and_of_its_frame_by_name():
    from sklearn.compose import ColumnTransformer

    table = learnt.Table({"age": [31.0, 45.0, 28.0], "town": ["Bern", "Ulm", "Bern"]})
    by_place = ColumnTransformer([("n", learnt.StandardScaler(), [0]), ("c", learnt.OneHotEncoder(), [1])])
    by_name = ColumnTransformer([("n", learnt.StandardScaler(), ["age"]), ("c", learnt.OneHotEncoder(), ["town"])])
    found = np.asarray(by_place.fit_transform(table))
    np.testing.assert_allclose(found, np.asarray(by_name.fit_transform(table.to_pandas())))
    assert found.shape == (3, 3)
