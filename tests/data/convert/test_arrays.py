"""NumPy arrays, lists of rows and SciPy sparse matrices as tables."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from learnt.data.table import Table
from learnt.errors import InputError


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_arrays_of_any_strides_are_kept_without_a_copy(dtype):
    whole = np.arange(60, dtype=dtype).reshape(6, 10)
    for array in (whole, whole.T, whole[::2, ::-3], np.asfortranarray(whole), whole[:0], whole[:, :0]):
        table = Table(array)
        assert table.matrix is array
        assert table.shape == array.shape
        assert not table.schema.named
    assert np.shares_memory(Table(whole)["x3"].values, whole)


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [("i1", "f8"), ("u8", "f8"), (">i4", "f8"), ("f2", "f4"), ("g", "f8"), (">f8", "f8"), (">f4", "f4")],
)
def test_other_numbers_become_native_floats(dtype, kept):
    array = np.array([[1, 2], [3, 4]]).astype(dtype)
    matrix = Table(array).matrix
    assert matrix.dtype == np.dtype(kept)
    assert matrix.tolist() == [[1, 2], [3, 4]]


def test_boolean_arrays_become_boolean_columns():
    table = Table(np.array([[True, False], [False, False]]))
    assert set(table.kinds.values()) == {"boolean"}
    assert table.to_dict() == {"x0": [True, False], "x1": [False, False]}
    assert not table.schema.named


def test_object_arrays_are_read_by_column():
    table = Table(np.array([[1, "a", None], [2.5, "b", None]], dtype=object))
    assert table.to_dict() == {"x0": [1, 2.5], "x1": ["a", "b"], "x2": [None, None]}
    assert list(table.kinds.values()) == ["numeric", "nominal", "numeric"]
    assert Table(np.array([[1, 2], [3, None]], dtype=object)).matrix.shape == (2, 2)


def test_text_arrays_stay_nominal_even_when_they_look_like_numbers():
    for array in (np.array([["10", "9"], ["1", "x"]]), np.array([[b"10", b"9"], [b"1", b"x"]])):
        table = Table(array)
        assert set(table.kinds.values()) == {"nominal"}
        assert table["x0"].categories == ("1", "10")


def test_structured_arrays_have_named_columns():
    cells = np.array([("Bern", 1.5, True)], dtype=[("town", "U9"), ("x", "f4"), ("b", "?")])
    table = Table(cells)
    assert table.to_dict() == {"town": ["Bern"], "x": [1.5], "b": [True]}
    assert table.schema.named
    assert Table(cells.view(np.recarray)).to_dict() == table.to_dict()


def test_masked_cells_are_missing():
    array = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert Table(array).to_dict() == {"x0": [1, 3], "x1": [None, 4]}


@pytest.mark.parametrize("data", [np.arange(3.0), [1, 2, 3], ["a"], [], pa.array([1, 2])])
def test_one_dimension_is_refused_with_advice(data):
    with pytest.raises(InputError, match=r"(?s)Expected 2D array, got 1D.*Reshape your data"):
        Table(data)


def test_other_dimensions_are_refused():
    with pytest.raises(InputError, match="got scalar array"):
        Table(np.array(1.0))
    with pytest.raises(InputError, match=r"Found array with dim 3. Expected <= 2."):
        Table(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    "data", [np.ones((2, 2)) * 1j, {"a": [1j]}, sp.csr_array(np.eye(2) * 1j), [[1j, 2]], {"a": np.ones(2) * 1j}]
)
def test_complex_numbers_are_refused(data):
    with pytest.raises(InputError, match="Complex data not supported"):
        Table(data)


def test_anything_with_an_array_inside_is_an_array():
    class Boxed:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, 2.0]])

    assert Table(Boxed()).matrix.tolist() == [[1, 2]]
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0, 2.0]])
    assert Table(matrix).matrix.tolist() == [[1, 2]]


def test_lists_of_rows_are_read_by_column():
    table = Table([[1, "a"], (None, "b")])
    assert table.to_dict() == {"x0": [1, None], "x1": ["a", "b"]}
    assert not table.schema.named
    assert Table([np.array([1.0, 2.0]), np.array([3.0, 4.0])]).matrix.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="Row 2 has 1 cells, but row 0 has 2"):
        Table([[1, 2], [3, 4], [5]])
    with pytest.raises(InputError, match="Row 1 is a int, but row 0 is a list"):
        Table([[1, 2], 3])


def test_absent_keys_are_missing():
    assert Table([{"a": 1}, {"b": "x"}, {}]).to_dict() == {"a": [1, None, None], "b": [None, "x", None]}


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_sparse_layouts_become_tidy_rows(layout, make):
    dense = np.array([[0, 2.5, 0], [np.nan, 0, -1]])
    table = Table(make(dense).asformat(layout))
    assert table.sparse.format == "csr"
    assert table.sparse.has_canonical_format
    np.testing.assert_array_equal(table.sparse.toarray(), dense)
    assert table["x0"].labels() == [0, None]


def test_sparse_duplicates_are_summed_without_touching_the_original():
    messy = sp.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert Table(messy).sparse.toarray().tolist() == [[2, 5]]
    assert messy.nnz == 3
    tidy = sp.csr_matrix(np.eye(3, dtype=np.float32))
    assert Table(tidy).sparse is tidy


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.longdouble])
def test_sparse_booleans_and_integers_become_double(dtype):
    table = Table(sp.csr_matrix(np.eye(2)).astype(dtype))
    assert table.sparse.dtype == np.float64
    assert table.sparse.toarray().tolist() == [[1, 0], [0, 1]]


def test_sparse_frames_stay_sparse_and_keep_names():
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 0.0]}).astype(pd.SparseDtype(float, 0.0))
    table = Table(frame)
    assert table.sparse is not None
    assert table.to_dict() == {"a": [0, 1], "b": [0, 0]}
    mixed = frame.assign(c=["x", "y"])
    assert Table(mixed).to_dict() == {"a": [0, 1], "b": [0, 0], "c": ["x", "y"]}
