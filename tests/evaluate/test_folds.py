"""Problems, their folds, what a fold gives, and the copy of a problem that other processes map."""

import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection as theirs
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from tests.evaluate.workers.misbehaving import Guessing, NearestMean

import learnt
from learnt.errors import InputError, ParameterError
from learnt.evaluate.folds import folds, n_folds, run_fold
from learnt.evaluate.problem import problem
from learnt.evaluate.workers.shared import SharedProblem, open_problem


def mixed(n=60, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return learnt.Table(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, x),
            "town": rng.choice(["Bern", "Basel", "Chur"], n).tolist(),
            "flag": [bool(b) for b in rng.random(n) < 0.5],
            "who": rng.integers(0, 12, n).tolist(),
            "weight": rng.random(n) + 0.5,
            "y": ["high" if v > 0.3 else "mid" if v > -0.5 else "low" for v in x],
        },
        ordinal={"y": ["low", "mid", "high"]},
        target="y",
    )


# Problems


def test_a_problem_keeps_target_weights_and_groups_out_of_the_features():
    found = problem(mixed(), sample_weight="weight", groups="who")
    assert found.table.names == ("x", "town", "flag")
    assert found.classes.tolist() == ["low", "mid", "high"]  # in the declared order
    assert (found.task, found.target_name, found.n_rows, found.n_classes) == ("multiclass", "y", 60, 3)
    table, y, weights = found.rows([3, 1])
    assert table.n_rows == 2
    assert y.tolist() == [mixed()["y"].labels()[i] for i in (3, 1)]
    np.testing.assert_array_equal(weights, mixed()["weight"].values[[3, 1]])


@pytest.mark.parametrize(
    ("y", "task"),
    [
        ([1.5, 2.5, 3.0, 0.1], "regression"),
        ([1, 2, 3, 4], "regression"),
        ([0, 1, 1, 0], "binary"),
        ([True, False, True, True], "binary"),
        (["a", "b", "c", "a"], "multiclass"),
        (["a", "b", "b", "a"], "binary"),
        ([0.5, 1.5, 0.5, 1.5], "regression"),
    ],
)
def test_the_task_is_found_from_the_target(y, task):
    X = np.zeros((4, 1))
    assert problem(X, y).task == task
    assert problem(X, np.array(y)).task == task
    assert problem(pd.DataFrame(X), pd.Series(y)).task == task


def test_a_task_can_be_asked_for():
    X, y = np.zeros((6, 1)), [1, 2, 3, 1, 2, 3]
    assert problem(X, y).task == "regression"
    assert problem(X, y, task="classification").task == "multiclass"
    assert problem(X, [0, 1] * 3, task="regression").classes is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: problem({"a": [1, 2]}), "requires y"),
        (lambda: problem({"a": [1, 2]}, "b"), "no column 'b'"),
        (lambda: problem({"a": [1, 2], "y": ["p", None]}, "y"), "1 missing target"),
        (lambda: problem({"a": [1, 2]}, [1.0, np.nan]), "1 missing target"),
        (lambda: problem({"a": [1, 2]}, [1, 2, 3]), "y has 3"),
        (lambda: problem({"a": [1, 2]}, ["p", "q"], groups=[1]), "1 groups for 2 rows"),
        (lambda: problem({"a": [1, 2]}, ["p", "q"], groups=["g", None]), "first row 1"),
        (lambda: problem({"a": [1, 2]}, ["p", "q"], groups="g"), "no column 'g'"),
        (lambda: problem({"a": [1, 2, 3]}, ["p", "q", "r"], task="binary"), "3 classes"),
        (lambda: problem({"a": [1, 2]}, ["p", "q"], task="ranking"), "no task 'ranking'"),
        (lambda: problem({"y": ["p", "q"]}, "y"), "no columns to learn from"),
        (lambda: problem({"a": [1, 2]}, np.ones((2, 2))), "1d array"),
    ],
)
def test_what_is_no_problem_is_said(call, message):
    with pytest.raises((InputError, ParameterError), match=message):
        call()


