"""Names and cells made to do harm: they are shown and written, and nothing else happens."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from tests.cli.cli_box import Command, commands

import learnt
from learnt.cli.writing.csv_cells import csv_cell

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
SCRIPT = "<script>alert(1)</script>"
TURNED = "\u202egnp.exe"
FORMULA = '=HYPERLINK("http://x","y")'
LONG = "z" * 10_000
HOSTILE = [ESCAPE, SCRIPT, TURNED, FORMULA, LONG, "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\tx", "[red]x[/red]"]
STEERING = ("\x1b", "\x07", "\u202e", "\x9b")


@pytest.fixture
def command(capfdbinary, monkeypatch) -> Command:
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def model(tmp_path):
    """Hostile columns, categories and classes."""
    rows = 20
    table = {
        ESCAPE: np.arange(rows) % 7.0,
        SCRIPT: [HOSTILE[i % len(HOSTILE)] for i in range(rows)],
        FORMULA: [TURNED if i % 3 else LONG for i in range(rows)],
    }
    target = [FORMULA if i % 2 else ESCAPE for i in range(rows)]
    path = tmp_path / "hostile.learnt"
    learnt.save(learnt.DecisionTreeClassifier().fit(table, target), path)
    data = tmp_path / "hostile.csv"
    with data.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path, data


def harmless(text: str) -> bool:
    return not any(sign in text for sign in STEERING)


@pytest.mark.parametrize("args", [["show", "{m}"], ["explain", "{m}", "{d}", "--row", "1"], ["describe", "{d}"]])
@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_shown_steers_no_terminal(command, model, args, as_json):
    done = command(*(arg.format(m=model[0], d=model[1]) for arg in args), *(["--json"] if as_json else []))
    assert done.code == 0, done.err
    assert harmless(done.out)
    assert harmless(done.err)
    if as_json:
        assert ESCAPE in json.dumps(json.loads(done.out), ensure_ascii=False).encode().decode("unicode_escape")
    else:
        assert max(map(len, done.out.splitlines())) < 1000


@pytest.mark.costly
def test_training_and_errors_about_hostile_columns_are_one_harmless_line(command, model, tmp_path):
    out = tmp_path / "m.learnt"
    done = command("train", model[1], "--target", SCRIPT, "-l", "MajorityClassifier", "-o", out)
    assert done.code == 0, done.err
    assert harmless(done.out)
    for target in (ESCAPE + "x", LONG):
        done = command("train", model[1], "--target", target, "-l", "MajorityClassifier", "-o", out)
        assert done.code == 2
        assert harmless(done.err)
        assert len(done.err.splitlines()) == 1
        assert len(done.err) < 1100


@pytest.mark.parametrize("options", [[], ["--proba"], ["--append", "--proba"]])
def test_written_answers_hold_no_formula_and_no_escape_code(command, model, tmp_path, options):
    out = tmp_path / "out.csv"
    done = command("predict", *model, "-o", out, *options)
    assert done.code == 0, done.err
    text = out.read_text("utf-8")
    assert harmless(text)
    found = list(csv.reader(io.StringIO(text)))
    assert len(found) == 21
    assert len({len(row) for row in found}) == 1
    for cell in (cell for row in found for cell in row):
        assert not cell.startswith(("=", "@", "+", "\t")), cell
        assert not cell.startswith("-") or float(cell) <= 0


def test_answers_with_hostile_labels_are_still_told_apart(command, model):
    found = {row[0] for row in csv.reader(io.StringIO(command("predict", *model).out))}
    assert found == {"prediction", "'" + FORMULA, ESCAPE.replace("\x1b", "\\x1b").replace("\x07", "\\x07")}


@pytest.mark.parametrize("text", ["-3", "+4.5", "-1e-7", "", "plain", "a-b", "1=1", "-", "schön", "e\u0301", "-0,5"])
def test_cells_that_harm_nobody_stay_as_they_are(text):
    assert next(csv.reader([csv_cell(text) + ",x"]))[0] == text


@pytest.mark.parametrize("text", ["=1", "+a", "-a", "@a", "\ta", "\ra", " =1", "＝1", "-1-1", "--1", "+1 ", "-2+3"])
def test_cells_that_a_spreadsheet_would_run_are_shown_instead(text):
    assert next(csv.reader(io.StringIO(csv_cell(text), newline="")))[0] == "'" + text


@pytest.mark.costly
def test_five_thousand_columns_are_trained_on_predicted_and_shown_in_few_lines(command, tmp_path):
    names = [f"column {j}" for j in range(5000)]
    data = tmp_path / "wide.csv"
    lines = [",".join([*names, "y"]), *(",".join([str(i + j) for j in range(5000)] + ["ab"[i % 2]]) for i in range(6))]
    data.write_text("\n".join(lines))
    path = tmp_path / "m.learnt"
    assert command("train", data, "--target", "y", "-l", "NaiveBayesClassifier", "-o", path).code == 0
    shown = command("show", path).out
    assert "5,000 columns" in shown
    assert len(shown.splitlines()) < 50
    assert len(command("predict", path, data).out.splitlines()) == 7
    assert len(command("explain", path, data, "--row", 0).out.splitlines()) < 20
