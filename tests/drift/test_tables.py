"""Two tables: what moved, corrected for the number of columns, and what is gone or new."""

import json

import numpy as np
import pytest

import learnt
from learnt.errors import InputError, ParameterError


def table(rng, n, moved=0, columns=6):
    data = {f"x{j}": rng.normal(size=n) + (1 if j < moved else 0) for j in range(columns)}
    return {**data, "town": rng.choice(["Bern", "Basel"], n)}


def test_what_moved_is_found_and_the_rest_is_not():
    rng = np.random.default_rng(0)
    found = learnt.find_drift(table(rng, 300), table(rng, 250, moved=2))
    assert sorted(found.moved) == ["x0", "x1"]
    assert bool(found)
    assert found.columns[0].name in found.moved
    text = str(found)
    assert "2 of 7 columns moved" in text
    assert text.count("●") == 3  # and the note below
    assert json.loads(json.dumps(found.to_dict()))["drift"] is True


def test_of_many_columns_that_did_not_move_hardly_ever_one_is_called_moved():
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        old, new = (learnt.Table(table(rng, 15, columns=12)) for _ in range(2))  # too few rows to ask a model
        wrong += bool(learnt.find_drift(old, new).moved)
    assert wrong <= 6  # 2 expected


def test_columns_gone_added_and_of_another_kind_are_named():
    old = {"a": [1.0, 2.0] * 30, "b": ["x", "y"] * 30, "gone": [1.0, 2.0] * 30}
    new = {"a": ["1", "many"] * 30, "b": ["x", "y"] * 30, "fresh": [1.0, 3.0] * 30}
    found = learnt.find_drift(old, new)
    assert (found.gone, found.added, found.changed) == (("gone",), ("fresh",), ("a",))
    text = str(found)
    assert "'gone' is not in the new table." in text
    assert "'a' has another kind now." in text
    assert found.moved == []


def test_target_and_dropped_columns_are_kept_from_the_model_that_tells_apart():
    rng = np.random.default_rng(1)
    old, new = table(rng, 200), table(rng, 200)
    old["y"], new["y"] = ["a"] * 200, ["b"] * 200
    assert learnt.find_drift(old, new, target="y").told_apart.p_value > 0.01
    found = learnt.find_drift(old, new, drop=["y"])
    assert "y" not in [c.name for c in found.columns]
    assert found.added == ()


@pytest.mark.parametrize(
    ("old", "new", "settings", "error", "words"),
    [
        ({"a": []}, {"a": [1.0]}, {}, InputError, "old table has no rows"),
        ({"a": [1.0]}, {"a": []}, {}, InputError, "new table has no rows"),
        ({"a": [1.0]}, {"b": [1.0]}, {}, InputError, "no column in common"),
        ({"a": [1.0]}, {"a": [1.0]}, {"alpha": 2}, ParameterError, "alpha"),
        ({"ab": [1.0]}, {"ab": [1.0]}, {"target": "abc"}, InputError, "target='abc' names a column.*'ab'"),
    ],
)
def test_what_cannot_be_compared_is_refused(old, new, settings, error, words):
    with pytest.raises(error, match=words):
        learnt.find_drift(old, new, **settings)


@pytest.mark.parametrize("cells", [["x", "y"] * 20, [1.0, 2.0] * 20], ids=["labels", "numbers"])
def test_a_column_without_a_cell_is_of_the_kind_it_has_in_the_other(cells):
    full, empty = {"a": cells}, {"a": [None] * 40}
    for old, new in ((full, empty), (empty, full)):
        found = learnt.find_drift(old, new)
        assert (found.moved, found.changed) == (["a"], ())
    nothing = learnt.find_drift(empty, empty)
    assert nothing.sentences()[1] == "The column is not shown to have moved."


def test_the_picture_has_a_bar_for_each_column():
    rng = np.random.default_rng(2)
    drawn = learnt.find_drift(table(rng, 60), table(rng, 60, moved=1)).plot()
    assert len(drawn.patches) == 7


def test_a_column_that_gives_all_new_rows_away_is_to_be_left_out():
    rng = np.random.default_rng(0)
    old, new = ({"year": np.full(200, year), "age": rng.normal(40, 8, 200)} for year in (2023.0, 2024.0))
    assert "Leave 'year' out" in str(learnt.find_drift(old, new))
    assert "Leave" not in str(learnt.find_drift(old, new, drop="year"))
    assert "Leave" not in str(learnt.find_drift(old, new, drop=["age"]))


def test_a_column_to_drop_that_no_table_has_is_refused():
    with pytest.raises(learnt.errors.InputError, match="drop='agee' names a column"):
        learnt.find_drift({"age": [1, 2]}, {"age": [1, 2]}, drop="agee")


def test_of_two_numbers_the_share_is_said_where_quartiles_would_be_the_same():
    old, new = ({"kids": np.repeat([0.0, 1.0], [100 - ones, ones])} for ones in (30, 45))
    column = learnt.find_drift(old, new).columns[0]
    assert (column.then, column.now) == ("30 % are 1", "45 % are 1")
