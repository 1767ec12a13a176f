"""Words about columns that are not there."""

import numpy as np
import pytest

from learnt import Table
from learnt.data.naming import some_names, unknown_column, wrong_key
from learnt.errors import LearntError


def test_the_nearest_name_is_offered_and_else_those_there_are():
    assert unknown_column("heigth", ["height", "weight"]) == "There is no column 'heigth'. Did you mean 'height'?"
    assert unknown_column("zzz", ["a", "b"]) == "There is no column 'zzz'. The table has 'a', 'b'."
    assert unknown_column(3, ["a"]) == "There is no column 3. The table has 'a'."


@pytest.mark.parametrize(("n", "rest"), [(0, ""), (6, ""), (7, " and 1 more"), (20, " and 14 more")])
def test_six_names_are_listed_and_the_others_counted(n, rest):
    names = [f"x{j}" for j in range(n)]
    assert some_names(names) == ", ".join(map(repr, names[:6])) + rest


@pytest.mark.parametrize("key", [0, 5, np.int64(3)])
def test_what_is_advised_for_a_row_gives_that_row(key):
    table = Table({"age": list(range(10))})
    advice = wrong_key(key, table.names).split("write ")[1].split(",")[0]
    row = eval(advice, {"table": table})  # the words are code of our own
    assert row["age"].values.tolist() == [key]


@pytest.mark.parametrize("key", [-1, 1.5, None, {"a"}, object()])
def test_whatever_else_stands_in_brackets_is_refused_with_these_words(key):
    table = Table({"age": [1, 2]})
    with pytest.raises((LearntError, TypeError)) as told:
        table[key]
    assert wrong_key(key, table.names) in str(told.value)
