"""Rows that share the number to predict and a place are told of; honest tables are not accused."""

import numpy as np
import pytest

import learnt
from learnt import Table
from learnt.describe.alike import column_shared_by_equal_targets


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def told(table, target):
    columns = list(Table(table).columns)
    found = column_shared_by_equal_targets([c for c in columns if c.name != target], Table(table)[target])
    return None if found is None else found.name


def households(rng, n=500, villages=40):
    """Members of households: of each its expenses, its village and its district; of each person an age."""
    size = rng.integers(1, 6, n)
    village = rng.integers(0, villages, n)
    home = np.repeat(np.arange(n), size)
    return {
        "age": rng.integers(1, 90, len(home)).astype(float),
        "village": [f"village {v}" for v in village[home]],
        "district": (village[home] % 12).astype(float),
        "expenses": np.round(rng.lognormal(size=n) + village / villages, 4)[home],
    }


@pytest.mark.parametrize("shuffled", [False, True])
def test_members_of_households_are_noticed_by_their_village(rng, shuffled):
    table = households(rng)
    if shuffled:
        order = rng.permutation(len(table["age"]))
        table = {name: np.asarray(cells)[order].tolist() for name, cells in table.items()}
    assert told(table, "expenses") == "village"
    assert told(table, "age") is None
    del table["village"]
    assert told(table, "expenses") == "district"


def test_the_share_is_that_of_a_recount(rng):
    table = households(rng)
    columns = {c.name: c for c in Table(table).columns}
    found = column_shared_by_equal_targets([columns["village"]], columns["expenses"])
    villages = {}
    for village, amount in zip(table["village"], table["expenses"], strict=True):
        villages.setdefault(amount, []).append(village)
    several = [v for v in villages.values() if len(v) > 1]
    assert found.shared == pytest.approx(np.mean([len(set(v)) == 1 for v in several]))
    v = np.array(table["village"])
    assert found.by_chance == pytest.approx(((v[:, None] == v).sum() - len(v)) / (len(v) * (len(v) - 1)))


def test_rounded_numbers_and_what_is_computed_from_the_target_are_no_sign(rng):
    price = rng.integers(100, 900, 3000).astype(float)
    table = {"price": price, "shop": rng.integers(0, 30, 3000).astype(float), "class": np.floor(price / 50)}
    assert told(table, "price") is None


def test_one_frequent_number_is_no_sign(rng):
    """Of those who earn nothing all work no hour."""
    hours = np.where(rng.random(2000) < 0.4, 0.0, rng.integers(1, 60, 2000))
    wage = np.where(hours == 0, 0.0, np.round(rng.lognormal(3, 0.5, 2000)))
    assert told({"hours": hours, "wage": np.where(hours == 0, 0, wage * 20 + hours)}, "wage") is None
    assert told({"hours": hours, "wage": wage}, "wage") is None


@pytest.mark.parametrize("name", learnt.datasets.names())
def test_no_bundled_table_is_accused(name):
    table = learnt.datasets.load(name)
    assert [c.name for c in table.columns if told(table, c.name)] == []


def test_cells_of_any_kind_are_taken(rng):
    table = households(rng)
    table["gap"] = np.where(rng.random(len(table["age"])) < 0.1, np.nan, table["district"])
    table["day"] = np.datetime64("2024-01-01") + np.arange(len(table["age"]))
    table["expenses"] = np.where(rng.random(len(table["age"])) < 0.05, np.nan, table["expenses"])
    assert told(table, "expenses") == "village"
    assert told({"x": [1.0, 2.0], "y": [1.0, 1.0]}, "y") is None


def test_a_comparison_says_what_keeps_them_together(rng, forked_workers):
    table = households(rng)
    settings = {"learners": ["MeanRegressor", "LinearRegression"], "cv": 3, "n_jobs": 1}
    notices = " ".join(learnt.compare(table, "expenses", **settings).notices)
    assert "Rows of the same 'expenses' share 'village' in 99 % of cases, any two rows in 2." in notices
    assert "groups='village' keeps them together." in notices
    assert "share" not in " ".join(learnt.compare(table, "expenses", groups="village", **settings).notices)
