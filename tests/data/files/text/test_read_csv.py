"""Delimited text: what is found out about it, and what its cells become."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnt.data import read
from learnt.data.cells import MISSING
from learnt.errors import FileError, ParameterError


def of(text: str | bytes, **settings_):
    return read(io.BytesIO(text.encode() if isinstance(text, str) else text), format="csv", **settings_)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    text = "name,age,town\nAnn,31,Bern\nBob,45,Basel\n".replace(",", delimiter)
    assert of(text).to_dict() == {"name": ["Ann", "Bob"], "age": [31.0, 45.0], "town": ["Bern", "Basel"]}


def test_delimiters_inside_quotes_do_not_count():
    assert of('a;b\n"1;2;3, x";5\n"4, y";6\n').to_dict() == {"a": ["1;2;3, x", "4, y"], "b": [5.0, 6.0]}


def test_decimal_commas_are_found_only_where_they_are():
    assert of("a;b\n1,5;2\n-2,25;3\n")["a"].values.tolist() == [1.5, -2.25]
    assert of("a;b\n1.5;2\n2.25;3\n")["a"].values.tolist() == [1.5, 2.25]
    assert of("a;b\n1,5;1.5\n")["b"].values.tolist() == [1.5]
    assert of("1,5;2,5\n3,5;4,5\n").to_dict() == {"x0": [1.5, 3.5], "x1": [2.5, 4.5]}


def test_a_header_is_told_from_data():
    assert of("1,2\n3,4\n").names == ("x0", "x1")
    assert of("a,b\n1,2\n").names == ("a", "b")
    assert of("sunny,hot\nrainy,hot\nsunny,mild\n").n_rows == 3  # labels recur: data
    assert of("sky,air\nsunny,hot\nrainy,hot\n").n_rows == 2
    assert of("a,b\n1,2\n", header=False).to_dict() == {"x0": ["a", "1"], "x1": ["b", "2"]}
    assert of("1960,1970\n3,4\n", header=True).names == ("1960", "1970")


def test_a_header_alone_is_a_table_without_rows():
    for text in ("a,b\n", "a,b", "\n\na,b\r\n"):
        assert of(text).shape == (0, 2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_the_encoding_is_found(encoding):
    assert of("größe,b\nÉlan,1\n".encode(encoding)).to_dict() == {"größe": ["Élan"], "b": [1.0]}


@pytest.mark.costly
def test_an_encoding_that_shows_late_is_found_too():
    body = "a,b\n" + "x,1\n" * 100_000
    assert of(body.encode() + "é,2\n".encode("cp1252"))["a"].categories == ("x", "é")
    assert of(body.encode() + b"\x81,2\n")["a"].categories == ("x", "\x81")  # no sign of cp1252: Latin-1


def test_usual_missing_markers_are_missing_among_numbers_and_labels_among_labels():
    markers = [marker for marker in MISSING if marker]
    text = "a,b\n1,x\n" + "".join(f"{marker},{marker}\n" for marker in markers) + ",\n"
    table = of(text)
    assert dict(table.kinds) == {"a": "numeric", "b": "nominal"}
    assert table["a"].missing.sum() == len(MISSING)
    assert table["b"].labels() == ["x", *markers, None]
    assert any(note.column == "b" for note in table.notes)


def test_markers_that_are_given_take_the_place_of_the_usual_ones():
    table = of("a,b\n-999,gone\n3,here\n4,NA\n", missing=["-999", "gone"])
    assert table.to_dict() == {"a": [None, 3.0, 4.0], "b": [None, "here", "NA"]}
    with pytest.raises(ParameterError, match="one text"):
        of("a,b\n1,2\n", missing="NA")
    with pytest.raises(ParameterError, match="holds -999"):
        of("a,b\n1,2\n", missing=[-999])


def test_space_around_cells_does_not_count():
    table = of("age, job ,pay\n 39 , State-gov,  NA\n50,   ? , 7\n51,State-gov ,8\n")
    assert table.to_dict() == {"age": [39, 50, 51], "job": ["State-gov", "?", "State-gov"], "pay": [None, 7, 8]}


def test_line_ends_blank_lines_and_line_breaks_in_quotes():
    wanted = {"a": [1.0, 2.0], "b": ["x\ny", "z"]}
    assert of('a,b\n1,"x\ny"\n\n2,z\n').to_dict() == wanted
    assert of('a,b\r\n1,"x\ny"\r\n\r\n2,z').to_dict() == wanted
    assert of("a,b\r1,x\r2,y\r").to_dict() == {"a": [1.0, 2.0], "b": ["x", "y"]}
    assert of('a,b\n1,"say ""hi"""\n2,z\n')["b"].labels() == ['say "hi"', "z"]


