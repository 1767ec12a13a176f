"""From the answer to the model and back: `compare --save`, `train` without a learner, `test`."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.cli.cli_box import commands

import learnt
from learnt.evaluate.comparison.promise import Promise
from learnt.evaluate.metrics import accuracy_interval, accuracy_score, confusion_matrix, roc_auc_score
from learnt.saving import read_notes

PAIR = ("--learners", "MajorityClassifier,NaiveBayesClassifier", "--cv", "5", "--jobs", "1")


@pytest.fixture
def command(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return commands(capfdbinary, monkeypatch)


def write(path, data):
    with open(path, "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(data)
        lines.writerows(zip(*data.values(), strict=True))


@pytest.fixture
def votes(tmp_path):
    """300 rows to learn from and 135 to test on."""
    whole = learnt.datasets.load("vote").take(np.random.default_rng(0).permutation(435))
    write(tmp_path / "old.csv", whole.rows(0, 300).to_dict())
    write(tmp_path / "new.csv", whole.rows(300, 435).to_dict())
    return whole.rows(300, 435)


def test_the_best_model_is_saved_with_its_promise(command, votes, tmp_path):
    done = command("compare", "old.csv", "--target", "Class", *PAIR, "--save", "best.learnt", "--json")
    assert done.code == 0, done.err
    row = next(r for r in json.loads(done.out)["learners"] if r["name"] == "NaiveBayesClassifier")
    notes = read_notes("best.learnt")
    assert notes["target"] == "Class"
    assert (notes["promise"]["score"], notes["promise"]["low"]) == (row["mean"], row["low"])
    same = learnt.NaiveBayesClassifier().fit(learnt.read("old.csv", target="Class"))
    np.testing.assert_array_equal(learnt.load("best.learnt").predict(votes), same.predict(votes))


def test_a_promise_is_shown(command, votes):
    command("compare", "old.csv", "--target", "Class", *PAIR, "--save", "best.learnt")
    promise = read_notes("best.learnt")["promise"]
    assert f"promised  accuracy {promise['score']:.4g} (95 % interval" in command("show", "best.learnt").out
    assert json.loads(command("show", "best.learnt", "--json").out)["promise"] == promise


def test_testing_gives_the_figures_of_the_metrics(command, votes):
    command("compare", "old.csv", "--target", "Class", *PAIR, "--save", "best.learnt")
    told = json.loads(command("test", "best.learnt", "new.csv", "--json").out)
    model, truth = learnt.load("best.learnt"), np.array(votes["Class"].labels())
    figures = {f["metric"]: f for f in told["metrics"]}
    answers = model.predict(votes)
    assert figures["accuracy"]["score"] == pytest.approx(accuracy_score(truth, answers))
    wilson = accuracy_interval(truth, answers)
    assert figures["accuracy"]["low"] == pytest.approx(wilson.low, abs=2e-3)  # n − 1 instead of n
    proba = model.predict_proba(votes)[:, 1]
    assert figures["auc"]["score"] == pytest.approx(roc_auc_score(truth == model.classes_[1], proba))
    assert told["confusion"]["counts"] == confusion_matrix(truth, answers).tolist()
    assert told["kept"] == "as promised"


def test_a_promise_that_is_kept_and_one_that_is_not(command, votes, tmp_path):
    command("compare", "old.csv", "--target", "Class", *PAIR, "--save", "best.learnt")
    kept = command("test", "best.learnt", "new.csv")
    assert "accuracy: promised 0." in kept.out
    assert ": as promised." in kept.out
    changed = votes.to_dict()
    changed["Class"] = ["democrat" if v == "republican" else "republican" for v in changed["Class"]]
    write(tmp_path / "turned.csv", changed)
    assert "clearly worse than promised" in " ".join(command("test", "best.learnt", "turned.csv").out.split())
    own = command("test", "best.learnt", "old.csv")
    assert "These are the rows it learnt from" in own.out
    assert "promised" not in own.out


@pytest.mark.costly
def test_what_cannot_be_tested_is_told(command, votes, tmp_path):
    command("compare", "old.csv", "--target", "Class", *PAIR, "--save", "best.learnt")
    data = votes.to_dict()
    write(tmp_path / "unlabelled.csv", {k: v for k, v in data.items() if k != "Class"})
    done = command("test", "best.learnt", "unlabelled.csv")
    assert done.code == 2
    assert "There is no column 'Class'" in done.err
    assert "learnt predict" in done.err
    write(tmp_path / "lacking.csv", {k: v for k, v in data.items() if k != "crime"})
    assert "There is no column 'crime'" in command("test", "best.learnt", "lacking.csv").err
    write(tmp_path / "empty.csv", {**data, "Class": [None] * 135})
    assert "holds no values" in command("test", "best.learnt", "empty.csv").err
    write(tmp_path / "other.csv", {**data, "Class": ["whig"] * 135})
    assert "The model answers 'democrat', 'republican'" in command("test", "best.learnt", "other.csv").err
    learnt.save(learnt.MeanRegressor().fit({"crime": [1.0, 2.0]}, [1.0, 2.0]), "mean.learnt")
    assert "does not say which column" in command("test", "mean.learnt", "new.csv").err
    write(tmp_path / "labels.csv", {"crime": [1, 2], "y": ["a", "b"]})
    assert "The model predicts numbers" in command("test", "mean.learnt", "labels.csv", "--target", "y").err
    learnt.save(learnt.KMeans(n_clusters=2).fit({"crime": [1.0, 2.0]}), "means.learnt")
    assert "predicts no column" in command("test", "means.learnt", "labels.csv", "--target", "y").err


def test_rows_of_a_class_the_model_never_saw_are_wrong(command, votes, tmp_path):
    command("train", "old.csv", "--target", "Class", "-l", "NaiveBayesClassifier", "-o", "m.learnt")
    data = votes.to_dict()
    data["Class"][0], data["Class"][1] = "whig", None
    write(tmp_path / "new.csv", data)
    told = json.loads(command("test", "m.learnt", "new.csv", "--json").out)
    assert told["rows"] == 134
    assert told["promise"] is None
    assert told["confusion"]["labels"] == ["democrat", "republican", "whig"]
    assert sum(told["confusion"]["counts"][2][:2]) == 1
    assert len(told["notices"]) == 2


def test_numbers_are_tested_too_by_weight(command, tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    data = {"x": x, "w": rng.integers(1, 4, 80), "y": 2 * x + rng.normal(size=80)}
    write(tmp_path / "numbers.csv", data)
    command("train", "numbers.csv", "--target", "y", "--drop", "w", "-l", "LinearRegression", "-o", "line.learnt")
    told = json.loads(command("test", "line.learnt", "numbers.csv", "--weight", "w", "--json").out)
    answers = learnt.load("line.learnt").predict({"x": x})
    figure = next(f for f in told["metrics"] if f["metric"] == "rmse")
    assert figure["score"] == pytest.approx(np.sqrt(np.average((data["y"] - answers) ** 2, weights=data["w"])))
    assert figure["low"] < figure["score"] < figure["high"]


def test_training_without_a_learner_takes_the_last_verdict_on_these_rows(command, votes, tmp_path):
    command("compare", "old.csv", "--target", "Class", *PAIR, "--save", "best.learnt")
    done = command("train", "old.csv", "--target", "Class", "-o", "again.learnt")
    assert "Most accurate in the last comparison of these rows: NaiveBayesClassifier" in " ".join(done.out.split())
    assert (tmp_path / "again.learnt").read_bytes() == (tmp_path / "best.learnt").read_bytes()


@pytest.mark.costly
def test_training_without_a_learner_compares_other_rows_anew(command, tmp_path):
    rows = learnt.datasets.load("labor").to_dict()
    write(tmp_path / "labor.csv", rows)
    command("compare", "labor.csv", "--target", "class", *PAIR)
    rows["duration"][0] = 17.0
    write(tmp_path / "labor.csv", rows)
    done = command("train", "labor.csv", "--target", "class", "-o", "m.learnt")
    assert done.code == 0, done.err
    assert "No learner was named" in done.err
    assert "Most accurate:" in done.out
    facts = json.loads(command("train", "labor.csv", "--target", "class", "-o", "m.learnt", "--json").out)
    assert facts["compared"] is False
    assert facts["promise"] == read_notes("m.learnt")["promise"]


@pytest.mark.costly
def test_what_does_not_go_together_is_told(command, votes):
    for words, why in (
        (("-p", "max_depth=3"), "no learner to have them"),
        (("-l", "NaiveBayesClassifier", "--groups", "crime"), "--groups is for comparing"),
        (("-l", "NaiveBayesClassifier", "--drop", "Class"), "is the column to predict"),
        (("-l", "NaiveBayesClassifier", "--drop", "nobody"), "There is no column 'nobody'"),
    ):
        done = command("train", "old.csv", "--target", "Class", "-o", "m.learnt", *words)
        assert (done.code, done.out) == (2, "")
        assert why in done.err


@pytest.mark.costly
def test_columns_are_dropped_kept_and_given_roles_on_the_command_line(command, votes, tmp_path):
    data = {**votes.to_dict(), "n": list(range(135)), "who": [f"m{i % 30}" for i in range(135)]}
    write(tmp_path / "new.csv", data)
    arguments = ("new.csv", "--target", "Class", *PAIR, "--groups", "who", "--drop", "crime,immigration", "--json")
    told = json.loads(command("compare", *arguments).out)
    assert told["columns"] == 14
    assert any("'n' gives every row a number" in n for n in told["notices"])
    assert "--keep n keeps it." in " ".join(command("compare", *arguments[:-1]).out.split())
    assert json.loads(command("compare", *arguments, "--keep", "n").out)["columns"] == 15
    described = json.loads(command("describe", "new.csv", "--drop", "crime,n", "--json").out)
    assert not {"crime", "n"} & set(described["columns"])


def test_a_promise_from_a_file_is_checked():
    good = Promise("accuracy", 0.9, 0.8, 0.95, 0.03, 100, "folds", "")
    assert Promise.from_dict(good.to_dict()) == good
    for wrong in (
        None,
        [],
        {"metric": "nonsense"},
        {**good.to_dict(), "low": "0.8"},
        {**good.to_dict(), "score": None},
    ):
        assert Promise.from_dict(wrong) is None


@pytest.mark.costly
def test_numbers_that_may_be_classes_are_told_with_the_option_that_says_so(command, tmp_path):
    """The advice is followed word by word: what it says must work."""
    rng = np.random.default_rng(5)
    kind = rng.integers(1, 4, 60)
    write(tmp_path / "wine.csv", {"alcohol": (kind + rng.normal(0, 0.3, 60)).round(3), "the class": kind})
    pair = ("--learners", "MeanRegressor,MajorityClassifier", "--cv", "3", "--jobs", "1")
    done = command("compare", "wine.csv", "--target", "the class", *pair)
    words = " ".join(done.out.split())
    assert "'the class' holds 3 different numbers (1, 2, 3) and is predicted as a number: this is regression." in words
    assert "If they stand for 3 classes, say so: --task multiclass." in words
    told = json.loads(
        command("compare", "wine.csv", "--target", "the class", *pair, "--task", "multiclass", "--json").out
    )
    assert (told["task"], told["classes"]) == ("multiclass", [1, 2, 3])
    done = command("train", "wine.csv", "--target", "the class", "-o", "m.learnt")
    assert "say so: --kinds 'the class=nominal'." in " ".join(done.out.split())
    done = command("train", "wine.csv", "--target", "the class", "--kinds", "the class=nominal", "-o", "m.learnt")
    assert done.code == 0, done.err
    assert learnt.load("m.learnt").task == "classification"
