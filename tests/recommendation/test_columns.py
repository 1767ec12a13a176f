"""Which column is what."""

import pytest

from learnt import Table
from learnt.errors import InputError
from learnt.recommendation.columns import Roles, find_roles, known_column, rated_rows


def schema(*names):
    return Table({name: [1.0] for name in names}).schema


@pytest.mark.parametrize(
    ("names", "told", "wanted"),
    [
        (["user", "item", "rating", "weight"], {}, Roles("user", "item", "rating", "weight")),
        (["Rating", "itemId", "USER_ID"], {}, Roles("USER_ID", "itemId", "Rating")),
        (["who", "what", "stars", "when"], {}, Roles("who", "what", "stars")),
        (["who", "what", "timestamp", "stars"], {}, Roles("who", "what", "stars")),
        (["a", "b", "c"], {"user": "c"}, Roles("c", "a", "b")),
        (["user", "b", "c"], {"item": "user", "user": "b"}, Roles("b", "user", "c")),
    ],
)
def test_columns_are_found_as_told_by_name_or_by_place(names, told, wanted):
    assert find_roles(schema(*names), rated=True, **told) == wanted


def test_events_need_no_ratings():
    assert find_roles(schema("who", "what", "price"), rated=False) == Roles("who", "what")
    assert find_roles(schema("who", "what", "rating"), rated=False) == Roles("who", "what", "rating")


def test_wrong_roles_are_told():
    with pytest.raises(InputError, match="Two roles"):
        find_roles(schema("a", "b", "c"), rated=True, user="a", item="a")
    with pytest.raises(InputError, match="names a column"):
        find_roles(schema("a", "b", "c"), rated=True, rating="d")
    with pytest.raises(InputError, match="Name it: rating"):
        find_roles(schema("a", "b", "time"), rated=True)


def test_times_are_known_by_name():
    assert known_column("time", ["a", "Timestamp"]) == "Timestamp"
    assert known_column("time", ["a"]) is None


def test_rows_count_that_have_all_and_a_weight():
    table = Table({"user": ["a", None, "b", "c"], "item": [1, 2, 3, 4], "rating": [1.0, 2.0, None, 4.0]})
    rows = rated_rows(table, Roles("user", "item", "rating"), weights=[1, 1, 1, 0])
    assert (rows.user.labels(), rows.values.tolist(), rows.n_left_out) == (["a"], [1.0], 2)
    with pytest.raises(InputError, match="4 rows and 2 ratings"):
        rated_rows(table, Roles("user", "item"), [1, 2])
