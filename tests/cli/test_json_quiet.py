"""`--json` and `--quiet` mean one thing on every command."""

import json

import pytest
from tests.cli.cli_box import commands

import learnt
from learnt.cli.app import app

PAIR = "MajorityClassifier,DecisionStumpClassifier"
COMMANDS = {
    "describe": ["dataset:labor", "--html", "{folder}/d.html"],
    "compare": ["dataset:iris", "--learners", PAIR, "--cv", "2", "--jobs", "1", "--report", "{folder}/c.html"],
    "train": ["dataset:labor", "--learner", "C45Classifier", "-o", "{folder}/t.learnt"],
    "test": ["{folder}/m.learnt", "dataset:weather_numeric"],
    "predict": ["{folder}/m.learnt", "{folder}/d.csv"],
    "drift": ["dataset:iris", "dataset:iris", "--report", "{folder}/drift.html"],
    "explain": ["{folder}/m.learnt", "{folder}/d.csv", "--html", "{folder}/e.html"],
    "show": ["{folder}/m.learnt"],
    # One round of two components: a warning that it has not converged.
    "cluster": ["dataset:iris", "-m", "gaussian", "-k", "2", "--set", "max_iter=1", "-o", "{folder}/k.csv"],
    "reduce": ["dataset:iris", "-o", "{folder}/r.csv", "--report", "{folder}/r.html"],
    "recommend": [
        "{folder}/ratings.csv",
        "--user",
        "ann",
        "--explain",
        "--item",
        "heat",
        "--save",
        "{folder}/f.learnt",
    ],
    "network": ["{folder}/n.bif", "--query", "coin", "--draw", "{folder}/n.svg"],
    "learners": [],
    "datasets": [],
    "experiment": ["bias_variance_of_six_points"],
}
WRITES_TO_A_FILE = {"train"}


@pytest.fixture
def command(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    learnt.save(learnt.NaiveBayesClassifier().fit(learnt.datasets.load("weather_numeric")), tmp_path / "m.learnt")
    (tmp_path / "d.csv").write_text("outlook,temperature,humidity,windy\nsunny,70,65,FALSE\nrainy,71,91,TRUE\n")
    ratings = ["user,item,rating", *(f"{u},{i},{len(u + i) % 5}" for u in ("ann", "bob") for i in ("heat", "up"))]
    (tmp_path / "ratings.csv").write_text("\n".join([*ratings, "bob,alien,4", "cem,heat,", ""]))
    learnt.BayesianNetwork().add("coin", table={"heads": 0.5, "tails": 0.5}).write_bif(tmp_path / "n.bif")
    run = commands(capfdbinary, monkeypatch)
    return lambda name, *more: run(name, *(word.format(folder=tmp_path) for word in COMMANDS[name]), *more)


def without_times(value):
    """What two runs have in common."""
    if isinstance(value, dict):
        return {key: without_times(v) for key, v in value.items() if "seconds" not in key}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def test_the_list_of_commands_is_whole():
    assert {(c.name or c.callback.__name__) for c in app.registered_commands} == set(COMMANDS)


@pytest.mark.costly
@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_all_that_is_on_standard_output_and_twice_the_same(command, name):
    one, two = command(name, "--json"), command(name, "--json")
    assert (one.code, two.code) == (0, 0), one.err
    assert without_times(json.loads(one.out)) == without_times(json.loads(two.out))
    quiet = command(name, "--json", "--quiet")
    assert quiet.err == ""
    assert set(json.loads(quiet.out)) == set(json.loads(one.out)) if isinstance(json.loads(one.out), dict) else True


@pytest.mark.costly
@pytest.mark.parametrize("name", COMMANDS)
def test_quiet_leaves_the_result_alone_and_nothing_of_progress_and_notes(command, name):
    loud, quiet = command(name), command(name, "--quiet")
    assert (quiet.code, quiet.err) == (0, "")
    assert "Written" not in quiet.out
    assert bool(quiet.out) is (name not in WRITES_TO_A_FILE)
    assert len(quiet.out.splitlines()) <= len(loud.out.splitlines())


def test_errors_are_told_to_those_who_want_quiet(command):
    done = command("describe", "--target", "nobody", "--quiet", "--json")
    assert done.code == 2
    assert done.out == ""
    assert "nobody" in done.err


def test_answers_in_a_file_are_csv_and_json_tells_of_the_file(command, tmp_path):
    done = command("predict", "--json", "-o", str(tmp_path / "a.csv"))
    assert json.loads(done.out)["rows"] == 2
    assert (tmp_path / "a.csv").read_text().startswith("prediction\n")
    (tmp_path / "d.csv").write_text("outlook,temperature,humidity,windy\n")
    assert json.loads(command("predict", "--json").out) == []