def test_a_delimiter_at_the_end_of_every_line_makes_no_column():
    for header in ("a,b,", "a,b"):
        assert of(f"{header}\n1,x,\n2,y,\n").to_dict() == {"a": [1.0, 2.0], "b": ["x", "y"]}


def test_other_quotes_and_none():
    assert of("a,b\n'x,y',1\n", quote="'").to_dict() == {"a": ["x,y"], "b": [1.0]}
    assert of('a,b\n"x,1\n', quote="").to_dict() == {"a": ['"x'], "b": [1.0]}


def test_kinds_follow_from_all_cells():
    table = of("n,t,d,w,m\n1,true,2020-01-02,a,\n2.5,FALSE,1969-12-31,1,\n")
    assert dict(table.kinds) == {"n": "numeric", "t": "boolean", "d": "date", "w": "nominal", "m": "numeric"}
    assert table["d"].values.tolist() == [18263.0, -1.0]
    assert table["t"].labels() == [True, False]
    assert np.isnan(table["m"].values).all()


def test_points_in_time_become_days():
    table = of("t,z\n2020-01-01T12:00:00,2020-01-01T12:00:00+06:00\n2020-01-02,2020-01-02T00:00:00Z\n")
    assert table["t"].values.tolist() == [18262.5, 18263.0]
    assert table["z"].values.tolist() == [18262.25, 18263.0]


@pytest.mark.costly
@pytest.mark.parametrize("late", ["word", "true", "2020-01-01", "0x10", "1_000"])
def test_many_late_cells_make_the_whole_column_nominal(late):
    numbers = [str(i % 1000) for i in range(200_000)]
    table = of("a,b\n" + "".join(f"{n},1.5\n" for n in numbers) + f"{late},2\n" * 50_000)
    assert dict(table.kinds) == {"a": "nominal", "b": "numeric"}
    assert table["a"].labels() == [*numbers, *[late] * 50_000]
    assert list(table["a"].categories) == sorted({*numbers, late})


def test_one_late_word_is_missing_and_said_with_its_line():
    table = of("a,b\n" + "1,1.5\n" * 100_000 + "word,2\n")
    assert dict(table.kinds) == {"a": "numeric", "b": "numeric"}
    assert table["a"].missing.tolist() == [False] * 100_000 + [True]
    assert "'word'" in table.notes[0].text
    assert "100002" in table.notes[0].text.replace(",", "")


def test_columns_that_are_empty_at_first_are_decided_by_what_comes():
    blank = "1,,\n" * 200_000
    table = of("a,b,c\n" + blank + "1,2.5,word\n")
    assert dict(table.kinds) == {"a": "numeric", "b": "numeric", "c": "nominal"}
    assert table["b"].values[-1] == 2.5
    assert table["c"].labels()[-1] == "word"


