"""Pictures of machines: what they draw is what the machine says."""

import matplotlib as mpl
import numpy as np
import pytest

import learnt
from learnt import SVC, SVR, OneClassSVM
from learnt.errors import InputError

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed_after():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=80), rng.normal(size=80)
    return {"x": x, "y": y}, np.where(x + y + 0.5 * rng.normal(size=80) > 0, "up", "down")


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("probability", [True, False])
def test_border_margin_and_rings(rows, probability):
    model = SVC(probability=probability).fit(*rows)
    ax = model.plot_margin(*rows, resolution=30)
    assert legend_of(ax)[-4:] == [
        "border",
        "edge of the margin",
        "support vector, on the edge",
        "support vector, beyond the edge",
    ]
    beyond, on = (collection.get_offsets() for collection in ax.collections[-2:])
    assert len(beyond) + len(on) == len(model.support_)
    scores = np.abs(model.decision_function({"x": on[:, 0], "y": on[:, 1]}))
    np.testing.assert_allclose(scores, 1, atol=2e-3)


def test_of_several_classes_one_machine():
    iris = learnt.datasets.load("iris")
    model = SVC(kernel="linear").fit(iris, "class")
    ax = model.plot_margin(
        iris, columns=["petallength", "petalwidth"], pair=("Iris-setosa", "Iris-virginica"), resolution=20
    )
    assert "margin of Iris-setosa against Iris-virginica" in ax.get_title(loc="left").replace("\n", " ")
    assert "on the edge" in model.plot_coefficients(iris).get_title(loc="left")
    with pytest.raises(InputError, match="are not two classes"):
        model.plot_margin(iris, pair=("Iris-setosa", "rose"))


def test_coefficients_stand_on_the_steps_of_the_optimum(rows):
    model = SVC(tol=1e-9).fit(*rows)
    ax = model.plot_coefficients(*rows)
    points = np.concatenate([collection.get_offsets() for collection in ax.collections])
    assert len(points) == 80
    score, share = points.T
    assert np.all(score[share == 0] >= 1 - 1e-6)
    assert np.all(score[share >= 1] <= 1 + 1e-6)
    np.testing.assert_allclose(score[(share > 0) & (share < 1)], 1, atol=1e-6)


def test_without_bounds_the_coefficients_themselves():
    x = np.array([[0.0], [1.0], [3.0], [4.0]])
    model = SVC(C=float("inf"), kernel="linear", standardize=False).fit(x, ["a", "a", "b", "b"])
    assert model.plot_coefficients(x, ["a", "a", "b", "b"]).get_ylabel() == "coefficient α"


def test_the_tube_and_its_coefficients():
    rng = np.random.default_rng(1)
    x = np.sort(rng.random(60))
    y = np.sin(7 * x) + rng.normal(0, 0.2, 60)
    model = SVR(epsilon=0.2, tol=1e-9).fit({"x": x}, y)
    assert legend_of(model.plot_tube({"x": x}, y))[:2] == ["tube", "prediction"]
    ax = model.plot_coefficients({"x": x}, y)
    points = np.concatenate([c.get_offsets() for c in ax.collections if len(c.get_offsets())])
    width = 0.2 * model._target_spread
    assert np.all(np.abs(points[points[:, 1] == 0, 0]) <= width + 1e-6)
    assert np.all(points[points[:, 1] >= 1, 0] >= width - 1e-6)
    with pytest.raises(InputError, match="needs the targets"):
        model.plot_tube({"x": x})


def test_the_border_of_the_bulk(rows):
    model = OneClassSVM(nu=0.2).fit(rows[0])
    assert legend_of(model.plot_margin(rows[0], resolution=30))[0] == "border of the bulk"
    ax = model.plot_coefficients(rows[0])
    inside, on, outside = (collection.get_offsets() for collection in ax.collections)
    assert inside[:, 0].min() >= -1e-3
    assert outside[:, 0].max() <= 1e-3
    np.testing.assert_allclose(on[:, 0], 0, atol=1e-3)


def test_other_rows_than_those_of_the_fit_are_refused(rows):
    model = SVC().fit(*rows)
    other = {name: values[::-1] for name, values in rows[0].items()}
    with pytest.raises(InputError, match="not among the rows"):
        model.plot_margin(other, rows[1])
    with pytest.raises(InputError, match="There is no machine"):
        SVC().fit(rows[0], ["a"] * 80).plot_margin(rows[0])
    with pytest.raises(InputError, match="needs the classes"):
        model.plot_coefficients(rows[0])
