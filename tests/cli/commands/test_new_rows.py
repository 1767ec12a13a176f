"""What predict, test and explain say of rows unlike those the model learnt from."""

import csv
import json

import numpy as np
import pytest
from tests.cli.cli_box import commands

import learnt


def write(path, columns):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return path


def columns(n, towns=("Bern", "Basel"), shift=0.0, seed=0):
    rng = np.random.default_rng(seed)
    age, town = (rng.normal(40 + shift, 10, n)).round(1), rng.choice(towns, n)
    return {"age": age.tolist(), "town": town.tolist(), "y": np.where(rng.random(n) < 0.5, "yes", "no").tolist()}


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def model(command, tmp_path):
    write(tmp_path / "old.csv", columns(400))
    place = tmp_path / "m.learnt"
    done = command("train", tmp_path / "old.csv", "--target", "y", "-l", "NaiveBayesClassifier", "-o", place)
    assert done.code == 0, done.err
    return place


@pytest.mark.parametrize("format", ["csv", "parquet", "pipe"])
def test_unseen_labels_are_said_once_and_not_when_quiet(command, model, tmp_path, format):
    new = columns(500, ("Bern", "Genf"), seed=1)
    count = new["town"].count("Genf")
    place = write(tmp_path / "new.csv", new)
    content = place.read_bytes()
    if format == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        place = tmp_path / "new.parquet"
        pq.write_table(pa.table(new), place)
    file, stdin = ("-", content) if format == "pipe" else (place, b"")
    done = command("predict", model, file, stdin=stdin)
    assert done.code == 0, done.err
    words = f"! {count} of 500 cells of 'town' hold labels the model has not seen ('Genf'); they count as missing."
    assert " ".join(done.err.split()).count(words) == 1
    assert "not used" not in done.err  # the target is no news
    assert len(done.out.splitlines()) == 501
    assert command("predict", model, file, "--quiet", stdin=stdin).err == ""


def test_rows_like_those_it_learnt_from_are_no_news(command, model, tmp_path):
    assert command("predict", model, write(tmp_path / "n.csv", columns(500, seed=2))).err == ""


def test_columns_that_moved_far_are_pointed_out(command, model, tmp_path):
    done = command("predict", model, write(tmp_path / "n.csv", columns(500, shift=40, seed=2)))
    assert "'age' is far from what the model learnt from" in " ".join(done.err.split())
    told = command("test", model, tmp_path / "n.csv", "--json")
    assert any("'age' is far" in words for words in json.loads(told.out)["notices"])


def test_columns_that_are_renamed_absent_or_extra_are_named(command, model, tmp_path):
    new = columns(10, seed=2)
    renamed = {"Age": new["age"], "id": list(range(10)), "town": new["town"], "more": new["y"]}
    for name in ("predict", "explain"):
        done = command(name, model, write(tmp_path / "n.csv", renamed))
        assert done.code == 2
        assert "There is no column 'age' (is it 'Age'?). The model needs it." in done.err
    done = command("test", model, write(tmp_path / "n.csv", {**renamed, "y": new["y"]}))
    assert "There is no column 'age' (is it 'Age'?). The model needs it." in done.err
    done = command("predict", model, write(tmp_path / "n.csv", {**new, "id": list(range(10)), "more": new["y"]}))
    assert done.err == "! 2 columns are not used by the model: 'id' and 'more'.\n"


def test_explain_and_test_say_it_too(command, model, tmp_path):
    new = {"age": [40.0, 41.0], "town": ["Bern", "Genf"], "y": ["yes", "no"]}
    place = write(tmp_path / "n.csv", new)
    assert command("explain", model, place, "--row", 0).err == ""
    assert "1 of 1 cell of 'town' holds a label" in " ".join(command("explain", model, place, "--row", 1).err.split())
    notes = json.loads(command("explain", model, place, "--row", 1, "--json").out)["notes"]
    assert notes[0]["column"] == "town"
    done = command("test", model, place)
    assert "1 of 2 cells of 'town' holds a label the model has not seen ('Genf')" in done.out


def test_a_kind_the_model_did_not_learn_from_is_refused(command, model, tmp_path):
    place = write(tmp_path / "n.csv", columns(5))
    done = command("predict", model, place, "--kind", "age=nominal")
    assert (done.code, done.out) == (2, "")
    assert "learnt from 'age' as numeric" in done.err
    assert command("predict", model, place, "--kind", "age=numeric").code == 0


def test_words_where_numbers_were_are_named_with_their_line(command, model, tmp_path):
    place = tmp_path / "n.csv"
    place.write_text("age,town\n41,Bern\nold,Bern\n")
    done = command("predict", model, place)
    assert done.code == 2
    assert "'age'" in done.err
    assert "line 3" in done.err


def test_a_model_saved_in_python_has_no_summary_and_says_what_it_can(command, tmp_path):
    table = learnt.Table(columns(50))
    learnt.save(learnt.NaiveBayesClassifier().fit(table.drop("y"), table["y"].labels()), tmp_path / "p.learnt")
    done = command("predict", tmp_path / "p.learnt", write(tmp_path / "n.csv", columns(200, ("Rom",), shift=99)))
    assert done.code == 0
    assert "200 of 200 cells of 'town'" in done.err
    assert "far" not in done.err