def test_several_columns_that_change_late_are_all_right():
    rows = 100_000
    late = "x,y,maybe,2020-01-01 06:00\n" * (rows // 4)
    table = of("a,b,c,d\n" + "1,2,true,2020-01-01\n" * rows + late)
    assert dict(table.kinds) == {"a": "nominal", "b": "nominal", "c": "nominal", "d": "date"}
    assert table["d"].values[-1] == 18262.25
    assert table["c"].categories == ("maybe", "true")


def test_numbers_with_leading_zeros_are_labels():
    table = of("zip,n\n01067,1\n80331,2\n")
    assert table["zip"].labels() == ["01067", "80331"]


def test_bad_rows_are_left_out_only_when_asked_and_counted():
    text = "a,b\n1,2\n3\n4,5\n6,7,8\n9,1\n"
    with pytest.raises(FileError) as caught:
        of(text)
    assert caught.value.line == 3
    with pytest.raises(FileError) as caught:
        of(text, skip_bad=1)
    assert caught.value.line == 5
    table = of(text, skip_bad=2)
    assert table.to_dict() == {"a": [1, 4, 9], "b": [2, 5, 1]}
    assert "2 rows" in table.notes[0].text
    assert "line 3, 5" in table.notes[0].text
    for wrong in (-1, True, 1.5):
        with pytest.raises(ParameterError, match="skip_bad"):
            of(text, skip_bad=wrong)


def test_integers_stay_exact_up_to_two_to_the_53():
    assert of(f"a,b\n{2**53},{2**53 - 1}\n").columns[1].values[0] == 2**53 - 1


def test_kinds_and_ordinal_override():
    text = "zip,size,yes,n\n01234,L,yes,1\n1234,S,no,2\n"
    table = of(text, kinds={"zip": "nominal", "yes": "boolean", "n": "nominal"}, ordinal={"size": ["S", "M", "L"]})
    assert table["zip"].labels() == ["01234", "1234"]
    assert table["size"].values.tolist() == [2, 0]
    assert table.schema["size"].categories == ("S", "M", "L")
    assert table["yes"].labels() == [True, False]
    assert table["n"].labels() == ["1", "2"]


def test_columns_are_chosen_and_ordered_and_the_target_is_added():
    table = of("a,b,c\n1,x,3\n", columns=["c", "a"], target="b")
    assert table.names == ("c", "a", "b")
    assert table.target == "b"


@pytest.mark.costly
def test_cells_larger_than_a_block_are_read():
    long = "z" * (9 << 20)
    assert of(f"a,b\n1,{long}\n2,y\n")["b"].labels() == [long, "y"]


def test_the_same_cells_as_pandas_reads(tmp_path):
    rng = np.random.default_rng(0)
    n = 3000
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
            "k": rng.integers(-(10**12), 10**12, n),
            "word": rng.choice(["plain", "with, comma", 'with "quotes"', "two\nlines", "ünï"], n),
            "flag": rng.random(n) < 0.5,
        }
    )
    path = tmp_path / "frame.csv"
    frame.to_csv(path, index=False)
    table, theirs = read(path), pd.read_csv(path)
    np.testing.assert_array_equal(table["x"].values, theirs["x"].to_numpy())
    np.testing.assert_array_equal(table["k"].values, theirs["k"].to_numpy().astype(float))
    assert table["word"].labels() == theirs["word"].tolist()
    assert table["flag"].labels() == theirs["flag"].tolist()


words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cc"]), max_size=8)
numbers = st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-(2**53), 2**53).map(float))


@pytest.mark.costly
@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(numbers, st.one_of(st.none(), words), st.sampled_from(["true", "False", ""])), min_size=1),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_any_table_written_by_the_csv_module_is_read_back(rows, delimiter, quoting):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)
    writer.writerow(["number", "text", "flag"])
    for number, text, flag in [*rows, (0.5, "anchor", "true")]:
        writer.writerow(["" if number is None else repr(number), "" if text is None else text, flag])
    table = of(out.getvalue(), delimiter=delimiter, header=True, encoding="utf-8", decimal=".")
    for (number, text, flag), a, b, c in zip(rows, *(table[name].labels() for name in table.names), strict=False):
        assert a == number or (a is None and number is None)
        trimmed = (text or "").strip()
        assert b == (trimmed or None) or (b is None and trimmed in MISSING)  # bare markers beside quoted labels
        assert c == {"true": True, "False": False, "": None}[flag]
    assert table.n_rows == len(rows) + 1
    assert not any(math.isnan(v) for v in table["number"].values if v == v)
