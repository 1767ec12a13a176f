"""The joint table against counting by hand."""

import itertools
import warnings

import numpy as np
import pytest

import learnt
from learnt import JointTableClassifier
from learnt.errors import SavedModelError

RNG = np.random.default_rng(2)


def table(n=200, gaps=0.0):
    cells = {
        "a": [None if RNG.random() < gaps else "pqr"[i] for i in RNG.integers(3, size=n)],
        "b": [None if RNG.random() < gaps else "uv"[i] for i in RNG.integers(2, size=n)],
        "c": [None if RNG.random() < gaps else bool(i) for i in RNG.integers(2, size=n)],
    }
    return cells, np.array(["no", "yes", "maybe"])[RNG.integers(3, size=n)]


def counted(cells, y, row, classes):
    """Class counts of the rows that agree with `row` where it has cells."""
    found = dict.fromkeys(classes, 0)
    for i, label in enumerate(y.tolist()):
        if all(row[name] is None or cells[name][i] == row[name] for name in cells):
            found[label] += 1
    return np.array([found[c] for c in classes], dtype=float)


@pytest.mark.parametrize("gaps", [0, 0.3])
@pytest.mark.parametrize("alpha", [0, 0.5])
def test_probabilities_are_shares_of_the_rows_that_agree(gaps, alpha):
    cells, y = table(gaps=gaps)
    model = JointTableClassifier(alpha=alpha).fit(cells, y)
    classes, sizes = model.classes_.tolist(), {"a": 3, "b": 2, "c": 2}
    asked = list(itertools.product([*"pqr", None], [*"uv", None], [False, True, None]))
    said = model.predict_proba(
        {name: list(column) for name, column in zip("abc", zip(*asked, strict=True), strict=True)}
    )
    for i, row in enumerate(asked):
        row = dict(zip("abc", row, strict=True))
        stands_for = np.prod([sizes[name] for name in "abc" if row[name] is None])
        n = counted(cells, y, row, classes) + alpha * stands_for
        np.testing.assert_allclose(said[i], n / n.sum(), err_msg=str(row))


def test_a_missing_cell_is_the_sum_over_its_values_weighted_by_how_often_they_occur():
    cells, y = table()
    model = JointTableClassifier().fit(cells, y)
    whole = model.predict_proba({"a": list("pqr"), "b": ["u"] * 3, "c": [True] * 3})
    agree = np.array(
        [sum(1 for i in range(200) if cells["a"][i] == v and cells["b"][i] == "u" and cells["c"][i]) for v in "pqr"]
    )
    said = model.predict_proba({"a": [None], "b": ["u"], "c": [True]})[0]
    np.testing.assert_allclose(said, agree / agree.sum() @ whole)


def test_where_no_row_agrees_the_class_shares_are_the_answer():
    model = JointTableClassifier().fit({"a": ["p", "q", "q"], "b": ["u", "v", "v"]}, [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba({"a": ["p"], "b": ["v"]}), [[1 / 3, 2 / 3]])
    assert "no row has these cells" in str(model.explain({"a": ["p"], "b": ["v"]})[0])
    assert "2 of 2 rows" in str(model.explain({"a": ["q"], "b": ["v"]})[0])


def test_numbers_are_cut_at_the_quantiles_of_a_bell_curve():
    x = RNG.normal(10, 3, 4000)
    model = JointTableClassifier(bins=4).fit({"x": x}, (x > 10).astype(int))
    np.testing.assert_allclose(model.cuts_[0], x.mean() + x.std() * np.array([-0.6744898, 0, 0.6744898]), atol=1e-6)
    assert model.score({"x": x}, (x > 10).astype(int)) > 0.97
    shares = model.counts_.sum(axis=1) / 4000
    assert np.abs(shares - 0.25).max() < 0.03
    assert JointTableClassifier(bins=1).fit({"x": x}, (x > 10).astype(int)).cells_.shape == (1, 1)


def test_drawn_rows_occur_as_often_as_they_were_seen():
    cells, y = table()
    cells["x"] = np.where(np.array(cells["b"]) == "u", RNG.normal(0, 1, 200), RNG.normal(9, 1, 200))
    model = JointTableClassifier().fit(cells, y)
    rows, labels = model.sample(20_000, random_state=0)
    seen = np.mean([(a, b) == ("p", "u") for a, b in zip(cells["a"], cells["b"], strict=True)])
    drawn = np.mean([(a, b) == ("p", "u") for a, b in zip(rows["a"].labels(), rows["b"].labels(), strict=True)])
    assert abs(seen - drawn) < 0.02
    np.testing.assert_allclose([np.mean(labels == c) for c in model.classes_], model.class_prior_, atol=0.02)
    codes = np.searchsorted(model.cuts_[3], rows["x"].values, side="right")
    assert set(codes.tolist()) <= set(model.cells_[:, 3].tolist())  # where they were drawn for
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again, _ = model.sample(20_000, random_state=0)
    np.testing.assert_array_equal(again["x"].values, rows["x"].values)


def test_smoothed_rows_are_drawn_as_they_are_predicted():
    """P(x, c) = (n(x, c) + α) / (n + α · combinations · classes), combinations never seen included."""
    cells, y = {"a": ["p", "p", "q", "r"], "b": ["u", "v", "v", "v"]}, np.array(["no", "no", "yes", "yes"])
    rows, labels = JointTableClassifier(alpha=0.5).fit(cells, y).sample(40_000, random_state=0)
    drawn = list(zip(rows["a"].labels(), rows["b"].labels(), labels.tolist(), strict=True))
    seen = list(zip(cells["a"], cells["b"], y.tolist(), strict=True))
    for combination in itertools.product("pqr", "uv", ("no", "yes")):
        expected = (seen.count(combination) + 0.5) / (4 + 0.5 * 12)
        assert drawn.count(combination) / 40_000 == pytest.approx(expected, abs=0.008)


def test_more_combinations_than_numbers_reach_still_have_probabilities():
    many = {f"c{j}": ["0", "1"] * 2 for j in range(1100)}
    model = JointTableClassifier(alpha=1).fit(many, [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba({name: [None] for name in many}), [[0.5, 0.5]])
    assert model.sample(3, random_state=0)[0].n_rows == 3


def test_a_column_without_any_cell_is_drawn_without_any():
    table = learnt.Table({"a": ["p", "q"], "b": [None, None]}, kinds={"b": "nominal"})
    rows, _ = JointTableClassifier(alpha=1).fit(table, [0, 1]).sample(5, random_state=0)
    assert rows["b"].labels() == [None] * 5


def test_the_number_of_free_parameters_grows_with_the_product_of_values():
    many = {f"c{j}": ["0", "1"] * 2 for j in range(100)}
    model = JointTableClassifier().fit(many, [0, 0, 1, 1])
    assert model.n_parameters_ == 2**101 - 1
    assert model.n_parameters_naive_ == 201


def test_a_damaged_table_is_not_loaded(tmp_path):
    model = JointTableClassifier().fit({"a": ["p", "q"]}, [0, 1])
    model.cells_ = model.cells_ + 7
    learnt.save(model, tmp_path / "model")
    with pytest.raises(SavedModelError):
        learnt.load(tmp_path / "model")
