"""Windows of bytes through the parser, against the csv module of Python."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from learnt.data import read
from learnt.data.files.source import Source
from learnt.data.files.text.csv_rows import NUMBERS, WORDS, CsvRows
from learnt.data.files.text.dialect import Options, sniff
from learnt.errors import FileError, ParameterError


def rows_of(text: str, modes: dict[str, int], **options) -> CsvRows:
    source = Source("t.csv", None, text.encode(), None)
    return CsvRows(source, sniff(source, Options(**options)), modes)


def text_of(n: int) -> str:
    rng = np.random.default_rng(n)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "word", "value"])
    for i in range(n):
        word = rng.choice(["plain", "with, comma", 'with "quotes"', "two\nlines", "é"])
        writer.writerow([i, word, round(float(rng.normal()), 4)])
    return out.getvalue()


@pytest.mark.parametrize("window", [1, 17, 64, 1 << 16])
def test_cells_are_those_of_the_csv_module_however_small_the_windows(window, monkeypatch):
    monkeypatch.setattr("learnt.data.files.text.csv_rows.WINDOW_BYTES", window)
    text = text_of(60)
    expected = list(csv.DictReader(io.StringIO(text)))
    rows = rows_of(text, {"word": WORDS, "value": NUMBERS})
    for _ in rows.windows():
        pass
    word, value = rows.take("word"), rows.take("value")
    assert [word.words.texts[code] for code in word.codes] == [row["word"] for row in expected]
    np.testing.assert_array_equal(value.numbers, [float(row["value"]) for row in expected])


def test_words_and_numbers_are_counted_before_they_are_taken():
    rows = rows_of("a,b\n1,x\n,y\nz,x\n", {"a": NUMBERS, "b": WORDS})
    for _ in rows.windows():
        pass
    assert rows.n_numbers("a") == 1
    words = rows.words("a")
    assert words.texts == ("z",)
    assert rows.n_empty("a", words) == 1
    assert words.lines.tolist() == [4]


def test_a_row_of_another_width_is_an_error_with_its_line():
    rows = rows_of("a,b\n1,2\n3,4\n5,6,7\n", {"a": NUMBERS})
    with pytest.raises(FileError, match="line 4"):
        list(rows.windows())


@pytest.mark.parametrize("settings", [{"quote": "''"}, {"delimiter": ",,"}, {"delimiter": ""}, {"decimal": "->"}])
def test_signs_of_no_or_two_characters_are_refused(settings):
    with pytest.raises(ParameterError, match="One character was expected"):
        read(io.BytesIO(b"a,b\n1,2\n"), **settings)
    with pytest.raises(FileError, match="One ASCII character"):
        read(io.BytesIO(b"a,b\n1,2\n"), delimiter="→")
