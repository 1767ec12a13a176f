"""Numbers that may stand for missing cells, seen in the first rows of the files of a scan."""

import numpy as np
import pytest

import learnt
from learnt.data.files import first_rows


@pytest.fixture
def ages(tmp_path):
    """-999 in every tenth row of the first file, and in none of the second."""
    values = np.random.default_rng(0).integers(20, 80, 400).astype(str)
    values[:200:10] = "-999"
    for name, cells in (("a.csv", values[:200]), ("b.csv", values[200:])):
        (tmp_path / name).write_text("age,word\n" + "".join(f"{cell},x{cell}\n" for cell in cells))
    return tmp_path


def suspicions(source):
    return [note.text for note in source.notes if "-999" in note.text]


def test_a_scan_says_what_read_says(ages):
    whole = suspicions(learnt.read(ages / "a.csv"))
    assert len(whole) == 1
    assert "20 cells" in whole[0]
    assert suspicions(learnt.scan(ages / "a.csv")) == whole


def test_no_more_than_the_first_rows_are_looked_at(ages, monkeypatch):
    monkeypatch.setattr(first_rows, "FIRST_ROWS", 150)
    (found,) = suspicions(learnt.scan(ages / "*.csv", batch_rows=64))
    assert "15 of the first 150 cells" in found


def test_first_rows_without_them_raise_no_suspicion(ages, monkeypatch):
    monkeypatch.setattr(first_rows, "FIRST_ROWS", 150)
    assert suspicions(learnt.scan([ages / "b.csv", ages / "a.csv"])) == []
