"""A threshold as it is written sends every training row where the model sends it."""

import numpy as np
import pytest

from learnt import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, RandomForestRegressor
from learnt.tree.show.conditions import threshold_text

CELLS = {
    "tenths after 1e9": 1e9 + 0.1 * np.arange(40),
    "digits after 1e9": 1e9 + np.random.default_rng(0).random(40),
    "whole numbers": np.arange(1400.0, 1440.0),
    "differences of 1e-7": 1 + 1e-7 * np.arange(40),
    "measured": np.random.default_rng(1).normal(size=40),
    "tiny": np.random.default_rng(2).random(40) * 1e-12,
    "last bits": 1 + np.arange(40) * 2.0**-52 * 8,
}


def read(text):
    return float(text.replace("−", "-"))


def deep_tests(text):
    """The thresholds named in a printed tree."""
    words = [line.split("≤ ")[1].split(":")[0].split()[0] for line in text.splitlines() if "≤ " in line]
    return [read(word) for word in words]


@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("learner", [DecisionTreeRegressor, DecisionTreeClassifier, C45Classifier])
def test_every_training_row_goes_where_the_printed_tree_says(cells, learner):
    y = np.argsort(np.argsort(cells)) // 8 % 2  # blocks of eight
    x = {"x": cells}
    model = learner().fit(x, y)
    tree, printed = model.tree_, model._shown_parts()[0]
    inner = np.flatnonzero(tree.feature >= 0)
    assert len(inner) or learner is C45Classifier  # which takes cells as equal that lie closer than 1e-5
    for i in inner:
        shown = read(threshold_text(float(printed.threshold[i])))
        np.testing.assert_array_equal(cells <= shown, cells <= tree.threshold[i])
    assert {read(threshold_text(float(t))) for t in printed.threshold[inner]} >= set(deep_tests(str(model)))


def test_measured_cells_need_no_more_than_six_digits_where_they_lie_apart():
    x = np.random.default_rng(0).normal(size=30)
    model = DecisionTreeRegressor(max_depth=3).fit({"x": x}, x**2)
    for threshold in deep_tests(str(model)):
        assert len(f"{abs(threshold):.10g}".replace("0.", "").lstrip("0").replace(".", "")) <= 6
    assert model.tree_.threshold[0] != model._shown_parts()[0].threshold[0]  # the model keeps the middle


def test_where_the_cells_are_not_known_all_digits_are_written():
    x = 1e9 + np.random.default_rng(0).random(60)
    tree = RandomForestRegressor(n_estimators=1, bootstrap=False).fit({"x": x}, np.arange(60.0)).trees_[0]
    for t in tree.threshold[tree.feature >= 0].tolist():
        np.testing.assert_array_equal(x <= read(threshold_text(t)), x <= t)


def test_an_explanation_names_the_threshold_as_the_tree_does():
    x = np.random.default_rng(0).normal(size=30)
    model = DecisionTreeRegressor(max_depth=1).fit({"x": x}, x > 0.1234)
    text = threshold_text(float(model._shown_parts()[0].threshold[0]))
    assert f"≤ {text}," in str(model.explain({"x": [-1.0]})[0])
    assert f"x ≤ {text}" in str(model.to_rules())
