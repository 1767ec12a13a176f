"""ARFF: declarations, quotes, sparse rows, weights."""

from __future__ import annotations

import contextlib
import io
import pickle
import time
import tracemalloc
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import arff as scipy_arff

import learnt
from learnt.data import read
from learnt.data.files.text import arff, arff_sparse
from learnt.errors import FileError


def of(text: str):
    return read(io.BytesIO(text.encode()), format="arff")


def test_declared_labels_keep_their_order_and_levels_without_rows():
    table = of("@relation r\n@attribute c {z, a , 'm n'}\n@data\na\nz\n")
    assert table["c"].categories == ("z", "a", "m n")
    assert table["c"].values.tolist() == [1, 0]


def test_keywords_and_types_are_known_in_any_case_and_comments_are_skipped():
    table = of(
        "% about\n@RELATION 'a b'\n\n@Attribute a NUMERIC\n@attribute b Real\n@ATTRIBUTE c integer\n"
        "@attribute s STRING\n@DATA\n% note\n1,2.5,3,hello\n\n  4 , 5e1 ,? , ?  \n"
    )
    assert table.to_dict() == {"a": [1, 4], "b": [2.5, 50], "c": [3, None], "s": ["hello", None]}


def test_quotes_and_escapes_in_names_labels_and_cells():
    table = of(
        "@relation r\n@attribute 'it\\'s a name' {'it\\'s', \"say \\\"x\\\"\", 'a,b', 'c%d', '?', 'x\\ty'}\n"
        '@attribute "n 2"{u,v}\n@attribute s string\n@data\n'
        "'it\\'s',u,'one, two'\n"
        "\"say \\\"x\\\"\",v,\"{3}\"\n'a,b','u',don't\n'c%d',?,'?'\n'?',v,?\n?,v,'?'\n'x\\ty',v,''\n"
    )
    assert table.names == ("it's a name", "n 2", "s")
    assert table["it's a name"].labels() == ["it's", 'say "x"', "a,b", "c%d", "?", None, "x\ty"]
    assert table["n 2"].labels() == ["u", "v", "u", None, "v", "v", "v"]
    assert table["s"].labels() == ["one, two", "{3}", "don't", "?", None, "?", ""]


def test_sparse_rows_leave_out_zeros_and_first_labels():
    table = of("@relation r\n@attribute a real\n@attribute c {no,yes}\n@attribute b real\n@data\n"
               "{0 5, 1 yes}\n{}\n{2 ?, 1 'no'}\n1,yes,2\n")  # fmt: skip
    assert table.to_dict() == {"a": [5, 0, 0, 1], "c": ["yes", "no", "no", "yes"], "b": [0, 0, None, 2]}


def test_weights_become_a_last_column():
    header = "@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n"
    assert of(header + "1,u,{5}\n2,v\n3,u, {0.5}\n").to_dict() == {
        "a": [1, 2, 3],
        "c": ["u", "v", "u"],
        "weight": [5, 1, 0.5],
    }
    assert of(header + "{0 1}, {3}\n{0 2}\n").to_dict()["weight"] == [3, 1]
    with pytest.raises(FileError, match="first row has none") as caught:
        of(header + "1,u\n2,v,{5}\n")
    assert caught.value.line == 6


def test_dates_become_days_by_their_format():
    table = of(
        "@relation r\n@attribute d date\n@attribute e date 'dd.MM.yyyy HH:mm'\n@data\n"
        "1970-01-02T12:00:00,'02.01.1970 06:00'\n?,?\n"
    )
    assert [table[name].values[0] for name in "de"] == [1.5, 1.25]
    assert table.kinds["d"] == "date"
    assert table["e"].labels() == [datetime(1970, 1, 2, 6), None]
    with pytest.raises(FileError, match="'Z'"):
        of("@relation r\n@attribute d date 'yyyy Z'\n@data\n")


def test_cells_apart_by_spaces_or_tabs_are_read():
    assert of("@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n1 u\n2\tv\n").to_dict() == {
        "a": [1, 2],
        "c": ["u", "v"],
    }


def test_a_header_alone_is_a_table_without_rows():
    table = of("@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n")
    assert table.shape == (0, 2)
    assert table["c"].categories == ("u", "v")


