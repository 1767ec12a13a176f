"""train, predict, explain, show and learners: the same answers as in Python, in files and pipes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.cli_box import Command, commands

import learnt
from learnt import datasets

LABOR = datasets.load("labor")


@pytest.fixture
def command(capfdbinary, monkeypatch) -> Command:
    return commands(capfdbinary, monkeypatch)


def write_csv(path: Path, table: learnt.Table) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.names)
        writer.writerows(
            ["" if cell is None else cell for cell in row] for row in zip(*table.to_dict().values(), strict=True)
        )
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("models")
    write_csv(place / "labor.csv", LABOR)
    learnt.save(learnt.C45Classifier().fit(LABOR), place / "tree.learnt")
    cpu = datasets.load("cpu")
    write_csv(place / "cpu.csv", cpu)
    learnt.save(learnt.LinearRegression().fit(cpu), place / "line.learnt")
    return place


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


# train


def test_training_saves_the_model_that_python_would_fit(command, folder, tmp_path):
    path = tmp_path / "m.learnt"
    done = command("train", folder / "labor.csv", "--target", "class", "--learner", "C45Classifier", "-o", path)
    assert done.code == 0, done.err
    assert "C45Classifier() learnt to predict 'class' from 57 rows, 16 columns." in done.out
    model = learnt.load(path)
    assert str(model) == str(learnt.C45Classifier().fit(learnt.read(folder / "labor.csv"), "class"))


def test_settings_are_given_by_key_and_value_and_told_in_json(command, tmp_path):
    path = tmp_path / "m.learnt"
    given = ("-p", "confidence=0.1", "-p", "prune=none")
    done = command("train", "dataset:labor", "-l", "c45classifier", *given, "-o", path, "--json")
    facts = json.loads(done.out)
    assert (facts["learner"], facts["rows"], facts["columns"], facts["target"]) == ("C45Classifier", 57, 16, "class")
    assert (facts["settings"]["confidence"], facts["settings"]["prune"]) == (0.1, None)
    assert facts["classes"] == ["bad", "good"]
    assert facts["bytes"] == path.stat().st_size
    assert learnt.load(path).confidence == 0.1


def test_rows_without_a_target_are_left_out_aloud(command, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("x,y\n1,a\n2,\n3,b\n4,b\n")
    done = command("train", data, "--target", "y", "-l", "MajorityClassifier", "-o", tmp_path / "m.learnt")
    assert "3 rows" in done.out
    assert "! 1 rows have no target and were left out." in done.out


def test_quiet_training_says_nothing(command, tmp_path):
    done = command("train", "dataset:iris", "-l", "NaiveBayesClassifier", "-o", tmp_path / "m.learnt", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_training_reads_standard_input_and_patterns_of_files(command, folder, tmp_path):
    content = (folder / "cpu.csv").read_bytes()
    args = ("--target", "class", "-l", "LinearRegression", "-o")
    assert command("train", "-", *args, tmp_path / "a.learnt", stdin=content).code == 0
    lines = content.splitlines(keepends=True)
    (tmp_path / "p1.csv").write_bytes(b"".join(lines[:100]))
    (tmp_path / "p2.csv").write_bytes(b"".join([lines[0], *lines[100:]]))
    assert command("train", tmp_path / "p*.csv", *args, tmp_path / "b.learnt").code == 0
    models = [learnt.load(tmp_path / name) for name in ("a.learnt", "b.learnt")] + [learnt.load(folder / "line.learnt")]
    for model in models[:2]:
        np.testing.assert_allclose(
            model.predict(learnt.read(folder / "cpu.csv")), models[2].predict(datasets.load("cpu"))
        )


def test_columns_are_left_out_of_a_pattern_of_files_as_of_one_file(command, folder, tmp_path):
    content = (folder / "cpu.csv").read_bytes()
    (tmp_path / "p1.csv").write_bytes(content)
    args = ("--target", "class", "-l", "LinearRegression", "--drop", "MYCT,MMIN", "-o")
    for source, name in ((folder / "cpu.csv", "a.learnt"), (tmp_path / "p*.csv", "b.learnt")):
        assert command("train", source, *args, tmp_path / name).code == 0
    one, several = (learnt.load(tmp_path / name) for name in ("a.learnt", "b.learnt"))
    assert "MYCT" not in several.feature_names_in_
    assert list(several.feature_names_in_) == list(one.feature_names_in_)
    np.testing.assert_allclose(several.coef_, one.coef_)
    assert "NO_SUCH" in command("train", tmp_path / "p*.csv", *args[:-3], "--drop", "NO_SUCH", "-o", tmp_path / "c").err


# predict


def test_predictions_are_those_of_python(command, folder):
    done = command("predict", folder / "tree.learnt", folder / "labor.csv")
    answers = learnt.load(folder / "tree.learnt").predict(LABOR)
    assert rows(done.out) == [["prediction"], *([answer] for answer in answers)]
    assert done.err == ""


def test_numbers_come_back_to_the_last_bit(command, folder, tmp_path):
    out = tmp_path / "out.csv"
    done = command("predict", folder / "line.learnt", folder / "cpu.csv", "-o", out)
    assert done.out == ""
    assert "209 rows" in done.err
    answers = learnt.load(folder / "line.learnt").predict(datasets.load("cpu"))
    assert [float(row[0]) for row in rows(out.read_text())[1:]] == answers.tolist()


def test_probabilities_and_the_columns_of_the_input_are_added(command, folder):
    done = command("predict", folder / "tree.learnt", folder / "labor.csv", "--proba", "--append")
    header, *body = rows(done.out)
    assert header == [*LABOR.names, "prediction", "p(bad)", "p(good)"]
    given = rows((folder / "labor.csv").read_text())[1:]
    assert [row[:-3] for row in body] == given
    shares = learnt.load(folder / "tree.learnt").predict_proba(LABOR)
    assert [[float(cell) for cell in row[-2:]] for row in body] == shares.tolist()


def test_input_cells_are_kept_as_they_were_written(command, tmp_path):
    learnt.save(learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [3.0, 4.0]), tmp_path / "m.learnt")
    data = tmp_path / "d.csv"
    data.write_text('x,zip,day,note,prediction\n1.50,01234,2024-05-06,"a, ""b""\nc",NA\n2e0,00001, x ,,\n')
    done = command("predict", tmp_path / "m.learnt", data, "--append")
    assert rows(done.out) == [
        ["x", "zip", "day", "note", "prediction", "prediction_2"],
        ["1.50", "01234", "2024-05-06", 'a, "b"\nc', "NA", "3.5"],
        ["2e0", "00001", " x ", "", "", "3.5"],
    ]


def test_json_holds_answers_and_probabilities(command, folder):
    done = command("predict", folder / "tree.learnt", folder / "labor.csv", "--json", "--proba")
    told = json.loads(done.out)
    model = learnt.load(folder / "tree.learnt")
    assert [t["prediction"] for t in told] == model.predict(LABOR).tolist()
    assert [list(t["probabilities"].values()) for t in told] == model.predict_proba(LABOR).tolist()


def test_a_pipe_a_packed_file_parquet_and_a_bundled_table_give_the_same_answers(command, folder, tmp_path):
    content = (folder / "labor.csv").read_bytes()
    wanted = command("predict", folder / "tree.learnt", folder / "labor.csv", "--proba").out
    packed = tmp_path / "labor.csv.gz"
    packed.write_bytes(gzip.compress(content))
    parquet = tmp_path / "labor.parquet"
    learnt.data.convert.out.to_pandas(LABOR).to_parquet(parquet)
    assert command("predict", folder / "tree.learnt", "-", "--proba", stdin=content).out == wanted
    for file in (packed, parquet, "dataset:labor"):
        assert command("predict", folder / "tree.learnt", file, "--proba").out == wanted


def test_the_columns_of_other_formats_are_appended_too(command, folder, tmp_path):
    parquet = tmp_path / "cpu.parquet"
    learnt.data.convert.out.to_pandas(datasets.load("cpu")).to_parquet(parquet)
    header, *body = rows(command("predict", folder / "line.learnt", parquet, "--append").out)
    cells = datasets.load("cpu").to_dict()
    assert header == [*cells, "prediction"]
    assert [float(row[0]) for row in body] == cells[header[0]]


def test_answers_do_not_depend_on_how_the_file_is_cut(command, folder, monkeypatch):
    from learnt.cli.writing import csv_blocks

    args = ("predict", folder / "tree.learnt", folder / "labor.csv", "--proba", "--append")
    wanted = command(*args).out
    monkeypatch.setattr(csv_blocks.CsvBlocks.blocks, "__defaults__", (300,))
    assert command(*args).out == wanted


def test_documents_are_classified_from_a_file(command, tmp_path):
    data = tmp_path / "mails.csv"
    data.write_text(
        'text,kind\n"free money now",spam\n"money, for free",spam\nlunch at noon,ham\n"noon, then lunch",ham\n'
    )
    path = tmp_path / "m.learnt"
    assert command("train", data, "--target", "kind", "-l", "TextClassifier", "-o", path).code == 0
    assert rows(command("predict", path, data).out)[1:] == [["spam"], ["spam"], ["ham"], ["ham"]]
    frame = learnt.data.convert.out.to_pandas(learnt.read(data))
    frame["text"] = frame["text"].astype(str)
    frame.to_parquet(tmp_path / "mails.parquet")
    assert rows(command("predict", path, tmp_path / "mails.parquet").out)[1:] == [["spam"], ["spam"], ["ham"], ["ham"]]
    assert "lunch" in command("explain", path, data, "--row", "2").out


def test_a_model_fitted_on_an_array_takes_columns_by_their_place(command, tmp_path):
    x = np.arange(12.0).reshape(6, 2) ** [1, 2]
    learnt.save(learnt.LinearRegression().fit(x, x @ [2.0, 1.0]), tmp_path / "m.learnt")
    data = tmp_path / "d.csv"
    data.write_text("left,right\n0,0\n1,10\n")
    done = command("predict", tmp_path / "m.learnt", data)
    np.testing.assert_allclose([float(r[0]) for r in rows(done.out)[1:]], [0, 12], atol=1e-9)
    assert done.err == ""
    data.write_text("left,right,more\n0,0,1\n")
    assert "fitted on 2 columns without names" in command("predict", tmp_path / "m.learnt", data).err


def test_a_file_without_rows_gives_a_header(command, folder, tmp_path):
    data = tmp_path / "none.csv"
    data.write_text(",".join(LABOR.names) + "\n")
    assert command("predict", folder / "tree.learnt", data, "--proba").out == "prediction,p(bad),p(good)\n"


def test_the_output_may_be_the_input_and_appears_only_when_it_is_whole(command, tmp_path):
    learnt.save(learnt.MeanRegressor().fit({"x": [0.0, 1.0]}, [4.0, 6.0]), tmp_path / "m.learnt")
    data = tmp_path / "d.csv"
    data.write_text("x\n1\n2\n")
    assert command("predict", tmp_path / "m.learnt", data, "--append", "-o", data, "-q").code == 0
    assert data.read_text() == "x,prediction\n1,5\n2,5\n"
    data.write_text("x\n1\noops\n")
    done = command("predict", tmp_path / "m.learnt", data, "-o", tmp_path / "out.csv")
    assert done.code == 2
    assert "line 3" in done.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.csv", "m.learnt"]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["predict", "{tree}", "no/such.csv"], "no/such.csv"),
        (["predict", "{tree}", "{cpu}"], "The model needs them"),
        (["predict", "no.learnt", "{cpu}"], "no.learnt"),
        (["predict", "{cpu}", "{cpu}"], "not a model"),
        (["predict", "{line}", "{cpu}", "--proba"], "no probabilities"),
        (["predict", "{tree}", "{labor}", "--json", "--append"], "--append and --json"),
        (["predict", "{tree}", "{labor}", "-o", "/no/such/folder/x.csv"], "cannot be written"),
        (["explain", "{tree}", "{labor}", "--row", "57"], "There is no row 57"),
        (["explain", "{tree}", "{cpu}", "--row", "0"], "There is no column"),
        (["show", "{cpu}"], "not a model"),
        (["train", "{cpu}", "--target", "clas", "-l", "LinearRegression", "-o", "{new}"], "'class'"),
        (["train", "{cpu}", "-l", "LinearRegression", "-o", "{new}"], "--target"),
        (
            ["train", "{cpu}", "--target", "class", "-l", "LinearRegresion", "-o", "{new}"],
            "Did you mean 'LinearRegression'",
        ),
        (["train", "{cpu}", "--target", "class", "-l", "LinearRegression", "-o", "/no/such/x"], "cannot be written"),
        (["train", "{labor}", "--target", "class", "-l", "LinearRegression", "-o", "{new}"], "Use a classifier"),
        (["learners", "C45Clasifier"], "Did you mean 'C45Classifier'"),
    ],
)
def test_what_the_user_can_mend_is_one_line_on_stderr_and_exit_code_two(command, folder, tmp_path, args, words):
    places = {
        "tree": folder / "tree.learnt",
        "line": folder / "line.learnt",
        "labor": folder / "labor.csv",
        "cpu": folder / "cpu.csv",
        "new": tmp_path / "new.learnt",
    }
    done = command(*(arg.format(**places) for arg in args))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert words in done.err
    assert len(done.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_an_infinite_cell_is_told_with_the_line_its_rows_are_counted_from(command, folder, tmp_path):
    lines = (folder / "cpu.csv").read_text().splitlines()
    lines[5] = "inf" + lines[5][lines[5].index(",") :]
    data = tmp_path / "d.csv"
    data.write_text("\n".join(lines))
    done = command("predict", folder / "line.learnt", data)
    assert done.code == 2
    assert "row 4" in done.err
    assert "rows counted from line 2" in done.err


@pytest.mark.costly
def test_a_reader_that_has_had_enough_ends_the_command_in_silence(folder, tmp_path):
    data = tmp_path / "long.csv"
    head, *body = (folder / "cpu.csv").read_text().splitlines()
    data.write_text("\n".join([head, *body * 1000]))
    line = f"{sys.executable} -m learnt predict {folder / 'line.learnt'} {data} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.split() == ["prediction", "141"]
    assert done.stderr == ""


# explain, show, learners


def test_an_explanation_is_the_one_of_python_for_any_row(command, folder, tmp_path):
    model = learnt.load(folder / "tree.learnt")
    for row in (0, 56):
        done = command("explain", folder / "tree.learnt", folder / "labor.csv", "--row", row)
        assert done.out == f"{model.explain(LABOR)[row]}\n"
    page = tmp_path / "why.html"
    told = command("explain", folder / "tree.learnt", folder / "labor.csv", "--row", 3, "--json", "--html", page)
    assert json.loads(told.out) == {**model.explain(LABOR)[3].to_dict(), "notes": []}
    assert "learnt-explanation" in page.read_text("utf-8")


def test_show_tells_what_the_model_is_and_wants(command, folder):
    out = command("show", folder / "tree.learnt").out
    model = learnt.load(folder / "tree.learnt")
    assert out.startswith("C45Classifier, classification\n")
    assert f"by learnt {learnt.__version__}" in out
    assert "'bad', 'good'" in out
    assert "16 columns" in out
    assert str(model) in out
    facts = json.loads(command("show", folder / "line.learnt", "--json").out)
    assert facts["learner"] == "LinearRegression"
    assert [c["name"] for c in facts["columns"]] == list(datasets.load("cpu").drop("class").names)
    assert facts["model"] == str(learnt.load(folder / "line.learnt"))


def test_learners_tell_what_they_can_do(command):
    facts = {entry["name"]: entry for entry in json.loads(command("learners", "--json").out)}
    assert list(facts) == [entry.name for entry in learnt.learners()]
    tree = facts["C45Classifier"]
    assert (tree["task"], tree["readable"]) == ("classification", True)
    assert tree["settings"]["confidence"] == {"default": 0.25, "allowed": "a number > 0 and ≤ 0.5"}
    assert tree["search_space"] == {k: list(v) for k, v in learnt.C45Classifier.search_space.items()}
    assert "confidence" in command("learners", "c45classifier").out
    named = [entry["name"] for entry in json.loads(command("learners", "clustering", "--json").out)]
    assert named == [e.name for e in learnt.learners("clustering")]


def test_every_command_helps_with_examples(command):
    listed = command("--help").out.split("Commands:")[1].split("\n\n")[0].strip()
    names = [line.split()[0] for line in listed.splitlines()]
    assert {"describe", "compare", "train", "predict", "explain", "show", "learners", "datasets"} <= set(names)
    for name in names:
        helped = command(name, "--help")
        assert helped.code == 0
        assert f"Examples:\n    learnt {name}" in helped.out
    assert "Exit codes:" in command("--help").out


@pytest.mark.costly
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("learnt tra", "train"),
        ("learnt train x.csv --learner C45", "C45Classifier"),
        ("learnt train dataset:labor --target cl", "class"),
        ("learnt train x.csv --learner C45Classifier -p conf", "confidence="),
        ("learnt learners clus", "clustering"),
    ],
)
def test_the_shell_completes_commands_learners_columns_and_settings(typed, offered):
    env = {
        **os.environ,
        "_LEARNT_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    code = "from learnt.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=600, check=False
    )
    assert offered in done.stdout.split(), done.stderr
