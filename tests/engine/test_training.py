"""What `fit` is given, sorted out: targets, weights and names, for tables and scans."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt import Table
from learnt.data.table import Column
from learnt.engine.target import class_codes, regression_values
from learnt.engine.training import checked_weights, prepare
from learnt.errors import InputError, KindError

TABLE = Table({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"], "w": [1, 0, 2]}, target="b")


def test_roles_given_by_name_are_no_features() -> None:
    training = prepare(TABLE, None, "w", "classes", "It")
    assert training.schema.names == ("a",)
    (batch,) = training.batches()
    assert training.classes.tolist() == ["x", "y"]
    assert batch.target.tolist() == [0, 1, 0]
    assert batch.weights.tolist() == [1, 0, 2]


def test_a_target_given_outright_takes_precedence_over_the_tables_own() -> None:
    training = prepare(TABLE, "a", None, "numbers", "It")
    assert training.schema.names == ("b", "w")
    assert training.target.tolist() == [1, 2, 3]


def test_no_target_is_an_error_that_says_how_to_give_one() -> None:
    with pytest.raises(InputError, match="name of a column"):
        prepare({"a": [1.0]}, None, None, "numbers", "It")


def test_two_columns_are_no_target() -> None:
    with pytest.raises(InputError, match="1d array"):
        prepare({"a": [1.0, 2.0]}, np.ones((2, 2)), None, "numbers", "It")


def test_one_column_is_a_target_with_a_warning() -> None:
    with pytest.warns(learnt.errors.DataConversionWarning):
        assert prepare({"a": [1.0, 2.0]}, np.ones((2, 1)), None, "numbers", "It").target.shape == (2,)


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([3, -1, 3], [-1, 3], [1, 0, 1]),
        ([True, False, True], [False, True], [1, 0, 1]),
        ([2.0, 1.0, 2.0], [1.0, 2.0], [1, 0, 1]),
    ],
)
def test_labels_are_coded_in_sorted_order(labels, classes, codes) -> None:
    found, names = class_codes(np.array(labels))
    assert names.tolist() == classes
    assert found.tolist() == codes
    assert found.dtype == np.int32


def test_ordinal_labels_keep_their_order_and_absent_levels_are_left_out() -> None:
    column = Column("y", "ordinal", np.array([2, 0, 2], np.int32), ("low", "mid", "high"))
    codes, names = class_codes(column)
    assert names.tolist() == ["low", "high"]
    assert codes.tolist() == [1, 0, 1]


def test_given_classes_fix_the_codes() -> None:
    assert class_codes(np.array(["c", "a"]), np.array(["a", "b", "c"])).tolist() == [2, 0]


def test_labels_without_a_common_order_are_an_error() -> None:
    column = Column("y", "nominal", np.array([0, 1], np.int32), (1, "one"))
    with pytest.raises(KindError, match="common order"):
        class_codes(column)


def test_rows_of_errors_count_from_the_first_row_of_the_scan() -> None:
    with pytest.raises(InputError, match="row 102"):
        regression_values(np.array([1.0, 2.0, np.nan]), 100)
    with pytest.raises(InputError, match="row 101"):
        regression_values(np.array([1.0, np.inf]), 100)
    with pytest.raises(InputError, match="row 101"):
        checked_weights(np.array([1.0, -1.0]), 2, 100)
    with pytest.raises(InputError, match="row 101"):
        class_codes(Column("y", "nominal", np.array([0, -1], np.int32), ("a",)), None, 100)


def test_truths_are_numbers_for_a_regressor() -> None:
    column = Column("y", "boolean", np.array([0, 1], np.int32), (False, True))
    assert regression_values(column).tolist() == [0.0, 1.0]


def test_weights_may_be_one_number() -> None:
    assert checked_weights(2, 3).tolist() == [2.0, 2.0, 2.0]


def test_codes_of_a_text_column_are_no_weights() -> None:
    with pytest.raises(KindError, match="numbers"):
        prepare(TABLE, "a", "b", "numbers", "It")


def test_infinite_cells_are_looked_for_when_the_learner_does_not() -> None:
    bad = {"a": [1.0, np.inf], "y": [1.0, 2.0]}
    list(prepare(bad, "y", None, "numbers", "It").batches())
    with pytest.raises(InputError, match=r"'a' has 1 infinite value .*row 1\b"):
        list(prepare(bad, "y", None, "numbers", "It", check_cells=True).batches())


def test_weights_next_to_zero_count_as_none() -> None:
    found = checked_weights(np.array([1e-300, 1.0, 1e-99, 0.0]), 4)
    assert found.tolist() == [0.0, 1.0, 1e-99, 0.0]
    rows, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "c"]
    model = learnt.DecisionTreeClassifier().fit(rows, y, sample_weight=[1.0, 1.0, 1.0, 1e-200])
    assert model.classes_.tolist() == ["a", "b"]
    with pytest.raises(InputError, match="below 1e-120"):
        learnt.DecisionTreeClassifier().fit(rows, y, sample_weight=[1e-200] * 4)
