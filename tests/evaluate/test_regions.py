"""Decision regions and Voronoi cells: what is drawn is what the classifier answers there."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

import learnt
from learnt.errors import InputError, NotFittedError, ParameterError
from learnt.evaluate.regions import draw_regions, regions
from learnt.plot.regions import draw_voronoi

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    return learnt.datasets.load("iris")


@pytest.fixture(scope="module")
def plane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, np.where(X[:, 0] > X[:, 1], "below", "above")


def found(classifier, X, y=None, columns=None, resolution=25):
    return regions(classifier, X, y, columns, resolution)


def test_the_answer_at_every_place_is_the_classifiers_own(plane):
    X, y = plane
    model = learnt.DecisionTreeClassifier().fit(X, y)
    r = found(model, X, y)
    for j, up in enumerate(r.y.places):
        rows = np.column_stack([r.x.places, np.full(25, up)])
        np.testing.assert_array_equal(np.array(r.classes)[r.codes[j]], model.predict(rows))
        np.testing.assert_array_equal(r.probabilities[j], model.predict_proba(rows))


def test_other_columns_are_held_where_the_caption_says(iris):
    model = learnt.DiscriminantClassifier().fit(iris)
    r = found(model, iris, columns=["sepalwidth", "petalwidth"])
    middle = {name: np.median(iris[name].values) for name in ("sepallength", "petallength")}
    rows = {
        "petallength": np.full(25, middle["petallength"]),
        "petalwidth": np.full(25, r.y.places[7]),
        "sepalwidth": r.x.places,
        "sepallength": np.full(25, middle["sepallength"]),
    }
    np.testing.assert_array_equal(np.array(r.classes)[r.codes[7]], model.predict(rows))
    title = draw_regions(model, iris, columns=["sepalwidth", "petalwidth"], resolution=5).get_title(loc="left")
    assert title.startswith("DiscriminantClassifier; others held at median")
    assert "sepallength 5.8, petallength 4.35" in title.replace("\n", " ")


def test_the_two_most_important_columns_are_chosen_when_the_classes_are_known(iris):
    model = learnt.DecisionTreeClassifier(max_depth=2).fit(iris)
    r = found(model, iris)
    assert (r.x.name, r.y.name) == ("petallength", "petalwidth")
    features = iris.drop("class")
    without = found(model, learnt.Table(features.to_dict()))
    assert (without.x.name, without.y.name) == ("sepallength", "sepalwidth")
    assert without.truth is None


def test_categories_have_a_cell_each_and_their_rows_lie_in_it():
    table = learnt.datasets.load("breast_cancer")
    model = learnt.NaiveBayesClassifier().fit(table)
    r = found(model, table, columns=["tumor-size", "breast"])
    assert r.codes.shape == (2, len(r.x.ticks))
    assert set(r.x.ticks) == set(table["tumor-size"].labels()) - {None}
    held = {c: np.unique([v for v in table[c].labels() if v], return_counts=True) for c in table.names}
    row = {c: [labels[counts.argmax()]] for c, (labels, counts) in held.items()}
    for i, size in enumerate(r.x.ticks):
        answer = model.predict(row | {"tumor-size": [size], "breast": [r.y.ticks[1]]})
        assert r.classes[r.codes[1, i]] == answer[0]
    axes = draw_regions(model, table, columns=["tumor-size", "breast"])
    offsets = np.vstack([c.get_offsets() for c in axes.collections])
    assert len(offsets) == table.n_rows
    assert (np.abs(offsets - np.round(offsets)) <= 0.3).all()
    assert [t.get_text() for t in axes.get_yticklabels()] == r.y.ticks


def test_a_numeric_and_a_nominal_axis_go_together():
    table = learnt.datasets.load("labor")
    model = learnt.C45Classifier().fit(table)
    axes = draw_regions(model, table, columns=["wage-increase-first-year", "pension"], resolution=10)
    assert "rows with missing or rare cells not drawn" in axes.get_title(loc="left").replace("\n", " ")


@pytest.mark.parametrize("model", [KNeighborsClassifier(1), LogisticRegression(), LinearSVC(), NearestCentroid()])
def test_scikit_learns_classifiers_are_drawn_with_and_without_probabilities(plane, model):
    X, y = plane
    r = found(model.fit(X, y), X, y)
    grid = np.array([[x, up] for up in r.y.places for x in r.x.places])
    np.testing.assert_array_equal(np.array(r.classes)[r.codes.ravel()], model.predict(grid))
    assert (r.probabilities is None) == (not hasattr(model, "predict_proba"))
    draw_regions(model, X, y, resolution=10).figure.canvas.draw()


def test_a_pipeline_over_a_frame_gets_its_frame_back():
    frame = pd.DataFrame({"size": ["S", "M", "L"] * 10, "colour": ["red", "blue"] * 15, "n": np.arange(30.0)})
    y = (frame["size"] == "L").to_numpy()
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()).fit(frame, y)
    r = found(model, frame, y, columns=["size", "colour"])
    assert r.x.ticks == ["L", "M", "S"]
    assert np.array(r.classes)[r.codes].tolist() == [[True, False, False]] * 2
    assert (r.truth == y).all()


def test_a_clustering_is_drawn_as_the_cells_of_its_centres(plane):
    X, _ = plane
    model = learnt.KMeans(n_clusters=4, random_state=0).fit(X)
    r = found(model, X)
    grid = np.stack(np.meshgrid(r.x.places, r.y.places), axis=-1)
    nearest = ((grid[:, :, None] - model.cluster_centers_) ** 2).sum(axis=-1).argmin(axis=-1)
    np.testing.assert_array_equal(np.array(r.classes)[r.codes], nearest)


def test_colours_are_deeper_where_the_answer_is_surer(plane):
    X, y = plane
    model = LogisticRegression().fit(X, y)
    picture = np.asarray(draw_regions(model, X, y, resolution=40).images[0].get_array())
    r = found(model, X, y, resolution=40)
    sure = r.probabilities.max(axis=2)
    for c in (0, 1):
        paleness = picture[r.codes == c].mean(axis=1)
        assert np.corrcoef(paleness, sure[r.codes == c])[0, 1] < -0.99


def test_refused_answers_and_unknown_classes_are_said_in_the_legend(plane):
    X, y = plane
    model = learnt.DiscriminantClassifier().fit(X, y).with_loss(rule="reject", reject_cost=0.2)
    legend = draw_regions(model, X, np.where(np.arange(60) == 0, "other", y), resolution=30).get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["above", "below", "no answer", "other or unknown"]


def test_whole_numbers_read_as_floats_are_the_same_classes(plane):
    X, y = plane
    numbers = (y == "below").astype(int)
    r = found(learnt.DecisionTreeClassifier().fit(X, numbers), X, numbers.astype(float))
    np.testing.assert_array_equal(r.truth, numbers)


def test_constant_columns_many_rows_and_many_classes_are_drawn():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=3000), np.full(3000, 5.0)])
    y = rng.integers(0, 15, 3000)
    axes = draw_regions(learnt.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y, resolution=10)
    axes.figure.canvas.draw()
    assert "2000 of 3000 rows drawn" in axes.get_title(loc="left").replace("\n", " ")
    assert axes.get_legend().get_texts()[-1].get_text() == "and 3 more"


def test_only_frequent_categories_get_a_place():
    values = np.repeat([f"town {i:02}" for i in range(30)], np.arange(30) + 1)
    table = {"town": values, "n": np.arange(len(values), dtype=float)}
    model = learnt.MajorityClassifier().fit(table, values == "town 29")
    axes = draw_regions(model, table, columns=["town", "n"], resolution=5)
    assert [t.get_text() for t in axes.get_xticklabels()] == [f"town {i:02}" for i in range(10, 30)]
    assert "55 rows" in axes.get_title(loc="left")


def test_hostile_names_are_shown_as_they_are():
    table = {"$\\frac$": [1.0, 2.0, 3.0], "<b>\x1b[31m": ["$x$", "x" * 10_000, "$x$"], "other\n": [1.0, 2.0, 2.0]}
    axes = draw_regions(learnt.MajorityClassifier().fit(table, ["$_^$", "b", "b"]), table, ["$_^$", "b", "b"])
    axes.figure.canvas.draw()
    assert axes.get_xlabel() == "$\\frac$"
    assert "\x1b" not in axes.get_ylabel() + axes.get_title(loc="left")


def test_wrong_input_is_refused_in_words(plane, iris):
    X, y = plane
    model = learnt.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(InputError, match="two columns at least"):
        draw_regions(model, X[:, :1])
    with pytest.raises(InputError, match="not two columns"):
        draw_regions(model, X, columns=["x0"])
    with pytest.raises(InputError, match="'x9'"):
        draw_regions(model, X, columns=["x0", "x9"])
    with pytest.raises(InputError, match="59 labels for 60 rows"):
        draw_regions(model, X, y[1:])
    with pytest.raises(InputError, match="'nothing'"):
        draw_regions(model, iris, "nothing")
    with pytest.raises(ParameterError, match="resolution=1"):
        draw_regions(model, X, resolution=1)
    with pytest.raises(NotFittedError):
        draw_regions(learnt.DecisionTreeClassifier(), X, y)
    with pytest.raises(InputError, match="LinearRegression predicts numbers"):
        draw_regions(learnt.LinearRegression().fit(X, X[:, 0]), X)
    with pytest.raises(InputError, match="no method 'predict'"):
        draw_regions("tree", X)
    gone = np.column_stack([X[:, 0], np.full(60, np.nan)])
    with pytest.raises(InputError, match="no cells to draw"):
        draw_regions(model, gone)


# Voronoi cells


def test_every_place_lies_in_the_cell_of_its_nearest_point():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(30, 2))
    axes = draw_voronoi(points, np.arange(30) % 3)
    cells = [Path(p.vertices) for p in axes.collections[0].get_paths()]
    asked = rng.uniform(-2, 2, (300, 2))
    nearest = ((asked[:, None] - points) ** 2).sum(axis=2).argmin(axis=1)
    holds = np.array([cell.contains_points(asked) for cell in cells])
    np.testing.assert_array_equal(holds.argmax(axis=0), nearest)
    assert (holds.sum(axis=0) == 1).all()


def test_walls_part_only_cells_of_different_labels():
    points = [[0, 0], [1, 0], [2, 0]]
    walls = draw_voronoi(points, ["a", "a", "b"]).collections[1].get_segments()
    assert len(walls) == 1
    np.testing.assert_allclose(np.array(walls[0])[:, 0], 1.5, atol=1e-9)
    assert draw_voronoi(points).get_legend() is None


@pytest.mark.parametrize("points", [[[1, 2]], [[0, 0], [1, 1]], [[3, 3], [3, 3], [4, 3]], [[1e6, 1e-6], [2e6, 2e-6]]])
def test_few_equal_and_collinear_points_are_drawn(points):
    axes = draw_voronoi(points, [str(i) for i in range(len(points))])
    axes.figure.canvas.draw()
    assert len(axes.collections[0].get_paths()) == len(np.unique(points, axis=0))


def test_points_that_are_none_are_refused_in_words():
    with pytest.raises(InputError, match="two numeric columns"):
        draw_voronoi({"a": [1, 2], "b": ["x", "y"]})
    with pytest.raises(InputError, match="Point 1"):
        draw_voronoi([[0, 0], [np.nan, 1]])
    with pytest.raises(InputError, match="1 labels for 2 points"):
        draw_voronoi([[0, 0], [1, 1]], ["a"])