# Folds


def test_folds_are_stratified_shuffled_and_the_same_again():
    found = problem(learnt.datasets.load("iris"))
    cut = list(folds(found, 10, 2, random_state=4))
    assert [(f.repeat, f.number) for f in cut] == [(r, k) for r in range(2) for k in range(10)]
    for fold in cut:
        assert np.bincount(found.target[fold.test]).tolist() == [5, 5, 5]
        assert sorted([*fold.train, *fold.test]) == list(range(150))
    again = list(folds(found, 10, 2, random_state=4))
    assert all(np.array_equal(a.test, b.test) and a.seed == b.seed for a, b in zip(cut, again, strict=True))
    assert not np.array_equal(cut[0].test, cut[10].test)
    assert len({f.seed for f in cut}) == 20


def test_folds_keep_groups_together_and_spread_numbers():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 25, 200)
    found = problem(rng.normal(size=(200, 2)), rng.exponential(size=200), groups=groups)
    for fold in folds(found, 5):
        assert not set(groups[fold.train]) & set(groups[fold.test])
    alone = problem(rng.normal(size=(200, 2)), found.target)
    means = [found.target[fold.test].mean() for fold in folds(alone, 5)]
    assert np.std(means) < 0.1


def test_folds_of_a_splitter_count_a_repeat_when_a_row_is_tested_again():
    found = problem(learnt.datasets.load("iris"))
    ours = [(f.repeat, f.number) for f in folds(found, theirs.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0))]
    assert ours == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert n_folds(found, theirs.LeaveOneOut()) == 150


@pytest.mark.parametrize(
    ("cv", "repeats", "message"),
    [
        (1, 1, "at least 2"),
        (200, 1, "only 150 rows"),
        (5, 0, "repeats=0"),
        ("ten", 1, "cv='ten'"),
        (theirs.KFold(3), 2, "repeats=2 needs cv to be a number"),
    ],
)
def test_folds_that_cannot_be_made_are_said(cv, repeats, message):
    with pytest.raises((InputError, ParameterError), match=message):
        list(folds(problem(learnt.datasets.load("iris")), cv, repeats))


class RowsBeyond:
    def split(self, X, y=None, groups=None):
        yield np.arange(5), np.array([150])

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1


def test_a_splitter_that_names_rows_that_are_not_there_is_an_error():
    with pytest.raises(InputError, match="row 150"):
        list(folds(problem(learnt.datasets.load("iris")), RowsBeyond()))


# One fold


@pytest.mark.parametrize("name", ["labor", "glass", "iris"])
def test_a_fold_gives_what_fitting_the_rows_by_hand_gives(name):
    table = learnt.datasets.load(name)
    found = problem(table)
    for fold in list(folds(found, 4))[:2]:
        result = run_fold(learnt.C45Classifier(), found, fold)
        model = learnt.C45Classifier().fit(table.take(fold.train))
        rows = table.take(fold.test)
        assert found.classes[result.answer].tolist() == model.predict(rows).tolist()
        for code, label in enumerate(found.classes.tolist()):
            own = model.classes_.tolist()
            expected = model.predict_proba(rows)[:, own.index(label)] if label in own else 0
            np.testing.assert_array_equal(result.probabilities[:, code], expected)
        assert result.n_train == len(fold.train)
        assert result.fit_seconds > 0
        assert result.model_bytes > 100


def test_a_class_that_the_training_rows_lack_has_probability_zero():
    found = problem(np.arange(6.0)[:, None], ["a", "a", "b", "b", "b", "c"])
    fold = next(f for f in folds(found, 3) if 5 in f.test)
    result = run_fold(learnt.MajorityClassifier(), found, fold)
    assert result.probabilities.shape == (len(fold.test), 3)
    assert (result.probabilities[:, 2] == 0).all()
    np.testing.assert_allclose(result.probabilities.sum(axis=1), 1)


