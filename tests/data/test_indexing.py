"""`table[rows, columns]` is what NumPy gives for an array."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, train_test_split

import learnt
from learnt import Table
from learnt.errors import InputError, KindError

CELLS = np.arange(20.0).reshape(5, 4)
TABLE = Table({name: CELLS[:, j] for j, name in enumerate("abcd")})
MASK = np.array([True, False, True, False, True])


@pytest.mark.parametrize("table", [TABLE, Table(CELLS)], ids=["columns", "matrix"])
@pytest.mark.parametrize("rows", [..., slice(1, 3), [3, 0], np.array([-1, 2]), MASK, [], slice(None)])
@pytest.mark.parametrize("columns", [..., slice(1, 3), [2, 0], np.array([True, False, False, True]), slice(None)])
def test_rows_and_columns_are_those_of_numpy(table, rows, columns):
    part = table[rows, columns]
    expected = CELLS[np.array(rows, int) if isinstance(rows, list) else rows][
        :, slice(None) if columns is ... else columns
    ]
    assert isinstance(part, Table)
    np.testing.assert_array_equal(np.asarray(part, dtype=float).reshape(expected.shape), expected)


def test_columns_are_found_by_name_too():
    assert TABLE[:, "b"].names == ("b",)
    assert TABLE[[0], ["d", "a"]].to_dict() == {"d": [3.0], "a": [0.0]}
    assert TABLE[..., np.array(["c"])].names == ("c",)
    assert TABLE["a", "b"].names == ("a", "b")


def test_what_is_not_there_is_named():
    with pytest.raises(InputError, match="There are 5 rows, counted from 0"):
        TABLE[[7], ...]
    with pytest.raises(InputError, match="no column -5"):
        TABLE[:, [-5]]
    with pytest.raises(InputError, match="mask of 2 booleans came for 5 rows"):
        TABLE[np.array([True, False]), ...]
    with pytest.raises(KindError, match="Expected positions, a mask of booleans or a slice"):
        TABLE[[0.5], ...]
    with pytest.raises(KeyError, match="no column 'x'"):
        TABLE[:, "x"]
    with pytest.raises(KindError, match="not indexed"):
        TABLE[0, 1, 2]


def test_scikit_learn_splits_tables():
    iris = learnt.datasets.load("iris")
    X, y = iris.drop("class"), np.asarray(iris["class"])
    frame, folds = X.to_pandas(), KFold(3, shuffle=True, random_state=0)
    tree = learnt.DecisionTreeClassifier(max_depth=3)
    np.testing.assert_array_equal(cross_val_score(tree, X, y, cv=folds), cross_val_score(tree, frame, y, cv=folds))
    np.testing.assert_array_equal(cross_val_predict(tree, X, y, cv=folds), cross_val_predict(tree, frame, y, cv=folds))
    train, test, _, _ = train_test_split(X, y, random_state=0)
    others = train_test_split(frame, y, random_state=0)
    assert (train.to_dict(), test.to_dict()) == tuple(part.to_dict("list") for part in others[:2])
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=folds).fit(X, y)
    assert search.best_params_ == {"max_depth": 2}
