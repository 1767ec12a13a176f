"""cross_validate: the numbers of scikit-learn and of hand computation, wherever computed, however often stopped."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection as theirs
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from tests.evaluate.workers import misbehaving
from tests.evaluate.workers.misbehaving import Guessing, NearestMean

import learnt
from learnt.errors import FileError, InputError, LearntError, ParameterError
from learnt.evaluate import cross_validate, journal
from learnt.evaluate.problem import problem
from learnt.evaluate.workers import pool, running
from learnt.evaluate.workers.processes import WorkerError

IRIS = learnt.datasets.load("iris")
X = np.column_stack([IRIS[name].values for name in IRIS.names[:4]])
Y = np.array(IRIS["class"].labels())


def equal(a, b):
    for name in a.scores:
        np.testing.assert_array_equal(a.scores[name], b.scores[name])


# Against scikit-learn


@pytest.mark.parametrize(
    ("ours", "scoring"),
    [
        ("accuracy", "accuracy"),
        ("balanced_accuracy", "balanced_accuracy"),
        ("log_loss", "neg_log_loss"),
        ("f1", "f1_macro"),
    ],
)
def test_fold_scores_of_classes_are_those_of_scikit_learn(ours, scoring):
    splitter = theirs.StratifiedKFold(6, shuffle=True, random_state=1)
    expected = theirs.cross_val_score(LogisticRegression(max_iter=1000), X, Y, cv=splitter, scoring=scoring)
    found = cross_validate(LogisticRegression(max_iter=1000), X, Y, cv=splitter, metrics=ours)
    sign = -1 if scoring.startswith("neg_") else 1
    np.testing.assert_allclose(found.scores[ours], sign * expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("ours", "scoring"), [("rmse", "neg_root_mean_squared_error"), ("mae", "neg_mean_absolute_error"), ("r2", "r2")]
)
def test_fold_scores_of_numbers_are_those_of_scikit_learn(ours, scoring):
    splitter = learnt.KFold(5, shuffle=True, random_state=2)
    y = X[:, 3] + np.random.default_rng(0).normal(size=150)
    expected = theirs.cross_val_score(Ridge(), X[:, :3], y, cv=splitter, scoring=scoring)
    found = cross_validate(Ridge(), X[:, :3], y, cv=splitter, metrics=[ours])
    np.testing.assert_allclose(found.scores[ours], expected if ours == "r2" else -expected, rtol=1e-9)


def test_our_learners_score_the_same_in_scikit_learns_cross_validation():
    splitter = theirs.KFold(5, shuffle=True, random_state=0)
    expected = theirs.cross_val_score(learnt.NaiveBayesClassifier(), X, Y, cv=splitter)
    np.testing.assert_array_equal(
        cross_validate(learnt.NaiveBayesClassifier(), X, Y, cv=splitter).scores["accuracy"], expected
    )


# What it says


def test_mean_standard_error_and_interval_are_as_defined():
    found = cross_validate(learnt.C45Classifier(), IRIS, cv=5, repeats=2)
    s = found.scores["accuracy"]
    k = len(s)
    assert k == 10
    assert found.mean() == pytest.approx(s.mean())
    assert found.standard_error() == pytest.approx(np.sqrt(((s - s.mean()) ** 2).sum() / (k * (k - 1))))
    half = stats.t.ppf(0.975, k - 1) * np.sqrt((1 / k + 30 / 120) * s.var(ddof=1))
    low, high = found.interval("accuracy")
    assert low == pytest.approx(s.mean() - half)
    assert high == pytest.approx(min(1, s.mean() + half))


def test_predictions_are_made_by_models_that_did_not_see_the_row():
    found = cross_validate(learnt.NaiveBayesClassifier(), IRIS, cv=5, repeats=2)
    answers = found.predictions()
    assert answers.shape == (150,)
    first = found.results[:5]
    assert np.mean(answers == Y) == pytest.approx(
        np.average(found.scores["accuracy"][:5], weights=[len(r.test) for r in first])
    )
    assert found.probabilities().shape == (150, 3)
    np.testing.assert_array_equal(found.problem.classes[found.probabilities().argmax(axis=1)], answers)
    ahead = cross_validate(learnt.NaiveBayesClassifier(), IRIS, cv=learnt.evaluate.ShuffleSplit(1, random_state=0))
    assert sum(a is not None for a in ahead.predictions()) == 15
    assert np.isnan(ahead.probabilities()).all(axis=1).sum() == 135


def test_training_rows_are_scored_when_asked_for():
    found = cross_validate(learnt.DecisionTreeClassifier(), IRIS, cv=3, train_scores=True)
    assert found.training_scores["accuracy"].tolist() == [1, 1, 1]
    assert found.scores["accuracy"].mean() < 1
    assert "training_accuracy" in found.to_frame().columns


def test_it_prints_the_scores_and_warns_of_rare_classes():
    text = str(cross_validate(learnt.C45Classifier(), learnt.datasets.load("contact_lenses")))
    assert "accuracy" in text
    assert "95 % interval" in text
    assert "class 'hard' has 4 rows, fewer than 10 folds" in text
    frame = cross_validate(learnt.MajorityClassifier(), IRIS, cv=3).to_frame()
    assert frame["n_test"].sum() == 150
    assert frame["accuracy"].tolist() == pytest.approx([16 / 50] * 3, abs=0.03)


def test_a_picture_shows_every_fold(tmp_path):
    import matplotlib as mpl

    mpl.use("Agg")
    axes = cross_validate(learnt.C45Classifier(), IRIS, cv=5, repeats=2, train_scores=True).plot()
    assert len(axes.lines[0].get_ydata()) == 10


def test_leaving_one_out_leaves_undefined_scores_out_of_the_mean():
    small = IRIS.take(np.arange(0, 150, 10))
    found = cross_validate(learnt.NaiveBayesClassifier(), small, cv=learnt.LeaveOneOut(), metrics=["accuracy", "auc"])
    assert len(found.results) == 15
    assert np.isnan(found.mean("auc"))
    assert "undefined" in str(found)
    assert found.mean() == pytest.approx(np.mean(found.predictions() == np.array(small["class"].labels())))


def test_weights_count_in_fitting_and_scoring():
    weights = np.where(Y == "Iris-setosa", 10.0, 1.0)
    found = cross_validate(learnt.MajorityClassifier(), X, Y, cv=5, sample_weight=weights)
    assert (found.predictions() == "Iris-setosa").all()
    assert found.mean() == pytest.approx(10 / 12)


def test_metrics_may_be_functions():
    def hits(truth, answer):
        return accuracy_score(truth, answer)

    found = cross_validate(NearestMean(), X, Y, cv=5, metrics=[hits, "accuracy"])
    np.testing.assert_allclose(found.scores["hits"], found.scores["accuracy"])


def test_learners_without_probabilities_are_judged_by_their_answers():
    found = cross_validate(NearestMean(), X, Y, cv=5)
    assert list(found.scores) == ["accuracy", "balanced_accuracy"]
    with pytest.raises(InputError, match="no probabilities"):
        found.probabilities()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_validate(learnt.C45Classifier, IRIS), "is a class"),
        (lambda: cross_validate("tree", IRIS), "no method 'fit'"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS, metrics="acuracy"), "Did you mean 'accuracy'"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS, metrics="rmse"), "not for multiclass tasks"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS, metrics=[]), "empty"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS, n_jobs=0), "n_jobs=0"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS, n_jobs=1.5), "n_jobs=1.5"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS, random_state=-1), "random_state=-1"),
        (lambda: cross_validate(learnt.LinearRegression(), IRIS), "a regressor needs numbers"),
        (lambda: cross_validate(learnt.C45Classifier(), learnt.Table({"a": [1, 2]}), [1, 2]), "only 2 rows"),
        (lambda: cross_validate(learnt.C45Classifier(), IRIS).mean("auc2"), "'auc2' was not measured"),
    ],
)
def test_wrong_calls_are_said(call, message):
    with pytest.raises(LearntError, match=message):
        call()


# Here or in workers


def test_the_numbers_do_not_depend_on_processes_or_threads():
    here = cross_validate(learnt.C45Classifier(), IRIS, cv=4, n_jobs=1, train_scores=True)
    equal(here, cross_validate(learnt.C45Classifier(), IRIS, cv=4, n_jobs=2, train_scores=True))
    with learnt.threads(1):
        equal(here, cross_validate(learnt.C45Classifier(), IRIS, cv=4, train_scores=True))


@pytest.mark.costly
def test_open_random_states_give_the_same_numbers_in_workers():
    for learner in (Guessing(), LogisticRegression(max_iter=1000)):
        equal(cross_validate(learner, X, Y, cv=4, n_jobs=1), cross_validate(learner, X, Y, cv=4, n_jobs=2))


@pytest.mark.costly
def test_slow_learners_go_to_workers_by_themselves(monkeypatch):
    started = []
    original = pool.Worker
    monkeypatch.setattr(pool, "Worker", lambda *args: started.append(1) or original(*args))
    cross_validate(misbehaving._Tiring(), IRIS, cv=5)
    assert started == []  # so little is not worth a process
    monkeypatch.setattr(running, "WORTH_IT", 0.0)
    with learnt.threads(2):
        found = cross_validate(misbehaving._Tiring(), IRIS, cv=5)
    assert started == [1, 1]
    equal(found, cross_validate(learnt.MajorityClassifier(), IRIS, cv=5))


def test_whoever_watches_sees_every_fold():
    for jobs in (1, 2):
        with learnt.watch() as log:
            cross_validate(learnt.MajorityClassifier(), IRIS, cv=4, n_jobs=jobs)
        steps = [s for s in log if s.what == "cross-validation"]
        assert [(s.iteration, s.total) for s in steps] == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_learner_is_raised_as_it_is(jobs):
    with pytest.raises(ZeroDivisionError, match="no luck today"):
        cross_validate(misbehaving._Failing(), IRIS, cv=3, n_jobs=jobs)


def test_a_worker_that_dies_is_an_error_that_says_how():
    with pytest.raises(WorkerError, match=r"_Dying died: exit code 7.*these are my last words"):
        cross_validate(misbehaving._Dying(), IRIS, cv=3, n_jobs=2)


def test_warnings_of_workers_are_warnings_here():
    with pytest.warns(UserWarning, match="this went slowly"):
        cross_validate(misbehaving._Warning(), IRIS, cv=3, n_jobs=2)


def test_workers_end_with_whatever_stops_the_call(monkeypatch):
    workers = []
    original = pool.Worker
    monkeypatch.setattr(pool, "Worker", lambda *args: workers.append(original(*args)) or workers[-1])

    def enough(step):
        if step.what == "cross-validation":
            raise OverflowError("seen enough")

    with learnt.watch(enough), pytest.raises(OverflowError) as caught:
        cross_validate(misbehaving._Tiring(), IRIS, cv=50, n_jobs=2)
    assert len(workers) == 2
    assert all(worker.exit_code is not None for worker in workers)
    assert caught.traceback  # somebody keeps it


# Journals


def test_a_journal_gives_the_same_numbers_without_fitting_again(tmp_path):
    path = tmp_path / "folds.jsonl"
    settings = {"cv": 4, "repeats": 2, "train_scores": True}
    first = cross_validate(learnt.C45Classifier(), IRIS, journal=path, **settings)
    size = path.stat().st_size
    again = cross_validate(learnt.C45Classifier(), IRIS, journal=path, **settings)
    equal(first, again)
    np.testing.assert_array_equal(first.training_scores["log_loss"], again.training_scores["log_loss"])
    assert path.stat().st_size == size
    assert again.results[3].fit_seconds == first.results[3].fit_seconds
    for a, b in zip(first.results, again.results, strict=True):
        assert a.answer.dtype == b.answer.dtype
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


@pytest.mark.parametrize("keep", [1, 40, 2000, -1, -50])
def test_a_torn_journal_goes_on_and_ends_like_a_whole_one(tmp_path, keep):
    path = tmp_path / "folds.jsonl"
    whole = cross_validate(learnt.C45Classifier(), IRIS, cv=5, journal=path)
    data = path.read_bytes()
    path.write_bytes(data[:keep])
    equal(whole, cross_validate(learnt.C45Classifier(), IRIS, cv=5, journal=path))
    assert len(path.read_bytes().splitlines()) == 6
    equal(whole, cross_validate(learnt.C45Classifier(), IRIS, cv=5, journal=path))


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"X": IRIS.take(np.arange(149))}, "data"),
        ({"learner": learnt.C45Classifier(confidence=0.1)}, "learner"),
        ({"learner": learnt.DecisionTreeClassifier()}, "learner"),
        ({"cv": 4}, "cv"),
        ({"cv": learnt.KFold(5)}, "cv"),
        ({"repeats": 2}, "repeats"),
        ({"random_state": 1}, "random_state"),
        ({"train_scores": True}, "train_scores"),
        ({"sample_weight": np.ones(150)}, "data"),
    ],
)
def test_a_journal_of_something_else_is_an_error_that_says_so(tmp_path, changed, what):
    path = tmp_path / "folds.jsonl"
    settings = {"learner": learnt.C45Classifier(), "X": IRIS, "cv": 5, "journal": path}
    cross_validate(**settings)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"written for something else: it differs in {what} "):
        cross_validate(**settings | changed)
    assert path.read_bytes() == before


def test_a_journal_that_was_changed_or_is_none_is_an_error(tmp_path):
    path = tmp_path / "folds.jsonl"
    cross_validate(learnt.MajorityClassifier(), IRIS, cv=3, journal=path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"repeat":0', b'"repeat":1', 1))
    with pytest.raises(FileError, match=r"changed after it was written.*line 2"):
        cross_validate(learnt.MajorityClassifier(), IRIS, cv=3, journal=path)
    for other in (b"a,b\n1,2\n", b"{}\n", b"\x00\xff\n", b'{"crc":0,"record":{}}\n'):
        path.write_bytes(other)
        with pytest.raises(FileError):
            cross_validate(learnt.MajorityClassifier(), IRIS, cv=3, journal=path)
        assert path.read_bytes() == other
    with pytest.raises(FileError, match="it is a folder"):
        cross_validate(learnt.MajorityClassifier(), IRIS, cv=3, journal=tmp_path)


def forged(path, **changes):
    """A journal whose second line says something else, with a right checksum."""
    import zlib

    head, line, *rest = path.read_bytes().splitlines(keepends=True)
    record = json.loads(line)["record"] | changes
    body = json.dumps(record, separators=(",", ":")).encode()
    path.write_bytes(head + b'{"crc":%d,"record":%s}\n' % (zlib.crc32(body), body) + b"".join(rest))


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": ["|O", [1], "AAAA"]},
        {"answer": ["<i4", [10**9], "AAAA"]},
        {"answer": ["<i4", [1], "AAAAAA=="]},
        {"test": None},
        {"repeat": "x"},
        {"n_train": None},
        {"probabilities": ["<f8", [1], "AAAAAAAAAAA="]},
    ],
)
def test_a_forged_record_is_an_error(tmp_path, changes):
    path = tmp_path / "folds.jsonl"
    cross_validate(learnt.MajorityClassifier(), IRIS, cv=3, journal=path)
    forged(path, **changes)
    with pytest.raises(FileError, match="damaged"):
        cross_validate(learnt.MajorityClassifier(), IRIS, cv=3, journal=path)


def test_a_journal_needs_folds_that_come_again(tmp_path):
    path = tmp_path / "folds.jsonl"
    with pytest.raises(ParameterError, match="random_state to be a number"):
        cross_validate(learnt.MajorityClassifier(), IRIS, journal=path, random_state=None)
    by_chance = theirs.KFold(3, shuffle=True)
    cross_validate(learnt.MajorityClassifier(), IRIS, cv=by_chance, journal=path)
    with pytest.raises(InputError, match="give it a random_state"):
        cross_validate(learnt.MajorityClassifier(), IRIS, cv=by_chance, journal=path)


@pytest.mark.costly
def test_the_key_of_a_learner_is_the_same_in_every_process():
    code = (
        "import learnt, numpy as np; from learnt.evaluate.journal import settings_key, data_key; "
        "from learnt.evaluate.problem import problem; from sklearn.pipeline import make_pipeline; "
        "from sklearn.preprocessing import FunctionTransformer; from sklearn.linear_model import Ridge; "
        "print(settings_key(make_pipeline(FunctionTransformer(np.log), Ridge()))); "
        "print(data_key(problem(learnt.datasets.load('iris'))))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600).stdout
    assert " at 0x" not in there
    pipeline = make_pipeline(FunctionTransformer(np.log), Ridge())
    assert there.splitlines() == [journal.settings_key(pipeline), journal.data_key(problem(IRIS))]
    frame = pd.DataFrame(X)
    assert journal.data_key(problem(frame, Y)) == journal.data_key(problem(frame.copy(), Y))


@pytest.mark.costly
@pytest.mark.parametrize("jobs", [1, 2])
def test_after_ctrl_c_the_same_call_goes_on_with_the_same_numbers(tmp_path, jobs):
    path = tmp_path / "folds.jsonl"
    code = f"""
        import learnt
        from tests.evaluate.workers.misbehaving import _Tiring
        table = learnt.datasets.load("iris")
        print("go", flush=True)
        learnt.cross_validate(_Tiring(), table, cv=50, journal={str(path)!r}, n_jobs={jobs})
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TIRED_AFTER": "3"}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        process.stdout.readline()
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline and (not path.exists() or path.read_bytes().count(b"\n") < 4):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=600)
    assert "KeyboardInterrupt" in words
    done = path.read_bytes().count(b"\n") - 1
    assert 3 <= done <= 3 * jobs
    with learnt.watch() as log:
        found = cross_validate(misbehaving._Tiring(), IRIS, cv=50, journal=path, n_jobs=1)
    assert path.read_bytes().count(b"\n") == 51
    assert len(log) >= 50
    equal(found, cross_validate(learnt.MajorityClassifier(), IRIS, cv=50))
