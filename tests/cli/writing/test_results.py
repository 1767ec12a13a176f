"""What is left behind, each at the place that was named for it."""

from __future__ import annotations

import csv
import os

import pyarrow as pa
import pytest

import learnt
from learnt.cli.writing.results import Results, save_model, say_written, write_columns
from learnt.cli.writing.steps import Steps
from learnt.errors import FileError
from learnt.saving import read_notes


class Page:
    def to_html(self):
        return "<p>found</p>"


@pytest.fixture
def model():
    return learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [3.0, 5.0])


def test_only_what_has_a_place_is_written(tmp_path, model):
    places = {"output": tmp_path / "t.csv", "save": tmp_path / "m.learnt", "report": tmp_path / "p.html"}
    for wanted in ((), ("output",), ("save", "report"), tuple(places)):
        for place in places.values():
            place.unlink(missing_ok=True)
        results = Results(**{name: places[name] if name in wanted else None for name in places})
        written = results.write(Steps(), lambda place: place.write_text("a table"), model, results.page_of(Page()))
        assert written == [places[name] for name in places if name in wanted]
        assert [place.exists() for place in places.values()] == [name in wanted for name in places]
    assert places["report"].read_text() == "<p>found</p>"
    assert learnt.load(places["save"]).predict({"x": [0.0]})[0] == 4.0


def test_a_page_is_not_made_where_none_is_wanted(tmp_path):
    class Expensive:
        def to_html(self):
            raise AssertionError

    assert Results(None, None, None).page_of(Expensive()) == ""


def test_a_place_that_cannot_be_written_to_is_told_before_the_work(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    with pytest.raises(FileError):
        Results(tmp_path / "nowhere" / "t.csv", None, None).check()
    Results(tmp_path / "t.csv", None, None).check()
    assert os.environ["MPLBACKEND"] == "Agg"


def test_new_columns_stand_behind_the_old_ones_under_names_of_their_own(tmp_path):
    beside = learnt.Table({"name": ['say "hi"', "a,b", None], "cluster": [1.0, 2.5, None]})
    write_columns(tmp_path / "out.csv", beside, ["cluster"], [pa.array([0, 1, 1])])
    with open(tmp_path / "out.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:2] == ["name", "cluster"]
    assert len(set(header)) == 3
    assert [row[0] for row in rows] == ['say "hi"', "a,b", ""]
    assert [row[2] for row in rows] == ["0", "1", "1"]


def test_new_columns_may_stand_alone(tmp_path):
    write_columns(tmp_path / "out.csv", None, ["x", "y"], [pa.array([1.5]), pa.array(["z"])])
    with open(tmp_path / "out.csv", newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], ["1.5", "z"]]


def test_a_model_keeps_its_notes_and_a_place_that_fails_is_named(tmp_path, model):
    save_model(model, tmp_path / "m.learnt", {"target": "y"})
    assert read_notes(tmp_path / "m.learnt") == {"target": "y"}
    with pytest.raises(FileError, match="The model cannot be written") as caught:
        save_model(model, tmp_path)  # a folder
    assert str(tmp_path) in str(caught.value)


def test_places_are_told(tmp_path, capsys):
    say_written([tmp_path / "a.csv", tmp_path / "b.html"])
    assert capsys.readouterr().out.splitlines() == [f"Written: {tmp_path}/a.csv", f"Written: {tmp_path}/b.html"]
