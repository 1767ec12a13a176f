"""Chosen columns against scikit-learn, SciPy, the intervals of Weka and searches written out in a few lines."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn import feature_selection

import learnt
from learnt import DecisionTreeClassifier, LinearRegression, NaiveBayesClassifier, Table
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.information import gain_ratio, information_gain, mutual_information
from learnt.prepare import Discretizer, SelectFeatures
from learnt.prepare.selection.select_features import WRAPPERS

RNG = np.random.default_rng(12)
FILTERS = ["information_gain", "gain_ratio", "chi2", "correlation", "mutual_information"]


def mixed(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    y = RNG.integers(3, size=n)
    town = np.where(RNG.random(n) < 0.7, np.array(["Basel", "Bern", "Genf"])[y], "Basel")
    frame = pd.DataFrame({"noise": RNG.normal(size=n), "good": y + RNG.normal(0, 0.7, n), "town": town})
    return frame.assign(flag=RNG.random(n) < 0.2 + 0.2 * y), np.array(["a", "b", "c"])[y]


#: Where Weka 3.9.6 cuts iris for its naive Bayes with supervised discretisation, as in test_discretizer.py.
WEKA_CUTS = {
    "sepallength": [5.55, 6.15],
    "sepalwidth": [2.95, 3.35],
    "petallength": [2.45, 4.75],
    "petalwidth": [0.8, 1.75],
}


def test_information_in_iris_is_that_of_the_intervals_weka_makes():
    iris = learnt.datasets.load("iris")
    model, y = SelectFeatures().fit(iris), iris["class"].values
    for name, score in zip(model.feature_names_in_, model.scores_, strict=True):
        table = pd.crosstab(np.searchsorted(WEKA_CUTS[name], iris[name].values), y).to_numpy()
        classes, inside = stats.entropy(table.sum(axis=0), base=2), stats.entropy(table, base=2, axis=1)
        assert score == pytest.approx(classes - table.sum(axis=1) @ inside / table.sum(), abs=1e-12)


def test_information_is_that_of_the_cut_column():
    frame, y = mixed()
    cut = Discretizer("mdl").fit(frame, y).transform(frame)
    gains, ratios = (SelectFeatures(c).fit(frame, y).scores_ for c in ("information_gain", "gain_ratio"))
    for name, gain, ratio in zip(frame, gains, ratios, strict=True):
        codes = cut[name].values
        assert gain == pytest.approx(information_gain(codes, y), abs=1e-12)
        assert ratio == pytest.approx(gain_ratio(codes, y), abs=1e-12)
    assert gains[0] == 0  # noise is not cut


def test_chi2_and_its_p_values_are_scipys():
    frame, y = mixed()
    model = SelectFeatures("chi2").fit(frame, y)
    cut = Discretizer("frequency", n_bins=10).fit_transform(frame)
    for name, score, p in zip(frame, model.scores_, model.p_values_, strict=True):
        expected = stats.chi2_contingency(pd.crosstab(cut[name].values, y), correction=False)
        assert score == pytest.approx(expected.statistic, rel=1e-12)
        assert p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("criterion", ["chi2", "mutual_information"])
@pytest.mark.parametrize(("rows", "of_numbers"), [(30, False), (30, True), (100, True)])
def test_a_column_of_noise_has_a_small_p_value_as_often_as_it_should(criterion, rows, of_numbers):
    if criterion == "chi2" and of_numbers:
        pytest.skip("chi2 is of classes")
    rng, p = np.random.default_rng(4), []
    for _ in range(20):  # a hundred columns each
        target = rng.normal(size=rows) if of_numbers else np.array(["no", "yes"])[rng.integers(0, 2, rows)]
        p.extend(SelectFeatures(criterion, k=1).fit(rng.normal(size=(rows, 100)), target).p_values_)
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.07  # ten intervals: .02 to .35, and 0 of two numbers


def test_few_rows_leave_few_intervals():
    rng = np.random.default_rng(5)
    words = SelectFeatures("chi2").fit(rng.normal(size=(30, 1)), np.arange(30) % 2).ranking().explain("x0")
    assert "3 intervals, 2 degrees of freedom" in words


def test_mutual_information_is_tested_by_scipys_g_test():
    frame, y = mixed()
    model = SelectFeatures("mutual_information").fit(frame, y)
    cut = Discretizer("frequency", n_bins=10).fit_transform(frame)
    for name, score, p in zip(frame, model.scores_, model.p_values_, strict=True):
        assert score == pytest.approx(mutual_information(cut[name].values, y), abs=1e-12)
        table = pd.crosstab(cut[name].values, y)
        expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        n, rows, columns = table.to_numpy().sum(), table.sum(axis=1), table.sum(axis=0)
        moved = (n * (1 / rows).sum() - 1) * (n * (1 / columns).sum() - 1) / (6 * n * expected.dof)
        assert p == pytest.approx(stats.chi2.sf(expected.statistic / (1 + moved), expected.dof), rel=1e-9)
    number = RNG.normal(size=300)
    bits = SelectFeatures("mutual_information").fit({"x": number**2}, number).scores_[0]
    assert bits > 1  # which no correlation sees


def test_correlation_of_numbers_is_pearsons_and_tested_as_by_scikit_learn():
    x = RNG.normal(size=(80, 5))
    y = x[:, 1] - 2 * x[:, 3] + RNG.normal(size=80)
    model = SelectFeatures("correlation", k=2).fit(x, y)
    np.testing.assert_allclose(model.scores_, [abs(stats.pearsonr(c, y)[0]) for c in x.T], rtol=1e-12)
    np.testing.assert_allclose(model.p_values_, feature_selection.f_regression(x, y)[1], rtol=1e-9)
    assert model.get_support(indices=True).tolist() == [1, 3]
    np.testing.assert_array_equal(model.transform(x), x[:, [1, 3]])


def test_correlation_with_classes_is_the_analysis_of_variance():
    x, y = RNG.normal(size=(80, 4)), np.array(["u", "v", "w"])[RNG.integers(3, size=80)]
    x[:, 2] += y == "v"
    model = SelectFeatures("correlation").fit(x, y)
    np.testing.assert_allclose(model.p_values_, feature_selection.f_classif(x, y)[1], rtol=1e-9)
    towns = np.array(["a", "b"])[RNG.integers(2, size=80)]
    cramer = SelectFeatures("correlation").fit({"town": towns}, y)
    assert cramer.scores_[0] == pytest.approx(stats.contingency.association(pd.crosstab(towns, y)), rel=1e-9)
    ratio = SelectFeatures("correlation").fit({"y": y}, x[:, 2])  # a category about a number is as good as the reverse
    assert ratio.scores_[0] == pytest.approx(model.scores_[2], rel=1e-12)


def test_numbers_of_any_size_correlate():
    x = RNG.normal(size=50)
    y = x + RNG.normal(size=50)
    wanted = abs(stats.pearsonr(x, y)[0])
    for size in (1e200, 1e-200, 1e306):
        assert SelectFeatures("correlation").fit({"x": x * size}, y).scores_[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("criterion", FILTERS)
def test_a_weight_of_two_is_a_row_twice(criterion):
    frame, y = mixed(120)
    frame.loc[::7, "good"] = np.nan
    counts = RNG.integers(0, 4, 120)
    weighted = SelectFeatures(criterion).fit(frame, y, sample_weight=counts)
    copies = np.repeat(np.arange(120), counts)
    copied = SelectFeatures(criterion).fit(frame.iloc[copies], y[copies])
    np.testing.assert_allclose(weighted.scores_, copied.scores_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(weighted.p_values_, copied.p_values_, rtol=1e-8)


def test_rows_without_a_cell_count_for_nothing_but_lower_the_information():
    frame, y = mixed()
    gaps = frame.assign(town=frame["town"].where(np.arange(300) >= 100, None))
    part = SelectFeatures().fit(frame[100:], y[100:]).scores_[2]
    assert SelectFeatures().fit(gaps, y).scores_[2] == pytest.approx(part * 200 / 300, rel=1e-12)
    whole = SelectFeatures("chi2").fit(gaps, y).scores_[2]
    assert whole == pytest.approx(SelectFeatures("chi2").fit(frame[100:], y[100:]).scores_[2], rel=1e-12)


def test_k_share_and_alpha_say_how_many_are_kept():
    frame, y = mixed()
    assert SelectFeatures(k=2).fit(frame, y).selected_ == ["good", "town"]
    assert SelectFeatures(k=99).fit(frame, y).selected_ == list(frame)
    assert len(SelectFeatures(share=0.5).fit(frame, y).selected_) == 2
    assert len(SelectFeatures(share=0.01).fit(frame, y).selected_) == 1
    chosen = SelectFeatures("chi2", alpha=0.001).fit(frame, y)
    assert chosen.selected_ == [name for name, p in zip(frame, chosen.p_values_, strict=True) if p <= 0.001]
    wide = RNG.normal(size=(30, 15))
    assert len(SelectFeatures("correlation").fit(wide, wide[:, 0]).selected_) == 10
    with pytest.raises(InputError, match=r"no column has a p-value up to alpha=1e-12; the smallest is .* of 'x"):
        SelectFeatures("correlation", alpha=1e-12).fit(wide, RNG.normal(size=30))


def test_settings_that_contradict_each_other_are_refused():
    for settings, said in (
        ({"k": 1, "share": 0.5}, "k and share"),
        ({"alpha": 0.1}, "p-value"),
        ({"criterion": "forward"}, "need a learner"),
        ({"learner": NaiveBayesClassifier()}, "need a learner"),
        ({"learner": "tree"}, "learner="),
    ):
        with pytest.raises(ParameterError, match=said):
            SelectFeatures(**settings).fit(*mixed(20))
    with pytest.raises(InputError, match="requires y"):
        SelectFeatures().fit(mixed(20)[0])


def accuracy(learner, table: Table, y, names: list[str], splits) -> float:
    part, found = table.select(names), []
    for train, test in splits:
        model = learnt.clone(learner).fit(part.take(train), y[train])
        found.append(model.score(part.take(test), y[test]))
    return float(np.mean(found))


@pytest.mark.parametrize("criterion", WRAPPERS)
def test_the_search_takes_the_best_step_each_time(criterion):
    frame, y = mixed(150)
    frame["twice"] = frame["good"] * 2
    table, learner = Table(frame), DecisionTreeClassifier(max_depth=3)
    folds = RNG.permutation(150) % 3
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    kept = [] if criterion == "forward" else list(frame)
    for _ in range(2 if criterion == "forward" else 3):
        steps = [name for name in frame if (name in kept) != (criterion == "forward")]
        choices = {n: [c for c in frame if (c in kept) != (c == n)] for n in steps}
        best = max(steps, key=lambda n: accuracy(learner, table, y, choices[n], splits))
        kept = choices[best]
    model = SelectFeatures(criterion, learner=learner, k=2, cv=splits).fit(frame, y)
    assert model.selected_ == kept
    rows = {row.column: row for row in model.ranking()}
    last = [row for row in model.ranking() if row.words][-1 if criterion == "forward" else 0]
    assert rows[last.column].score == pytest.approx(accuracy(learner, table, y, kept, splits), rel=1e-12)


def test_the_search_ends_where_nothing_gets_better():
    n = 200
    x = RNG.normal(size=(n, 6))
    y = 3 * x[:, 2] - 2 * x[:, 4] + RNG.normal(size=n) * 0.1
    for criterion in WRAPPERS:
        model = SelectFeatures(criterion, learner=LinearRegression()).fit(x, y)
        assert {"x2", "x4"} <= set(model.selected_)
        assert len(model.selected_) <= 4
        assert model.ranking().title == "R²"
    noise = SelectFeatures("forward", learner=LinearRegression()).fit(x, RNG.normal(size=n))
    assert len(noise.selected_) >= 1


def test_two_columns_that_tell_only_together_are_found_by_the_search():
    a, b = RNG.integers(2, size=(2, 400))
    frame = pd.DataFrame({"a": a, "b": b, "c": RNG.normal(size=400)}).astype(str).astype({"c": float})
    y = np.where(a ^ b, "yes", "no")
    assert SelectFeatures().fit(frame, y).scores_.max() < 0.05
    chosen = SelectFeatures("backward", learner=DecisionTreeClassifier(max_depth=3)).fit(frame, y)
    assert chosen.selected_ == ["a", "b"]


def test_folds_hold_their_share_of_every_class_and_follow_from_the_seed():
    from learnt.engine.passes import Batch
    from learnt.prepare.selection.wrapper import Judge, TryColumns

    target = np.repeat(np.arange(3, dtype=np.int32), [50, 20, 5])
    batch = Batch(Table(RNG.normal(size=(75, 1))), 0, target)
    splits = Judge(TryColumns(NaiveBayesClassifier(), np.arange(3), True, None, 5, 1), batch).splits
    for train, test in splits:
        assert np.bincount(target[test]).tolist() == [10, 4, 1]
        assert not set(train) & set(test)
    again, other = (
        Judge(TryColumns(NaiveBayesClassifier(), np.arange(3), True, None, 5, s), batch).splits for s in (1, 2)
    )
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))
    assert any((a[1] != b[1]).any() for a, b in zip(splits, other, strict=True))


def test_rows_that_are_not_there_cannot_be_tried():
    frame, y = mixed(20)
    with pytest.raises(InputError, match="row 20 of 20"):
        SelectFeatures("forward", learner=NaiveBayesClassifier(), cv=[(np.arange(10), np.arange(10, 21))]).fit(frame, y)
    with pytest.raises(InputError, match="Expected at least 2"):
        SelectFeatures("forward", learner=NaiveBayesClassifier()).fit(frame[:1], y[:1])


def test_the_ranking_reads_and_explains_and_draws(tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    frame, y = mixed()
    model = SelectFeatures("chi2", k=2).fit(frame, y)
    lines = str(model).splitlines()
    assert lines[0].split() == ["column", "kept", "chi²", "p-value"]
    assert len(lines) == 5
    assert {line.split()[0] for line in lines[1:3]} == {"good", "town"}
    assert lines[1].split()[1] == lines[2].split()[1] == "✓"
    assert model.ranking().explain("town").startswith("'town': chi² ")
    with pytest.raises(InputError, match=r"'twon'.*'town'"):
        model.ranking().explain("twon")
    axes = model.plot()
    assert [t.get_text() for t in axes.get_yticklabels()] == [row.column for row in model.ranking()]
    assert axes.patches[0].get_width() == pytest.approx(model.scores_.max())
    matplotlib.pyplot.close("all")
    assert str(SelectFeatures()) == "SelectFeatures()"
    assert ">good</td>" in model.ranking()._repr_html_()


def test_many_columns_are_printed_in_part():
    x = RNG.normal(size=(50, 40))
    text = str(SelectFeatures("correlation").fit(x, x[:, 7]))
    assert text.splitlines()[1].startswith("x7")
    assert text.splitlines()[-1] == "… 10 more"


def test_sparse_rows_are_scored_column_by_column_and_stay_sparse():
    counts = sparse.random(400, 3000, 0.01, format="csr", random_state=1)
    y = np.asarray(counts[:, 17].todense()).ravel() > 0
    model = SelectFeatures("correlation", k=5).fit(counts, y.astype(float))
    out = model.transform(counts)
    assert sparse.issparse(out)
    assert out.shape == (400, 5)
    assert model.scores_.argmax() == 17


def test_a_selection_survives_its_file_with_the_learner_inside(tmp_path):
    frame, y = mixed(60)
    model = SelectFeatures("forward", learner=NaiveBayesClassifier(), k=2).fit(frame, y)
    learnt.save(model, tmp_path / "model")
    loaded = learnt.load(tmp_path / "model")
    assert loaded.selected_ == model.selected_
    assert str(loaded) == str(model)


def test_columns_are_chosen_inside_scikit_learns_cross_validation():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    x = RNG.normal(size=(120, 30))
    y = (x[:, 3] > 0).astype(int)
    pipe = make_pipeline(SelectFeatures("mutual_information", k=1), LogisticRegression())
    assert cross_val_score(pipe, x, y, cv=3).mean() > 0.9


@pytest.mark.costly
@pytest.mark.parametrize(("n", "p", "limit"), [(200_000, 10, 12), (400, 2000, 12)])
def test_large_tables_are_scored_within_seconds(n, p, limit):
    x = RNG.normal(size=(n, p))
    y = (x[:, 0] > RNG.normal(size=n)).astype(int)
    start = time.process_time()
    for criterion in ("information_gain", "chi2"):
        assert SelectFeatures(criterion, k=1).fit(x, y).get_support(indices=True).tolist() == [0]
    assert time.process_time() - start < limit


def test_scores_that_contradict_the_columns_are_not_loaded():
    frame, y = mixed(30)
    for damage in ({"scores_": np.zeros(2)}, {"support_": np.zeros(4)}, {"_order": [0, 0, 1, 2]}, {"_words": []}):
        model = SelectFeatures().fit(frame, y)
        model.__dict__.update(damage)
        with pytest.raises(SavedModelError):
            model._check_fitted_state()


def test_constant_and_empty_columns_score_nothing():
    n = 30
    cells = {"same": np.ones(n), "gone": np.full(n, np.nan), "only": ["x"] * n, "good": np.arange(n) * 1.0}
    for criterion, y in itertools.product(FILTERS, (np.arange(n) // 15, np.zeros(n, int))):
        model = SelectFeatures(criterion).fit(cells, y)
        assert model.scores_[:3].tolist() == [0, 0, 0]
        assert np.isfinite(model.scores_).all()
