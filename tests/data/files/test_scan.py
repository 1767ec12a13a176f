"""Scans: the same table as `read`, in batches, again and again, in bounded memory."""

from __future__ import annotations

import gc
import io
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from learnt.data import ColumnSchema, Schema, Table, read, scan
from learnt.errors import FileError, InputError, KindError

ROWS = 500


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(1)
    gaps = rng.random(ROWS) < 0.1
    return pa.table(
        {
            "x": pa.array(rng.standard_normal(ROWS), mask=gaps),
            "k": rng.integers(0, 9, ROWS),
            "s": pa.array(rng.choice(["b", "a", "c, d", "ü"], ROWS), mask=np.roll(gaps, 1)),
            "b": rng.random(ROWS) < 0.5,
            "d": pa.array(rng.integers(0, 20_000, ROWS).astype(np.int32), pa.date32()),
        }
    )


@pytest.fixture(scope="module")
def files(mixed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    frame = mixed.to_pandas()
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "t.csv.gz", index=False)
    frame.to_csv(folder / "t.tsv", index=False, sep="\t", encoding="utf-16")
    frame.assign(d=frame["d"].astype(str)).to_json(folder / "t.jsonl", orient="records", lines=True)
    pq.write_table(mixed, folder / "t.parquet", row_group_size=130)
    feather.write_feather(mixed, str(folder / "t.feather"), chunksize=99)
    header = "@relation r\n@attribute x real\n@attribute s string\n@attribute b {True,False,Maybe}\n@data\n"
    numbers, words = frame["x"].astype(object).fillna("?"), frame["s"].map(repr, na_action="ignore").fillna("?")
    cells = zip(numbers, words, frame["b"], strict=True)
    (folder / "t.arff").write_text(header + "".join(f"{x},{s},{b}\n" for x, s, b in cells))
    rows = (f"{k} {k + 1}:{i} {k + 5}:1\n" for i, k in enumerate(frame["k"]))
    (folder / "t.libsvm").write_text("".join(rows))
    return folder


FILES = ["t.csv", "t.csv.gz", "t.tsv", "t.jsonl", "t.parquet", "t.feather", "t.arff", "t.libsvm"]


def joined(batches, schema):
    """All batches as one dict of lists; every batch must be in the scan's codes."""
    table = {name: [] for name in schema.names}
    for batch in batches:
        assert batch.schema == schema
        for name, cells in batch.to_dict().items():
            table[name] += cells
    return table


@pytest.mark.costly
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("batch_rows", [1, 7, 100, ROWS, 10 * ROWS])
def test_a_scan_is_what_read_gives_for_any_batch_size(files, name, batch_rows):
    whole = read(files / name)
    source = scan(files / name, batch_rows=batch_rows)
    assert source.schema == whole.schema
    batches = list(source.batches())
    assert all(0 < batch.n_rows <= batch_rows for batch in batches)
    assert joined(batches, whole.schema) == whole.to_dict()
    assert source.n_rows == ROWS


@pytest.mark.parametrize("name", FILES)
def test_every_pass_gives_the_same_batches(files, name):
    source = scan(files / name, batch_rows=64)
    passes = [[(b.n_rows, b.to_dict()) for b in source.batches()] for _ in range(2)]
    assert passes[0] == passes[1]


def test_columns_are_chosen_and_the_target_is_kept(files):
    for name in FILES[:6]:
        source = scan(files / name, "s", batch_rows=200)
        batch = next(source.batches(["s", "x"]))
        assert batch.names == ("s", "x")
        assert batch.target == "s"
        assert next(source.batches(["x"])).target is None
        assert sum(b.n_rows for b in source.batches([])) == ROWS
    with pytest.raises(InputError, match=r"'xx'.*'x'"):
        source.batches(["xx"])
    with pytest.raises(InputError, match="'nothing'"):
        scan(files / "t.csv", "nothing").schema


