"""Markov decision processes: the same from a mapping, a table, a function; wrong ones are refused in words."""

import numpy as np
import pandas as pd
import pytest

from learnt.control import MarkovDecisionProcess, grid_world, value_iteration
from learnt.errors import InputError, ParameterError

MOVES = {
    "dry": {"walk": [(0.75, "dry", 2.0), (0.25, "wet", 2.0)], "wait": [(1.0, "dry", 0.5)]},
    "wet": {"wait": [(0.5, "dry", 0.0), (0.5, "wet", 0.0)]},
    "home": {},
}


def test_a_table_with_a_row_for_each_move():
    rows = [(s, a, to, p, r) for s, doings in MOVES.items() for a, moves in doings.items() for p, to, r in moves]
    frame = pd.DataFrame(rows, columns=["state", "action", "next", "probability", "reward"])
    process = MarkovDecisionProcess.from_table(frame, discount=0.8)
    assert process.moves == {state: MOVES[state] for state in ("dry", "wet")}
    assert process.discount == 0.8


def test_a_log_of_moves_becomes_the_shares_that_were_seen():
    rng = np.random.default_rng(0)
    log = pd.DataFrame(
        {"here": ["a"] * 100, "did": ["go"] * 100, "there": rng.choice(["a", "b"], 100), "won": [1.0] * 100}
    )
    process = MarkovDecisionProcess.from_table(log, state="here", action="did", next="there", reward="won")
    assert {to: p for p, to, _ in process.moves["a"]["go"]} == pytest.approx(dict(log.there.value_counts() / 100))
    assert process.is_terminal("b")


def test_a_function_gives_the_same():
    process = MarkovDecisionProcess.from_function(MOVES, lambda s: MOVES[s], lambda s, a: MOVES[s][a], 0.9)
    assert process.moves == MOVES
    assert value_iteration(process).values == value_iteration(MarkovDecisionProcess(MOVES)).values


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ({}, "no states"),
        ({"a": {"go": [(0.5, "a", 0.0)]}}, "chances add up to 0.5"),
        ({"a": {"go": []}}, "chances add up to 0"),
        ({"a": {"go": [(1.0, "b", 0.0)]}}, "leads to 'b', which is no state"),
        ({"a": {"go": [(1.0, "a")]}}, r"Expected \(chance, next state, reward\)"),
        ({"a": {"go": [(1.5, "a", 0.0), (-0.5, "a", 0.0)]}}, "the chance -0.5"),
        ({"a": {"go": [(1.0, "a", float("nan"))]}}, "the reward nan"),
    ],
)
def test_processes_that_cannot_be_are_refused(moves, words):
    with pytest.raises(InputError, match=words):
        MarkovDecisionProcess(moves)


@pytest.mark.parametrize("discount", [-0.1, 1.1, "much", None, True, float("nan")])
def test_a_discount_is_a_number_from_0_to_1(discount):
    with pytest.raises(ParameterError, match="discount"):
        MarkovDecisionProcess(MOVES, discount)


def test_a_missing_cell_is_named():
    with pytest.raises(InputError, match="'next' has a missing cell in row 1"):
        MarkovDecisionProcess.from_table(
            {"state": ["a", "a"], "action": ["go", "go"], "next": ["a", None], "reward": [1, 1]}
        )


def test_where_a_grid_world_leads():
    world = grid_world("S.\n#+", slip=0.2, step=-1.0, rewards={"+": 5})
    assert set(world.states) == {(0, 0), (0, 1), (1, 1)}
    assert sorted(world.moves[0, 1]["down"]) == [
        pytest.approx(move) if isinstance(move[1], float) else move
        for move in sorted([(0.1, (0, 0), -1.0), (0.1, (0, 1), -1.0), (0.8, (1, 1), 4.0)])
    ]
    assert world.is_terminal((1, 1))


@pytest.mark.parametrize(
    ("drawing", "words"),
    [("", "rectangle"), ("...\n..", "rectangle"), (".x", "'x'"), ("SS", "2 cells 'S'")],
)
def test_maps_that_cannot_be_read(drawing, words):
    with pytest.raises(InputError, match=words):
        grid_world(drawing)


def test_states_may_be_anything():
    process = MarkovDecisionProcess({("ünïcode", 1): {None: [(1.0, 2.5, 1.0)]}, 2.5: {}})
    assert value_iteration(process).policy == {("ünïcode", 1): None}
