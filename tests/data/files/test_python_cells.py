"""Cells that come as Python's values, as the texts that a file would hold."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime, time, timedelta

import numpy as np
import pytest

from learnt.data.files.python_cells import cell_text, raw_column


def test_plain_values_are_written_as_the_csv_module_writes_them():
    cells = [3, -2.5, 1e300, "text", 0.1, date(2024, 5, 1), time(12, 30), 2**60]
    for cell in cells:
        out = io.StringIO()
        csv.writer(out, lineterminator="").writerow([cell])
        assert cell_text(cell) == out.getvalue()


def test_booleans_whole_floats_and_moments_are_written_as_people_do():
    assert [cell_text(c) for c in (True, False, 4.0, None)] == ["true", "false", "4", None]
    assert cell_text(datetime(2024, 5, 1, 7, 5)) == "2024-05-01 07:05:00"
    assert cell_text(timedelta(minutes=-90)) == "-1:30:00"


def test_numbers_stay_numbers_and_all_else_are_words_with_their_first_line():
    raw = raw_column("x", [1, " a ", None, 2.5, "a", True, ""], [3, 4, 5, 6, 7, 8, 9])
    np.testing.assert_array_equal(raw.numbers, [1, np.nan, np.nan, 2.5, np.nan, np.nan, np.nan])
    assert raw.words.texts == ("a", "true")
    assert raw.words.counts.tolist() == [2, 1]
    assert raw.words.lines.tolist() == [4, 8]
    assert raw.rows.tolist() == [1, 4, 5]


def test_as_words_every_cell_keeps_its_text():
    cells = [1, "a", None, 1.0]
    raw = raw_column("x", cells, range(4), as_words=True)
    assert raw.numbers is None
    assert [raw.words.texts[code] if code >= 0 else None for code in raw.codes] == ["1", "a", None, "1"]


def test_bytes_are_refused():
    with pytest.raises(TypeError, match="bytes, 3 of them"):
        cell_text(b"abc")
