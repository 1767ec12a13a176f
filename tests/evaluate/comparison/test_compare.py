"""A comparison: what it finds out about the task, how it runs the learners, what it says."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from tests.evaluate.workers import odd_learners as odd

import learnt
from learnt import datasets
from learnt.errors import InputError, LearntError, ParameterError
from learnt.evaluate import Comparison, compare
from learnt.evaluate.comparison.candidates import candidates
from learnt.evaluate.folds import folds, run_fold
from learnt.evaluate.metrics.scoring import metric
from learnt.evaluate.problem import problem

pytestmark = pytest.mark.usefixtures("forked_workers")

PAIR = ["MajorityClassifier", "NaiveBayesClassifier"]


@pytest.fixture(scope="module")
def iris() -> Comparison:
    """All learners of the task, on the flowers."""
    return compare(datasets.iris(), learners="all", cv=5)


def quick(table, target=None, **settings):
    settings = {"learners": PAIR, "cv": 3} | settings
    return compare(table, target, **settings)


def numbers(n=60, **columns):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return {"x": x, "z": rng.normal(size=n)} | {name: make(x) for name, make in columns.items()}


# Scores


@pytest.mark.costly
def test_scores_are_those_of_the_same_folds_run_by_hand(iris):
    same = problem(datasets.iris())
    cut = list(folds(same, 5, 1, 0))
    for name in ("NaiveBayesClassifier", "C45Classifier"):
        learner = getattr(learnt, name)()
        by_hand = [np.mean(run_fold(learner, same, fold).answer == same.target[fold.test]) for fold in cut]
        np.testing.assert_array_equal(iris.outcome(name).scores["accuracy"], by_hand)


def test_every_learner_of_the_task_is_done_or_skipped_with_a_reason(iris):
    found = {o.name: o for o in iris.outcomes}
    assert {e.name for e in learnt.learners("classification")} <= set(found)
    assert {o.status for o in iris.outcomes} == {"done", "skipped"}
    assert all(o.why for o in iris.outcomes if o.status == "skipped")
    assert "documents" in found["TextClassifier"].why
    assert "counts" in found["MultinomialNB"].why
    assert "5.1" in found["MultinomialNB"].why
    assert "loss" in found["MinimumRiskClassifier"].why


def test_done_ones_come_best_first_and_the_others_after_them(iris):
    means = [o.mean("accuracy") for o in iris.done]
    np.testing.assert_allclose(means, sorted(means, reverse=True), rtol=1e-12)  # draws up to rounding
    assert iris.outcomes[: len(means)] == iris.done
    assert iris.top is iris.outcomes[0]


def test_a_draw_goes_to_the_better_probabilities(iris):
    drawn = [o for o in iris.done if o.mean("accuracy") == pytest.approx(iris.top.mean("accuracy"), rel=1e-12)]
    losses = [o.mean("log_loss") for o in drawn]
    assert losses == sorted(losses)


def test_less_is_better_for_errors():
    found = quick(numbers(y=lambda x: 3 * x + 1), "y", learners=["MeanRegressor", "LinearRegression"])
    assert found.metric.name == "rmse"
    assert found.best.name == "LinearRegression"
    assert found.best.mean("rmse") < 1e-9 < found.outcome("MeanRegressor").mean("rmse")
    assert "LinearRegression is the best of the 2" in found.conclusion


def test_the_interval_is_wilsons_for_the_rows_that_folds_leave_independent(iris):
    from scipy import stats

    row = next(r for r in iris.leaderboard() if r.name == "JointTableClassifier")
    n = 149 / (1 + 150 / 120)  # of 150 rows, one mean taken out, each model trained on 120 of them
    z, p = stats.norm.ppf(0.975), row.mean
    middle, half = (p + z * z / (2 * n)), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert row.low == pytest.approx((middle - half) / (1 + z * z / n))
    assert row.high == pytest.approx((middle + half) / (1 + z * z / n))
    assert all(0 <= r.low < r.mean <= r.high <= 1 for r in iris.leaderboard())


def test_no_interval_is_a_point():
    easy = {"x": np.repeat([0.0, 1.0], 20), "y": np.repeat(["a", "b"], 20)}
    found = quick(easy, "y", learners=[*PAIR, "DecisionTreeClassifier"], cv=5)
    rows = {row.name: row for row in found.leaderboard()}
    assert rows["DecisionTreeClassifier"].mean == 1
    assert 0.6 < rows["DecisionTreeClassifier"].low < 0.95
    assert rows["MajorityClassifier"].high - rows["MajorityClassifier"].low > 0.2


def test_out_of_fold_answers_are_those_of_the_folds_and_cover_every_row(iris):
    answer, probabilities = iris.out_of_fold("NaiveBayesClassifier")
    assert answer.min() >= 0
    assert probabilities.shape == (150, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), answer)
    fold_mean = iris.outcome("NaiveBayesClassifier").mean("accuracy")
    assert np.mean(answer == iris.problem.target) == pytest.approx(fold_mean)  # folds of equal size


def test_a_fitted_learner_is_that_of_all_rows_and_is_kept(iris):
    model = iris.fitted("C45Classifier")
    assert model is iris.fitted("C45Classifier")
    assert str(model) == str(learnt.C45Classifier().fit(datasets.iris()))
    assert not hasattr(iris.outcome("C45Classifier").learner, "tree_")


def test_a_metric_may_be_named_or_be_a_function():
    def hits(truth, answer):
        return float(np.sum(truth == answer))

    by_name, by_function = quick(datasets.iris(), metric="log_loss"), quick(datasets.iris(), metric=hits)
    assert by_name.metric.name == "log_loss"
    assert not by_name.metric.higher_is_better
    assert by_name.best.name == by_function.best.name == "NaiveBayesClassifier"
    assert by_function.best.mean("hits") == pytest.approx(50 * by_function.best.mean("accuracy"))


@pytest.mark.costly
def test_one_number_of_processes_gives_the_scores_of_another():
    some = [*PAIR, "C45Classifier", "DiscriminantClassifier"]
    one, two = (compare(datasets.labor(), learners=some, cv=3, n_jobs=n) for n in (1, 2))
    assert [o.name for o in one.outcomes] == [o.name for o in two.outcomes]
    for a, b in zip(one.outcomes, two.outcomes, strict=True):
        assert (a.status, a.why) == (b.status, b.why)
        for name in a.scores:
            np.testing.assert_array_equal(a.scores[name], b.scores[name])
    assert one.conclusion == two.conclusion


def test_another_seed_gives_other_folds_and_repeats_give_more():
    first, other, twice = (
        quick(datasets.iris()),
        quick(datasets.iris(), random_state=1),
        quick(datasets.iris(), repeats=2),
    )
    assert not np.array_equal(first.best.scores["accuracy"], other.best.scores["accuracy"])
    assert len(twice.best.scores["accuracy"]) == 6
    assert len({(r.repeat, r.number) for r in twice.best.results}) == 6


def test_a_splitter_of_scikit_learn_may_cut_the_folds():
    from sklearn.model_selection import ShuffleSplit

    found = quick(datasets.iris(), cv=ShuffleSplit(4, test_size=0.2, random_state=3))
    assert found.n_folds == 4
    assert all(len(r.test) == 30 for r in found.best.results)


# The target


@pytest.mark.parametrize(
    ("make", "task", "words"),
    [
        (lambda x: (x > 0).astype(float), "binary", "either 0 or 1"),
        (lambda x: np.where(x > 0, 2.5, 1.5), "binary", "either 1.5 or 2.5"),
        (lambda x: x > 0, "binary", "either False or True"),
        (lambda x: np.where(x > 0, "hot", "cold"), "binary", "either 'cold' or 'hot'"),
        (lambda x: np.array(list("abc"))[np.arange(len(x)) % 3], "multiclass", "3 classes"),
        (lambda x: np.round(x).clip(-1, 1), "regression", "If they stand for 3 classes, say so: task='multiclass'."),
    ],
)
def test_the_task_is_found_from_the_target_and_said_aloud(make, task, words):
    learners = ["MeanRegressor"] if task == "regression" else ["MajorityClassifier"]
    found = quick(numbers(y=make), "y", learners=learners)
    assert found.problem.task == task
    assert [o.status for o in found.outcomes] == ["done"]
    assert any(words in notice for notice in found.notices)
    assert words in " ".join(str(found).split())


@pytest.mark.parametrize(("task", "learner"), [("regression", "MeanRegressor"), ("multiclass", "MajorityClassifier")])
def test_a_task_that_is_given_overrides(task, learner):
    found = quick(numbers(y=lambda x: np.round(x).clip(0, 1) + (x > 1)), "y", learners=[learner], task=task)
    assert found.problem.task == task
    assert any("as asked" in notice for notice in found.notices)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (np.full(60, 7.0), "always 7"),
        (["same"] * 60, "always 'same'"),
        (np.full(60, np.nan), "all 60 are missing"),
        (np.arange(60) + 1000.0, "identifier.*task='regression'"),
        ([f"row {i}" for i in range(60)], "60 different labels in 60 rows.*identifier"),
        (np.where(np.arange(60) == 4, np.inf, 1.0), "infinite in row 4"),
    ],
)
def test_a_target_that_cannot_be_predicted_is_refused_with_help(column, words):
    with pytest.raises(InputError, match=words):
        quick(numbers(y=lambda x: column), "y")


def test_an_identifier_is_taken_when_it_is_meant():
    found = quick(numbers(y=lambda x: np.arange(60.0)), "y", learners=["MeanRegressor"], task="regression")
    assert found.best.name == "MeanRegressor"


def test_rows_without_a_target_are_left_out_aloud():
    labels = [None if i in (3, 8) else ("p" if i % 2 else "q") for i in range(60)]
    found = quick(numbers(y=lambda x: labels), "y")
    assert found.problem.n_rows == 58
    assert "2 of 60 rows have no 'y' and were left out (the first is row 3)." in found.notices


def test_rare_classes_are_said_aloud():
    labels = np.array(["common"] * 58 + ["rare"] * 2)
    found = quick(numbers(y=lambda x: labels), "y")
    assert any("'rare': fewer rows than the 3 folds" in notice for notice in found.notices)
    assert any("'common' is the class of 96.7 % of the rows" in notice for notice in found.notices)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"target": "clas"}, "Did you mean 'class'"),
        ({"task": "cooking"}, "'cooking'"),
        ({"task": "regression"}, "Regression predicts numbers"),
        ({"task": "binary"}, "3 values"),
        ({"metric": "rmse"}, "for multiclass tasks"),
        ({"metric": "acuracy"}, "'accuracy'"),
        ({"learners": ["NaiveBaysClassifier"]}, "Did you mean 'NaiveBayesClassifier'"),
        ({"learners": []}, "empty"),
        ({"learners": [3]}, "no fit and predict"),
        ({"cv": 1}, "at least 2 folds"),
        ({"cv": 151}, "only 150 rows"),
        ({"repeats": 0}, "repeats=0"),
        ({"time_budget": -1}, "time_budget=-1"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": None}, "random_state=None"),
        ({"loss": {("Iris-setosa", "rose"): 3}}, "loss"),
        ({"target": [1, 2]}, "2 values, the table 150 rows"),
    ],
)
def test_what_is_asked_wrongly_is_an_error_that_helps(settings, words):
    with pytest.raises(LearntError, match=words):
        quick(datasets.iris(), **settings)


def test_a_table_without_target_or_columns_is_an_error_that_helps():
    with pytest.raises(InputError, match="Name one, such as target='z'"):
        compare({"x": [1.0, 2.0], "z": [1.0, 2.0]})
    with pytest.raises(InputError, match="no column but the target"):
        compare({"y": list("abab")}, "y", cv=2)
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [0.0, 1.0]})
    with pytest.raises(InputError, match="may give the answer away"):
        compare(frame, frame["y"])
    with pytest.raises(InputError, match="no rows"):
        compare({"x": [], "y": []}, "y")


def test_the_target_may_be_an_array_and_the_table_a_file(tmp_path):
    path = tmp_path / "flowers.csv"
    table = datasets.iris()
    rows = zip(*(table[name].labels() for name in table.names), strict=True)
    path.write_text("\n".join([",".join(table.names), *(",".join(map(str, row)) for row in rows)]))
    from_file = quick(path, "class")
    from_array = quick(table.drop("class"), np.array(table["class"].labels()))
    assert from_file.source == str(path)
    np.testing.assert_array_equal(from_file.best.scores["accuracy"], from_array.best.scores["accuracy"])


# Which learners


@pytest.mark.costly
def test_learners_of_scikit_learn_take_part():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    given = {
        "tree": DecisionTreeClassifier(max_depth=3),
        "svm": make_pipeline(StandardScaler(), SVC()),
        "ours": PAIR[1],
    }
    found = quick(datasets.iris(), learners=given)
    assert {o.name: o.status for o in found.outcomes} == dict.fromkeys(given, "done")
    assert all(o.mean("accuracy") > 0.9 for o in found.outcomes)
    without = quick(datasets.iris(), learners=given, metric="auc")
    assert without.outcome("svm").why == "it gives no probabilities, which 'auc' needs"


def test_learners_of_one_class_are_told_apart_by_their_settings():
    tree = learnt.DecisionTreeClassifier
    found = quick(datasets.iris(), learners=[tree(max_depth=1), tree(max_depth=2), tree(max_depth=2), PAIR[0]])
    assert {o.name for o in found.outcomes} == {
        "DecisionTreeClassifier(max_depth=1)",
        "DecisionTreeClassifier(max_depth=2) #1",
        "DecisionTreeClassifier(max_depth=2) #2",
        "MajorityClassifier",
    }


def test_a_learner_of_another_task_is_skipped_with_the_reason():
    found = quick(datasets.iris(), learners=["LinearRegression", *PAIR])
    assert found.outcome("LinearRegression").why == "it is for regression, and this is classification"


def test_a_learner_that_the_user_defines_takes_part_and_is_told_what_it_lacks(monkeypatch):
    from learnt.learner import registry

    monkeypatch.setattr(registry, "_entries", dict(registry._entries))

    class PlainNumbers(odd._Slow):
        abilities = frozenset({"probabilities"})

    class NeedsSettings(odd._Slow):
        def __init__(self, depth):
            self.depth = depth

    labor = problem(datasets.labor())
    reasons = {c.name: c.skip for c in candidates(labor, None, metric=metric("accuracy"))}
    assert "it takes no missing cells" in reasons["PlainNumbers"]
    assert "no default for 'depth'" in reasons["NeedsSettings"]
    found = quick(datasets.iris(), learners=[PlainNumbers, *PAIR])
    assert found.outcome("PlainNumbers").status == "done"


def test_documents_are_read_by_learners_that_count_words_and_refused_by_the_others():
    texts = [f"free money now offer {i} today" if i % 2 else f"lunch at noon with team {i} ok" for i in range(40)]
    labels = ["spam" if i % 2 else "ham" for i in range(40)]
    who = ["TextClassifier", "C45Classifier", "KNeighborsClassifier", "MajorityClassifier"]
    found = compare({"message": texts, "kind": labels}, "kind", learners=who, cv=4)
    assert {o.name for o in found.done} == {"TextClassifier", "C45Classifier", "MajorityClassifier"}
    assert found.outcome("TextClassifier").mean("accuracy") == found.outcome("C45Classifier").mean("accuracy") == 1
    assert "makes nothing of words" in found.outcome("KNeighborsClassifier").why


def test_a_sparse_matrix_stays_sparse():
    from scipy import sparse

    counts = sparse.random(60, 500, density=0.05, format="csr", random_state=0, data_rvs=lambda n: np.ones(n))
    found = quick(counts, np.arange(60) % 2, learners=["MultinomialNB", "MajorityClassifier"])
    assert found.problem.table.sparse is not None
    assert {o.status for o in found.outcomes} == {"done"}
    fractions = quick(counts * 0.5, np.arange(60) % 2, learners=["MultinomialNB", "MajorityClassifier"])
    assert "holds 0.5" in fractions.outcome("MultinomialNB").why


def test_counts_are_taken_by_those_who_need_them():
    rng = np.random.default_rng(1)
    kind = np.arange(80) % 2
    words = {f"w{j}": rng.poisson(1 + 3 * (kind == j % 2)).astype(float) for j in range(4)}
    found = compare(words | {"kind": np.array(["a", "b"])[kind]}, "kind", cv=3, learners=["MultinomialNB", PAIR[0]])
    assert found.best.name == "MultinomialNB"


# Losses


COSTS = {("Iris-setosa", "Iris-versicolor"): 1, ("Iris-setosa", "Iris-virginica"): 1}
COSTS |= {("Iris-versicolor", "Iris-setosa"): 1, ("Iris-versicolor", "Iris-virginica"): 1}
COSTS |= {("Iris-virginica", "Iris-setosa"): 20, ("Iris-virginica", "Iris-versicolor"): 20}


def test_a_loss_is_the_metric_and_chooses_the_answers_as_with_loss_would():
    table = datasets.iris()
    found = quick(table, loss=COSTS)
    assert found.metric.name == "expected_cost"
    assert not found.metric.higher_is_better
    wrapped = quick(table, learners=[learnt.NaiveBayesClassifier().with_loss(COSTS)], metric="accuracy")
    by_loss, plain = (found.out_of_fold(PAIR[1])[0], quick(table).out_of_fold(PAIR[1])[0])
    np.testing.assert_array_equal(by_loss, wrapped.out_of_fold("MinimumRiskClassifier")[0])
    assert (by_loss != plain).any()
    truth = found.problem.target
    costs = np.array([[COSTS.get((c, a), 0) for a in found.problem.classes] for c in found.problem.classes])
    by_fold = [costs[truth[r.test], r.answer].mean() for r in found.outcome(PAIR[1]).results]
    np.testing.assert_allclose(found.outcome(PAIR[1]).scores["expected_cost"], by_fold)


def test_a_loss_of_numbers_or_with_other_answers_is_refused():
    with pytest.raises(ParameterError, match="target is a number"):
        quick(numbers(y=lambda x: x), "y", learners=["MeanRegressor"], loss=[[0, 1], [1, 0]])
    rows = {
        c: dict.fromkeys([*{"Iris-setosa", "Iris-versicolor", "Iris-virginica"}, "ask"], 1)
        for c in ("Iris-setosa", "Iris-versicolor", "Iris-virginica")
    }
    with pytest.raises(ParameterError, match="'ask', which is not a class"):
        quick(datasets.iris(), loss=rows)


# Showing


def test_the_text_holds_the_leaderboard_the_conclusion_and_who_is_missing(iris):
    text = str(iris)
    for outcome in iris.outcomes:
        assert outcome.name in text
    assert " ".join(iris.conclusion.split()) in " ".join(text.split())
    assert "95 % interval" in text
    assert max(map(len, text.splitlines())) <= 100
    assert max(map(len, iris.to_text(60).splitlines())) <= 60


def test_the_conclusion_prefers_no_learner_without_evidence():
    noise = numbers(y=lambda x: np.random.default_rng(5).permutation(np.arange(60) % 2).astype(float))
    found = quick(noise, "y", learners=[*PAIR, "DecisionStumpClassifier"], cv=5)
    assert "may be the best" in found.conclusion
    assert "it is not shown that anything was learnt" in found.conclusion
    assert found.readable is None
    assert not found.verdict.learnt


def test_one_learner_alone_is_no_comparison():
    found = quick(datasets.iris(), learners="NaiveBayesClassifier")
    assert found.ties is None
    assert "only one learner finished" in found.conclusion


def test_dict_frame_and_json_agree(iris):
    record = json.loads(json.dumps(iris.to_dict(), allow_nan=False))
    frame = iris.to_frame()
    assert record["best"] == iris.best.name
    assert list(frame["name"]) == [o.name for o in iris.outcomes] == [row["name"] for row in record["learners"]]
    assert frame["mean"][0] == record["learners"][0]["accuracy"] == iris.best.mean("accuracy")
    assert record["folds"][iris.best.name]["accuracy"] == iris.best.scores["accuracy"].tolist()


def test_the_picture_has_a_point_and_a_name_for_each_finished_learner(iris):
    import matplotlib.pyplot as plt

    ax = iris.plot()
    assert len(ax.get_yticklabels()) == len(iris.done)
    assert iris.best.name in ax.get_yticklabels()[0].get_text()
    plt.close(ax.figure)


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202egnp.exe\r\n" + "x" * 10_000


def test_hostile_names_and_labels_are_harmless():
    table = {HOSTILE: np.arange(60.0) % 7, "y": np.where(np.arange(60) % 2, HOSTILE + "1", HOSTILE + "2")}
    given = {HOSTILE: learnt.NaiveBayesClassifier(), "other": odd._Failing()}
    found = quick(table, "y", learners=given | {"counts": learnt.MultinomialNB()})
    for text in (str(found), found._repr_html_(), found.to_text(60)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "<script>" not in found._repr_html_()
    assert max(map(len, str(found).splitlines())) <= 100
    assert len(str(found)) < 5000
    json.dumps(found.to_dict(), allow_nan=False)


def test_what_is_not_there_is_an_error_with_the_nearest_name(iris):
    with pytest.raises(InputError, match="Did you mean 'C45Classifier'"):
        iris.outcome("C4Classifier")
