"""Model trees: what they find, how they add up, what does not matter to them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import learnt
from learnt import ModelTreeRegressor, Table

VARIANTS = ("m5", "weka")


@pytest.fixture
def mixed():
    """Two planes, divided by a number, with a nominal column of effect, gaps and noise."""
    rng = np.random.default_rng(3)
    n = 300
    x, z = rng.uniform(-1, 1, n), rng.normal(size=n)
    town = rng.choice(["Bern", "Basel", "Chur", "Genf"], n)
    effect = {"Bern": 0.0, "Basel": 2.0, "Chur": 5.0, "Genf": 9.0}
    y = np.where(x < 0.2, 3 * x + z, 10 - 4 * z) + [effect[t] for t in town] + rng.normal(size=n) / 10
    cells = x.tolist()
    for i in range(0, n, 17):
        cells[i] = None
    return Table({"x": cells, "z": z, "town": town.tolist()}), y


def test_two_lines_are_found():
    x = np.linspace(0, 1, 40)
    y = np.where(x < 0.5, 2 * x, 5 - x)
    model = ModelTreeRegressor(smoothing=0, terms="path").fit({"x": x}, y)
    np.testing.assert_allclose(model.predict({"x": x}), y, atol=1e-9)
    assert model.get_n_leaves() == 2


def test_cosine_by_two_linear_leaves():
    """W29: cos πx on [−1, 1] is cut at 0 by the lines on both sides, gradients ±2.4317, mean squared error .0072."""
    x = np.linspace(-1, 1, 20_001)[1::2]
    y = np.cos(np.pi * x)
    assert np.mean(y**2) == pytest.approx(0.5, abs=1e-3)
    model = ModelTreeRegressor(criterion="line", terms="path", max_depth=1, smoothing=0).fit({"x": x}, y)
    assert model.tree_.threshold[0] == pytest.approx(0, abs=1e-3)
    np.testing.assert_allclose(model.models_.coef, [2.4317, -2.4317], atol=2e-4)  # 24/π²
    np.testing.assert_allclose(model.models_.intercept, 1.2159, atol=2e-4)  # 12/π²
    assert np.mean((model.predict({"x": x}) - y) ** 2) == pytest.approx(0.0072, abs=5e-5)
    by_spread = ModelTreeRegressor(terms="path", max_depth=1, smoothing=0).fit({"x": x}, y)
    assert abs(by_spread.tree_.threshold[0]) > 0.3  # the spread around means does not fall at 0


ORGANS = {
    "Model": ["B3", "T202", "A100", "T202", "M102", "A100", "T202", "A100", "E112"],
    "Condition": ["excellent", "fair", "good", "good", "good", "excellent", "fair", "good", "fair"],
    "Leslie": ["no", "yes", "no", "no", "yes", "no", "no", "yes", "no"],
}
PRICE = np.array([4513.0, 625, 1051, 270, 870, 1770, 99, 1900, 77])


def test_organs_are_told_apart_by_model_then_by_leslie():
    """W12 with model leaves: the first question is the model's, and among A100s and T202s it is Leslie's."""
    settings = {"min_samples_leaf": 1, "min_deviation": 0.0, "prune": False, "smoothing": 0.0}
    model = ModelTreeRegressor(**settings, max_depth=1).fit(ORGANS, PRICE)
    assert model.tree_.feature[0] == 0
    for name, means in (("A100", [1410.5, 1900.0]), ("T202", [184.5, 625.0])):
        rows = [i for i, m in enumerate(ORGANS["Model"]) if m == name]
        some = {column: [cells[i] for i in rows] for column, cells in ORGANS.items()}
        model = ModelTreeRegressor(**settings, max_depth=1, terms=None).fit(some, PRICE[rows])
        assert model.tree_.feature[0] == 2
        np.testing.assert_allclose(np.sort(model.tree_.value[1:, 0]), means)
    whole = ModelTreeRegressor(**settings).fit(ORGANS, PRICE)
    np.testing.assert_allclose(whole.predict(ORGANS), PRICE, atol=1e-6)


def test_the_first_split_reduces_the_deviation_most(mixed):
    table, y = mixed
    known = ~np.isnan(table["x"].values)
    table, y = table.take(known), y[known]
    model = ModelTreeRegressor(max_depth=1, prune=False).fit(table, y)
    best = 0.0
    means = {t: y[np.array(table["town"].labels()) == t].mean() for t in ("Bern", "Basel", "Chur", "Genf")}
    for cells in (table["x"].values, table["z"].values, np.array([means[t] for t in table["town"].labels()])):
        for cut in np.unique(cells)[:-1]:
            left = cells <= cut
            if 4 <= left.sum() <= len(y) - 4:
                best = max(best, y.std() - left.mean() * y[left].std() - (~left).mean() * y[~left].std())
    sizes, spread = model.tree_.weight, np.sqrt(model.tree_.impurity)
    found = spread[0] - (sizes[1] * spread[1] + sizes[2] * spread[2]) / sizes[0]
    assert found == pytest.approx(best, rel=1e-9)


def test_smoothing_mixes_the_models_on_the_way():
    x = np.linspace(0, 1, 40)
    y = np.where(x < 0.5, 2 * x, 5 - x)
    plain = ModelTreeRegressor(smoothing=0, terms="path").fit({"x": x}, y)
    smooth = ModelTreeRegressor(smoothing=15, terms="path").fit({"x": x}, y)
    above = np.polyval(np.polyfit(x, y, 1), x)
    np.testing.assert_allclose(smooth.predict({"x": x}), (20 * plain.predict({"x": x}) + 15 * above) / 35, atol=1e-9)


def test_terms_that_do_not_lower_the_estimate_are_left_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 6))
    y = 3 * x[:, 2] + rng.normal(size=200)
    model = ModelTreeRegressor(terms="all", max_depth=0).fit(x, y)
    assert 2 in model.models_.column

    def estimate(columns):
        a = np.column_stack([np.ones(200), x[:, columns]])
        rest = y - a @ np.linalg.lstsq(a, y, rcond=None)[0]
        v = len(columns) + 1
        return np.sqrt(np.mean(rest**2)) * (200 + v) / (200 - v)

    kept = model.models_.column.tolist()
    assert all(estimate([j for j in kept if j != out]) > estimate(kept) for out in kept)
    assert estimate(kept) <= estimate(list(range(6)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_weight_of_two_is_a_row_twice(mixed, variant):
    table, y = mixed
    times = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = ModelTreeRegressor(variant=variant).fit(table, y, sample_weight=times.astype(float))
    repeated = ModelTreeRegressor(variant=variant).fit(table.take(rows), y[rows])
    assert weighted.get_n_leaves() == repeated.get_n_leaves()
    np.testing.assert_allclose(weighted.predict(table), repeated.predict(table), rtol=1e-6, atol=1e-6)


def test_the_order_of_rows_does_not_matter(mixed):
    table, y = mixed
    order = np.random.default_rng(2).permutation(len(y))
    one, other = ModelTreeRegressor().fit(table, y), ModelTreeRegressor().fit(table.take(order), y[order])
    np.testing.assert_allclose(one.predict(table), other.predict(table), rtol=1e-8, atol=1e-8)


def test_equal_splits_of_weka_do_not_hang_on_the_order_of_rows():
    """Two columns part these rows alike, one upwards, one downwards, so that rounding chooses; each has equal cells."""
    y = np.array([24.0, 21.5, 21.5, 23.2, 23.9])
    table = {"up": [97.0, 110.0, 110.0, 105.0, 97.0], "down": [15.0, 12.8, 13.5, 16.7, 14.9]}
    settings = {"variant": "weka", "prune": False, "min_deviation": 0.0, "smoothing": 0.0}
    texts = set()
    for order in itertools.permutations(range(5)):
        rows = list(order)
        cells = {name: np.array(column)[rows] for name, column in table.items()}
        texts.add(str(ModelTreeRegressor(**settings).fit(cells, y[rows])))
    assert len({text.replace("−0 ", "0 ") for text in texts}) == 1


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("terms", ["below", "path", "all", None])
def test_explanations_add_up(mixed, variant, terms):
    table, y = mixed
    model = ModelTreeRegressor(variant=variant, terms=terms).fit(table, y)
    for i, told in enumerate(model.explain(table.rows(0, 20))):
        assert told.add_up() == pytest.approx(float(model.predict(table.rows(i, i + 1))[0]), abs=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_row_fulfils_one_rule(mixed, variant):
    table, y = mixed
    known = ~np.isnan(table["x"].values)
    table, y = table.take(known), y[known]
    model = ModelTreeRegressor(variant=variant).fit(table, y)
    rules = model.to_rules()
    assert len(rules) == model.get_n_leaves()
    assert (sum(rule.test(table).astype(int) for rule in rules) == 1).all()
    assert [rule.weight for rule in rules] == sorted((rule.weight for rule in rules), reverse=True)
    assert "LM1" in str(rules)
    assert "LM1 =" in str(model)
    assert "LM1" in model.draw().svg
    assert "LM1" in model.to_dot()


@pytest.mark.parametrize("variant", VARIANTS)
def test_poor_tables_do_no_harm(variant):
    fit = ModelTreeRegressor(variant=variant).fit
    assert fit({"x": [1.0]}, [3.0]).predict({"x": [7.0]}).tolist() == [3.0]
    np.testing.assert_allclose(fit({"x": np.arange(20.0)}, np.full(20, 2.5)).predict({"x": [50.0]}), [2.5])
    np.testing.assert_allclose(
        fit({"x": [None] * 20, "z": [1.0] * 20}, np.arange(20.0)).predict({"x": [None], "z": [1.0]}), [9.5]
    )
    many = {"id": [f"c{i}" for i in range(200)]}
    assert np.isfinite(fit(many, np.arange(200.0)).predict({"id": ["c7", "never seen", None]})).all()


def test_a_straight_line_is_one_leaf():
    x = np.random.default_rng(0).normal(size=(200, 3))
    model = ModelTreeRegressor().fit(x, x @ [1.0, -2.0, 0.5] + 3)
    assert model.get_n_leaves() == 1
    np.testing.assert_allclose(model.models_.coef, [1.0, -2.0, 0.5])
    assert model.cuts_


def test_it_is_saved_whole(mixed, tmp_path):
    table, y = mixed
    model = ModelTreeRegressor().fit(table, y)
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert str(again) == str(model)
    assert np.array_equal(again.predict(table), model.predict(table))


def test_only_paths_explain():
    with pytest.raises(learnt.errors.ParameterError, match="kind"):
        ModelTreeRegressor().fit({"x": [1.0, 2.0]}, [1.0, 2.0]).explain({"x": [1.0]}, kind="attribution")


def test_a_column_of_names_tells_nothing():
    rng = np.random.default_rng(0)
    x, names = rng.normal(size=300), [f"row {i}" for i in range(300)]
    y = x + rng.normal(size=300)
    model = ModelTreeRegressor().fit({"x": x, "name": names}, y)
    assert str(model) == str(ModelTreeRegressor().fit({"x": x}, y))


def test_categories_of_few_rows_share_a_place():
    town = ["Bern"] * 20 + ["Chur"] * 20 + ["Genf"] * 3 + ["Visp"] * 2
    y = np.array([1.0] * 20 + [9.0] * 20 + [4.0, 5.0, 6.0] + [20.0, 0.0])
    model = ModelTreeRegressor(min_samples_leaf=4).fit({"town": town}, y)
    assert model._cells.of_column(0).tolist() == [0, 2, 1, 1]  # Genf and Visp, whose mean is 7
    weka = ModelTreeRegressor(variant="weka").fit({"town": town}, y)
    assert weka._cells.of_column(0).tolist() == [0, 2, 1, 3]  # by their own means, 5 and 10
