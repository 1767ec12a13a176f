"""Answers are written as the file they are for, or as a workbook."""

from __future__ import annotations

import codecs
from datetime import datetime

import openpyxl
import pytest
from tests.cli.cli_box import Command, commands

import learnt

TEXT = "größe;art\n1,5;a\n2,25;ü;\n3;a\n".replace("ü;", "ü")


@pytest.fixture
def command(capfdbinary, monkeypatch) -> Command:
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def models(tmp_path):
    table = learnt.Table({"größe": [1.5, 2.25, 3.0], "art": ["a", "ü", "a"]})
    learnt.save(learnt.MeanRegressor().fit(table[["art"]], table["größe"].values), tmp_path / "mean.learnt")
    learnt.save(learnt.MajorityClassifier().fit(table[["größe"]], ["ж", "b", "ж"]), tmp_path / "far.learnt")
    learnt.save(learnt.MajorityClassifier().fit(table[["größe"]], ["=1+1", "b", "=1+1"]), tmp_path / "risky.learnt")
    return tmp_path


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("cp1252", b""), ("utf-8", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE)],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_delimiter_decimal_sign_encoding_and_line_ends_are_kept(command, models, encoding, mark, line_end):
    (models / "t.csv").write_bytes(mark + TEXT.replace("\n", line_end).encode(encoding))
    done = command("predict", models / "mean.learnt", models / "t.csv", "--append", "-o", models / "out.csv")
    assert done.code == 0, done.err
    expected = "größe;art;prediction\n1,5;a;2,25\n2,25;ü;2,25\n3;a;2,25\n".replace("\n", line_end)
    assert (models / "out.csv").read_bytes() == mark + expected.encode(encoding)
    assert learnt.read(models / "out.csv")["prediction"].labels() == [2.25] * 3


def test_labels_that_the_encoding_lacks_make_it_utf8(command, models):
    (models / "t.csv").write_bytes(TEXT.encode("cp1252"))
    assert command("predict", models / "far.learnt", models / "t.csv", "-o", models / "out.csv").code == 0
    assert (models / "out.csv").read_text("utf-8-sig") == "prediction\nж\nж\nж\n"


def test_standard_output_is_always_written_alike(command, models):
    (models / "t.csv").write_bytes(TEXT.encode("cp1252"))
    assert command("predict", models / "mean.learnt", models / "t.csv").out == "prediction\n2.25\n2.25\n2.25\n"


@pytest.mark.parametrize(
    ("given", "named", "delimiter"),
    [("t.tsv", "out.tsv", "\t"), ("t.tsv", "out.csv", ";"), ("t.csv", "out.tsv", "\t"), ("t.csv", "out.txt", ";")],
)
def test_the_name_of_the_output_may_ask_for_another_delimiter(command, models, given, named, delimiter):
    (models / given).write_text(TEXT.replace(";", "\t") if given == "t.tsv" else TEXT, encoding="utf-8")
    assert command("predict", models / "mean.learnt", models / given, "--append", "-o", models / named).code == 0
    assert (models / named).read_text(encoding="utf-8").splitlines()[1] == delimiter.join(["1,5", "a", "2,25"])


def test_answers_in_a_workbook(command, models):
    book = openpyxl.Workbook()
    for row in (["größe", "art", "since"], [1.5, "a", datetime(2024, 5, 1)], [2.25, "=2+2", None]):
        book.active.append(row)
    book.active["B3"].data_type = "s"
    book.save(models / "t.xlsx")
    args = ("predict", models / "risky.learnt", models / "t.xlsx", "--append", "--proba", "-o", models / "out.xlsx")
    done = command(*args)
    assert done.code == 0, done.err
    (sheet,) = openpyxl.load_workbook(models / "out.xlsx").worksheets
    header, first, second = sheet.iter_rows()
    assert [c.value for c in header] == ["größe", "art", "since", "prediction", "p(=1+1)", "p(b)"]
    assert [c.value for c in first][:4] == [1.5, "a", datetime(2024, 5, 1), "=1+1"]
    assert [c.data_type for c in second][:5] == ["n", "s", "n", "s", "n"]
    assert first[4].value == pytest.approx(2 / 3)


@pytest.mark.costly
@pytest.mark.parametrize("name", ["t.csv", "-"])
def test_any_file_is_answered_in_a_workbook(command, models, name):
    (models / "t.csv").write_text(TEXT, encoding="utf-8")
    place = name if name == "-" else models / name
    done = command("predict", models / "mean.learnt", place, "-o", models / "out.xlsx", stdin=TEXT.encode())
    assert done.code == 0, done.err
    assert learnt.read(models / "out.xlsx").to_dict() == {"prediction": [2.25] * 3}
    assert command("predict", models / "mean.learnt", place, "-o", models / "out.xls", stdin=b"").code == 2


def test_clusters_in_a_workbook(command, tmp_path):
    assert command("cluster", "dataset:iris", "-k", "2", "-o", tmp_path / "out.xlsx").code == 0
    table = learnt.read(tmp_path / "out.xlsx")
    assert table.n_rows == 150
    assert table.names[-1] == "cluster"


def test_rows_apart_by_blanks_are_kept_apart_by_tabs(command, models):
    (models / "t.txt").write_text("größe   art\n 1.5  a\n 2.25    b\n   3 a\n", encoding="utf-8")
    done = command("predict", models / "mean.learnt", models / "t.txt", "--append", "-o", models / "out.txt")
    assert done.code == 0, done.err
    assert (models / "out.txt").read_text(encoding="utf-8").splitlines()[:2] == [
        "größe\tart\tprediction",
        "1.5\ta\t2.25",
    ]


def test_a_header_longer_than_the_first_look_is_answered(command, tmp_path):
    names = [f"a_rather_long_name_of_a_column_{j}" for j in range(6000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" * 6000) + "\n" + ",".join("2" * 6000) + "\n")
    model = learnt.MajorityClassifier().fit({names[-1]: [1.0, 2.0]}, ["u", "u"])
    learnt.save(model, tmp_path / "m.learnt")
    assert command("predict", tmp_path / "m.learnt", tmp_path / "t.csv").out == "prediction\nu\nu\n"