def test_patterns_folders_and_lists_mean_the_same_files(tmp_path):
    for i in range(3):
        (tmp_path / f"part{i}.csv").write_text(f"a,b\n{i},{'xyz'[i]}\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("oops")
    wanted = {"a": [0, 1, 2], "b": ["x", "y", "z"]}
    for paths in (tmp_path, str(tmp_path / "*.csv"), [tmp_path / f"part{i}.csv" for i in range(3)]):
        source = scan(paths)
        assert len(source.files) == 3
        assert joined(source, source.schema) == wanted
    with pytest.raises(FileError, match="no file here"):
        scan(tmp_path / "*.parquet")
    with pytest.raises(FileError, match="no such file"):
        scan(tmp_path / "absent.csv")
    with pytest.raises(KindError, match="BytesIO"):
        scan(io.BytesIO(b"a\n1\n"))


def write(folder, **contents):
    for name, content in contents.items():
        (folder / f"{name}.csv").write_text(content)
    return [folder / f"{name}.csv" for name in contents]


def test_kinds_and_labels_are_those_of_all_files(tmp_path):
    paths = write(tmp_path, one="a,b,c\n1,2,\n", two="c,a,b\n2020-01-01,x,3\n", three="a,b,c\n,4.5,2020-01-01 12:00\n")
    for order in (paths, paths[::-1]):
        source = scan(order)
        assert source.schema["a"] == ColumnSchema("a", "nominal", ("1", "x"))
        assert (source.kinds["b"], source.kinds["c"]) == ("numeric", "date")
    assert sorted(joined(source, source.schema)["b"]) == [2, 3, 4.5]


def test_a_word_after_many_numbers_makes_labels_of_all_of_them(tmp_path):
    (path,) = write(tmp_path, late="a,b\n" + "".join(f"{i % 50},{i}\n" for i in range(100_000)) + "word,7\n")
    source, whole = scan(path, batch_rows=9000), read(path)
    assert source.schema == whole.schema
    assert joined(source, source.schema) == whole.to_dict()


@pytest.mark.slow
def test_spaces_around_markers_late_in_the_file_do_no_harm(tmp_path):
    (path,) = write(tmp_path, late="a,b\n" + "1,2\n" * 50_000 + " 3 ,   NA  \n")
    source = scan(path, batch_rows=1000)
    assert source.kinds == {"a": "numeric", "b": "numeric"}
    assert joined(source, source.schema) == read(path).to_dict()


@pytest.mark.costly
def test_what_shows_late_is_read_on_without_a_row_lost_or_twice(tmp_path):
    spaces, letters = tmp_path / "spaces.csv", tmp_path / "letters.csv"
    body = "a,b\n" + "".join(f"w{i % 9},{i}\n" for i in range(50_000))
    spaces.write_text(body + "w1,   NA  \nw2,5\n")
    letters.write_bytes(body.encode() + "é,\nw2,5\n".encode("cp1252"))
    for path in (spaces, letters):
        whole = read(path)
        told = scan(path, batch_rows=1000).with_schema(whole.schema)  # no first pass has warned it
        assert joined(told, whole.schema) == whole.to_dict()


@pytest.mark.slow
def test_an_encoding_that_shows_late_is_followed(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"a,b\n" + b"x,1\n" * 50_000 + "é,2\n".encode("cp1252"))
    source = scan(path, batch_rows=1000)
    assert source.schema["a"].categories == ("x", "é")
    assert joined(source, source.schema) == read(path).to_dict()


def test_files_that_differ_are_named(tmp_path):
    one, two = write(tmp_path, one="a,b\n1,2\n", two="a,c\n1,2\n")
    with pytest.raises(FileError, match=r"'b' is missing.*one\.csv.*two\.csv") as caught:
        scan([one, two]).schema
    assert caught.value.file == str(two)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "2.parquet")
    with pytest.raises(KindError, match=r"'a' is nominal in file '.*2\.parquet', but numeric"):
        scan(tmp_path / "*.parquet").schema


def test_kinds_and_ordinal_are_followed_as_in_read(files):
    told = {"kinds": {"k": "nominal"}, "ordinal": {"s": ["a", "b", "ü", "c, d"]}}
    for name in ("t.csv", "t.parquet", "t.feather", "t.jsonl"):
        whole, source = read(files / name, **told), scan(files / name, batch_rows=77, **told)
        assert source.schema == whole.schema
        assert joined(source, whole.schema) == whole.to_dict()
    with pytest.raises(InputError, match="'kk'"):
        scan(files / "t.csv", kinds={"kk": "nominal"}).schema


def test_numbers_as_labels_are_sorted_as_numbers_over_all_batches(tmp_path):
    pq.write_table(pa.table({"a": [10.0, 2.0, 3.0, 0.5]}), tmp_path / "t.parquet")
    source = scan(tmp_path / "t.parquet", kinds={"a": "nominal"}, batch_rows=1)
    assert source.schema == read(tmp_path / "t.parquet", kinds={"a": "nominal"}).schema
    assert repr(source.schema["a"].categories) == "(0.5, 2.0, 3.0, 10.0)"


