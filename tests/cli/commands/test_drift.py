"""`learnt drift`: two files, and what a saved model makes of them."""

import html
import json

import numpy as np
import pytest
from tests.cli.cli_box import commands


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for name, shift in (("old.csv", 0), ("new.csv", 2)):
        age, zip_code = rng.normal(40 + 5 * shift, 8, 120).round(1), rng.choice(["01067", "80331"], 120)
        answer = np.where(age > 42, "yes", "no")
        lines = [f"{a},{z},{y}" for a, z, y in zip(age, zip_code, answer, strict=True)]
        (tmp_path / name).write_text("\n".join(["age,zip,answer", *lines]) + "\n")
    return tmp_path / "old.csv", tmp_path / "new.csv"


def test_it_says_what_moved_and_writes_a_page(command, files, tmp_path):
    done = command("drift", *files, "--report", tmp_path / "drift.html")
    assert done.code == 0
    assert "2 of 3 columns moved" in done.out
    assert "'age'" in done.out
    page = (tmp_path / "drift.html").read_text()
    assert "<svg" in page
    assert "columns moved" in page


def test_facts_for_scripts_and_no_drift_of_a_file_against_itself(command, files):
    facts = json.loads(command("drift", *files, "--json").out)
    assert facts["drift"] is True
    assert {c["name"] for c in facts["columns"] if c["moved"]} == {"age", "answer"}
    same = json.loads(command("drift", files[0], files[0], "--json").out)
    assert same["drift"] is False


def test_a_saved_model_is_asked_about_both(command, files, tmp_path):
    model = tmp_path / "model.learnt"
    command("train", files[0], "--target", "answer", "--learner", "C45Classifier", "-o", model)
    report = ("--report", tmp_path / "drift.html")
    out = " ".join(command("drift", *files, "--model", model, *report).out.split())
    page = html.unescape((tmp_path / "drift.html").read_text())
    assert "What it does to the model" in page
    assert "answer 'no'" in page
    assert "The model's answers: 'no'" in out
    assert "The model's accuracy:" in out


def test_wrong_files_are_told_in_one_line(command, files, tmp_path):
    missing = command("drift", files[0], tmp_path / "none.csv")
    assert missing.code == 2
    assert "none.csv" in missing.err
    (tmp_path / "other.csv").write_text("a,b\n1,2\n3,4\n")
    other = command("drift", files[0], tmp_path / "other.csv")
    assert other.code == 2
    assert "no column in common" in other.err


def test_columns_are_left_out_by_names_with_commas_between(command, files):
    columns = json.loads(command("drift", *files, "--drop", "age,zip", "--json").out)["columns"]
    assert [c["name"] for c in columns] == ["answer"]
    wrong = command("drift", *files, "--drop", "aeg")
    assert wrong.code == 2
    assert "'aeg'" in wrong.err
    assert "'age'" in wrong.err
