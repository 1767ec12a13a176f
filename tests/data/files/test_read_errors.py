"""A file that cannot be read says which, where and why."""

from __future__ import annotations

import gzip
import io
import pickle

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from learnt.data import read, scan
from learnt.errors import FileError, InputError, KindError, LearntError

# name, content, line, column, words of the message
MISTAKES = [
    ("short.csv", b"a,b\n1,2\n3\n", 3, 2, "1 cell. Expected 2"),
    ("long.csv", b"a,b\n1,2\n3,4,5\n", 3, 5, "3 cells. Expected 2"),
    ("after_blank.csv", b"a,b\r\n\r\n1,2\r\n\r\n3\r\n", 5, 2, "1 cell"),
    ("after_break.csv", b'a,b\n1,"x\ny"\n2,z,4\n', 4, 5, "3 cells"),
    ("within_break.csv", b'a,b\n1,"x\ny",7\n', 3, 4, "3 cells"),
    ("far.csv", b"a,b\n" + b"1,2\n" * 300_000 + b"1\n", 300_002, 2, "1 cell"),
    ("quote.csv", b'a,b\n1,"x\n2,z\n', 2, 3, "never closed"),
    ("quote_last.csv", b'a,b\n1,x\n2,"z\nz', 3, 3, "never closed"),
    ("zero.csv", b"a,b\n1,x\n2,y\0z\n", 3, 3, "zero byte"),
    ("surplus.csv", b"a,b\n" + b"1,2,\n" * 200_000 + b"1,2,3\n", 200_002, 5, "'3'"),
    ("row.arff", b"@relation r\n@attribute a numeric\n@attribute b {u,v}\n@data\n1,u\n% c\n2\n", 7, 2, "1 cell"),
    ("more.arff", b"@relation r\n@attribute a numeric\n@data\n1\n2, 3\n", 5, 4, "2 cells"),
    ("label.arff", b"@relation r\n@attribute a numeric\n@attribute b {u,v}\n@data\n1,u\n2, w\n", 6, 4, "'w'"),
    ("number.arff", b"@relation r\n@attribute a numeric\n@data\n1\nx\n", 5, 1, "'x'"),
    ("type.arff", b"@relation r\n@attribute a relational\n@data\n1\n", 2, 14, "'relational'"),
    ("twins.arff", b"@relation r\n@attribute a real\n@attribute a real\n@data\n", 3, 12, "'a'"),
    ("list.arff", b"@relation r\n@attribute a {u,v\n@data\n", 2, 17, "list of labels"),
    ("cut.arff", b"@relation r\n@attribute a real\n", 2, None, "before @data"),
    ("header.arff", b"@relation r\nattribute a real\n", 2, 1, "@attribute"),
    ("sparse.arff", b"@relation r\n@attribute a real\n@data\n{0 1}\n{1 5}\n", 5, 2, "index 1"),
    ("json.jsonl", b'{"a": 1}\n\n{"a": }\n', 3, 7, "not JSON"),
    ("type.jsonl", b'{"a": 1}\n{"b": 2, "a": "x"}\n', 2, 10, "'a'"),
    ("row.jsonl", b'{"a": 1}\n[1]\n', 2, 1, "object"),
    ("twins.jsonl", b'{"a": 1}\n{"a": 1, "a": 2}\n', 2, None, "twice"),
    ("bytes.jsonl", b'{"a": "x"}\n{"a": "\xe9"}\n', 2, None, "UTF-8"),
    ("array.jsonl", b'[{"a": 1}, 7]\n', 1, None, "Objects"),
    ("pair.libsvm", b"1 1:2\n-1 2:x\n", 2, 4, "'2:x'"),
    ("colon.libsvm", b"1 1:2\n-1 2:3:4 5\n", 2, 4, "'2:3:4'"),
    ("nolabel.libsvm", b"1 1:2\n2:3 4\n", 2, 1, "label"),
    ("twice.libsvm", b"# c\n1 1:2\n1 3:1 2:1 3:2\n", 3, 11, "twice"),
    ("labels.libsvm", b"1 1:2\n1,2 2:3\n", 2, 1, "several labels"),
    ("huge.libsvm", b"1 1:2\n1 4000000000:1\n", 2, 3, "too large"),
]


