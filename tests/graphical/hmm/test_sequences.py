"""Sequences come as tables with ids and times, as lists, as one array; answers go back as they came."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from learnt import HiddenMarkovModel, Table
from learnt.errors import InputError, KindError


@pytest.fixture(scope="module")
def machines():
    """Two machines, their rows shuffled."""
    rng = np.random.default_rng(0)
    state = np.tile(np.repeat([0, 1, 0], [20, 15, 25]), 2)
    frame = pd.DataFrame(
        {
            "id": np.repeat(["pump", "fan"], 60),
            "day": np.tile(pd.date_range("2024-03-01", periods=60), 2),
            "heat": rng.normal(20 + 30 * state, 2.0),
            "noise": np.where(state == 1, "loud", "low"),
        }
    )
    return frame.sample(frac=1.0, random_state=1).reset_index(drop=True), frame


def test_rows_are_put_in_order_and_answers_go_back_to_them(machines):
    shuffled, ordered = machines
    model = HiddenMarkovModel(2).fit(shuffled, sequence="id", order="day")
    parts = [ordered[ordered.id == name][["heat", "noise"]] for name in dict.fromkeys(shuffled.id)]
    same = HiddenMarkovModel(2).fit(parts)
    np.testing.assert_allclose(model.transition_, same.transition_, rtol=1e-12)
    loud = model.predict(shuffled)[(shuffled.noise == "loud").to_numpy()]
    assert len(set(loud.tolist())) == 1
    answers = model.smooth(shuffled)
    by_list = np.concatenate(same.smooth(parts))
    keys = [f"{i} {d}" for i, d in zip(shuffled.id, shuffled.day, strict=True)]
    listed = [
        f"{i} {d}" for name in dict.fromkeys(shuffled.id) for i, d in ordered[ordered.id == name][["id", "day"]].values
    ]
    np.testing.assert_allclose(answers, by_list[[listed.index(key) for key in keys]], rtol=1e-10)


def test_frames_of_other_libraries_are_the_same(machines):
    shuffled, _ = machines
    ours = HiddenMarkovModel(2).fit(shuffled, sequence="id", order="day")
    theirs = HiddenMarkovModel(2).fit(pl.from_pandas(shuffled), sequence="id", order="day")
    assert ours.log_likelihood_ == pytest.approx(theirs.log_likelihood_, rel=1e-12)


def test_paths_are_told_with_the_dates_of_the_table(machines):
    shuffled, _ = machines
    model = HiddenMarkovModel(2).fit(shuffled, sequence="id", order="day")
    paths = model.decode(shuffled)
    assert sorted(path.name for path in paths) == ["'fan'", "'pump'"] or {p.name for p in paths} == {"fan", "pump"}
    assert [(s.begins, s.ends, s.rows) for s in paths[0].stays] == [
        ("2024-03-01", "2024-03-20", 20),
        ("2024-03-21", "2024-04-04", 15),
        ("2024-04-05", "2024-04-29", 25),
    ]
    assert "2024-03-21" in str(paths[0])


def test_labels_of_any_sequence_are_known_to_all():
    first, second = ({"seen": list("aab")}, {"seen": list("cbc")})
    model = HiddenMarkovModel(2, max_iter=3, tol=1).fit([Table(first), Table(second)])
    assert model.probabilities_["seen"].shape == (2, 3)
    assert [len(p) for p in model.predict([Table(first), Table(second)])] == [3, 3]


def test_a_list_of_labels_and_a_vector_are_one_sequence_of_one_column():
    model = HiddenMarkovModel(2, max_iter=3, tol=1).fit(["a", "b", "a", "a", "b"])
    assert model.predict(["a", "b"]).shape == (2,)
    model = HiddenMarkovModel(2, max_iter=3, tol=1).fit(np.array([0.0, 5.0, 0.2, 5.1]))
    assert model.predict(np.array([0.1, 5.0])).tolist()[0] != model.predict(np.array([0.1, 5.0])).tolist()[1]


def test_whole_numbers_are_labels_where_that_is_said():
    x = np.array([[0.0], [1.0], [1.0], [2.0], [0.0]])
    model = HiddenMarkovModel(2, emissions="categorical", max_iter=2, tol=1).fit(x)
    assert model.probabilities_["x0"].shape == (2, 3)
    assert len(model.predict(x)) == 5


def rows(**more):
    table = {"id": ["a", "a", "b", "b"], "t": [1.0, 2.0, 1.0, 2.0], "x": [0.0, 1.0, 5.0, 6.0]}
    return {**table, **more}


@pytest.mark.parametrize(
    ("table", "how", "words"),
    [
        (rows(t=[1.0, 1.0, 1.0, 2.0]), {"sequence": "id", "order": "t"}, "Rows 0 and 1 of sequence 'a' both have t 1"),
        (rows(), {"order": "t"}, "Rows 0 and 2 both have t 1"),
        (rows(t=[1.0, None, 1.0, 2.0]), {"sequence": "id", "order": "t"}, "'t' has no cell in row 1"),
        (rows(id=["a", None, "b", "b"]), {"sequence": "id"}, "'id' has no cell in row 1"),
        (rows(), {"sequence": "it"}, "sequence='it' names a column"),
        (rows(), {"order": "time"}, "order='time' names a column"),
        (rows(), {"sequence": "id", "lengths": [2, 2]}, "both say where a sequence begins"),
        (rows(), {"lengths": [2, 1]}, r"lengths=\[2, 1\] do not cut 4 rows"),
        (rows(w=[1.0, 1.0, 2.0, 1.0]), {"sequence": "id", "order": "t", "sample_weight": "w"}, "'w' changes at t 2"),
        (rows(), {"sequence": "id", "order": "t", "sample_weight": [1.0]}, "one number for each of 2 sequences"),
        (rows(), {"sequence": "id", "order": "t", "sample_weight": [0.0, 0.0]}, "All weights are 0"),
        (rows(), {"y": [1, 2]}, "y has 2 states, X has 4 rows"),
    ],
)
def test_what_has_no_order_is_refused(table, how, words):
    with pytest.raises(InputError, match=words):
        HiddenMarkovModel(2).fit(table, **how)


def test_an_order_by_names_is_refused():
    with pytest.raises(KindError, match="no order"):
        HiddenMarkovModel(2).fit(rows(t=["one", "two", "one", "two"]), sequence="id", order="t")


def test_weights_may_be_a_column_that_is_constant_within_sequences():
    table = rows(w=[2.0, 2.0, 1.0, 1.0])
    named = HiddenMarkovModel(1).fit(table, sequence="id", order="t", sample_weight="w")
    given = HiddenMarkovModel(1).fit(rows(), sequence="id", order="t", sample_weight=[2.0, 1.0])
    assert named.means_.tolist() == given.means_.tolist()
    assert named.means_[0, 0] == pytest.approx((0 + 1 + 0 + 1 + 5 + 6) / 6)


def test_times_of_day_stay_what_they_are():
    times = [dt.datetime(2024, 1, 1, h) for h in range(6)]
    table = {"at": times[::-1], "x": [9.0, 9.1, 9.0, 1.0, 1.1, 1.0]}
    model = HiddenMarkovModel(2).fit(table, order="at")
    path = model.decode(table)
    assert path.stays[0].begins.startswith("2024-01-01 00:00")
    assert model.predict(table).tolist() == path.states.tolist()[::-1]