def test_a_models_schema_needs_no_first_pass_and_makes_unknown_labels_missing(files, monkeypatch):
    schema = Schema((ColumnSchema("s", "nominal", ("zzz", "a")), ColumnSchema("x", "numeric")))
    for name in ("t.csv", "t.parquet", "t.feather", "t.jsonl", "t.arff"):
        source = scan(files / name, batch_rows=100)
        monkeypatch.setattr("learnt.data.files.survey.survey", lambda *_: pytest.fail("a first pass"))
        told = source.with_schema(schema)
        cells = joined(told, schema)
        monkeypatch.undo()
        whole = read(files / name)
        assert cells["s"] == [label if label == "a" else None for label in whole["s"].labels()]
        assert cells["x"] == whole["x"].labels()
    with pytest.raises(InputError, match="'gone'"):
        source.with_schema(Schema((ColumnSchema("gone", "numeric"),)))


def test_labels_that_are_numbers_are_found_in_text_files(tmp_path):
    (path,) = write(tmp_path, zips="zip,b\n3000,1\n8001,2\n9,3\n")
    told = scan(path).with_schema(Schema((ColumnSchema("zip", "nominal", (3000, 8001)),)))
    assert joined(told, told.schema) == {"zip": [3000, 8001, None]}


def test_a_libsvm_scan_follows_a_wider_model(files):
    schema = Schema(tuple(ColumnSchema(name, "numeric") for name in ("x3", "x99")))
    whole = read(files / "t.libsvm")
    told = scan(files / "t.libsvm", batch_rows=60).with_schema(schema)
    batches = list(told)
    assert all(batch.sparse is not None for batch in batches)
    assert joined(batches, schema) == {"x3": whole["x3"].labels(), "x99": [0.0] * ROWS}


def test_files_whose_types_say_it_all_are_not_read_for_the_schema(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": [1, 2], "b": [True, None]}), tmp_path / "t.parquet")
    source = scan(tmp_path / "t.parquet")
    monkeypatch.setattr(
        "learnt.data.files.columnar.parquet.ParquetPart.tables", lambda *_: pytest.fail("rows were read")
    )
    assert source.kinds == {"a": "numeric", "b": "boolean"}
    assert source.n_rows == 2


def test_declared_categories_keep_their_order_over_files(tmp_path):
    for i, levels in enumerate((["z", "a"], ["a", "q", "z"])):
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), levels)
        pq.write_table(pa.table({"c": column}), tmp_path / f"{i}.parquet")
    source = scan(tmp_path, batch_rows=1)
    assert source.schema["c"].categories[:2] == ("z", "a")
    assert set(source.schema["c"].categories) == {"z", "a", "q"}
    assert joined(source, source.schema)["c"] == ["z", "a", "a", "q"]


def test_files_without_rows_are_no_batches(tmp_path):
    paths = write(tmp_path, none="a,b\n", some="a,b\n1,x\n")
    assert [b.n_rows for b in scan(paths)] == [1]
    assert scan(paths).kinds == {"a": "numeric", "b": "nominal"}
    assert list(scan(paths[0])) == []


def test_a_reader_left_early_stops_its_thread_and_closes_its_file(files):
    before = threading.active_count()
    for name in FILES:
        batches = scan(files / name, batch_rows=5).batches()
        next(batches)
        batches.close()
    assert threading.active_count() == before
    gc.collect()
    open_files = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_link(fd)]
    assert not [path for path in open_files if path.startswith(str(files))]


