"""Columns that give the target away or number the rows are found, and honest ones are not accused."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt.data.table import Table
from learnt.describe.one_column import skill
from learnt.describe.suspects import identifiers, leaks

N = 200


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def table(rng, **more):
    """A target that its honest columns say a little about."""
    signal = rng.normal(size=N)
    y = np.where(signal + rng.normal(size=N) > 0, "yes", "no")
    return {"a": signal.round(2).tolist(), "b": rng.choice(["u", "v"], N).tolist(), "y": y.tolist(), **more}


def found(data, target="y"):
    t = Table(data, target=target)
    features = [c for c in t.columns if c.name != target]
    return [(s.column, s.sort) for s in [*identifiers(features), *leaks(features, t[target])]]


@pytest.mark.parametrize("name", learnt.datasets.names())
def test_no_bundled_table_is_accused(name):
    t = learnt.datasets.load(name)
    assert found(t, t.target) == []
    assert learnt.describe(t).suspects == ()


def test_honest_columns_are_not_accused(rng):
    data = table(rng, year=list(range(1800, 1800 + N)), age=rng.integers(0, 90, N).tolist())
    assert found(data) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("row", list(range(1, N + 1))),
        ("whatever", list(range(1000, 1000 + N))),
        ("shuffled", np.random.default_rng(0).permutation(N).tolist()),
        ("CustomerId", (np.random.default_rng(0).choice(10**7, N, replace=False)).tolist()),
        ("who", [f"person {i}" for i in range(N)]),
    ],
)
def test_numbers_and_labels_of_rows_are_identifiers(rng, name, values):
    assert found(table(rng, **{name: values})) == [(name, "identifier")]


def test_documents_are_no_identifiers(rng):
    words = np.array(["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "again"])
    texts = [" ".join(rng.choice(words, 8)) + f" {i}" for i in range(N)]
    assert found(table(rng, letter=texts)) == []


def test_a_renamed_and_recoded_target_is_a_copy(rng):
    data = table(rng)
    data["code"] = [{"yes": 7, "no": 2}[v] for v in data["y"]]
    data["word"] = [{"yes": "ja", "no": "nein"}[v] for v in data["y"]]
    assert found(data) == [("code", "copy"), ("word", "copy")]


def test_a_number_in_other_units_is_a_copy(rng):
    y = rng.normal(size=N)
    assert found({"a": rng.normal(size=N), "c": 32 + 1.8 * y, "y": y}) == [("c", "copy")]


def test_a_column_that_is_nearly_the_target_tells_it_alone(rng):
    data = table(rng)
    yes = np.array(data["y"]) == "yes"
    data["paid"] = np.where(yes, rng.uniform(100, 200, N), rng.uniform(0, 99, N))
    data["paid"][:1] = 150
    assert found(data) == [("paid", "alone")]


def test_where_another_column_tells_nearly_as_much_the_task_is_easy(rng):
    data = table(rng)
    yes = np.array(data["y"]) == "yes"
    data["c"] = yes + rng.normal(size=N) * 0.1
    data["d"] = yes + rng.normal(size=N) * 0.27
    assert found(data) == []


def test_a_column_filled_in_for_one_class_only_tells_by_its_gaps(rng):
    data = table(rng)
    data["reason"] = [None if v == "no" else str(w) for v, w in zip(data["y"], rng.choice(list("rst"), N), strict=True)]
    assert found(data) == [("reason", "gaps")]
    text = str(learnt.describe(Table(data, target="y")))
    assert "! Whether 'reason' is filled in tells 'y'. Is it known before the target is?" in text


@pytest.mark.parametrize("written", [str, np.datetime64])
def test_a_date_that_only_one_class_has_is_named(rng, written):
    """The day of a discharge: the classic leak, whether it is there for all of the class or for half of it."""
    data = table(rng)
    yes = np.flatnonzero(np.array(data["y"]) == "yes")
    cases = (yes, "Whether 'left' is filled in tells 'y'."), (yes[::2], "filled in only where 'y' is 'yes'")
    for some, words in cases:
        days = np.datetime64("2024-01-01") + rng.integers(0, 40, N)
        left = [written(str(day)) if i in set(some.tolist()) else None for i, day in enumerate(days)]
        if written is np.datetime64:
            left = np.array([np.datetime64("NaT") if day is None else day for day in left], "datetime64[D]")
        t = Table({**data, "left": left}, target="y")
        (suspect,) = leaks([c for c in t.columns if c.name != "y"], t["y"])
        assert (suspect.column, suspect.sort) == ("left", "gaps")
        assert words in suspect.words


def test_a_rare_note_is_filled_for_one_class_by_chance(rng):
    data = table(rng)
    yes = np.flatnonzero(np.array(data["y"]) == "yes")[:9]
    data["note"] = ["seen" if i in set(yes.tolist()) else None for i in range(N)]
    assert found(data) == []


def test_a_number_that_the_target_is_computed_from_tells_it_alone(rng):
    """Siri's formula for fat from density, with a few errors of measurement; no order of it is exact."""
    density = rng.normal(1.055, 0.019, N)
    fat = 495 / density - 450 + 0.6 * rng.normal(size=N)
    fat[:2] += 15
    girth = 90 + fat + rng.normal(0, 8, N)
    assert found({"density": density, "girth": girth, "y": fat}) == [("density", "alone")]


def test_a_strong_honest_number_is_not_accused(rng):
    """R² of .9, and two columns that share what there is to know."""
    x = rng.normal(size=N)
    assert found({"x": x, "y": x + 0.33 * rng.normal(size=N)}) == []
    both = x + 0.2 * rng.normal(size=N)
    assert found({"a": x, "b": x + 0.25 * rng.normal(size=N), "y": both}) == []


def test_agreement_on_few_rows_is_no_surprise(rng):
    y = ["no"] * 60 + ["yes"] * 2
    assert found({"a": rng.normal(size=62).tolist(), "b": [0] * 60 + [1] * 2, "y": y}) == []


def test_skill_is_that_of_answering_each_row_by_the_others(rng):
    """By labels, against the definition in a loop."""
    x, y = rng.integers(0, 4, 40), rng.integers(0, 3, 40)
    t = Table({"x": [f"l{v}" for v in x], "y": [f"c{v}" for v in y]})
    right = 0.0
    for i in range(40):
        others = np.bincount(y[(x == x[i]) & (np.arange(40) != i)], minlength=3)
        rivals = np.delete(others, y[i]).max()
        right += 1.0 if others[y[i]] > rivals else 0.5 if others[y[i]] == rivals > 0 else 0.0
    assert skill(t["x"], t["y"]) == pytest.approx(1 - (40 - right) / (40 - np.bincount(y).max()))
