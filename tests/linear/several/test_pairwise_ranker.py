"""PairwiseRanker: pairs within queries, the optimum on their differences, ranks and Kendall's τ."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from scipy.stats import kendalltau, rankdata

import learnt
from learnt import Table
from learnt.errors import InputError, ParameterError
from learnt.linear.several import row_pairs
from learnt.linear.several.pairwise_ranker import PairwiseRanker
from learnt.linear.several.row_pairs import pairs_of


def data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal([5, 0, 100], [1, 2, 30], (n, 3))
    y = np.round(x @ [1.0, 0.5, -0.02] + rng.normal(size=n)).clip(0, 4)
    return x, y, rng.integers(0, n // 10, n)


def differences(x, y, groups):
    """Every pair of a query, the better one first, by definition."""
    n = range(len(y))
    return np.array([x[i] - x[j] for i in n for j in n if groups[i] == groups[j] and y[i] > y[j]])


def test_pairs_are_all_those_of_a_query_that_differ():
    _, y, q = data(80)
    w = np.random.default_rng(1).integers(0, 3, 80).astype(float)
    for weights in (None, w):
        found = pairs_of(y, q, weights)
        counts = np.ones(80) if weights is None else weights
        expected = {
            (i, j): counts[i] * counts[j]
            for i in range(80)
            for j in range(80)
            if q[i] == q[j] and y[i] > y[j] and counts[i] * counts[j] > 0
        }
        assert len(found) == len(expected)
        assert (
            dict(zip(zip(found.better.tolist(), found.worse.tolist(), strict=True), found.weights, strict=True))
            == expected
        )


def test_the_gradient_of_the_stated_objective_is_zero():
    x, y, q = data()
    model, size = PairwiseRanker().fit(x, y, groups=q), x.std(axis=0)
    d = differences(x, y, q) / size
    b = model.coef_ * size
    gradient = -d.T @ (1 / (1 + np.exp(d @ b))) + b
    assert np.abs(gradient).max() < 1e-6
    assert model.n_pairs_ == len(d)


def test_it_is_logistic_regression_on_differences_by_the_peer():
    from sklearn.linear_model import LogisticRegression

    x, y, q = data()
    d = differences(x, y, q) / x.std(axis=0)
    sign = np.where(np.arange(len(d)) % 2, 1, -1)
    peer = LogisticRegression(fit_intercept=False, tol=1e-10, max_iter=1000).fit(d * sign[:, None], sign)
    assert_allclose(PairwiseRanker().fit(x, y, groups=q).coef_ * x.std(axis=0), peer.coef_[0], rtol=1e-5)


def test_a_given_learner_is_fitted_on_differences():
    class Means(learnt.MajorityClassifier, abstract=True):
        """Answers by the direction from the mean of one class to that of the other."""

        def fit(self, X, y=None, sample_weight=None):
            x = Table(X).matrix
            self.coef_ = (x[y].mean(axis=0) - x[~y].mean(axis=0))[None]
            return self

    x, y, q = data()
    d = differences(x, y, q)
    model = PairwiseRanker(Means()).fit(x, y, groups=q)
    direction = model.coef_ / np.linalg.norm(model.coef_)
    expected = d.mean(axis=0) / x.std(axis=0) ** 2
    assert direction @ expected / np.linalg.norm(expected) > 0.99
    for other in (learnt.NaiveBayesClassifier(), learnt.Winnow()):
        with pytest.raises(ParameterError, match="no coefficient for each column"):
            PairwiseRanker(other).fit(x, y, groups=q)
    with pytest.raises(ParameterError, match="learner"):
        PairwiseRanker(learnt.LinearRegression()).fit(x, y, groups=q)


def test_only_the_order_within_a_query_matters():
    x, y, q = data()
    moved = PairwiseRanker().fit(x, y + 100.0 * q, groups=q)
    assert_allclose(moved.coef_, PairwiseRanker().fit(x, y, groups=q).coef_, rtol=1e-9)
    stretched = PairwiseRanker().fit(x, np.exp(y), groups=q)
    assert_allclose(stretched.coef_, moved.coef_, rtol=1e-9)


def test_weights_are_copies_of_rows():
    x, y, q = data()
    w = np.random.default_rng(2).integers(0, 3, len(y))
    copies = np.repeat(np.arange(len(y)), w)
    one = PairwiseRanker().fit(x, y, w, groups=q)
    assert_allclose(one.coef_, PairwiseRanker().fit(x[copies], y[copies], groups=q[copies]).coef_, rtol=1e-8)


def test_groups_and_target_may_be_columns_and_labels_ordered():
    x, y, q = data()
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(q=[f"query {g}" for g in q], y=y)
    expected = PairwiseRanker().fit(x, y, groups=q)
    model = PairwiseRanker().fit(frame, "y", groups="q")
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    assert model.score(frame, "y", groups="q") == pytest.approx(expected.score(x, y, groups=q))
    words = ["awful", "bad", "fair", "good", "great"]
    named = pd.Categorical([words[int(v)] for v in y], words, ordered=True)
    for form in (frame.assign(y=named), Table(frame.assign(y=[words[int(v)] for v in y]), ordinal={"y": words})):
        assert_allclose(PairwiseRanker().fit(form, "y", groups="q").coef_, expected.coef_, rtol=1e-9)
    assert_allclose(PairwiseRanker().fit(x, pd.Series(named), groups=q).coef_, expected.coef_, rtol=1e-9)


def test_mixed_tables_and_sparse_ones_are_ranked():
    x, y, q = data()
    expected = PairwiseRanker().fit(x, y, groups=q)
    assert_allclose(PairwiseRanker().fit(scipy.sparse.csr_matrix(x), y, groups=q).coef_, expected.coef_, rtol=1e-8)
    towns = np.array(["Bern", "Bern", "Basel", None], dtype=object)[np.arange(300) % 4]
    gaps = np.where(np.arange(300) % 7 == 0, np.nan, x[:, 0])
    model = PairwiseRanker().fit({"x": gaps, "town": towns}, y + 2 * (towns == "Basel"), groups=q)
    assert dict(zip(model.coefficient_names_, model.coef_, strict=True))["town=Basel"] > 1


def test_ranks_count_from_the_best_of_each_query_and_ties_share():
    x, y, q = data()
    x[1], q[1] = x[0], q[0]
    model = PairwiseRanker().fit(x, y, groups=q)
    scores, ranks = model.predict(x), model.rank(x, groups=q)
    for g in np.unique(q):
        np.testing.assert_array_equal(ranks[q == g], rankdata(-scores[q == g], method="min"))
    np.testing.assert_array_equal(model.rank(x), rankdata(-scores, method="min"))


def test_the_score_is_kendalls_tau_by_query():
    x, y, q = data()
    model = PairwiseRanker().fit(x, y, groups=q)
    taus, sizes = [], []
    for g in np.unique(q):
        if np.ptp(y[q == g]) > 0:
            taus.append(kendalltau(y[q == g], model.predict(x[q == g])).statistic)
            sizes.append((q == g).sum())
    assert model.score(x, y, groups=q) == pytest.approx(np.average(taus, weights=sizes))
    assert 0.5 < model.score(x, y, groups=q) < 1
    assert np.isnan(model.score(x, np.ones(300), groups=q))


def test_the_average_row_scores_zero_and_columns_add_up():
    x, y, q = data()
    model = PairwiseRanker().fit(x, y, groups=q)
    assert model.predict(x.mean(axis=0)[None])[0] == pytest.approx(0, abs=1e-12)
    told = model.explain(x)[3]
    assert told.add_up() == pytest.approx(told.total)
    assert told.total == pytest.approx(model.predict(x)[3])


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_units_of_columns_do_not_matter(scale):
    x, y, q = data()
    one, other = PairwiseRanker().fit(x, y, groups=q), PairwiseRanker().fit(x * scale, y, groups=q)
    assert_allclose(other.predict(x * scale), one.predict(x), rtol=1e-6, atol=1e-9)


def test_perfectly_ordered_rows_have_finite_coefficients():
    x = np.arange(40.0)[:, None]
    model = PairwiseRanker().fit(np.hstack([x, x, np.ones((40, 1))]), x[:, 0])
    assert model.score(np.hstack([x, x, np.ones((40, 1))]), x[:, 0]) == 1
    assert_allclose(model.coef_[0], model.coef_[1])
    assert model.coef_[2] == 0


def test_saving_keeps_it(tmp_path):
    x, y, q = data()
    model = PairwiseRanker().fit(x, y, groups=q)
    learnt.save(model, tmp_path / "ranker.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "ranker.learnt").predict(x), model.predict(x))


def test_what_makes_no_pairs_is_refused(monkeypatch):
    x, y, q = data()
    for given, groups, said in (
        (np.ones(300), q, "nothing to compare"),
        (y, np.arange(300), "nothing to compare"),
        (y, q[:5], r"300.*5"),
        (y, "nothing", "'nothing'"),
        (["good"] * 300, q, "numbers"),
        (np.where(np.arange(300) == 4, np.nan, y), q, "row 4"),
        (y, np.where(np.arange(300) == 6, np.nan, q), "row 6"),
    ):
        with pytest.raises(InputError, match=said):
            PairwiseRanker().fit(x, given, groups=groups)
    bad = x.copy()
    bad[7, 1] = np.inf
    with pytest.raises(InputError, match=r"'x1' has 1 infinite .*row 7"):
        PairwiseRanker().fit(bad, y, groups=q)
    monkeypatch.setattr(row_pairs, "MOST", 10)
    with pytest.raises(InputError, match="at most 10"):
        PairwiseRanker().fit(x, y, groups=q)


@pytest.mark.filterwarnings("ignore::learnt.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", ["MultiResponseClassifier", "SGDClassifier", "Perceptron", "OrdinalRegression"])
def test_any_linear_classifier_ranks_mixed_tables(name):
    """Nearly as the ranker's own fit does, whatever its coefficients look like."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"stars": rng.integers(1, 6, 200) * 1.0, "town": rng.choice(["Bern", "Zürich"], 200)})
    better = table.stars + 3 * (table.town == "Bern") + rng.normal(0, 0.5, 200)
    table.loc[::9, "town"] = None
    own = PairwiseRanker().fit(table, better, groups=np.arange(200) % 20)
    other = PairwiseRanker(getattr(learnt, name)()).fit(table, better, groups=np.arange(200) % 20)
    assert kendalltau(own.predict(table), other.predict(table)).statistic > 0.85
