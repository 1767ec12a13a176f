import numpy as np
import pytest

from learnt import Table
from learnt.errors import InputError
from learnt.graphical import cells_of_sequences, read_as_fitted, read_sequences

TABLE = Table({"id": ["b", "a", "b"], "t": [2.0, 1.0, 1.0], "x": [5.0, 6.0, 7.0], "label": ["p", "q", "p"]})


def test_columns_that_had_a_role_when_fitting_have_it_again():
    fitted = read_sequences(TABLE.drop("label"), sequence="id", order="t", lengths=None)
    again = read_as_fitted(
        TABLE,
        sequence=None,
        order=None,
        lengths=None,
        schema=fitted.table.schema,
        fitted_roles=("id", "t"),
        owner="Net",
    )
    assert again.ids == ("b", "a")
    assert again.table["x"].values.tolist() == [7.0, 5.0, 6.0]


def test_a_column_without_a_name_is_the_one_that_was_fitted():
    schema = Table({"x": [1.0]}).schema
    found = read_as_fitted(
        np.array([1.0, 2.0]),
        sequence=None,
        order=None,
        lengths=None,
        schema=schema,
        fitted_roles=(None, None),
        owner="Net",
    )
    assert found.table.names == ("x",)
    with pytest.raises(InputError, match="infinite"):
        read_as_fitted(
            np.array([np.inf]),
            sequence=None,
            order=None,
            lengths=None,
            schema=schema,
            fitted_roles=(None, None),
            owner="Net",
        )


def test_a_column_says_one_thing_of_each_sequence():
    sequences = read_sequences(TABLE, sequence="id", order=None, lengths=None)
    assert cells_of_sequences(TABLE, "label", "y", sequences).labels() == ["p", "q"]
    with pytest.raises(InputError, match="'x' changes at row 1 of sequence 'b'"):
        cells_of_sequences(TABLE, "x", "y", sequences)


def test_parts_of_a_list_share_the_labels_of_all_in_one_order():
    import pandas as pd

    parts = [list("ba"), list("cc"), []]
    frames = [pd.DataFrame({"s": pd.Series(part, dtype=object)}) for part in parts]
    frames.append(pd.DataFrame({"s": pd.Categorical([None, None], categories=["z"])}))
    column = read_sequences(frames, sequence=None, order=None, lengths=None).table["s"]
    assert column.categories == ("a", "b", "c")
    assert column.labels() == ["b", "a", "c", "c", None, None]