def test_learners_that_are_not_ours_get_arrays_or_frames():
    iris = learnt.datasets.load("iris")
    found = problem(iris)
    fold = next(folds(found, 5))
    result = run_fold(LogisticRegression(max_iter=1000), found, fold)
    X, y = np.column_stack([iris[c].values for c in iris.names[:4]]), np.array(iris["class"].labels())
    model = LogisticRegression(max_iter=1000).fit(X[fold.train], y[fold.train])
    np.testing.assert_array_equal(found.classes[result.answer], model.predict(X[fold.test]))
    np.testing.assert_allclose(result.probabilities, model.predict_proba(X[fold.test]), atol=1e-12)
    plain = run_fold(NearestMean(), found, fold)
    assert plain.probabilities is None
    assert (plain.answer == found.target[fold.test]).mean() > 0.8


def test_a_pipeline_finds_the_columns_by_name():
    found = problem(mixed().drop("who", "weight"))
    pipeline = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["town", "flag"])), LogisticRegression()
    )
    result = run_fold(pipeline, found, next(folds(found, 5)))
    assert result.probabilities.shape[1] == 3


def test_weights_reach_learners_that_are_not_ours():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(50, 2)), rng.normal(size=50), rng.random(50)
    found = problem(X, y, sample_weight=w)
    fold = next(folds(found, 5))
    by_hand = Ridge().fit(X[fold.train], y[fold.train], sample_weight=w[fold.train]).predict(X[fold.test])
    np.testing.assert_allclose(run_fold(Ridge(), found, fold).answer, by_hand, rtol=1e-12)


def test_an_open_random_state_is_set_by_the_fold():
    found = problem(learnt.datasets.load("iris"))
    cut = list(folds(found, 3))
    for learner in (
        Guessing(),
        DecisionTreeClassifier(max_features=1),
        learnt.DecisionTreeClassifier(max_features=1, random_state=None),
    ):
        first, second = run_fold(learner, found, cut[0]), run_fold(learner, found, cut[0])
        np.testing.assert_array_equal(first.answer, second.answer)
        assert learner.random_state is None
    other = next(folds(found, 3, random_state=1))
    moved = [cut[0].seed, other.seed, cut[1].seed]
    assert len(set(moved)) == 3


# Shared


def tables():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(30, 6))
    yield "rows", dense
    yield "columns", np.asfortranarray(dense)
    yield "strided", dense[:, ::2]
    yield "float32", dense.astype(np.float32)
    yield "sparse", sparse.csr_array(np.where(dense > 0.5, dense, 0))
    yield "frame", pd.DataFrame(dense, columns=list("abcdef"))
    yield "mixed", mixed(30).drop("y", "who", "weight")


@pytest.mark.parametrize(("name", "X"), list(tables()), ids=[name for name, _ in tables()])
def test_a_mapped_problem_gives_the_same_bits_as_the_one_in_memory(name, X):
    y = (["p", "q", "q"] * 10)[:30]
    found = problem(X, y, sample_weight=np.linspace(1, 2, 30), groups=np.arange(30) // 2)
    with SharedProblem(found) as shared:
        mapped = open_problem(shared.folder)
        assert mapped.table.schema == found.table.schema
        assert mapped.task == found.task
        for a, b in ((found.target, mapped.target), (found.weights, mapped.weights), (found.groups, mapped.groups)):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
        with pytest.raises(ValueError, match="read-only"):
            mapped.target[0] = 1
        for fold, same in zip(folds(found, 3), folds(mapped, 3), strict=True):
            for learner in (learnt.NaiveBayesClassifier(), learnt.DecisionTreeClassifier()):
                if name == "sparse" and isinstance(learner, learnt.DecisionTreeClassifier):
                    continue
                one, other = run_fold(learner, found, fold), run_fold(learner, mapped, same)
                np.testing.assert_array_equal(one.probabilities, other.probabilities)
        folder = shared.folder
    assert not folder.exists()


def test_a_forgotten_shared_problem_leaves_no_folder():
    shared = SharedProblem(problem(learnt.datasets.load("iris")))
    folder = shared.folder
    assert folder.exists()
    del shared
    assert not folder.exists()
