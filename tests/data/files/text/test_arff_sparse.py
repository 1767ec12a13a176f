"""Sparse rows of ARFF files: what omitted cells are, and rows too many to be filled up."""

import numpy as np
import pytest

import learnt
from learnt.data.column import Column
from learnt.data.files.text import arff_sparse
from learnt.data.files.text.arff_header import Attribute
from learnt.data.files.text.arff_sparse import SparseCells, check_size, filled
from learnt.errors import FileError

FILE = """@relation r
@attribute n numeric
@attribute c {red, blue}
@attribute s string
@data
{0 2.5, 2 hello}
{1 blue}
{}
3, blue, 'a b'
"""


def test_cells_by_column_of_sparse_and_dense_rows():
    cells = SparseCells([{0: "2.5", 2: "hello"}, {}, ["3", "blue", "a b"]])
    assert cells.n_rows == 3
    assert [cells.stored(j) for j in range(4)] == [
        ([0, 2], ["2.5", "3"]),
        ([2], ["blue"]),
        ([0, 2], ["hello", "a b"]),
        ([], []),
    ]


@pytest.mark.parametrize(("type_", "omitted"), [("numeric", 0), ("nominal", 0), ("string", -1)])
def test_what_an_omitted_cell_is(type_, omitted):
    stored = Column("c", "nominal", np.array([1], np.int32), ("u", "v"))
    if type_ == "numeric":
        stored = Column("c", "numeric", np.array([7.0]))
    column = filled(Attribute("c", type_), stored, [2], 4)
    assert column.values.tolist() == [omitted, omitted, stored.values[0], omitted]


def test_a_file_of_both(tmp_path):
    (tmp_path / "both.arff").write_text(FILE)
    table = learnt.read(tmp_path / "both.arff")
    assert table["n"].values.tolist() == [2.5, 0, 0, 3]
    assert list(table["c"]) == ["red", "blue", "red", "blue"]
    assert list(table["s"]) == ["hello", None, None, "a b"]


def test_more_cells_than_a_machine_has_are_refused_before_they_are_made(tmp_path, monkeypatch):
    check_size(arff_sparse.MOST_CELLS, 1, "f")
    with pytest.raises(FileError, match=r"100,000 × 100,000 cells, 80\.0 GB"):
        check_size(100_000, 100_000, "f")
    monkeypatch.setattr(arff_sparse, "MOST_CELLS", 11)
    (tmp_path / "both.arff").write_text(FILE)
    with pytest.raises(FileError, match="4 × 3 cells"):
        learnt.read(tmp_path / "both.arff")
