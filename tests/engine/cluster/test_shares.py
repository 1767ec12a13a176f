"""Who gets which pieces."""

from __future__ import annotations

import numpy as np
import pytest

from learnt.engine.cluster.shares import handed_on, settled, shared_out


@pytest.mark.parametrize("n_pieces", [1, 2, 7, 50, 1000])
@pytest.mark.parametrize("threads", [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 3, "c": 2}])
def test_every_piece_has_one_worker_and_each_about_its_share(n_pieces, threads):
    rows = np.random.default_rng(0).integers(50, 150, n_pieces).tolist()
    places = shared_out(rows, threads)
    assert sorted(number for held in places.values() for number in held) == list(range(n_pieces))
    for address, held in places.items():
        share = sum(rows) * threads[address] / sum(threads.values())
        assert abs(sum(rows[number] for number in held) - share) <= max(rows)
        assert held == list(range(held[0], held[-1] + 1)) if held else True


def test_a_newcomer_takes_from_those_who_have_most_and_others_keep_theirs():
    before = {"a": [0, 1, 2, 3], "b": [4, 5, 6, 7]}
    after = settled(before, [10] * 8, {"a": 1, "b": 1, "c": 1})
    assert {address: len(held) for address, held in after.items()} == {"a": 3, "b": 3, "c": 2}
    assert set(after["a"]) < set(before["a"])
    assert set(after["b"]) < set(before["b"])


def test_the_pieces_of_a_lost_worker_go_to_the_others():
    after = settled({"a": [0, 1], "b": [2, 3]}, [10] * 4, {"b": 1})
    assert after == {"b": [0, 1, 2, 3]}
    handed = handed_on([0, 1, 2, 3], {"b": [4], "c": []}, [10] * 5, {"b": 1, "c": 1})
    assert {address: len(held) for address, held in handed.items()} == {"b": 2, "c": 2} or len(handed["c"]) == 3
    assert sorted(number for held in handed.values() for number in held) == [0, 1, 2, 3]


def test_pieces_without_rows_are_shared_out_too():
    places = shared_out([0, 0, 0], {"a": 1, "b": 1})
    assert sorted(number for held in places.values() for number in held) == [0, 1, 2]
