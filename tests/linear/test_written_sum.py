"""Linear models print the sum they are."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import learnt
from learnt import Lasso, LinearRegression, LogisticRegression, Perceptron
from learnt.show.numbers import number

ROOMS = {"floor": ["wood", "tile", "wood", "tile"], "area": [10.0, 10.0, 20.0, 20.0]}


def test_a_regression_prints_its_sum_and_the_base_levels():
    model = LinearRegression().fit(ROOMS, [17.0, 14.5, 12.0, 9.5])
    assert str(model).splitlines() == [
        "prediction =",
        "    19.5",
        "  +  2.5 · floor=wood",
        "  −  0.5 · area",
        "counted from floor 'tile'",
    ]
    assert str(LinearRegression()) == repr(LinearRegression()) == "LinearRegression()"


def test_two_classes_print_one_sum_and_more_a_table():
    iris = learnt.datasets.load("iris")
    three = LogisticRegression().fit(iris)
    head, *rows = str(three).splitlines()
    assert head.split() == ["'Iris-setosa'", "'Iris-versicolor'", "'Iris-virginica'"]
    cells = [row.split() for row in rows]
    assert [row[0] for row in cells] == ["intercept", *three.coefficient_names_]
    assert cells[2][1:] == [number(v) for v in three.coef_[:, 1]]
    two = LogisticRegression().fit(ROOMS, ["a", "b", "a", "b"])
    assert str(two).startswith("log-odds of 'b' against 'a' =\n")
    assert str(Perceptron().fit(ROOMS, ["a", "b", "a", "b"])).startswith("score of 'b' against 'a' =\n")


def test_zeros_are_counted_and_of_many_terms_the_largest_shown():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 200))
    y = x @ np.arange(200.0)
    text = str(LinearRegression().fit(x, y))
    assert "x199" in text
    assert "x1\n" not in text
    assert "… and 140 terms with smaller coefficients\n1 of 200 coefficients are 0" in text
    few = Lasso(alpha=100.0).fit(x, y)
    idle = int((few.coef_ == 0).sum())
    assert f"{idle} of 200 coefficients are 0" in str(few)
    classes = LogisticRegression(penalty="l1", C=0.05).fit(x, rng.integers(0, 12, 400))
    assert "… and 4 more classes" in str(classes)
    assert "columns have the coefficient 0 in all classes" in str(classes)


def test_names_stay_on_their_line():
    names = {"a\nb": [1.0, 2.0, 4.0], "größe · 高さ": [1.0, 0.0, 0.0], "c" * 300: [0.0, 1.0, 0.0]}
    lines = str(LinearRegression().fit(names, [1.0, 2.0, 3.0])).splitlines()
    assert lines[2].endswith(" · a\\nb")
    assert lines[3].endswith(" · größe · 高さ")
    assert len(lines[4]) < 80


@pytest.mark.parametrize("columns", [1, 40_000])
def test_wide_and_intercept_only_models_print(columns):
    x = csr_matrix((np.ones(3), ([0, 1, 2], [0, 0, 0])), shape=(3, columns))
    lines = str(LinearRegression().fit(x, [1.0, 1.0, 1.0])).splitlines()
    assert lines == ["prediction =", "    1", f"{columns:,} of {columns:,} coefficients are 0"]


def test_the_command_that_shows_a_model_shows_its_sum(tmp_path):
    from typer.testing import CliRunner

    from learnt.cli.app import app

    learnt.save(LinearRegression().fit(ROOMS, [17.0, 14.5, 12.0, 9.5]), tmp_path / "rooms.learnt")
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "rooms.learnt")]).output
    assert "+  2.5 · floor=wood" in shown