def test_latin_letters_are_read():
    content = "@relation r\n@attribute größe {é,ß}\n@data\nß\n"
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        assert read(io.BytesIO(content.encode(encoding)), format="arff").to_dict() == {"größe": ["ß"]}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from("uvw")), min_size=1))
def test_scipy_reads_the_same(rows):
    text = "@relation r\n@attribute x real\n@attribute c {w,u,v}\n@data\n" + "".join(f"{x!r},{c}\n" for x, c in rows)
    theirs, _ = scipy_arff.loadarff(io.StringIO(text))
    ours = of(text)
    np.testing.assert_array_equal(ours["x"].values, theirs["x"])
    assert ours["c"].labels() == [label.decode() for label in theirs["c"]]


WEIGHTED = "@relation r\n@attribute x numeric\n@attribute c {u,v}\n@data\n1,u,{3}\n2,v,{1}\n3,v,{0.5}\n"


def test_weights_weigh_the_rows():
    table = of(WEIGHTED)
    assert table.weight == "weight"
    assert "'weight', which weighs the rows" in table.notes[0].text
    told = learnt.MajorityClassifier().fit(table)
    by_hand = learnt.MajorityClassifier().fit(table[["x"]], table["c"].labels(), [3, 1, 0.5])
    np.testing.assert_allclose(told.predict_proba(table), by_hand.predict_proba(table))
    assert told.feature_names_in_.tolist() == ["x"]
    assert learnt.describe(table).weight == 4.5
    assert pickle.loads(pickle.dumps(table)).weight == "weight"
    assert table[1:].weight == "weight"
    assert table[["x", "c"]].weight is None


def test_weights_of_a_scan_weigh_the_rows(tmp_path):
    (tmp_path / "t.arff").write_text(WEIGHTED)
    scanned = learnt.scan(tmp_path / "t.arff", batch_rows=1)
    told = learnt.NaiveBayesClassifier().fit(scanned)
    whole = learnt.NaiveBayesClassifier().fit(of(WEIGHTED))
    np.testing.assert_allclose(told.predict_proba({"x": [1.0, 3.0]}), whole.predict_proba({"x": [1.0, 3.0]}))


def test_a_comparison_takes_the_weights_of_the_file():
    rows = "".join(f"{i},{'uv'[i % 3 == 0]},{{{1 + i % 2}}}\n" for i in range(40))
    table = of(WEIGHTED.partition("@data\n")[0] + "@data\n" + rows)
    found = learnt.compare(table, learners=["MajorityClassifier"], cv=2)
    assert found.problem.weights.sum() == 60
    assert found.problem.table.names == ("x",)


@pytest.mark.parametrize(
    ("attributes", "target"),
    [
        ("@attribute c {u,v}\n@attribute d {a,b}\n", "d"),
        ("@attribute c {u,v}\n@attribute d numeric\n", None),
        ("@attribute Class numeric\n@attribute d numeric\n", "Class"),
        ("@attribute s string\n", None),
    ],
)
def test_the_last_attribute_with_labels_is_the_target(attributes, target):
    text = f"@relation r\n{attributes}@data\n"
    assert of(text).target == target
    table = learnt.read(io.BytesIO(text.encode()), target=attributes.split()[1])
    assert table.target == attributes.split()[1]


def test_many_labels_are_declared_in_linear_time():
    def seconds(n):
        text = f"@relation r\n@attribute c {{{','.join(f'label{i}' for i in range(n))}}}\n@data\nlabel0\n"
        begun = time.process_time()
        assert len(of(text)["c"].categories) == n
        return time.process_time() - begun

    assert seconds(80_000) < 40 * max(seconds(8_000), 0.005)


@pytest.mark.parametrize("pattern", ["yyyy-MM-dd yyyy", "MM/MM", "HH:mm:HH"])
def test_a_date_format_that_repeats_a_part_is_told(pattern):
    with pytest.raises(FileError, match="twice") as caught:
        of(f'@relation r\n@attribute d date "{pattern}"\n@data\n"2024-01-01 2024"\n')
    assert caught.value.line == 2


WIDE = "@relation r\n" + "".join(f"@attribute a{j} real\n" for j in range(300))


def test_omitted_cells_of_sparse_rows_are_zeros_of_their_kind():
    table = of(
        "@relation r\n@attribute n real\n@attribute c {'?',no,yes}\n@attribute s string\n@attribute d date yyyy-MM-dd\n"
        "@data\n{}\n{3 1970-01-03, 2 'a text'}\n{1 yes,0 ?}\n{1 ?, 3 ?}\n"
    )
    assert table["n"].labels() == [0.0, 0.0, None, 0.0]
    assert table["c"].labels() == ["?", "?", "yes", None]
    assert table["s"].labels() == [None, "a text", None, None]
    assert table["d"].values.tolist()[:3] == [0.0, 2.0, 0.0]
    assert table["d"].missing.tolist() == [False, False, False, True]


