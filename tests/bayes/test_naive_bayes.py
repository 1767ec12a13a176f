"""Naive Bayes on mixed tables: each likelihood against its definition, and what goes wrong said in words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm

import learnt
from learnt import Discretizer, NaiveBayesClassifier, Table, datasets
from learnt.errors import InputError, ParameterError, SavedModelError


def people(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array(["fit", "ill", "old"])[rng.choice(3, size=n, p=[0.5, 0.3, 0.2])]
    height = rng.normal(170, 10, n) - 8 * (y == "old")
    height[rng.random(n) < 0.1] = np.nan
    town = [["Bern", "Basel", None, "Chur"][i] for i in rng.integers(4, size=n)]
    smokes = [[True, False, None][i] for i in rng.choice(3, size=n, p=[0.3, 0.6, 0.1])]
    return Table({"height": height, "town": town, "smokes": smokes}), y


def by_hand(table, y, alpha=1.0):
    """log p(c) + Σ log p(x_j | c), cell by cell in plain Python."""
    classes = np.unique(y)
    joint = np.zeros((table.n_rows, len(classes)))
    for c, label in enumerate(classes):
        rows = y == label
        joint[:, c] = np.log(rows.mean())
        for column in table.columns:
            cells = np.array(column.labels(), dtype=object)
            there = np.array([cell is not None for cell in cells])
            known = cells[rows & there]
            for i in np.flatnonzero(there):
                if column.kind == "numeric":
                    values = known.astype(float)
                    joint[i, c] += norm.logpdf(cells[i], values.mean(), values.std())
                else:
                    levels = len(column.categories)
                    joint[i, c] += np.log((np.sum(known == cells[i]) + alpha) / (len(known) + alpha * levels))
    return joint - logsumexp(joint, axis=1, keepdims=True)


def test_a_mixed_table_with_gaps_gives_what_the_formula_says():
    table, y = people()
    model = NaiveBayesClassifier(alpha=0.5).fit(table, y)
    np.testing.assert_allclose(model.predict_log_proba(table), by_hand(table, y, 0.5), atol=1e-6)


def test_the_m_estimate_leans_on_the_shares_of_the_column():
    table = {"sky": ["sun"] * 3 + ["rain"] * 5}
    y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    tables = NaiveBayesClassifier(m=4).fit(table, y).tables()
    assert tables["sky"]["sun", "a"] == pytest.approx((2 + 4 * 3 / 8) / (3 + 4))
    assert tables["sky"]["rain", "b"] == pytest.approx((4 + 4 * 5 / 8) / (5 + 4))
    given = NaiveBayesClassifier(m=4, m_prior={"sky": {"sun": 0.9, "rain": 0.1}}).fit(table, y).tables()
    assert given["sky"]["sun", "a"] == pytest.approx((2 + 4 * 0.9) / (3 + 4))


def test_an_m_estimate_with_a_uniform_prior_is_alpha_of_m_over_the_number_of_values():
    table, y = people()
    one = NaiveBayesClassifier(m=6, m_prior="uniform").fit(table.select(["town"]), y)
    two = NaiveBayesClassifier(alpha=2).fit(table.select(["town"]), y)
    np.testing.assert_allclose(one.predict_proba(table), two.predict_proba(table), rtol=1e-12)


def test_ddof_1_divides_by_one_less():
    table, y = people()
    model = NaiveBayesClassifier(ddof=1, var_smoothing=0).fit(table, y)
    heights = table["height"].values
    expected = [np.nanvar(heights[y == label], ddof=1) for label in model.classes_]
    np.testing.assert_allclose(model.var_[:, 0], expected, rtol=1e-10)


def test_a_column_of_large_numbers_does_not_drown_one_of_small_numbers():
    """Against the Gaussians of each class by SciPy. A floor taken from the largest variance, 1e12, would be 1000."""
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=400)
    x = np.column_stack([rng.normal(0, 1e6, 400), rng.normal(y, 0.1)])
    model = NaiveBayesClassifier(priors="uniform").fit(x, y)
    logs = [norm.logpdf(x, x[y == c].mean(axis=0), x[y == c].std(axis=0)).sum(axis=1) for c in (0, 1)]
    expected = np.column_stack(logs) - logsumexp(logs, axis=0)[:, None]
    np.testing.assert_allclose(model.predict_log_proba(x), expected, rtol=1e-6, atol=1e-6)
    assert model.score(x, y) > 0.99
    np.testing.assert_allclose(model.epsilon_, 1e-9 * x.var(axis=0), rtol=1e-10)


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(st.tuples(*[st.integers(-5, 5)] * 3, st.integers(0, 2)), min_size=4, max_size=30),
    column=st.integers(0, 2),
    factor=st.sampled_from([1e6, 1e-6, -1e6, 3.0]),
)
def test_the_units_of_a_column_do_not_matter(cells, column, factor):
    """Columns that are constant in a class, or in all, included."""
    x, y = np.array(cells, dtype=float)[:, :3], [c[3] for c in cells]
    other = x.copy()
    other[:, column] *= factor
    one, two = (NaiveBayesClassifier().fit(table, y).predict_proba(table) for table in (x, other))
    np.testing.assert_allclose(two, one, rtol=1e-6, atol=1e-9)


def test_a_kernel_density_is_the_weighted_mean_of_bell_curves():
    table, y = people()
    heights, w = table["height"].values, np.random.default_rng(1).integers(0, 4, 200).astype(float)
    model = NaiveBayesClassifier(likelihoods={"height": "kernel"}, priors="uniform").fit(table.select(["height"]), y, w)
    grid = np.array([140.0, 165.0, 171.5, 200.0])
    joint = np.empty((4, 3))
    for c, label in enumerate(model.classes_):
        rows = (y == label) & ~np.isnan(heights) & (w > 0)
        cells, each = heights[rows], w[rows]
        width = np.ptp(cells) / np.sqrt(each.sum())
        joint[:, c] = np.log((norm.pdf(grid[:, None], cells, width) * each).sum(axis=1) / each.sum())
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba({"height": grid}), expected, rtol=1e-9)


def test_a_kernel_is_no_narrower_than_a_sixth_of_the_mean_gap():
    x, y = {"x": [0.0, 0.0, 0.3, 6.0]}, ["a", "a", "b", "b"]  # class a has no range; gaps of 0.3 and 5.7
    widths = NaiveBayesClassifier(likelihoods="kernel").fit(x, y).tables()["x"]
    assert widths["width", "a"] == pytest.approx(6 / 2 / 6)
    assert widths["width", "b"] == pytest.approx(5.7 / np.sqrt(2))


def test_a_kernel_far_from_all_cells_still_compares_the_classes():
    model = NaiveBayesClassifier(likelihoods="kernel").fit(np.array([[0.0], [1.0], [5.0], [6.0]]), [0, 0, 1, 1])
    assert np.isfinite(model.predict_log_proba([[1e6]])).all()
    assert model.predict([[1e6], [-1e6]]).tolist() == [1, 0]


@pytest.mark.parametrize("strategy", ["mdl", "width", "frequency"])
def test_discretised_columns_are_categories_of_the_discretizer(strategy):
    iris = datasets.load("iris")
    x, y = iris.drop("class"), np.array(iris["class"].labels())
    cut = Discretizer(strategy, n_bins=6).fit(x, y).transform(x)
    one = NaiveBayesClassifier(likelihoods=strategy, n_bins=6).fit(x, y)
    np.testing.assert_allclose(one.predict_proba(x), NaiveBayesClassifier().fit(cut, y).predict_proba(cut), rtol=1e-12)


def test_values_beyond_the_fitted_range_fall_into_the_outer_intervals():
    model = NaiveBayesClassifier(likelihoods="width", n_bins=2).fit({"a": [0, 1, 9, 10]}, ["l", "l", "r", "r"])
    assert model.predict({"a": [-1e9, 1e9]}).tolist() == ["l", "r"]


def test_a_class_without_cells_in_a_column_takes_the_columns_own_mean_and_spread():
    table = Table({"a": [1.0, 2.0, 3.0, np.nan, np.nan], "b": ["x", "y", "x", "x", "y"]})
    model = NaiveBayesClassifier(var_smoothing=0).fit(table, ["p", "p", "p", "q", "q"])
    assert model.theta_[:, 0] == pytest.approx([2, 2])
    assert model.var_[:, 0] == pytest.approx([2 / 3, 2 / 3])


def test_a_row_impossible_in_every_class_keeps_the_priors():
    table = {"a": ["u", "u", "v"], "b": ["s", "s", "t"]}
    model = NaiveBayesClassifier(alpha=0).fit(table, ["p", "p", "q"])
    odd = {"a": ["u"], "b": ["t"]}
    np.testing.assert_allclose(model.predict_proba(odd), [[2 / 3, 1 / 3]])
    told = model.explain(odd)[0]
    assert told.add_up() == pytest.approx(np.log(2))
    assert "no class" in str(told)


def test_a_row_impossible_in_all_classes_but_one_is_certain():
    model = NaiveBayesClassifier(alpha=0).fit({"a": ["u", "u", "v"]}, ["p", "p", "q"])
    np.testing.assert_array_equal(model.predict_proba({"a": ["v"]}), [[0, 1]])
    told = model.explain({"a": ["v"]})[0]
    assert told.total == told.add_up() == np.inf
    assert "∞" in str(told)


def test_log_probabilities_survive_where_probabilities_underflow():
    x = np.concatenate([np.zeros((5, 300)), np.full((5, 300), 9.0)]) + np.arange(10)[:, None] % 5 / 10
    model = NaiveBayesClassifier().fit(x, [0] * 5 + [1] * 5)
    assert model.predict_proba(x)[0, 1] == 0
    assert -1e9 < model.predict_log_proba(x)[0, 1] < -1e4
    assert model.explain(x)[0].total == pytest.approx(-model.predict_log_proba(x)[0, 1])


# Priors


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, [0.6, 0.4]), ("uniform", [0.5, 0.5]), ([0.1, 0.9], [0.1, 0.9]), ({"q": 0.7, "p": 0.3}, [0.3, 0.7])],
)
def test_priors_are_shares_equal_or_given(given, expected):
    model = NaiveBayesClassifier(priors=given).fit({"a": [1, 2, 3, 4, 5]}, list("pppqq"))
    np.testing.assert_allclose(model.predict_proba({"a": [None]}), [expected], rtol=1e-12)


@pytest.mark.parametrize("given", [[0.5, 0.2, 0.3], {"p": 1.0}, {"p": 0.5, "z": 0.5}, {"p": 0.5, "q": 0.25, "z": 0.25}])
def test_priors_for_other_classes_are_an_error(given):
    with pytest.raises(ParameterError, match="priors"):
        NaiveBayesClassifier(priors=given).fit({"a": [1, 2, 3]}, list("ppq"))


# Settings that contradict the table


@pytest.mark.parametrize(
    ("likelihoods", "said"),
    [
        ({"hieght": "kernel"}, "'height'"),
        ({"town": "gaussian"}, "'town'.*for numbers.*nominal"),
        ({"town": "bernoulli"}, "3 categories"),
        ({"height": "categorical"}, "kinds="),
    ],
)
def test_a_likelihood_that_does_not_suit_its_column_is_an_error(likelihoods, said):
    table, y = people()
    with pytest.raises(ParameterError, match=said):
        NaiveBayesClassifier(likelihoods=likelihoods).fit(table, y)


def test_a_prior_of_labels_must_name_them_all():
    table, y = people()
    with pytest.raises(ParameterError, match=r"m_prior\['town'\]"):
        NaiveBayesClassifier(m=1, m_prior={"town": {"Bern": 1.0}}).fit(table, y)


def test_no_spread_and_no_smoothing_is_an_error_that_names_class_and_column():
    with pytest.raises(InputError, match=r"'b' does not vary in class 'q'"):
        NaiveBayesClassifier(var_smoothing=0).fit({"a": [1, 2, 3, 4], "b": [1, 2, 3, 3]}, list("ppqq"))


def test_unseen_categories_can_be_refused():
    table, y = people()
    model = NaiveBayesClassifier(unseen="error").fit(table, y)
    model.predict(table)
    rows = {"height": [170, 171], "town": [None, "Genf"], "smokes": [True, None]}
    with pytest.raises(InputError, match=r"'town' has 'Genf' in row 1"):
        model.predict(rows)
    assert NaiveBayesClassifier().fit(table, y).predict(rows).shape == (2,)


# Files larger than memory, and learning in instalments


@pytest.fixture
def files(tmp_path):
    table, y = people()
    cells = table.to_dict() | {"state": y.tolist()}
    paths = []
    for part in range(3):
        rows = slice(70 * part, 70 * part + 70)
        paths.append(tmp_path / f"{part}.parquet")
        pq.write_table(pa.table({name: column[rows] for name, column in cells.items()}), paths[-1])
    return learnt.scan(paths)


@pytest.mark.parametrize("likelihoods", [None, "width", {"height": "bernoulli"}])
def test_a_scan_gives_the_model_of_the_table(files, likelihoods):
    table, y = people()
    one, two = (NaiveBayesClassifier(likelihoods=likelihoods) for _ in range(2))
    one.fit(table, y)
    two.fit(files, "state")
    np.testing.assert_allclose(two.predict_proba(table), one.predict_proba(table), rtol=1e-9)


@pytest.mark.parametrize("likelihood", ["kernel", "mdl", "frequency"])
def test_what_needs_all_rows_at_once_refuses_scans_and_instalments(files, likelihood):
    table, y = people()
    model = NaiveBayesClassifier(likelihoods={"height": likelihood})
    with pytest.raises(InputError, match=f"'height' has the likelihood '{likelihood}'"):
        model.fit(files, "state")
    model.partial_fit(table, y)
    before = model.predict_proba(table)
    with pytest.raises(InputError, match=f"'{likelihood}'.*partial_fit"):
        model.partial_fit(table, y)
    np.testing.assert_array_equal(model.predict_proba(table), before)


# Showing


def test_the_tables_of_probabilities_add_up_to_one():
    table, y = people()
    tables = NaiveBayesClassifier().fit(table, y).tables()
    assert [t.title for t in tables] == ["P(class)", "height | class", "P(town | class)", "P(smokes | class)"]
    for name in ("town", "smokes"):
        np.testing.assert_allclose(tables[name].values.sum(axis=0), 1)
    with pytest.raises(KeyError, match="'twon'"):
        tables["twon"]


def test_names_in_the_printed_tables_stay_on_their_line_and_harmless():
    model = NaiveBayesClassifier().fit({"a\nb": ["<b>", "c"]}, ["x\ty", "z"])
    tables = model.tables()
    assert str(tables["a\nb"]).count("\n") == 2
    assert "<b>" not in tables._repr_html_()
    assert repr(tables["a\nb"]) == str(tables["a\nb"])
    assert tables._repr_html_().count("<th ") == 6  # two tables, a heading for the table and for each class


def test_kernels_and_intervals_are_printed_too():
    iris = datasets.load("iris")
    model = NaiveBayesClassifier(likelihoods={"sepallength": "kernel", "petalwidth": "mdl"}).fit(iris)
    text = str(model.tables())
    assert "kernels" in text
    assert "(−∞, 0.8]" in text


def test_the_evidence_of_three_classes_is_against_the_runner_up():
    table, y = people()
    model = NaiveBayesClassifier().fit(table, y)
    proba = model.predict_proba(table)
    for i, told in enumerate(model.explain(table)[:20]):
        first, second = np.sort(proba[i])[::-1][:2]
        assert np.exp(told.total) == pytest.approx(first / second)
        labels = [label for label, _ in told.alternatives]
        assert labels == [model.classes_[c] for c in np.argsort(-proba[i], kind="stable")[1:]]


# Drawing


def test_drawn_rows_have_the_moments_and_shares_of_the_model():
    table, y = people()
    model = NaiveBayesClassifier().fit(table, y)
    rows, labels = model.sample(20_000, random_state=0)
    assert rows.schema == table.schema
    shares = [np.mean(labels == label) for label in model.classes_]
    np.testing.assert_allclose(shares, np.exp(model.class_log_prior_), atol=0.015)
    again = NaiveBayesClassifier().fit(rows, labels)
    np.testing.assert_allclose(again.theta_, model.theta_, atol=0.5)
    np.testing.assert_allclose(again.var_, model.var_, rtol=0.06)
    for name in ("town", "smokes"):
        np.testing.assert_allclose(again.tables()[name].values, model.tables()[name].values, atol=0.03)


@pytest.mark.parametrize("likelihood", ["kernel", "mdl", "width", "bernoulli"])
def test_rows_drawn_from_other_likelihoods_are_classified_like_the_fitted_ones(likelihood):
    iris = datasets.load("iris")
    model = NaiveBayesClassifier(likelihoods=likelihood).fit(iris)
    rows, labels = model.sample(500, random_state=1)
    expected = 0.3 if likelihood == "bernoulli" else 0.85
    assert model.score(rows, labels) > expected
    again, same = model.sample(500, random_state=1)
    assert again.to_dict() == rows.to_dict()
    assert same.tolist() == labels.tolist()


@pytest.mark.parametrize(("n", "seed"), [(0, None), (-1, 0), (2.5, 0), (3, "x")])
def test_drawing_checks_its_arguments(n, seed):
    with pytest.raises(ParameterError, match="sample"):
        NaiveBayesClassifier().fit({"a": [1, 2]}, [0, 1]).sample(n, random_state=seed)


# Loading


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("class_log_prior_", np.zeros(2)),
        ("theta_", np.zeros((3, 2))),
        ("var_", np.zeros((3, 1))),
        ("likelihoods_", {"height": "gaussian"}),
        ("feature_log_prob_", {"town": np.zeros((3, 2)), "smokes": np.zeros((3, 2))}),
        ("edges_", {"height": np.zeros(3)}),
        ("kernels_", {"height": None}),
    ],
)
def test_a_model_whose_parts_contradict_each_other_is_refused(attribute, value):
    table, y = people()
    model = NaiveBayesClassifier().fit(table, y)
    model._check_fitted_state()
    setattr(model, attribute, value)
    with pytest.raises(SavedModelError):
        model._check_fitted_state()


@pytest.mark.parametrize("likelihood", ["kernel", "mdl"])
def test_models_of_every_likelihood_can_be_saved(likelihood, tmp_path):
    table, y = people()
    model = NaiveBayesClassifier(likelihoods=likelihood).fit(table, y)
    learnt.save(model, tmp_path / "m.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "m.learnt").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("likelihood", ["gaussian", "kernel", "mdl", "width", "frequency"])
def test_a_column_without_cells_changes_nothing(likelihood):
    x, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    empty = np.column_stack([x, np.full(40, np.nan)])
    model = NaiveBayesClassifier(likelihoods=likelihood).fit(x, y)
    gappy = NaiveBayesClassifier(likelihoods=likelihood).fit(empty, y)
    np.testing.assert_allclose(gappy.predict_proba(empty), model.predict_proba(x), rtol=1e-12)
    alone = NaiveBayesClassifier(likelihoods=likelihood).fit(empty[:, 2:], y)
    np.testing.assert_allclose(alone.predict_proba(empty[:, 2:]), 0.5, rtol=1e-12)
