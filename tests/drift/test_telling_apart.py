"""Telling tables apart: the rate of false alarms, and change that no single column shows."""

import numpy as np
import pytest

from learnt import Table
from learnt.drift import tell_apart


def rows(rng, n, sign=0.0):
    a = rng.normal(size=n)
    b = sign * a + rng.normal(size=n) * (1 if sign == 0 else 0.5)
    return Table({"a": a, "b": b, "c": rng.choice(["x", "y", None], n)})


def test_false_alarms_are_as_rare_as_said():
    p = [
        tell_apart(rows(np.random.default_rng(s), 60), rows(np.random.default_rng(900 + s), 80)).p_value
        for s in range(60)
    ]
    assert sum(q < 0.05 for q in p) <= 8  # 3 expected; more than 8 happen once in 200 times
    assert np.mean(p) == pytest.approx(0.5, abs=0.12)


def test_a_correlation_that_turned_round_is_found_though_no_column_changed():
    rng = np.random.default_rng(0)
    found = tell_apart(rows(rng, 600, 0.8), rows(rng, 600, -0.8))
    assert found.auc.low > 0.7
    assert found.p_value < 1e-10
    assert {name for name, share in found.columns if share > 0.2} == {"a", "b"}
    assert "tells new rows from old ones, by" in str(found)


def test_the_same_seed_gives_the_same_answer_and_few_rows_none():
    rng = np.random.default_rng(1)
    a, b = rows(rng, 100), rows(rng, 100)
    assert tell_apart(a, b) == tell_apart(a, b)
    assert tell_apart(a.take([0, 1]), b) is None


def test_labels_of_one_table_only_are_no_error():
    old = Table({"x": ["a", "b"] * 50})
    new = Table({"x": ["b", "c"] * 50})
    assert tell_apart(old, new).auc.estimate > 0.7
