"""A frame comes out as it went in: of the same library, with its index, its plain columns as they were."""

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import learnt
from learnt import Table
from learnt.errors import ParameterError

FRAME = pd.DataFrame(
    {
        "age": [31.0, 28.0, None, 45.0, 60.0, 33.0],
        "rooms": [2, 3, 3, 4, 5, 2],
        "town": ["Bern", "Basel", "Bern", "Chur", "Chur", "Basel"],
        "since": pd.to_datetime(["2020-01-01", "2021-05-04", "2020-03-03", "2019-01-01", "2018-07-07", "2020-12-12"]),
    },
    index=[f"row {i}" for i in range(6)],
)
NUMBERS = FRAME[["rooms"]].assign(age=FRAME["age"].fillna(30.0))
CLASSES = ["yes", "no", "yes", "no", "no", "yes"]

ON_MIXED = [
    learnt.StandardScaler(),
    learnt.MinMaxScaler(),
    learnt.Imputer(),
    learnt.OneHotEncoder(),
    learnt.OrdinalEncoder(),
    learnt.Discretizer(n_bins=2),
    learnt.PolynomialFeatures(interaction_only=True),
]
ON_NUMBERS = [
    learnt.PCA(1),
    learnt.ICA(1),
    learnt.MDS(1),
    learnt.RandomProjection(1),
    learnt.KernelPCA(1),
    learnt.NystroemFeatures(3),
    learnt.RandomFourierFeatures(3),
    learnt.KernelKMeans(2),
    learnt.KMeans(2),
    learnt.KMedoids(2),
]
WAYS = {
    "pandas": (lambda frame: frame, pd.DataFrame),
    "polars": (lambda frame: pl.from_pandas(frame), pl.DataFrame),
    "lazy polars": (lambda frame: pl.from_pandas(frame).lazy(), pl.DataFrame),
    "arrow": (lambda frame: pa.Table.from_pandas(frame, preserve_index=False), pa.Table),
    "arrow batch": (lambda frame: pa.RecordBatch.from_pandas(frame, preserve_index=False), pa.Table),
    "narwhals": (lambda frame: narwhals.from_native(frame), narwhals.DataFrame),
    "table": (Table, Table),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("learner", [*ON_MIXED, *ON_NUMBERS], ids=lambda learner: type(learner).__name__)
def test_a_frame_of_its_own_kind_comes_out_with_the_same_numbers(learner, way):
    source = FRAME if any(type(learner) is type(other) for other in ON_MIXED) else NUMBERS
    convert, kind = WAYS[way]
    given = convert(source)
    out = learnt.clone(learner).fit_transform(given)
    assert isinstance(out, kind)
    expected = learnt.clone(learner).fit(Table(source)).transform(Table(source))
    pd.testing.assert_frame_equal(
        pd.DataFrame(Table(out).to_dict()), pd.DataFrame(Table(expected).to_dict()), check_dtype=False
    )


@pytest.mark.parametrize("learner", [*ON_MIXED, *ON_NUMBERS], ids=lambda learner: type(learner).__name__)
def test_the_index_of_pandas_is_kept(learner):
    source = FRAME if any(type(learner) is type(other) for other in ON_MIXED) else NUMBERS
    model = learnt.clone(learner).fit(source)
    assert model.transform(source[3:]).index.tolist() == ["row 3", "row 4", "row 5"]


def test_an_array_gives_an_array_and_a_dict_a_table():
    numbers = NUMBERS.to_numpy()
    assert type(learnt.StandardScaler().fit_transform(numbers)) is np.ndarray
    assert type(learnt.PCA(1).fit_transform(numbers)) is np.ndarray
    assert type(learnt.StandardScaler().fit_transform({"a": [1.0, 2.0]})) is Table


@pytest.mark.parametrize("way", ["pandas", "polars", "arrow"])
def test_columns_that_pass_keep_their_types(way):
    given = WAYS[way][0](FRAME)
    kept = learnt.SelectFeatures(k=3).fit(given, CLASSES).transform(given)
    for name in Table(kept).names:
        old, new = ((frame.schema.field(name).type if way == "arrow" else frame[name].dtype) for frame in (given, kept))
        assert old == new
    scaled = learnt.StandardScaler().fit_transform(given)
    assert Table(scaled)["town"].labels() == FRAME["town"].tolist()
    if way == "pandas":
        assert scaled["town"].dtype == FRAME["town"].dtype


def test_filled_text_stays_text_whether_or_not_cells_were_missing():
    gaps = FRAME.assign(town=["Bern", None, "Bern", "Chur", "Chur", "Basel"])
    model = learnt.Imputer().fit(gaps)
    assert model.transform(gaps)["town"].dtype == model.transform(FRAME)["town"].dtype == FRAME["town"].dtype
    assert model.transform(pl.from_pandas(gaps))["town"].dtype == pl.String
    categories = gaps.assign(town=gaps["town"].astype("category"))
    assert learnt.Imputer().fit_transform(categories)["town"].dtype == categories["town"].dtype


def test_numbered_columns_of_pandas_keep_their_numbers():
    frame = pd.DataFrame(NUMBERS.to_numpy(), columns=[10, 20])
    assert learnt.StandardScaler().fit_transform(frame).columns.tolist() == [10, 20]
    assert learnt.PCA(1).fit_transform(frame).columns.tolist() == ["pca0"]


@pytest.mark.parametrize("learner", [learnt.StandardScaler(), learnt.MinMaxScaler(), learnt.PCA(2), learnt.ICA(2)])
def test_the_way_back_keeps_the_frame_too(learner):
    back = learner.fit(NUMBERS).inverse_transform(learner.transform(NUMBERS))
    pd.testing.assert_frame_equal(back, NUMBERS.astype(float))
    assert isinstance(learner.inverse_transform(learner.transform(pl.from_pandas(NUMBERS))), pl.DataFrame)


def test_set_output_chooses_over_what_came_in():
    scaler = learnt.StandardScaler().fit(FRAME)
    assert isinstance(scaler.set_output(transform="polars").transform(FRAME), pl.DataFrame)
    assert isinstance(scaler.set_output(transform="pandas").transform(pl.from_pandas(FRAME)), pd.DataFrame)
    assert isinstance(scaler.set_output(transform="default").transform(FRAME), pd.DataFrame)


def test_words_stay_a_sparse_matrix_unless_a_frame_is_asked_for():
    texts = pd.Series(["to be", "or not"], index=["a", "b"])
    assert learnt.BagOfWords().fit_transform(texts).shape == (2, 4)
    frame = learnt.BagOfWords().set_output(transform="pandas").fit_transform(texts)
    assert frame.index.tolist() == ["a", "b"]


PROBABLE = [
    learnt.NaiveBayesClassifier(),
    learnt.DecisionTreeClassifier(),
    learnt.LogisticRegression(),
    learnt.MinimumRiskClassifier(learnt.NaiveBayesClassifier()),
]


@pytest.mark.parametrize("learner", PROBABLE, ids=lambda learner: type(learner).__name__)
def test_probabilities_have_names_on_request(learner):
    model = learnt.clone(learner).fit(FRAME, CLASSES)
    plain = model.predict_proba(FRAME)
    assert type(plain) is np.ndarray
    answers = model.predict(FRAME)
    model.set_output(transform="pandas")
    named = model.predict_proba(FRAME)
    pd.testing.assert_frame_equal(named, pd.DataFrame(plain, columns=["no", "yes"], index=FRAME.index))
    logs = model.predict_log_proba(FRAME)
    assert logs.columns.tolist() == ["no", "yes"]
    assert logs.index.tolist() == FRAME.index.tolist()
    assert (model.predict(FRAME) == answers).all()
    model.set_output(transform="polars")
    assert model.predict_proba(FRAME).columns == ["no", "yes"]


def test_members_that_give_frames_can_still_be_averaged():
    member = learnt.NaiveBayesClassifier().set_output(transform="pandas")
    plain = learnt.BaggingClassifier(learnt.NaiveBayesClassifier(), n_estimators=3).fit(FRAME, CLASSES)
    framed = learnt.BaggingClassifier(member, n_estimators=3).fit(FRAME, CLASSES)
    np.testing.assert_array_equal(framed.predict_proba(FRAME), plain.predict_proba(FRAME))
    assert learnt.cross_validate(member, FRAME, CLASSES, cv=2).scores is not None


def test_a_frame_that_is_not_known_is_refused():
    with pytest.raises(ParameterError, match="Expected 'default', 'pandas' or 'polars'"):
        learnt.NaiveBayesClassifier().set_output(transform="arrow")
