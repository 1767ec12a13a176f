"""A file with a column of free text and one of identifiers, on the command line from reading to answers."""

import csv
import json

import numpy as np
import pytest
from tests.cli.cli_box import commands
from tests.learner.text.reviews import reviews

from learnt import LogisticRegression


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


def write(path, columns):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return path


@pytest.fixture
def files(tmp_path):
    table, y = reviews(120)
    new, _ = reviews(60, seed=1)
    old = {"customer_id": [f"C-{i * 7}" for i in range(120)], **table, "fate": y.tolist()}
    write(tmp_path / "old.csv", old)
    write(tmp_path / "new.csv", new)
    return tmp_path


def trained(command, files, learner, *more):
    place = files / "m.learnt"
    args = ("train", files / "old.csv", "--target", "fate", "-l", learner, "-o", place, *more)
    done = command(*args)
    assert done.code == 0, done.err
    return place, " ".join((done.out + done.err).split())


def test_training_says_what_became_of_text_and_of_identifiers(command, files):
    _, said = trained(command, files, "LogisticRegression")
    assert "'review' holds long texts and is read as text: learners count its words or" in said
    assert "'review' is text: 20 words are counted. [--kind review=nominal]" in said
    assert "'customer_id' gives nearly every row a label of its own, like an identifier. It was left in." in said
    assert "[--drop customer_id]" in said
    _, said = trained(command, files, "LogisticRegression", "--drop", "customer_id")
    assert "identifier" not in said
    _, said = trained(command, files, "KNeighborsClassifier", "--drop", "customer_id")
    assert said.count("'review' is text and was left out: KNeighborsClassifier makes nothing of words.") == 1


@pytest.mark.parametrize("form", ["csv", "pipe", "parquet"])
def test_new_texts_are_answered_as_in_python(command, files, form):
    model, _ = trained(command, files, "LogisticRegression", "--drop", "customer_id")
    table, y = reviews(120)
    new, _ = reviews(60, seed=1)
    place, stdin = files / "new.csv", b""
    if form == "pipe":
        place, stdin = "-", (files / "new.csv").read_bytes()
    if form == "parquet":
        pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
        pq.write_table(pa.table(new), files / "new.parquet")
        place = files / "new.parquet"
    done = command("predict", model, place, stdin=stdin)
    assert done.code == 0, done.err
    assert done.out.split()[1:] == LogisticRegression().fit(table, y).predict(new).tolist()
    assert "not seen" not in done.err


def test_a_row_is_explained_by_its_words_and_a_model_shows_its_columns(command, files):
    model, _ = trained(command, files, "LogisticRegression", "--drop", "customer_id")
    new, _ = reviews(60, seed=1)
    row = next(i for i, text in enumerate(new["review"]) if "lovely" in text)
    assert 'review: "lovely" = 1' in command("explain", model, files / "new.csv", "--row", row).out
    facts = json.loads(command("show", model, "--json").out)
    assert {"name": "review", "kind": "text", "categories": []} in facts["columns"]


def test_the_kind_that_was_told_undoes_it(command, files):
    model, said = trained(command, files, "LogisticRegression", "--kind", "review=nominal")
    assert "is text" not in said
    facts = json.loads(command("show", model, "--json").out)
    assert next(c for c in facts["columns"] if c["name"] == "review")["kind"] == "nominal"
    done = command("predict", model, files / "old.csv")
    assert done.code == 0
    assert len(done.out.split()) == 121


def test_describing_names_the_text_and_the_identifier(command, files):
    said = " ".join(command("describe", files / "old.csv").out.split())
    assert "'review' holds long texts: learners count its words or" in said
    assert "'customer_id' has 120 different labels in 120 rows like an identifier" in said


def test_clustering_leaves_text_out_and_says_so(command, files):
    done = command("cluster", files / "old.csv", "--k", "2")
    assert done.code == 0, done.err
    assert "'review' was left out: it is text, and words are not counted here." in " ".join(done.out.split())


def test_many_texts_of_one_file_are_read_in_blocks(command, files):
    model, _ = trained(command, files, "NaiveBayesClassifier", "--drop", "customer_id")
    new, _ = reviews(60, seed=1)
    many = {name: cells * 200 for name, cells in new.items()}
    write(files / "many.csv", many)
    once = command("predict", model, files / "new.csv").out.split()[1:]
    assert command("predict", model, files / "many.csv").out.split()[1:] == once * 200
    assert np.unique(once).size == 2
