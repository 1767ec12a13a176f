"""New rows that are far from those a model learnt from are noticed, others are not."""

import json

import numpy as np
import pytest

from learnt.data.table import Table
from learnt.learner.moved import Moved, training_summary


def drawn(n, shift=0.0, town=(0.5, 0.3, 0.2), gaps=0.0, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.normal(40 + shift, 10, n)
    age[rng.random(n) < gaps] = np.nan
    return Table({"age": age, "town": rng.choice(["Bern", "Basel", "Genf"], n, p=town).tolist()})


def moved(new, old=None):
    old = drawn(5000) if old is None else old
    watch = Moved(json.loads(json.dumps(training_summary(old, old.schema))))
    for start in range(0, new.n_rows, 300):
        watch.look(new.rows(start, start + 300))
    return [note.text for note in watch.notes()]


@pytest.mark.parametrize("n", [100, 200, 1000, 20_000])
def test_rows_of_the_same_kind_have_not_moved(n):
    for seed in range(2, 12):
        assert moved(drawn(n, seed=seed)) == []


def test_a_shift_a_new_mixture_and_gaps_are_each_noticed():
    (words,) = moved(drawn(1000, shift=15))
    assert words.startswith("'age' is far from what the model learnt from (above ")
    (words,) = moved(drawn(1000, town=(0.05, 0.05, 0.9)))
    assert "'Genf': 20 % then, 88 % now" in words
    (words,) = moved(drawn(1000, gaps=0.6))
    assert "(missing: 0 % then, " in words


def test_the_index_is_that_of_its_definition():
    old, new = drawn(20_000), drawn(20_000, town=(0.2, 0.3, 0.5), seed=3)
    watch = Moved(training_summary(old, old.schema))
    watch.look(new.rows(0, 2000))
    p = np.array([np.mean(np.array(old["town"].labels()) == t) for t in ("Bern", "Basel", "Genf")])
    q = np.array([np.mean(np.array(new["town"].labels()[:2000]) == t) for t in ("Bern", "Basel", "Genf")])
    assert watch._distance("town") == pytest.approx(float(((p - q) * np.log(p / q)).sum()), abs=0.01)


def test_few_rows_say_nothing():
    assert moved(drawn(99, shift=100)) == []
    assert training_summary(drawn(50), drawn(50).schema) == {}


@pytest.mark.parametrize(
    "summary",
    [
        None,
        [],
        {"columns": 3},
        {"columns": {"age": 3}},
        {"columns": {"age": {"edges": [1, "a"], "counts": [1, 2, 3, 4]}}},
        {"columns": {"age": {"edges": [2.0, 1.0], "counts": [1, 2, 3, 4]}}},
        {"columns": {"age": {"edges": [1.0], "counts": [1]}}},
        {"columns": {"age": {"edges": [1.0], "counts": [1, -2, 3]}}},
        {"columns": {"town": {"labels": [1], "counts": [1, 2, 3]}}},
        {"columns": {"town": {"edges": [1.0], "labels": ["a"], "counts": [1, 2, 3, 4]}}},
    ],
)
def test_nonsense_in_a_models_file_is_passed_over(summary):
    watch = Moved(summary)
    watch.look(drawn(500))
    assert watch.notes() == ()