def _is_link(fd: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{fd}") and os.path.exists(f"/proc/self/fd/{fd}")


@pytest.mark.costly
def test_batches_outlive_their_reader(files):
    for name in FILES[:6]:
        kept = list(scan(files / name, batch_rows=50).batches())
        gc.collect()
        assert [v for b in kept for v in b["x"].labels()] == read(files / name)["x"].labels()


def test_two_passes_may_run_side_by_side(files):
    source = scan(files / "t.parquet", batch_rows=64)
    for one, two in zip(source.batches(), source.batches(), strict=True):
        assert one.to_dict() == two.to_dict()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_process_can_scan_while_the_parent_does(files):
    batches = scan(files / "t.parquet", batch_rows=50).batches()
    next(batches)
    child = os.fork()
    if child == 0:
        fine = sum(b.n_rows for b in scan(files / "t.csv", batch_rows=50).batches()) == ROWS
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert sum(b.n_rows for b in batches) == ROWS - 50


PEAK = """
import sys
from learnt.data import scan
total = 0
for batch in scan(sys.argv[1], batch_rows=20_000).batches():
    total += batch.n_rows
status = open("/proc/self/status").read()
print(total, status.split("VmHWM:")[1].split()[0])
"""


@pytest.mark.costly
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for groups in (2, 16):
        path = tmp_path / f"{groups}.parquet"
        block = pa.table({f"x{j}": np.random.default_rng(j).random(125_000) for j in range(8)})
        with pq.ParquetWriter(path, block.schema, use_dictionary=False, compression="none") as writer:
            for _ in range(groups):
                writer.write_table(block)
        out = subprocess.run([sys.executable, "-c", PEAK, str(path)], check=True, capture_output=True, text=True).stdout
        rows, peak = map(int, out.split())
        assert rows == groups * 125_000
        peaks.append(peak / 1024)
    assert peaks[1] < peaks[0] + 40  # the file grew by 112 MB


def test_a_table_of_a_scan_shows_where_it_comes_from(files):
    source = scan(files / "t.parquet")
    assert repr(source) == f"Scan({str(files / 't.parquet')!r}, 500 rows)"
    assert isinstance(next(iter(source)), Table)


def test_a_scan_suspects_the_numbers_that_read_suspects(tmp_path, monkeypatch):
    lines = [f"{-999 if i % 9 == 0 else i % 30},{i}" for i in range(200)]
    (tmp_path / "t.csv").write_text("age,n\n" + "\n".join(lines) + "\n")
    told = [note for note in read(tmp_path / "t.csv").notes if "-999" in note.text]
    assert len(told) == 1
    assert [note for note in scan(tmp_path / "t.csv", batch_rows=30).notes if "-999" in note.text] == told
    monkeypatch.setattr("learnt.data.files.first_rows.FIRST_ROWS", 90)
    (note,) = [note for note in scan(tmp_path / "t.csv", batch_rows=30).notes if "-999" in note.text]
    assert "10 of the first 90 cells of 'age'" in note.text


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.jsonl"])
def test_texts_that_are_said_to_be_numbers_are_read_by_one_decision_as_read_does(name, tmp_path):
    texts = ["1,50 €", "2.000 €", None, "3,25 €", "1.000,75 €"]
    table = pa.table({"price": texts, "n": range(5)})
    if name == "t.parquet":
        pq.write_table(table, tmp_path / name)
    elif name == "t.feather":
        feather.write_feather(table, tmp_path / name)
    else:
        table.to_pandas().to_json(tmp_path / name, orient="records", lines=True)
    whole = read(tmp_path / name, kinds={"price": "numeric"})
    scanned = scan(tmp_path / name, kinds={"price": "numeric"}, batch_rows=2)  # "2.000 €" alone could be two euros
    assert scanned.schema["price"] == whole.schema["price"]
    np.testing.assert_array_equal(scanned.whole()["price"].values, whole["price"].values)
    np.testing.assert_array_equal(whole["price"].values, [1.5, 2000, np.nan, 3.25, 1000.75])


def test_texts_that_are_no_numbers_are_refused_by_a_scan_as_by_read(tmp_path):
    pq.write_table(pa.table({"price": ["1", "many"]}), tmp_path / "t.parquet")
    for open_file in (read, lambda path, **said: scan(path, **said).schema):
        with pytest.raises(FileError, match=r"'price' holds text\. It was declared numeric"):
            open_file(tmp_path / "t.parquet", kinds={"price": "numeric"})


def test_a_scan_that_is_sent_finds_its_files_from_another_folder(mixed, tmp_path, monkeypatch):
    (tmp_path / "rows").mkdir()
    pq.write_table(mixed, tmp_path / "rows" / "0.parquet")
    monkeypatch.chdir(tmp_path)
    sent = pickle.dumps(scan("rows"))
    monkeypatch.chdir(tmp_path / "rows")
    found = pickle.loads(sent)
    assert found.files == (os.path.join("rows", "0.parquet"),)
    assert found.whole().n_rows == ROWS
