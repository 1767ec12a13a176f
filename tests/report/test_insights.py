"""Insights of the report: each against a hand-made case, a loop, or SciPy."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse, stats
from tests.report.comparisons import REGRESSORS, compared

import learnt
from learnt.data.table import Column
from learnt.report.comparison.insights.bins import bins
from learnt.report.comparison.insights.cases import cases, chosen_classes
from learnt.report.comparison.insights.cells import reorder_columns, variants
from learnt.report.comparison.insights.coverage import coverage, reach
from learnt.report.comparison.insights.disputes import disputes
from learnt.report.comparison.insights.distance import Distance, nearest
from learnt.report.comparison.insights.doubts import doubts
from learnt.report.comparison.insights.flips import largest_moves, smallest_flip
from learnt.report.comparison.insights.growth import growth
from learnt.report.comparison.insights.importance import SHUFFLES, groups_alike, importances, relation
from learnt.report.comparison.insights.slices import hypergeometric_tail, rank_sum_tail, slices
from learnt.report.comparison.insights.subject import LONGEST, Subject, TooSlow


def asked(classes, target, *learners, tied=None):
    """A comparison of nothing but answers: (answers, probabilities) per learner."""
    named = {f"L{i}": one for i, one in enumerate(learners)}
    outcomes = [SimpleNamespace(name=name, baseline=False) for name in named]
    problem = SimpleNamespace(
        classes=classes, target=np.asarray(target), n_rows=len(target), n_classes=0 if classes is None else len(classes)
    )
    return SimpleNamespace(
        done=outcomes, tied=outcomes[: tied or len(outcomes)], problem=problem, out_of_fold=lambda name: named[name]
    )


# Disagreement


def test_disputes_are_counted_row_by_row():
    a, b, c = (np.array(votes, np.int32) for votes in ([0, 0, 1, 2, -1], [0, 1, 1, 1, 0], [0, 1, 1, 0, 0]))
    found = disputes(asked(np.array(["x", "y", "z"]), [0, 1, 1, 2, 0], (a, None), (b, None), (c, None)))
    assert found.disputed == 2 / 4  # the last row was never asked of the first
    assert found.rows.tolist() == [3, 1]  # three answers before two
    assert found.answers.tolist() == [[2, 1, 0], [0, 1, 1]]
    np.testing.assert_allclose(found.agreement, [[1, 0.5, 0.5], [0.5, 1, 0.75], [0.5, 0.75, 1]])


def test_of_equal_votes_the_least_sure_row_is_disputed_most():
    votes = (np.array([0, 0, 0]), np.array([1, 1, 1]))
    p = np.array([[0.9, 0.1], [0.55, 0.45], [0.7, 0.3]])
    found = disputes(asked(np.array(["x", "y"]), [0, 0, 0], (votes[0], p), (votes[1], p)))
    assert found.rows.tolist() == [1, 2, 0]


def test_numbers_are_disputed_by_their_distance_and_agree_by_correlation():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=50), rng.normal(size=50)
    found = disputes(asked(None, np.zeros(50), (a, None), (b, None)))
    assert found.rows[0] == np.abs(a - b).argmax()
    assert found.agreement[0, 1] == pytest.approx(stats.pearsonr(a, b).statistic)
    assert found.gaps == pytest.approx((np.median(np.abs(a - b)), np.quantile(np.abs(a - b), 0.9)))


def test_one_learner_disagrees_with_nobody():
    assert disputes(asked(np.array(["x", "y"]), [0, 1], (np.array([0, 1]), None))) is None


def clean(n: int = 120, seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return {"a": rng.normal(size=n) + 6 * y, "b": rng.normal(size=n) - 6 * y, "y": [("no", "yes")[i] for i in y]}


def test_labels_that_were_swapped_look_mislabelled_and_others_do_not():
    table = clean()
    swapped = [3, 40, 77]
    for row in swapped:
        table["y"][row] = "yes" if table["y"][row] == "no" else "no"
    comparison = compared(table, "y", ("MajorityClassifier", "NaiveBayesClassifier", "DiscriminantClassifier"))
    found = doubts(comparison)
    assert sorted(found.rows.tolist()) == swapped
    assert found.count == 3
    assert (found.expected != found.given).all()
    assert found.right == pytest.approx(found.support.sum())


def test_rows_of_a_rare_class_are_not_mislabelled_for_being_rare():
    rng = np.random.default_rng(1)
    y = (np.arange(300) % 20 == 0).astype(int)
    p = np.clip(0.05 + 0.02 * rng.normal(size=300), 0.01, 0.09)  # all that can be known is the share
    one = (np.zeros(300, np.int32), np.column_stack([1 - p, p]))
    other = (np.zeros(300, np.int32), np.column_stack([0.95 - 0 * p, 0.05 + 0 * p]))
    found = doubts(asked(np.array(["often", "rare"]), y, one, other))
    often = found.rows[found.given == 0]
    assert len(often) == 0
    assert found.count <= (y == 1).sum()


def test_a_target_far_from_all_predictions_looks_wrong():
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    y = 3 * x + 0.1 * rng.normal(size=150)
    y[[10, 90]] += [40, -40]
    found = doubts(compared({"x": x, "z": rng.normal(size=150), "y": y}, "y", REGRESSORS))
    assert set(found.rows.tolist()) == {10, 90}
    assert np.abs(found.given - found.expected).min() > 20


# Slices


@pytest.mark.parametrize("seed", range(30))
def test_the_tail_for_shares_is_fishers(seed):
    rng = np.random.default_rng(seed)
    total = int(rng.integers(2, 200))
    n, wrong = int(rng.integers(1, total)), int(rng.integers(0, total))
    k = int(rng.hypergeometric(wrong, total - wrong, n))
    table = [[k, n - k], [wrong - k, total - wrong - n + k]]
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    assert hypergeometric_tail(k, n, wrong, total) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("digits", [0, 8])
def test_the_tail_for_numbers_is_that_of_the_rank_sum_test(seed, digits):
    rng = np.random.default_rng(seed)
    errors = np.round(np.abs(rng.normal(size=60)), digits)
    part = rng.random(60) < 0.4
    expected = stats.mannwhitneyu(errors[part], errors[~part], alternative="greater", method="asymptotic").pvalue
    assert rank_sum_tail(errors, part) == pytest.approx(expected, rel=1e-9)


def test_errors_without_any_difference_are_no_evidence():
    assert rank_sum_tail(np.ones(20), np.arange(20) < 5) == 1.0


def subject_of_errors(columns: dict, wrong) -> Subject:
    """A subject whose errors are given: two classes, answers right or wrong."""
    table = {**columns, "y": [("no", "yes")[i % 2] for i in range(len(wrong))]}
    comparison = compared(table, "y", ("MajorityClassifier", "DecisionStumpClassifier"))
    subject = Subject(comparison)
    target = comparison.problem.target
    subject.held_out = (np.where(wrong, 1 - target, target), None)
    return subject


def test_a_slice_with_more_errors_is_found_and_its_interval_is_wilsons():
    rng = np.random.default_rng(0)
    town = rng.choice(["Bern", "Basel", "Genf"], 300)
    wrong = rng.random(300) < np.where(town == "Genf", 0.6, 0.1)
    found = slices(subject_of_errors({"town": town, "x": rng.normal(size=300)}, wrong))
    (first,) = found.found
    assert first.conditions == (("town", "= 'Genf'"),)
    assert first.n_rows == (town == "Genf").sum()
    own = wrong[town == "Genf"]
    interval = stats.binomtest(int(own.sum()), len(own)).proportion_ci(method="wilson")
    assert (first.low, first.high) == pytest.approx((interval.low, interval.high))
    assert found.error == wrong.mean()


def test_two_conditions_that_only_together_make_errors_are_found_as_a_pair():
    rng = np.random.default_rng(0)
    a, b = rng.choice(["p", "q"], 600), rng.choice(["u", "v"], 600)
    wrong = rng.random(600) < np.where((a == "p") & (b == "v"), 0.7, 0.05)
    found = slices(subject_of_errors({"a": a, "b": b}, wrong))
    worst = found.found[0]
    assert worst.conditions == (("a", "= 'p'"), ("b", "= 'v'"))


def test_errors_at_random_make_few_slices():
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.normal(size=200) for j in range(4)} | {"k": rng.choice(["p", "q", "r"], 200)}
    subject = subject_of_errors(columns, np.zeros(200, bool))
    target, hits = subject.problem.target, 0
    for _ in range(40):
        subject.held_out = (np.where(rng.random(200) < 0.3, 1 - target, target), None)
        hits += bool(slices(subject).found)
    assert hits <= 5  # the level is 5% a table, all slices taken together


def test_bins_are_quarters_labels_and_missing_and_cover_what_they_say():
    values = np.concatenate([np.arange(1.0, 41), np.full(12, np.nan)])
    found = bins(Column("x", "numeric", values), 10)
    assert found.words == ("≤ 10", "from above 10 to 20", "from above 20 to 30", "> 30", "is missing")
    assert np.bincount(found.codes).tolist() == [10, 10, 10, 10, 12]
    labels = bins(Column("k", "nominal", np.array([0] * 15 + [1] * 3 + [-1] * 2, np.int32), ("often", "seldom")), 5)
    assert labels.words == ("= 'often'",)
    assert (labels.codes[15:] == -1).all()


@pytest.mark.parametrize(
    "values", [np.full(30, np.nan), np.full(30, 7.0), np.arange(30) % 2.0, np.repeat([0.0, 9], 15)]
)
def test_bins_of_odd_columns_hold_every_row_once(values):
    found = bins(Column("x", "numeric", values), 1)
    assert len(found.codes) == 30
    assert found.codes.max(initial=-1) < max(len(found.words), 1)


# Prediction intervals


@pytest.mark.parametrize("n", [1, 9, 19, 20, 100])
def test_the_reach_is_the_smallest_residual_that_is_large_enough(n):
    sizes = np.random.default_rng(n).random(n)
    for level in (0.5, 0.9, 0.95):
        enough = [s for s in sizes if (sizes <= s).sum() >= level * (n + 1) - 1e-12]
        assert reach(sizes, level) == (min(enough) if enough else np.inf)


def test_coverage_is_what_was_promised_and_shows_where_it_is_not():
    rng = np.random.default_rng(0)
    x = rng.random(1500)
    y = 10 * x + rng.normal(size=1500) * (0.1 + 3 * x)
    subject = Subject(compared({"x": x, "y": y}, "y", REGRESSORS))
    for covered in coverage(subject):
        assert covered.low - 0.01 <= covered.level <= covered.high + 0.01
        assert covered.parts[0] > covered.level > covered.parts[2]  # residuals grow with the prediction


# Cells


@pytest.mark.parametrize("kind", ["columns", "matrix", "sparse"])
def test_reordered_columns_move_together_and_others_stay(kind):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, (12, 4)).astype(float)
    made = {"matrix": x, "sparse": sparse.csr_matrix(x), "columns": {f"c{j}": x[:, j] for j in range(4)}}
    table = learnt.Table(made[kind])
    order = rng.permutation(12)
    expected = x.copy()
    expected[:, [1, 3]] = x[order][:, [1, 3]]
    np.testing.assert_array_equal(np.asarray(reorder_columns(table, [1, 3], order)), expected)
    np.testing.assert_array_equal(np.asarray(table), x)
    changed = np.asarray(variants(table, 2, [{}, {0: 9.0}, {1: 7.0, 3: 8.0}]))
    np.testing.assert_array_equal(changed, [x[2], [9, *x[2, 1:]], [x[2, 0], 7, x[2, 2], 8]])


def test_the_distance_is_gowers_by_hand():
    table = learnt.Table(
        {"n": [0.0, 5, 10, None], "k": ["a", "b", "a", None], "o": ["S", "M", "L", None]},
        ordinal={"o": ["S", "M", "L"]},
    )
    far = Distance(table).rows(0, np.arange(4))
    np.testing.assert_allclose(far, [0, (0.5 + 1 + 0.5) / 3, (1 + 0 + 1) / 3, 1])
    np.testing.assert_allclose(Distance(table).rows(3, np.arange(4)), 1)  # missing is far from everything
    rows, distances = nearest(Distance(table), 0, np.array([1, 2, 3]), 2, [0])
    assert rows.tolist() == [1, 2]
    assert (np.diff(distances) >= 0).all()


# Flips


def asking(table: learnt.Table, row: int, answer):
    def ask(changes):
        changed = variants(table, row, changes)
        found = np.array([answer(*(c.values[i] for c in changed.columns)) for i in range(changed.n_rows)])
        return found, np.zeros(len(found))

    return ask


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_flip_is_that_of_a_search_through_all_values(seed):
    rng = np.random.default_rng(seed)
    table = learnt.Table({"a": rng.normal(size=300), "b": rng.normal(size=300), "k": rng.choice(["p", "q", "r"], 300)})
    distance, row, others = Distance(table), 0, np.arange(1, 300)
    cut = rng.normal(size=2)

    def answer(a, b, k):
        return int(a + 0.3 * (k == 2) > cut[0]) + int(b > cut[1])

    search = smallest_flip(distance, row, [0, 1, 2], others, asking(table, row, answer))
    own = [c.values[row] for c in table.columns]
    best = np.inf
    for j, column in enumerate(table.columns):
        for value in np.unique(column.values[others]):
            if answer(*[value if i == j else x for i, x in enumerate(own)]) != answer(*own):
                best = min(best, float(distance.cells(j, own[j], np.array([value]))[0]))
    assert search.flip.distance == pytest.approx(best)


def test_where_no_column_alone_flips_two_together_are_tried():
    table = learnt.Table({"a": np.arange(10.0), "b": np.arange(10.0), "c": np.zeros(10)})
    search = smallest_flip(
        Distance(table), 0, [0, 1, 2], np.arange(1, 10), asking(table, 0, lambda a, b, c: int(a >= 3 and b >= 4))
    )
    assert search.pairs
    assert search.flip.cells == ((0, 3.0), (1, 4.0))


def test_an_answer_that_nothing_changes_has_no_flip():
    table = learnt.Table({"a": np.arange(10.0), "b": np.arange(10.0)})
    search = smallest_flip(Distance(table), 0, [0, 1], np.arange(1, 10), asking(table, 0, lambda a, b: 1))
    assert search.flip is None
    assert search.pairs


def test_the_largest_moves_of_a_number_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    table = learnt.Table({"a": rng.normal(size=30), "b": rng.normal(size=30)})
    moves = largest_moves(
        Distance(table), 4, [0, 1], np.arange(30), asking(table, 4, lambda a, b: float(2 * a - 3 * b))
    )
    a, b = (c.values for c in table.columns)
    every = [2 * x - 3 * b[4] for x in a] + [2 * a[4] - 3 * y for y in b]
    assert [m.answer for m in moves] == pytest.approx([min(every), max(every)])


# Rows


def test_the_rows_chosen_are_the_worst_mistake_a_typical_one_and_the_tightest():
    p = np.array([0.9, 0.2, 0.05, 0.8, 0.52, 0.95, 0.7])  # of the true class
    target = np.zeros(7, int)
    probabilities = np.column_stack([p, 1 - p])
    answer = (p < 0.5).astype(int)
    subject = SimpleNamespace(problem=SimpleNamespace(target=target), held_out=(answer, probabilities))
    chosen = chosen_classes(subject, np.ones(7, bool))
    assert [row for row, _ in chosen] == [2, 3, 4]  # of the right ones .52 .7 .8 .9 .95 the middle is .8
    assert chosen[0][1] == "the worst mistake"


@pytest.fixture(autouse=True)
def a_busy_machine_leaves_nothing_out(monkeypatch):
    """What an insight is expected to cost follows from measured times, which a busy machine stretches."""
    monkeypatch.setattr("learnt.report.comparison.insights.subject.LONGEST", float("inf"))


@pytest.fixture(scope="module")
def vote():
    return compared(learnt.datasets.load("vote"), "Class")


def test_rows_are_explained_by_the_model_that_had_not_seen_them(vote):
    subject = Subject(vote)
    labels = vote.problem.classes
    found = cases(subject)
    assert len(found) == 3
    for case in found:
        (fold,) = [f for f in subject.folds if case.row in f.test]
        assert case.row not in fold.train
        assert case.explanation.prediction == labels[int(case.answer)]
        assert case.explanation.add_up() == pytest.approx(case.explanation.total)
        rows, _ = case.neighbours
        assert set(rows.tolist()) <= set(fold.train.tolist())
        if case.flip.flip is not None:
            assert case.flip.flip.answer != case.answer
    worst = found[0]
    assert worst.answer != vote.problem.target[worst.row]


def test_a_model_fitted_again_answers_as_it_did_in_the_comparison(vote):
    subject = Subject(vote)
    answer, probabilities = subject.held_out
    for place, fold in enumerate(subject.folds):
        rows = vote.problem.table.take(fold.test)
        again = subject.answers(subject.model(place), rows, vote.problem.target[fold.test])
        np.testing.assert_array_equal(again.answer, answer[fold.test])
        np.testing.assert_array_equal(again.probabilities, probabilities[fold.test])


# Importance and learning curve


def test_a_column_that_decides_is_important_and_noise_is_not():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=400), rng.normal(size=400)
    comparison = compared({"z": z, "x": x, "y": 2 * x + 0.1 * rng.normal(size=400)}, "y", REGRESSORS)
    found = importances(Subject(comparison))
    first, second = found.columns
    assert first.columns == ("x",)
    assert first.matters
    assert not second.matters
    # Shuffled, x misses by 2·√2 standard deviations of x; before it missed by 0.1.
    assert first.drop == pytest.approx(2 * np.sqrt(2) * x.std() - 0.1, rel=0.1)
    name = Subject(comparison).name
    assert found.score == pytest.approx(comparison.outcome(name).mean("rmse"))


def test_a_column_the_model_does_not_ask_about_changes_nothing():
    table = clean() | {"idle": np.random.default_rng(5).normal(size=120)}
    comparison = compared(table, "y", ("MajorityClassifier", "DecisionStumpClassifier"))
    found = {i.columns[0]: i for i in importances(Subject(comparison)).columns}
    assert found["idle"].drop == 0
    assert (found["idle"].low, found["idle"].high) == (0, 0)


def test_columns_alike_are_shuffled_together_and_matter_more_so():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    table = {"x": x, "twin": x + 0.01 * rng.normal(size=300), "z": rng.normal(size=300)}
    table["y"] = ["yes" if v > 0 else "no" for v in x + 0.3 * rng.normal(size=300)]
    found = importances(Subject(compared(table, "y", ("MajorityClassifier", "NaiveBayesClassifier"))))
    (group,) = found.groups
    assert group.columns == ("x", "twin")
    assert group.drop > max(i.drop for i in found.columns) + 0.1


def test_columns_beyond_the_limit_are_shuffled_all_at_once():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    table = {f"c{j}": rng.normal(size=80) for j in range(60)} | {"good": rng.normal(size=80) + 4 * y}
    table["y"] = [("no", "yes")[i] for i in y]
    found = importances(Subject(compared(table, "y", ("MajorityClassifier", "NaiveBayesClassifier"), cv=4)))
    assert len(found.columns) == 40
    assert len(found.rest.columns) == 21
    assert found.columns[0].columns == ("good",)
    assert "good" not in found.rest.columns


def test_shuffling_at_once_or_in_turn_gives_the_same(monkeypatch, vote):
    whole = importances(Subject(vote))
    monkeypatch.setattr("learnt.report.comparison.insights.importance.MOST_CELLS", 1)
    assert importances(Subject(vote)) == whole
    assert SHUFFLES > 1


def test_relations_of_columns_are_those_of_numpy_and_zero_where_nothing_is_known():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=100), rng.normal(size=100)
    one, other = Column("a", "numeric", a), Column("b", "numeric", a + b)
    assert relation(one, other) == pytest.approx(abs(np.corrcoef(a, a + b)[0, 1]))
    gaps = Column("g", "numeric", np.where(np.arange(100) < 95, np.nan, a))
    assert relation(one, gaps) == 0
    labels = Column("k", "nominal", (a > 0).astype(np.int32), ("low", "high"))
    assert groups_alike([one, labels, other, Column("copy", "nominal", labels.values, ("l", "h"))])[0][:2] == (0, 1)


def test_the_last_doubling_of_the_rows_is_tested_as_scipy_would_with_the_wider_variance():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = {"x": x, "y": ["yes" if v > 0 else "no" for v in x + rng.normal(size=200)]}
    found = growth(Subject(compared(table, "y", ("MajorityClassifier", "NaiveBayesClassifier"))))
    half = found.curve.sizes.tolist().index(found.half)
    d = found.curve.test_scores[-1] - found.curve.test_scores[half]
    assert d.std() > 0
    t = d.mean() / np.sqrt((1 / len(d) + found.curve.n_test / found.curve.n_train) * d.var(ddof=1))
    assert found.gain == pytest.approx(d.mean())
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), len(d) - 1))


def test_what_would_take_too_long_is_left_out_with_a_reason(vote, monkeypatch):
    monkeypatch.setattr("learnt.report.comparison.insights.subject.LONGEST", LONGEST)
    subject = Subject(vote)
    subject.outcome = SimpleNamespace(name="Quick", fit_seconds=LONGEST / 4, predict_seconds=0.0)
    subject.affordable(2)
    subject.outcome = SimpleNamespace(name="Slow", fit_seconds=LONGEST, predict_seconds=0.0)
    with pytest.raises(TooSlow, match="it would take about 60 s with Slow"):
        subject.affordable(2)


@pytest.mark.parametrize(("x", "y"), list(product(range(1, 3), range(1, 3))))
def test_the_one_pair_of_labels_that_flips_is_found(x, y):
    table = learnt.Table({"a": ["p", "q", "r"] * 5, "b": ["u", "v", "w"] * 5})
    ask = asking(table, 0, lambda a, b: int(a == x and b == y))
    search = smallest_flip(Distance(table), 0, [0, 1], np.arange(1, 15), ask)
    assert dict(search.flip.cells) == {0: x, 1: y}
