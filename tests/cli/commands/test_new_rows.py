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


@pytest.mark.parametrize("format", ["csv", "parquet", "xlsx", "pipe"])
def test_unseen_labels_are_said_once_and_not_when_quiet(command, model, tmp_path, format):
    new = columns(500, ("Bern", "Genf"), seed=1)
    count = new["town"].count("Genf")
    place = write(tmp_path / "new.csv", new)
    content = place.read_bytes()
    if format == "xlsx":
        import pandas as pd

        place = tmp_path / "new.xlsx"
        pd.DataFrame(new).to_excel(place, index=False)
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


@pytest.mark.costly
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


def test_a_total_below_new_rows_is_not_answered(command, model, tmp_path):
    new = columns(40, seed=3)
    new = {name: new[name] for name in ("town", "age", "y")}
    place = write(tmp_path / "new.csv", new)
    plain = command("predict", model, place)
    total = f"\nTotal,{sum(new['age']):.1f},\n"
    place.write_text(place.read_text() + total.lstrip() + "\nSource: the office\n")
    done = command("predict", model, place)
    assert done.code == 0, done.err
    assert done.out == plain.out
    assert "below the table" in done.err
    assert command("predict", model, "-", stdin=place.read_bytes()).out == plain.out


@pytest.mark.parametrize("packed", ["folder", "workbook"])
def test_folders_and_workbooks_are_read_by_what_was_settled_when_the_model_learnt(command, tmp_path, packed):
    rng = np.random.default_rng(5)
    day, month = rng.integers(1, 29, 300), rng.integers(1, 13, 300)
    paid = [f"€{1000 + v:,}" for v in rng.integers(0, 9000, 300)]
    paid[7] = "unknown"
    late = ["yes" if m > 6 else "no" for m in month]
    old = {"since": [f"{d:02}/{m:02}/2024" for d, m in zip(day, month, strict=True)], "paid": paid, "late": late}
    write(tmp_path / "old.csv", old)
    place = tmp_path / "m.learnt"
    assert command("train", tmp_path / "old.csv", "--target", "late", "-l", "C45Classifier", "-o", place).code == 0
    new = {"since": ["03/11/2024", "04/02/2024", "11/03/2024"], "paid": ["€1,200", "unknown", "unknown"]}
    single = command("predict", place, write(tmp_path / "new.csv", new))
    assert single.out.split() == ["prediction", "yes", "no", "no"]
    if packed == "folder":
        (tmp_path / "parts").mkdir()
        for i in range(3):
            write(tmp_path / "parts" / f"{i}.csv", {name: cells[i : i + 1] for name, cells in new.items()})
        file = tmp_path / "parts"
    else:
        import openpyxl

        book, file = openpyxl.Workbook(), tmp_path / "new.xlsx"
        for row in [list(new), *zip(*new.values(), strict=True)]:
            book.active.append(row)
        book.save(file)
    for arguments in (("predict", place, file), ("predict", place, file, "--append")):
        done = command(*arguments)
        assert done.code == 0, done.err
        assert [line.rsplit(",")[-1] for line in done.out.split()] == single.out.split()