@pytest.mark.costly
@pytest.mark.parametrize(("name", "content", "line", "column", "words"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_told_with_file_line_and_column(tmp_path, name, content, line, column, words):
    path = tmp_path / name
    path.write_bytes(content)
    errors = []
    attempts = (
        lambda: read(path),
        lambda: list(scan(path, batch_rows=1000)),
        lambda: read(io.BytesIO(content), format=path.suffix[1:]),
    )
    for attempt in attempts:
        with pytest.raises(FileError) as caught:
            attempt()
        errors.append(caught.value)
    for error in errors:
        assert (error.line, error.column) == (line, column)
        assert words in str(error)
    assert errors[0].file == errors[1].file == str(path)
    assert str(path) in str(errors[0])


def test_a_word_in_a_column_declared_numeric_is_told_with_its_place(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"{a},b\n" + b"1,2\n" * 5000 + b"2,NA\n3, x\n")
    for attempt in (read, lambda p, **k: list(scan(p, **k))):
        with pytest.raises(FileError, match=r"Column 'b' holds 'x'\. A number was expected") as caught:
            attempt(path, kinds={"b": "numeric"})
        assert (caught.value.line, caught.value.column) == (5003, 3)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("format", ["csv", "arff", "jsonl", "libsvm", "parquet", "arrow"])
def test_an_empty_file_is_an_error_in_every_format(content, format):
    with pytest.raises(FileError):
        read(io.BytesIO(content), format=format)


@pytest.fixture
def small():
    return pa.table({"a": list(range(1000)), "s": ["x", "y"] * 500})


def test_files_cut_off_are_errors_without_arrows_words(tmp_path, small):
    pq.write_table(small, tmp_path / "t.parquet")
    feather.write_feather(small, str(tmp_path / "t.feather"))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n" + bytes(str(list(range(20_000))), "ascii")))
    for name in ("t.parquet", "t.feather", "t.csv.gz"):
        path = tmp_path / name
        whole = path.read_bytes()
        for keep in (len(whole) - 9, len(whole) // 2, 20):
            path.write_bytes(whole[:keep])
            for attempt in (read, lambda p: list(scan(p))):
                with pytest.raises(FileError, match=name) as caught:
                    attempt(path)
                assert caught.value.file == str(path)


def test_flipped_bytes_never_raise_anything_but_our_errors(tmp_path, small):
    pq.write_table(small, tmp_path / "t.parquet")
    whole = bytearray((tmp_path / "t.parquet").read_bytes())
    failures = 0
    for place in range(4, len(whole), max(1, len(whole) // 150)):
        hurt = bytearray(whole)
        hurt[place] ^= 0xFF
        try:
            read(io.BytesIO(bytes(hurt)), format="parquet")
        except LearntError:
            failures += 1
    assert failures > 0


def test_a_name_that_contradicts_the_content_is_an_error(tmp_path, small):
    pq.write_table(small, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_bytes((tmp_path / "t.parquet").read_bytes())
    with pytest.raises(FileError, match="holds parquet, but csv"):
        read(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", format="parquet").shape == (1000, 2)
    (tmp_path / "u.parquet").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(FileError, match="parquet was expected"):
        read(tmp_path / "u.parquet")


def test_what_is_no_file_is_told(tmp_path):
    with pytest.raises(FileError, match=r"no such file.*nowhere\.csv"):
        read(tmp_path / "nowhere.csv")
    with pytest.raises(FileError, match="Nothing is downloaded"):
        read("https://example.org/a.csv")
    with pytest.raises(FileError, match="folder"):
        read(tmp_path)
    with pytest.raises(KindError, match="int"):
        read(7)
    with pytest.raises(FileError, match="no format 'xls'"):
        read(io.BytesIO(b"a\n1\n"), format="xls")
    with pytest.raises(FileError, match="no encoding 'klingon'"):
        read(io.BytesIO(b"a\n1\n"), encoding="klingon")
    with pytest.raises(FileError, match="not written in utf-8"):
        read(io.BytesIO(b"a,b\n1,\xe9\n"), encoding="utf-8")


def test_unknown_columns_are_named_with_the_nearest():
    content = b"age,town\n1,x\n"
    for settings in ({"target": "agee"}, {"columns": ["agee"]}, {"kinds": {"agee": "nominal"}}):
        with pytest.raises(InputError, match=r"'agee'.*'age'"):
            read(io.BytesIO(content), **settings)
    with pytest.raises(InputError, match="one name"):
        read(io.BytesIO(content), columns="age")


def test_nested_values_are_named(tmp_path):
    table = pa.table({"a": [1, 2], "deep": [[1], [2, 3]]})
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.feather"))
    (tmp_path / "t.jsonl").write_text('{"a": 1, "deep": [1]}\n{"a": 2, "deep": null}\n')
    for name in ("t.parquet", "t.feather", "t.jsonl"):
        for attempt in (read, lambda p: list(scan(p))):
            with pytest.raises(KindError, match=r"'deep' holds nested.*" + name):
                attempt(tmp_path / name)
        assert read(tmp_path / name, columns=["a"])["a"].values.tolist() == [1.0, 2.0]


def test_file_errors_survive_pickling():
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(b"a,b\n1\n"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line, again.column) == (str(caught.value), 2, 2)
