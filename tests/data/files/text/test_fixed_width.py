"""Columns of fixed width, compared with what pandas reads of them."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from learnt.data import read, scan
from learnt.data.files.text.fixed_width import column_gaps
from learnt.errors import FileError

PLACES = ("New York", "Bern", "Le Locle", "Rio de Janeiro", "Ulm")


def fixed_text(n: int, seed: int = 0) -> str:
    draw = np.random.default_rng(seed)
    lines = [f"{'place':<16}{'people':>8}  {'since':<10}  {'kind of town':<14}".rstrip()]
    for _ in range(n):
        place, kind = PLACES[draw.integers(5)], ("old town", "new", "by the sea")[draw.integers(3)]
        people = "" if draw.random() < 0.1 else str(draw.integers(1, 10_000_000))
        lines.append(f"{place:<16}{people:>8}  {2000 + draw.integers(24)}-05-01  {kind:<14}".rstrip())
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("n", [3, 40, 6000])
def test_columns_are_what_pandas_reads(tmp_path, n):
    text = fixed_text(n)
    (tmp_path / "t.txt").write_text(text)
    expected = pd.read_fwf(io.StringIO(text))
    table = read(tmp_path / "t.txt")
    assert list(table.names) == list(expected.columns)
    assert table["place"].labels() == expected["place"].tolist()
    assert table["kind of town"].labels() == expected["kind of town"].tolist()
    np.testing.assert_array_equal(table["people"].values, expected["people"].to_numpy(float))
    assert table.kinds["since"] == "date"
    assert [c for b in scan(tmp_path / "t.txt", batch_rows=7) for c in b["place"].labels()] == table["place"].labels()


def test_a_label_that_goes_across_a_gap_is_an_error_with_its_line(tmp_path):
    text = fixed_text(6000).splitlines()
    text[5000] = "x" * 60
    (tmp_path / "t.txt").write_text("\n".join(text) + "\n")
    with pytest.raises(FileError, match="line 5001"):
        read(tmp_path / "t.txt")


@pytest.mark.parametrize("text", [
    "It was the best of times\nit was the worst  of times\nit was the age of\n",
    "a b\n1 2\n3 4\n",
    "name,age\nAnn Lee,3\nBob Ray,4\n",
    "text\ngood  morning\nbad  evening\n",
])  # fmt: skip
def test_prose_and_delimited_text_are_of_no_fixed_width(text):
    assert "fixed width" not in " ".join(note.text for note in read(io.BytesIO(text.encode())).notes)


def test_a_blank_in_all_labels_is_no_gap():
    lines = ["who      age", "Ann Lee   31", "Bob Ray   45"]
    assert len(column_gaps(lines)[0]) == 1
