"""`--cluster ADDRESS`: the same answers as without it, byte by byte, and the same notes."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.cli.cli_box import commands

import learnt
from learnt.cli.arguments import clusters

pytestmark = pytest.mark.costly


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def address(small_cluster):
    return small_cluster.scheduler.address


def people(n, seed=0, towns=("Bern", "Basel")):
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n).round(1)
    said = np.where(age + rng.normal(0, 5, n) > 40, "yes", "no")
    return pa.table({"age": age, "town": rng.choice(towns, n), "y": said})


@pytest.fixture
def parts(tmp_path):
    """Three files of Parquet, and the same rows as three of CSV."""
    for number in range(3):
        rows = people(300, number, ("Bern", "Basel", "Chur") if number == 2 else ("Bern", "Basel"))
        (tmp_path / "parquet").mkdir(exist_ok=True)
        (tmp_path / "csv").mkdir(exist_ok=True)
        pq.write_table(rows, tmp_path / "parquet" / f"{number}.parquet")
        pyarrow.csv.write_csv(rows, tmp_path / "csv" / f"{number}.csv")
    return tmp_path


@pytest.fixture
def model(tmp_path):
    place = tmp_path / "m.learnt"
    rows = people(400, 9)
    learnt.save(learnt.NaiveBayesClassifier().fit(rows.drop_columns(["y"]), rows["y"]), place)
    return place


@pytest.mark.parametrize("flags", [(), ("--proba",), ("--append", "--proba"), ("--json",)])
def test_predicting_on_a_cluster_writes_the_bytes_and_notes_of_predicting_here(command, parts, model, address, flags):
    files = parts / "parquet" / "*.parquet"
    here = command("predict", model, files, *flags)
    there = command("predict", model, files, *flags, "--cluster", address)
    assert (there.code, there.out) == (0, here.out)
    assert there.err == here.err
    assert "Chur" in here.err


def test_answers_on_a_cluster_go_to_a_file_as_the_input_is_written(command, parts, model, address):
    for place, flags in ((parts / "here.csv", ()), (parts / "there.csv", ("--cluster", address))):
        done = command("predict", model, parts / "csv" / "0.csv", "-o", place, *flags)
        assert done.code == 0, done.err
    assert (parts / "there.csv").read_bytes() == (parts / "here.csv").read_bytes()


def test_training_on_a_cluster_finds_the_model_found_here(command, parts, address):
    files = parts / "parquet"
    settings = ("--target", "y", "-l", "NaiveBayesClassifier")
    for place, flags in ((parts / "here.learnt", ()), (parts / "there.learnt", ("--cluster", address))):
        done = command("train", files, *settings, "-o", place, *flags)
        assert done.code == 0, done.err
    rows = people(200, 5).drop_columns(["y"])
    here, there = (learnt.load(parts / name).predict_proba(rows) for name in ("here.learnt", "there.learnt"))
    np.testing.assert_allclose(there, here, rtol=1e-10)


def test_comparing_on_a_cluster_gives_the_scores_of_comparing_here(command, parts, address):
    call = ("compare", parts / "csv" / "0.csv", "--target", "y", "--cv", 3, "--json", "-q")
    call += ("--learners", "MajorityClassifier,NaiveBayesClassifier")
    here, there = json.loads(command(*call).out), json.loads(command(*call, "--cluster", address).out)
    for one, other in zip(here["learners"], there["learners"], strict=True):
        assert {key: one[key] for key in one if "seconds" not in key} == {
            key: other[key] for key in other if "seconds" not in key
        }
    assert here["conclusion"] == there["conclusion"]


def test_what_no_worker_could_read_is_refused(command, parts, model, address):
    for call in (("-",), ("dataset:iris",)):
        done = command("predict", model, *call, "--cluster", address)
        assert done.code != 0
        assert "not a file that the workers of a cluster could read" in done.err
    done = command("predict", model, parts / "csv" / "0.csv", "--cluster", address, "-o", parts / "a.xlsx")
    assert "not workbooks" in done.err


def test_an_address_where_no_scheduler_answers_is_an_error_in_words(command, parts, model, monkeypatch):
    monkeypatch.setattr(clusters, "PATIENCE", 1)
    for at in ("tcp://127.0.0.1:9", "nonsense"):
        done = command("predict", model, parts / "csv", "--cluster", at)
        assert done.code != 0
        assert f"No scheduler answers at '{at}'" in done.err
        assert "Traceback" not in done.err
