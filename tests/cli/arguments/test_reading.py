"""How a file is read is said by the same flags on every command, and kept with the model."""

import sqlite3

import pytest
from tests.cli.cli_box import commands

import learnt
from learnt.cli.app import app
from learnt.cli.arguments.reading import KIND_NAMES, Reading, check_kinds, reading_of
from learnt.data.schema import ColumnSchema, Schema
from learnt.errors import ParameterError

READERS = ("describe", "compare", "train", "test", "predict", "explain", "cluster", "reduce")
FLAGS = ("--kind", "--kinds", "--ordinal", "--missing", "--date-order", "--sheet", "--skip-bad", "--header",
         "--no-header", "--delimiter", "--decimal", "--encoding")  # fmt: skip


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.mark.parametrize("name", READERS)
def test_every_command_that_reads_a_table_has_all_flags(command, name):
    text = command(name, "--help").out
    assert [flag for flag in FLAGS if flag not in text] == []
    assert "reading" not in {c.name for c in app.registered_commands}


def test_what_is_typed_becomes_settings_of_read():
    said = reading_of(
        kind=["zip=nominal", "a=b=date"],
        ordinal=["size=S,M"],
        missing=["?", "unknown"],
        date_order="day",
        header=False,
        delimiter="tab",
    )
    assert said.settings == {
        "kinds": {"zip": "nominal", "a=b": "date"},
        "ordinal": {"size": ["S", "M"]},
        "missing": ("?", "unknown"),
        "date_order": "day",
        "header": False,
        "delimiter": "\t",
    }
    assert reading_of().settings == {}
    assert reading_of(missing=[""]).settings == {"missing": ()}  # no text but the empty cell


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kind": ["zip"]}, "COLUMN=VALUE"),
        ({"kind": ["zip=colour"]}, ", ".join(KIND_NAMES)),
        ({"ordinal": ["=S"]}, "COLUMN=VALUE"),
        ({"date_order": "year"}, "day or month"),
        ({"decimal": ";"}, "--decimal"),
        ({"delimiter": "::"}, "one sign"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(wrong, words):
    with pytest.raises(ParameterError, match=words):
        reading_of(**wrong)


def test_what_a_model_keeps_comes_back_and_what_is_typed_goes_before_it():
    said = Reading({"zip": "nominal"}, {"size": ["S", "M"]}, ("?",), "day", sheet="May", delimiter=";")
    kept = Reading.from_dict(said.to_dict())
    assert kept == Reading({"zip": "nominal"}, {"size": ["S", "M"]}, ("?",), "day")
    typed = Reading({"size": "nominal"}, date_order="month").over(kept)
    assert typed.date_order == "month"
    assert typed.missing == ("?",)
    assert typed.kinds == {"zip": "nominal", "size": "nominal"}
    assert typed.ordinal == {}
    assert typed.about(["size"]).kinds == {"size": "nominal"}


@pytest.mark.parametrize("facts", [None, 3, [], {"kinds": 3, "missing": "?", "date_order": 7, "ordinal": {"a": 1}}])
def test_nonsense_in_a_models_file_is_passed_over(facts):
    assert Reading.from_dict(facts) == Reading()


def test_a_model_has_settled_the_kinds_of_its_columns():
    schema = Schema((ColumnSchema("zip", "nominal", ("a",)), ColumnSchema("age", "numeric")))
    check_kinds(schema, Reading({"zip": "nominal", "age": "numeric"}))
    with pytest.raises(ParameterError, match="train again"):
        check_kinds(schema, Reading({"age": "nominal"}))
    with pytest.raises(ParameterError, match="does not use"):
        check_kinds(schema, Reading({"town": "nominal"}))


def test_flags_change_what_is_read(command, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("8001;1,5;gone\n8002;2,5;x\n8001;-9;?\n")
    done = command("describe", path, "--no-header", "--decimal", ",", "--delimiter", "semicolon", "--kind",
                   "x0=nominal", "--missing", "gone", "--missing", "-9", "--notes", "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert '"x0",\n      "kind": "nominal"' in done.out
    table = learnt.read(path, header=False, decimal=",", delimiter=";", missing=["gone", "-9"])
    assert table["x1"].labels() == [1.5, 2.5, None]
    assert table["x2"].labels() == [None, "x", "?"]


def test_a_bundled_table_is_not_read_by_flags_of_files(command):
    done = command("describe", "dataset:iris", "--missing", "?")
    assert (done.code, done.out) == (2, "")
    assert "--missing says how a file is read" in done.err


def test_the_kept_reading_reads_new_rows(command, tmp_path):
    rows = "".join(
        f"{zip},{'gone' if i % 7 == 0 else i % 5},{'ab'[i % 2]}\n" for i, zip in enumerate(["01", "02"] * 60)
    )
    (tmp_path / "old.csv").write_text("zip,x,y\n" + rows)
    model = tmp_path / "m.learnt"
    done = command("train", tmp_path / "old.csv", "--target", "y", "-l", "C45Classifier", "--kind", "zip=nominal",
                   "--missing", "gone", "-o", model)  # fmt: skip
    assert done.code == 0, done.err
    assert learnt.saving.read_notes(model)["reading"] == {"kinds": {"zip": "nominal"}, "missing": ["gone"]}
    (tmp_path / "new.csv").write_text("zip,x\n01,gone\n02,3\n")
    assert command("predict", model, tmp_path / "new.csv").out == "prediction\na\nb\n"
    assert command("explain", model, tmp_path / "new.csv", "--row", 0).code == 0
    told = command("test", model, "-", "--json", stdin=b"zip,x,y\n01,gone,a\n02,3,b\n")
    assert told.code == 0, told.err


def test_texts_that_were_missing_and_the_order_of_dates_are_kept_for_rows_that_do_not_tell(command, tmp_path):
    lines = ["price,day,y"]
    for i in range(200):
        price = "unknown" if i == 7 else f"{i % 9}.5"
        lines.append(f"{price},{1 + i % 28:02d}/{1 + i % 12:02d}/2024,{'ab'[i % 12 > 5]}")
    (tmp_path / "old.csv").write_text("\n".join(lines))
    model = tmp_path / "m.learnt"
    done = command("train", tmp_path / "old.csv", "--target", "y", "-l", "DecisionTreeClassifier", "-o", model)
    assert "day first" in done.err
    kept = learnt.saving.read_notes(model)["reading"]
    assert kept == {"missing_in": {"price": ["unknown"]}, "date_orders": {"day": "day"}}
    (tmp_path / "new.csv").write_text("price,day\nunknown,02/03/2024\n4.5,03/02/2024\n")
    frame = learnt.read(tmp_path / "new.csv", date_order="day", missing=["unknown"])
    told = command("predict", model, tmp_path / "new.csv")
    assert (told.code, told.err) == (0, "")
    assert told.out.split()[1:] == learnt.load(model).predict(frame).tolist()
    other = command("predict", model, tmp_path / "new.csv", "--date-order", "month", "--proba").out
    month = learnt.read(tmp_path / "new.csv", date_order="month", missing=["unknown"])
    assert [line.split(",")[0] for line in other.split()[1:]] == learnt.load(model).predict(month).tolist()
    shown = command("explain", model, tmp_path / "new.csv", "--row", 0).out
    assert "2024-03-02" in shown or "day" not in shown
    asked = command("test", model, "-", stdin=b"price,day,y\nunknown,02/03/2024,a\n4.5,03/02/2024,b\n")
    assert asked.code == 0, asked.err


@pytest.mark.costly
def test_rows_left_out_are_counted_over_all_blocks_and_have_no_answer(command, tmp_path):
    (tmp_path / "old.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
    model = tmp_path / "m.learnt"
    command("train", tmp_path / "old.csv", "--target", "y", "-l", "C45Classifier", "-o", model)
    new = tmp_path / "new.csv"
    new.write_text("x,z\n1,1\n2,2,3\n2,5\n")
    assert "line 3" in command("predict", model, new).err
    done = command("predict", model, new, "--skip-bad", 1, "--append")
    assert done.out == "x,z,prediction\n1,1,a\n2,5,b\n"
    assert "1 row with too few or too many cells left out, from line 3, and not answered." in done.err
    new.write_text("x,z\n1,1\n2,2,3\n2,5,3\n")
    assert command("predict", model, new, "--skip-bad", 1).code == 2


def test_columns_and_kinds_are_completed(tmp_path):
    from types import SimpleNamespace

    from learnt.cli.arguments.completing import date_orders, kind_pairs, ordinal_columns

    (tmp_path / "t.csv").write_text("zip,size\n1,2\n")
    context = SimpleNamespace(params={"file": str(tmp_path / "t.csv")}, args=[])
    assert kind_pairs(context, "z") == ["zip="]
    assert kind_pairs(context, "zip=n") == ["zip=numeric", "zip=nominal"]
    assert ordinal_columns(context, "") == ["zip=", "size="]
    assert date_orders("d") == ["day"]


def test_sheets_and_tables_are_completed_and_chosen(command, tmp_path):
    from contextlib import closing
    from types import SimpleNamespace

    import openpyxl

    from learnt.cli.arguments.completing import sheet_names

    book = openpyxl.Workbook()
    book.active.title = "Data 2024"
    book.create_sheet("Notes")
    book.save(tmp_path / "t.xlsx")
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as database:
        database.executescript("CREATE TABLE a (x); CREATE TABLE b (y); INSERT INTO b VALUES (7), (8);")
    for name, sheets in (("t.xlsx", ["Data 2024", "Notes"]), ("t.sqlite", ["a", "b"]), ("no.xlsx", [])):
        assert sheet_names(SimpleNamespace(params={"file": str(tmp_path / name)}, args=[]), "") == sheets
    assert sheet_names(SimpleNamespace(params={}, args=[str(tmp_path / "t.xlsx")]), "d") == ["Data 2024"]
    done = command("describe", tmp_path / "t.sqlite", "--sheet", "b")
    assert done.code == 0, done.err
    assert "2 rows" in done.out
