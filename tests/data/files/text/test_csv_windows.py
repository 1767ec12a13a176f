"""Delimited files read in windows of any size: the same table, however they are cut, packed or written."""

from __future__ import annotations

import csv
import gzip
import io
import signal
import threading

import numpy as np
import pandas as pd
import pytest

from learnt.data import read, scan
from learnt.data.files.text import csv_rows
from learnt.errors import FileError, LearntError

WORDS = ["plain", "with, comma", 'say "hi"', "two\nlines", "ünï 中文", "x" * 300, "a b", "7 up", "-"]


def random_table(seed: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    gaps = rng.random((n, 3)) < 0.1
    frame = pd.DataFrame(
        {
            "x": rng.standard_normal(n) * 10.0 ** rng.integers(-12, 12, n),
            "k": rng.integers(-(10**12), 10**12, n).astype(float),
            "w": rng.choice(WORDS, n),
            "flag": rng.choice(["True", "False"], n),
            "late": ["1.5"] * (n - n // 3) + ["late"] * (n // 3),
        }
    )
    frame.loc[gaps[:, 0], "x"] = np.nan
    frame.loc[gaps[:, 1], "w"] = None
    return frame


def written(frame: pd.DataFrame, line_end: str, quoting: int, encoding: str) -> bytes:
    out = io.StringIO()
    frame.to_csv(out, index=False, lineterminator=line_end, quoting=quoting)
    return out.getvalue().encode(encoding)


@pytest.fixture(params=[40, 300, 5000], ids=lambda size: f"{size} bytes")
def small_windows(request, monkeypatch):
    """Windows and blocks of some bytes, so that every row is cut somewhere."""
    monkeypatch.setattr(csv_rows, "WINDOW_BYTES", request.param)
    monkeypatch.setattr(csv_rows, "BLOCK_BYTES", max(7, request.param // 9))


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_the_same_table_as_pandas_for_any_window(line_end, quoting, encoding, tmp_path):
    frame = random_table(100 * len(line_end) + 10 * quoting + len(encoding), 120)
    content = written(frame, line_end, quoting, encoding)
    path, packed = tmp_path / "t.csv", tmp_path / "u.csv.gz"
    path.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    theirs = pd.read_csv(path, encoding=encoding, keep_default_na=False)
    tables = [read(path), read(io.BytesIO(content)), read(packed)]
    for table in tables:
        assert table["x"].values.view(np.uint64).tolist() == frame["x"].to_numpy().view(np.uint64).tolist()
        assert table["k"].values.tolist() == frame["k"].tolist()
        assert [cell or "" for cell in table["w"].labels()] == [w.replace("\r\n", "\n") for w in theirs["w"]]
        assert table["flag"].labels() == theirs["flag"].tolist()
        assert table["late"].labels() == frame["late"].tolist()
    source = scan(path, batch_rows=7)
    assert source.schema == tables[0].schema
    cells = {name: [cell for batch in source for cell in batch[name].labels()] for name in source.names}
    assert cells == tables[0].to_dict()


@pytest.mark.usefixtures("small_windows")
def test_errors_name_the_same_place_for_any_window():
    for content, line, column in (
        (b"a,b\n" + b"1,2\n" * 200 + b"3\n", 202, 2),
        (b"a,b\n" + b'1,"x\ny"\n' * 100 + b"1,2,3\n", 202, 5),
        (b"a,b\n" + b"1,x\n" * 100 + b'1,"x\n' + b"1,x\n" * 100, 102, 3),
        (b"a,b\n" + b"1,x\n" * 100 + b"1,x\0\n", 102, 3),
    ):
        with pytest.raises(FileError) as caught:
            read(io.BytesIO(content))
        assert (caught.value.line, caught.value.column) == (line, column)


def test_rows_longer_than_a_window_are_read(monkeypatch):
    monkeypatch.setattr(csv_rows.CsvRows.windows, "__defaults__", (64,))
    names = [f"column_{j}" for j in range(9000)]
    table = read(io.BytesIO((",".join(names) + "\n" + ",".join(map(str, range(9000))) + "\n").encode()))
    assert table.names == tuple(names)
    assert [c.values[0] for c in table.columns] == list(range(9000))


def test_runs_of_blanks_and_quotes_are_read(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text('  height   name\n 1.80    "Ann  B."\n\t1.65  Bob  \n\n  1.7   "C"\n')
    for table in (read(path), next(scan(path).batches())):
        assert table.to_dict() == {"height": [1.8, 1.65, 1.7], "name": ["Ann  B.", "Bob", "C"]}


def test_the_words_of_a_column_of_all_files_decide(tmp_path):
    for i, cells in enumerate((["1", "2"], ["x", "2"], ["3", "y"])):
        (tmp_path / f"{i}.csv").write_text("a,b\n" + "".join(f"{c},1\n" for c in cells))
    source = scan(tmp_path)
    assert source.schema["a"].categories == ("1", "2", "3", "x", "y")
    assert [cell for batch in source for cell in batch["a"].labels()] == ["1", "2", "x", "2", "3", "y"]


@pytest.mark.parametrize("delimiter", ["||", "§", "\n"])
def test_a_delimiter_that_is_not_one_character_is_refused(delimiter):
    with pytest.raises((LearntError, TypeError, ValueError)):
        read(io.BytesIO(b"a,b\n1,2\n"), delimiter=delimiter, format="csv")


def test_a_zero_byte_among_cells_apart_by_tabs_and_blanks_is_told():
    with pytest.raises(FileError, match="zero byte") as caught:
        read(io.BytesIO(b"xfy\r\n1\t\x002\r\n3\t4\r\n"), format="csv")
    assert caught.value.line == 2


def test_ctrl_c_ends_a_read(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,word\n" * 300_000)
    monkeypatch.setattr(csv_rows, "BLOCK_BYTES", 64)
    done = csv_rows.CsvRows._check

    def pressed(self, more):
        signal.raise_signal(signal.SIGINT)
        done(self, more)

    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals come to the main thread")
    monkeypatch.setattr(csv_rows.CsvRows, "_check", pressed)
    with pytest.raises(KeyboardInterrupt):
        read(path)
