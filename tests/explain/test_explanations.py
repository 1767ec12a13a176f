"""The explanations of many rows at once: matrix, frames, classes, picture."""

import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import learnt
from learnt.errors import InputError
from learnt.explain import Evidence, Explanation, Explanations

mpl.use("Agg")

LABOR = learnt.datasets.load("labor")
IRIS = learnt.datasets.load("iris")
CPU = learnt.datasets.load("cpu")


def test_the_matrix_of_a_linear_model_is_coefficient_times_distance():
    frame = CPU.to_pandas()
    X, y = frame.drop(columns="class"), frame["class"]
    model = learnt.LinearRegression().fit(X, y)
    told = model.explain(X)
    found = told.contributions()
    np.testing.assert_allclose(told.values, (X - X.mean()) * model.coef_, rtol=1e-9, atol=1e-9)
    assert found.columns == tuple(X.columns)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(X))
    np.testing.assert_array_equal(found.cells.astype(float), X.to_numpy(dtype=float))
    assert found.order()[0] == int(np.abs(found.values).mean(axis=0).argmax())


@pytest.mark.parametrize("entry", learnt.learners("classification"), ids=lambda entry: entry.name)
def test_every_frame_adds_up(entry):
    if "text" in entry.abilities or "counts" in entry.abilities:
        pytest.skip("learns from something else")
    rows = LABOR.drop("class").to_pandas()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = entry.cls().fit(rows, np.asarray(LABOR["class"])).explain(rows)[:6]
    frame = told.to_frame()
    assert frame.columns[:2].tolist() == ["prediction", "base"]
    np.testing.assert_allclose(
        frame["base"] + frame.drop(columns=["prediction", "base", "total"]).sum(axis=1), frame["total"], atol=1e-8
    )


def test_frames_are_of_the_kind_that_came_in_with_its_index():
    frame = IRIS.drop("class").to_pandas(index=[f"flower {i}" for i in range(150)])
    model = learnt.NaiveBayesClassifier().fit(frame, np.asarray(IRIS["class"]))
    told = model.explain(frame)
    assert told[40:43].to_frame().index.tolist() == ["flower 40", "flower 41", "flower 42"]
    assert told[[*range(150)][::-1][0] : 150].to_frame().shape == (1, 7)
    polars = model.explain(pl.from_pandas(frame))[:3].to_frame()
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns == ["prediction", "base", *frame.columns, "total"]
    assert isinstance(model.explain(pa.Table.from_pandas(frame))[:3].to_frame(), pa.Table)
    assert model.explain(IRIS.drop("class"))[5:7].to_frame().index.tolist() == [5, 6]


def test_a_long_frame_has_a_line_for_each_row_and_column():
    model = learnt.LogisticRegression().fit(LABOR, "class")
    told = model.explain(LABOR)[3:5]
    frame = told.to_frame(long=True)
    assert frame.columns.tolist() == ["row", "prediction", "column", "value", "contribution", "words"]
    assert frame["row"].tolist() == [3] * 16 + [4] * 16
    assert frame["contribution"].tolist() == told.values.ravel().tolist()
    assert model.explain(LABOR.to_polars())[:2].to_frame(long=True).height == 32


def test_a_column_called_total_keeps_its_name():
    told = Explanations(
        1, lambda _: Explanation(1.0, "sum", 0.0, "", (Evidence("total", 1, 0.4), Evidence("base", 1, 0.6)), 1.0, "y")
    )
    assert told.to_frame().columns.tolist() == ["prediction", "base_", "total", "base", "total_"]


def test_rows_by_class_are_those_so_answered():
    model = learnt.NaiveBayesClassifier().fit(IRIS, "class")
    answers = model.predict(IRIS)
    parts = model.explain(IRIS).by_class()
    assert list(parts) == sorted(set(answers))
    for answer, part in parts.items():
        assert list(part.rows) == np.flatnonzero(answers == answer).tolist()
        assert part[0].prediction == answer


@pytest.mark.parametrize(
    "learner",
    [
        learnt.LogisticRegression(),
        learnt.NaiveBayesClassifier(),
        learnt.DecisionTreeClassifier(max_depth=3),
        learnt.RandomForestClassifier(n_estimators=10),
        learnt.GradientBoostingClassifier(max_iter=10, learning_rate=0.3),
        learnt.MajorityClassifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_all_rows_can_speak_for_one_of_two_classes(learner):
    model = learner.fit(LABOR, "class")
    both = [model.explain(LABOR).toward(label).contributions() for label in ("bad", "good")]
    np.testing.assert_allclose(both[0].values, -both[1].values, atol=1e-12)
    assert set(both[0].predictions) == {"bad"}
    share = model.predict_proba(LABOR)[:, 1]
    if both[1].totals.min() < 0:  # log-odds
        np.testing.assert_allclose(1 / (1 + np.exp(-both[1].totals)), share, rtol=1e-6, atol=1e-9)
    else:
        np.testing.assert_allclose(both[1].totals, share, atol=1e-12)
    np.testing.assert_allclose(both[1].base + both[1].values.sum(axis=1), both[1].totals, atol=1e-9)


def test_what_cannot_be_turned_says_so():
    with pytest.raises(InputError, match="by_class"):
        learnt.NaiveBayesClassifier().fit(IRIS, "class").explain(IRIS).toward("Iris-setosa")[149]
    nearest = learnt.NearestExemplar().fit(LABOR, "class").explain(LABOR)
    with pytest.raises(InputError, match="Explanations by nearest are not for one class"):
        nearest.toward("bad" if nearest[0].prediction == "good" else "good")[0]


def test_the_picture_has_a_line_of_points_for_each_column_the_largest_on_top():
    model = learnt.LogisticRegression().fit(LABOR, "class")
    told = model.explain(LABOR)
    ax = told.plot(most=5)
    found = told.toward("good").contributions()
    assert [text.get_text() for text in ax.get_yticklabels()] == [found.columns[j] for j in found.order()[:5]]
    points = np.concatenate([c.get_offsets()[:, 0] for c in ax.collections])
    np.testing.assert_allclose(np.sort(points), np.sort(found.values[:, found.order()[:5]].ravel()))
    assert "towards 'good'" in ax.get_xlabel()
    for c in ax.collections:
        for _, y in c.get_offsets():
            assert abs(y - round(y)) <= 0.4


def test_three_classes_have_a_picture_each_on_one_scale():
    axes = learnt.NaiveBayesClassifier().fit(IRIS, "class").explain(IRIS).plot()
    assert len(axes) == 3
    assert len({ax.get_xlim() for ax in axes}) == 1
    assert axes[1].get_title() == "answered 'Iris-versicolor'"


def test_numbers_and_no_rows_are_drawn_too():
    assert "adds to" in learnt.LinearRegression().fit(CPU, "class").explain(CPU).plot().get_xlabel()
    assert learnt.KMeans(2).fit(CPU.drop("class")).explain(CPU.drop("class"))[:9].plot() is not None
    Explanations(0, lambda i: None).plot()
    assert Explanations(0, lambda i: None).values.shape == (0, 0)
    assert isinstance(Explanations(0, lambda i: None).to_frame(), pd.DataFrame)
