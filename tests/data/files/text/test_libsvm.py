"""libsvm's format: sparse tables, compared with scikit-learn's reader."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from learnt.data import read, scan
from learnt.data.files.text import libsvm as reader
from learnt.errors import InputError


def of(text: bytes, **settings_):
    return read(io.BytesIO(text), format="libsvm", **settings_)


def test_columns_carry_the_numbers_of_the_file_from_zero_or_one():
    assert of(b"1 1:0.5 3:2\n-1 2:1\n").to_dict() == {"target": [1, -1], "x1": [0.5, 0], "x2": [0, 1], "x3": [2, 0]}
    assert of(b"1 0:0.5\n-1 1:1\n").names == ("target", "x0", "x1")


def test_the_table_is_sparse_and_its_target_set():
    table = of(b"1 1:0.5 1000:2\n0\n")
    assert table.target == "target"
    assert table.sparse.shape == (2, 1001)
    assert table.sparse.nnz <= 4
    assert table.sparse.has_sorted_indices


def test_comments_query_numbers_blank_lines_and_line_ends():
    text = b"# head\r\n\r\n+1 qid:3 2:1.5 1:-2e-3 # 5:6\r\n  -1.5 qid:4\t1:4   \r\n2"
    assert of(text).to_dict() == {"target": [1, -1.5, 2], "x1": [-2e-3, 4, 0], "x2": [1.5, 0, 0]}


def test_columns_that_are_asked_for_and_not_mentioned_are_zero():
    table = of(b"1 1:2\n", columns=["x4", "x1", "target"])
    assert table.to_dict() == {"x4": [0], "x1": [2], "target": [1]}
    assert of(b"1 1:2 3:5\n", columns=["x3"]).target is None
    with pytest.raises(InputError, match="'age'"):
        of(b"1 1:2\n", columns=["age"])


def test_an_index_that_few_values_do_not_explain_is_a_typing_error(tmp_path):
    """Columns cost memory that the file does not: a line of 16 bytes took 600 MB and six seconds."""
    text = b"1 1:1 2:1\n\n1 1999999:3 1:2.5\n"
    (tmp_path / "a.libsvm").write_bytes(text)
    for how in (lambda: of(text), lambda: scan(tmp_path / "a.libsvm").names):
        with pytest.raises(InputError, match="index 1999999 in row 1 is too large for a file of 4 values"):
            how()
    assert of(text, columns=["x1", "x1999999"]).to_dict() == {"x1": [1, 2.5], "x1999999": [0, 3]}
    many = b"".join(b"1 %d:1 %d:1\n" % (i + 1, 9 * i + 1) for i in range(1, 30_000))
    assert of(many).n_columns > 250_000


@pytest.mark.parametrize("block", [1, 16, 1 << 20])
def test_the_cut_into_blocks_changes_nothing(monkeypatch, block):
    text = b"".join(b"%d %d:%d 9:1\n" % (i, i % 7 + 1, i) for i in range(50))
    whole = of(text).sparse.toarray()
    monkeypatch.setattr(reader, "_BLOCK_BYTES", block)
    np.testing.assert_array_equal(of(text).sparse.toarray(), whole)


rows = st.lists(
    st.tuples(
        st.floats(-1e6, 1e6),
        st.dictionaries(st.integers(1, 40), st.floats(allow_nan=False, allow_infinity=False), max_size=8),
    ),
    min_size=1,
)


@settings(max_examples=100, deadline=None)
@given(rows)
def test_scikit_learn_reads_the_same(rows):
    text = "\n".join(" ".join([repr(y), *(f"{j}:{v!r}" for j, v in sorted(x.items()))]) for y, x in rows).encode()
    matrix, labels = load_svmlight_file(io.BytesIO(text), zero_based=False)
    table = of(text)
    dense = table.sparse.toarray()
    np.testing.assert_array_equal(dense[:, 0], labels)
    np.testing.assert_array_equal(dense[:, 1:], matrix.toarray()[:, : dense.shape[1] - 1])
    assert matrix.shape[1] <= max(dense.shape[1] - 1, 1)
