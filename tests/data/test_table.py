"""Tables, their parts, and tables matched to what a learner was fitted on."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from learnt.data.column import Column, as_kind
from learnt.data.convert.out import join_tables
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Table
from learnt.errors import InputError, KindError

CELLS = {"n": [1.0, None, 3.0], "t": ["b", "a", None], "b": [True, None, False]}
ARRAY = np.arange(12.0).reshape(4, 3)


@pytest.fixture
def mixed():
    return Table(CELLS, target="t")


@pytest.fixture(params=["matrix", "sparse", "columns"])
def numeric(request):
    """The same numbers in every storage."""
    if request.param == "columns":
        return Table({f"c{j}": ARRAY[:, j] for j in range(3)})
    return Table.of_matrix(ARRAY if request.param == "matrix" else sp.csr_matrix(ARRAY), ["c0", "c1", "c2"])


def test_a_table_tells_what_it_is_made_of(mixed):
    assert mixed.shape == (mixed.n_rows, mixed.n_columns) == (3, 3)
    assert len(mixed) == 3
    assert list(mixed) == ["n", "t", "b"]
    assert "t" in mixed
    assert "x" not in mixed
    assert 3 not in mixed
    assert mixed["t"].missing.tolist() == [False, False, True]
    assert mixed["n"].missing.tolist() == [False, True, False]
    assert mixed.schema["b"] == ColumnSchema("b", "boolean", (False, True))
    with pytest.raises(KeyError, match=r"no column 'tt'.*Did you mean 't'"):
        mixed["tt"]


@pytest.mark.parametrize(
    "rows", [slice(0, 2), slice(None), slice(1, None, 2), slice(None, None, -1), slice(3, 99), slice(-2, None)]
)
def test_a_slice_is_a_table_of_those_rows(numeric, rows):
    part = numeric[rows]
    assert part.shape == ARRAY[rows].shape
    assert [c.values.tolist() for c in part.columns] == ARRAY[rows].T.tolist()
    assert part.schema is numeric.schema


@pytest.mark.parametrize("names", [["c2", "c0"], ("c1",), np.array(["c1", "c2"]), []])
def test_a_list_of_names_is_a_table_of_those_columns(numeric, names):
    part = numeric[names]
    assert part.names == tuple(names)
    assert part.n_rows == 4
    assert [c.values.tolist() for c in part.columns] == [ARRAY[:, int(name[1])].tolist() for name in names]


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (0, KindError, r"not indexed by 0. For row 0 write table\[0:1\], for a column its name, table\['n'\]"),
        (-1, KindError, r"not indexed by -1. For rows write"),
        (np.int64(1), KindError, r"not indexed by 1. For row 1"),
        (None, KindError, r"not indexed by None. Expected a name"),
        ([0, 1], KindError, r"of type list. Expected a name, .*table.take\(rows\)"),
        (np.array([True, False, True]), KindError, r"of type ndarray.*table.take\(rows\)"),
        (slice("n", "t"), KindError, r"sliced by whole numbers"),
        (slice(0, 2, 0), InputError, r"steps of 0"),
        (["n", "tt"], KeyError, r"no column 'tt'.*Did you mean 't'"),
    ],
)
def test_other_keys_are_refused_in_words(mixed, key, error, words):
    with pytest.raises(error, match=words):
        mixed[key]


def test_selecting_by_a_text_or_a_number_is_refused_in_words(mixed):
    with pytest.raises(KindError, match=r"list of names, \['n'\]"):
        mixed.select("n")
    with pytest.raises(InputError, match="no column 3"):
        mixed.select(["n", 3])
    with pytest.raises(InputError, match="no column 3"):
        Table(mixed, target=3)


def test_a_column_of_another_kind_is_told_with_advice_that_works(mixed):
    fitted = Table({"zip": ["a", "b"]})
    given = Table({"zip": [1.0, 2.0]})
    with pytest.raises(
        KindError, match=r"Table\(X, kinds=\{'zip': 'nominal'\}\).*fit again on Table\(X, kinds=\{'zip': 'numeric'"
    ) as info:
        given.matched(fitted.schema)
    assert "fit again with kinds" not in str(info.value)
    assert Table(given, kinds={"zip": "nominal"}).matched(fitted.schema)["zip"].missing.all()


@pytest.mark.parametrize("second", ["columns", "matrix", "sparse", "whole numbers"])
def test_tables_of_any_storage_are_joined(numeric, second):
    other = {
        "columns": Table({f"c{j}": ARRAY[:, j] for j in range(3)}),
        "matrix": Table.of_matrix(ARRAY, numeric.names),
        "sparse": Table.of_matrix(sp.csr_matrix(ARRAY), numeric.names),
        "whole numbers": Table({f"c{j}": [1, 2] for j in range(3)}),
    }[second]
    whole = join_tables([numeric, other, numeric[:1]])
    expected = np.vstack([ARRAY, np.array(other), ARRAY[:1]])
    assert whole.shape == expected.shape
    np.testing.assert_array_equal(np.array(whole), expected)
    assert whole.names == numeric.names


def test_columns_of_every_storage_hold_the_same_cells(numeric):
    assert [c.values.tolist() for c in numeric.columns] == ARRAY.T.tolist()
    assert numeric["c1"].values.tolist() == ARRAY[:, 1].tolist()


@pytest.mark.parametrize(("start", "stop"), [(0, 4), (1, 3), (2, 2), (3, 99), (9, 12)])
def test_rows_are_a_range(numeric, start, stop):
    part = numeric.rows(start, stop)
    assert part.n_rows == len(ARRAY[start:stop])
    assert [c.values.tolist() for c in part.columns] == ARRAY[start:stop].T.tolist()


def test_rows_of_a_matrix_are_a_view():
    assert np.shares_memory(Table(ARRAY).rows(1, 3).matrix, ARRAY)


@pytest.mark.parametrize(
    ("rows", "positions"),
    [([3, 0, 0], [3, 0, 0]), ([], []), ([True, False, False, True], [0, 3]), (np.array([-1]), [3])],
)
def test_take_picks_rows_by_position_or_truth(numeric, rows, positions):
    part = numeric.take(rows)
    assert part.n_rows == len(positions)
    assert [c.values.tolist() for c in part.columns] == [[float(3 * i + j) for i in positions] for j in range(3)]


def test_parts_keep_kinds_categories_and_target(mixed):
    part = mixed.take([2, 0])
    assert part.to_dict() == {"n": [3, 1], "t": [None, "b"], "b": [False, True]}
    assert part.schema is mixed.schema
    assert part.target == "t"


@pytest.mark.parametrize("names", [["c2", "c0"], ["c1"], ["c1", "c2"], ["c0", "c1", "c2"], []])
def test_select_gives_these_columns_in_this_order(numeric, names):
    part = numeric.select(names)
    assert part.names == tuple(names)
    assert part.shape == (4, len(names))
    assert [part[name].values.tolist() for name in names] == [numeric[name].values.tolist() for name in names]


def test_select_shares_memory_for_a_run_of_columns():
    assert np.shares_memory(Table(ARRAY).select(["x1", "x2"]).matrix, ARRAY)


def test_selected_columns_without_names_keep_their_numbers():
    part = Table(ARRAY).select(["x2", "x0"])
    assert part["x2"].values.tolist() == ARRAY[:, 2].tolist()
    assert not part.schema.named
    assert not Table(ARRAY, kinds={"x0": "nominal"}).select(["x0"]).schema.named


def test_dropping_the_target_forgets_it(mixed):
    assert mixed.drop("t").target is None
    assert mixed.drop("n").target == "t"
    assert mixed.drop("n").names == ("t", "b")
    with pytest.raises(InputError, match="no column 'nn'"):
        mixed.select(["nn"])


def test_an_unknown_target_is_refused():
    with pytest.raises(InputError, match="Did you mean 't'"):
        Table(CELLS, target="tt")


def test_pickled_tables_come_back_equal(mixed, numeric):
    for table in (mixed, numeric, Table(ARRAY)):
        table.columns  # views may be cached, but must not be stored twice
        back = pickle.loads(pickle.dumps(table))
        assert back.to_dict() == table.to_dict()
        assert (back.schema, back.target) == (table.schema, table.target)
    large = Table(np.zeros((1000, 10)))
    large.columns
    assert len(pickle.dumps(large)) < 1.1 * large.matrix.nbytes


# Matching.


def test_matching_its_own_schema_is_free(mixed):
    assert mixed.matched(mixed.schema) is mixed
    assert Table(ARRAY).matched(Table(ARRAY + 1).schema).matrix is ARRAY


def test_columns_are_matched_by_name_and_extra_ones_left_out(mixed):
    fitted = mixed.drop("n").schema
    other = Table({"b": [None, True], "extra": [1, 2], "t": ["a", "b"]}).matched(fitted)
    assert other.names == ("t", "b")
    assert other.to_dict() == {"t": ["a", "b"], "b": [None, True]}


def test_numeric_columns_are_matched_in_every_storage(numeric):
    fitted = Table({"c2": [0.0], "c0": [0.0]}).schema
    numeric.columns  # reading the columns must not change the answer
    assert numeric.matched(fitted).to_dict() == {"c2": ARRAY[:, 2].tolist(), "c0": ARRAY[:, 0].tolist()}


def test_a_matrix_whose_columns_were_read_still_matches_as_a_matrix():
    table = Table(ARRAY)
    table.columns
    assert table.matched(Schema.unnamed(3)).matrix is ARRAY


def test_labels_keep_the_fitted_codes_and_new_ones_are_missing(mixed):
    other = Table({"n": [0], "t": ["c"], "b": [True]}).matched(mixed.schema)
    assert other["t"].labels() == [None]
    other = Table({"n": [0], "t": ["b"], "b": [True]}).matched(mixed.schema)
    assert other["t"].values.tolist() == [1]
    assert other["t"].categories == ("a", "b")


def test_an_absent_column_is_named(mixed):
    with pytest.raises(InputError, match=r"Column 'n' is missing.*1 more: \['b'\].*The table has 't'"):
        Table({"t": ["a"]}).matched(mixed.schema)


def test_another_kind_is_named(mixed):
    with pytest.raises(KindError, match="Column 't' is numeric, but it was nominal"):
        Table({**CELLS, "t": [1, 2, 3]}).matched(mixed.schema)
    with pytest.raises(KindError, match="Column 'n' is nominal, but it was numeric"):
        Table({**CELLS, "n": ["1", "two", "three"]}).matched(mixed.schema)


def test_texts_of_a_column_that_was_numbers_are_read_as_numbers(mixed):
    assert Table({**CELLS, "n": ["1", None, "2 500"]}).matched(mixed.schema)["n"].labels() == [1.0, None, 2500.0]


def test_an_all_missing_column_fits_every_kind(mixed):
    nothing = Table({name: [None, None] for name in CELLS}).matched(mixed.schema)
    assert nothing.kinds == mixed.kinds
    assert nothing.to_dict() == {name: [None, None] for name in CELLS}


def test_unnamed_tables_are_matched_by_position(mixed):
    rows = Table([[1.0, "b", True], [None, "z", False]])
    matched = rows.matched(mixed.schema)
    assert matched.to_dict() == {"n": [1, None], "t": ["b", None], "b": [True, False]}
    with pytest.raises(InputError, match="The table has 2 columns, but 3 were expected"):
        Table([[1.0, "b"]]).matched(mixed.schema)


def test_numbers_find_their_labels_without_a_second_override():
    fitted = Table({"zip": [8001, 3000]}, kinds={"zip": "nominal"}).schema
    matched = Table({"zip": [3000, 1, None, 8001]}).matched(fitted)
    assert matched["zip"].labels() == [3000, None, None, 8001]
    mixed_labels = ColumnSchema("zip", "nominal", ("unknown", 8001, 3000))
    column = as_kind(Column("zip", "numeric", np.array([3000.0, 8001.0, np.nan])), mixed_labels)
    assert column.values.tolist() == [2, 1, -1]


def test_booleans_find_their_labels_without_a_second_override():
    fitted = Table({"b": [True, False]}, kinds={"b": "nominal"}).schema
    matched = Table({"b": [False, None, True]}).matched(fitted)
    assert matched.kinds["b"] == "nominal"
    assert matched["b"].labels() == [False, None, True]


def test_recoded_columns_hold_the_same_labels():
    column = Column("t", "nominal", np.array([0, 2, -1, 1], np.int32), ("a", "b", "c"))
    assert column.recoded(("c", "a")).values.tolist() == [1, 0, -1, -1]
    assert column.recoded(("a", "b", "c")) is column
    assert column.recoded(()).values.tolist() == [-1, -1, -1, -1]


def test_duplicate_names_and_uneven_columns_are_refused():
    column = Column("a", "numeric", np.zeros(2))
    with pytest.raises(InputError, match="Two columns are called 'a'"):
        Table.of_columns([column, column])
    with pytest.raises(InputError, match="Two columns are called 'a'"):
        Table.of_matrix(np.zeros((1, 3)), ["b", "a", "a"])
    with pytest.raises(InputError, match="Column 'b' has 3 cells, but 'a' has 2"):
        Table.of_columns([column, Column("b", "numeric", np.zeros(3))])


def test_schemas_answer_by_name():
    schema = Table(CELLS).schema
    assert schema.place("b") == 2
    assert schema.place("x") is None
    assert schema.without("n").names == ("t", "b")
    assert not schema.all_numeric
    assert schema["t"].coded
    assert not schema["n"].coded


def test_a_column_is_gone_through_cell_by_cell():
    table = Table({"x": [1.5, None], "c": ["a", None], "b": [True, False]})
    assert [list(column) for column in table.columns] == [[1.5, None], ["a", None], [True, False]]