def test_sparse_rows_are_the_rows_they_stand_for():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 3, size=(40, 300)) * (rng.random((40, 300)) < 0.05)
    dense = WIDE + "@data\n" + "".join(",".join(map(str, row)) + "\n" for row in cells)
    sparse = (
        WIDE
        + "@data\n"
        + "".join("{" + ", ".join(f"{j} {value}" for j, value in enumerate(row) if value) + "}\n" for row in cells)
    )
    assert of(sparse).to_dict() == of(dense).to_dict()
    assert of(sparse + ",".join(["7"] * 300)).to_dict() == of(dense + ",".join(["7"] * 300)).to_dict()


def test_sparse_rows_that_would_fill_the_memory_are_refused_with_their_size(monkeypatch, tmp_path):
    """615 kB once became 5.8 GB."""
    monkeypatch.setattr(arff_sparse, "MOST_CELLS", 50_000)
    path = tmp_path / "wide.arff"
    path.write_text(WIDE + "@data\n" + "".join(f"{{{i % 300} 1}}\n" for i in range(1000)))
    with pytest.raises(FileError, match=r"1,000 × 300 cells, 0\.0 GB.*columns=.*learnt\.scan"):
        read(path)
    with pytest.raises(FileError, match="sparse rows would become"):
        of(path.read_text())
    some = read(path, columns=["a7", "a0"])
    assert some.shape == (1000, 2)
    assert some["a7"].values.sum() == 4
    monkeypatch.setattr(arff_sparse, "MOST_CELLS", 1 << 27)
    monkeypatch.setattr(arff, "BATCH_CELLS", 300 * 64)
    batches = list(learnt.scan(path).batches())
    assert {batch.n_rows for batch in batches} == {64, 1000 % 64}
    assert np.concatenate([batch["a7"].values for batch in batches]).tolist() == read(path)["a7"].values.tolist()


def test_a_real_file_of_sparse_rows_takes_memory_for_its_cells_alone(tmp_path):
    """What is held while 2,000 × 5,000 cells are read is little more than they, not fifty times as much."""
    declared = "".join(f"@attribute a{j} real\n" for j in range(5000)) + "@attribute c {no,yes}\n"
    path = tmp_path / "wide.arff"
    path.write_text(f"@relation r\n{declared}@data\n" + "".join(f"{{{i} 1, 5000 yes}}\n" for i in range(2000)))
    tracemalloc.start()
    table = read(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.target == "c"
    assert most < 3 * 8 * table.n_rows * table.n_columns


@pytest.mark.parametrize(
    "text",
    [
        "@attribute a {" + " " * 20_000 + "\n@data\n",
        "@attribute a {x," + " " * 20_000 + "x\n@data\n",
        "@attribute a real\n@attribute b real\n@data\n" + " " * 5 + "1," + " " * 20_000 + "}\n",
        "@attribute a real\n@attribute b real\n@data\n{0 1, 1" + " " * 20_000 + "\n",
        "@attribute a real\n@attribute b real\n@data\n{0 1" + " " * 20_000 + "x}\n",
        "@attribute a real\n@attribute b string\n@data\n1,'" + "\\'" * 20_000 + "\n",
        "@attribute a real\n@data\n{" + "9" * 6_000 + " 1}\n",
        "@attribute a real\n@data\n" + "{" * 20_000 + "1}\n",
    ],
    ids=["labels", "label", "weight", "index", "value", "quote", "digits", "braces"],
)
def test_lines_of_blanks_and_quotes_are_refused_at_once(text):
    begun = time.process_time()
    with pytest.raises(FileError):
        of("@relation r\n" + text)
    assert time.process_time() - begun < 1


def test_any_date_format_is_read_or_told():
    """Formats of all parts in any order, of Java's and of none, with texts and signs between."""
    rng = np.random.default_rng(0)
    parts = ["yyyy", "yy", "y", "MM", "MMM", "MMMM", "M", "d", "dd", "H", "HH", "m", "mm", "s", "ss", "SSS", "S", "EEE",
             "'T'", "'", "%", "%Y", "(", "[", "*", " ", "-", "\\d"]  # fmt: skip
    for _ in range(400):
        pattern = "".join(rng.choice(parts, rng.integers(1, 6)))
        with contextlib.suppress(FileError):
            of(f'@relation r\n@attribute d date "{pattern}"\n@data\n"2024-05-06"\n')
