"""Learning from episodes: near what planning finds, the same for the same seed, with returns that are returns."""

import numpy as np
import pytest

import learnt
from learnt.control import (
    MarkovDecisionProcess,
    evaluate_policy,
    expected_sarsa,
    grid_world,
    learn_by_doing,
    monte_carlo,
    q_learning,
    sarsa,
    value_iteration,
)
from learnt.errors import InputError, ParameterError

CHAIN = MarkovDecisionProcess.from_function(
    range(6),
    lambda n: () if n == 5 else ("back", "on"),
    lambda n, way: [(0.9, n + 1, 10.0 if n == 4 else 0.0), (0.1, n, 0.0)] if way == "on" else [(1.0, 0, 0.5)],
    0.9,
)
MACHINE = MarkovDecisionProcess(
    {
        "good": {"run": [(0.7, "good", 4.0), (0.3, "worn", 4.0)], "repair": [(1.0, "good", 0.0)]},
        "worn": {
            "run": [(0.5, "worn", 2.0), (0.5, "broken", 2.0)],
            "repair": [(0.8, "good", -1.0), (0.2, "worn", -1.0)],
        },
        "broken": {"replace": [(1.0, "good", -8.0)], "close": [(1.0, "closed", 0.0)]},
        "closed": {},
    },
    0.8,
)
BET = MarkovDecisionProcess(
    {"in": {"safe": [(1.0, "out", 1.0)], "risk": [(0.4, "out", 3.0), (0.6, "out", 0.0)]}, "out": {}}
)
WORLD = grid_world("...+\n.#.-\nS...")
CORRIDOR = grid_world("-....+", step=-0.01, slip=0.1)
PROCESSES = {"chain": CHAIN, "machine": MACHINE, "bet": BET, "world": WORLD, "corridor": CORRIDOR}


@pytest.mark.parametrize("name", PROCESSES)
def test_q_learning_finds_the_best_policy_in_twenty_of_twenty_runs(name):
    process = PROCESSES[name]
    learning = q_learning(process, episodes=20_000, runs=20, initial=1.0, final=0.2, start="any", max_moves=60)
    best = value_iteration(process)
    for run in range(20):
        reached = evaluate_policy(process, learning.policy_of(run))
        assert reached == pytest.approx(best.values, abs=1e-3), run


@pytest.mark.parametrize("method", [q_learning, sarsa, expected_sarsa, monte_carlo])
def test_each_method_learns_the_worths_of_what_it_does(method):
    """With one choice a state there is nothing to choose: all methods value the only policy."""
    one = MarkovDecisionProcess(
        {
            "a": {"go": [(0.5, "b", 1.0), (0.5, "end", 3.0)]},
            "b": {"go": [(0.25, "a", 0.0), (0.75, "end", 2.0)]},
            "end": {},
        }
    )
    found = method(one, episodes=20_000, start="any").values
    assert found == pytest.approx(value_iteration(one).values, rel=0.03, abs=1e-9)


def test_sarsa_counts_the_costs_of_exploring_and_walks_further_from_the_cliff():
    """Sutton and Barto's cliff: beside it is the shortest way; who slips at random had better keep off."""
    cliff = grid_world(
        "............\n............\n............\nS----------+",
        rewards={"-": -100, "+": 0},
        step=-1,
        slip=0,
        discount=1.0,
    )
    settings = {"episodes": 4000, "initial": 0.1, "final": 0.1, "learning_rate": 0.5, "runs": 10, "max_moves": 2000}
    quick, careful = q_learning(cliff, **settings), sarsa(cliff, **settings)
    assert careful.returns[:, -1000:].mean() > quick.returns[:, -1000:].mean() + 5


def test_the_same_seed_gives_the_same_life_for_any_number_of_threads():
    found = []
    for threads in (1, 2):
        with learnt.threads(threads):
            found.append(q_learning(WORLD, episodes=200, runs=5))
    np.testing.assert_array_equal(found[0].returns, found[1].returns)
    assert found[0].q_values == found[1].q_values
    assert not np.array_equal(q_learning(WORLD, episodes=200, random_state=1).returns, found[0].returns[:1])


def test_softmax_tries_better_actions_more_often_and_all_of_them():
    visits = learn_by_doing(BET, explore="softmax", initial=1.0, final=1.0, episodes=4000).visits["in"]
    assert visits["risk"] > visits["safe"] > 400


def test_episodes_end_at_ends_or_after_so_many_moves():
    learning = q_learning(CHAIN, episodes=50, max_moves=7)
    assert 1 <= learning.moves.min() <= learning.moves.max() == 7
    assert sum(sum(of.values()) for of in learning.visits.values()) == learning.moves.sum()


def test_the_curve_has_an_interval_over_the_runs():
    mean, low, high = q_learning(WORLD, episodes=300, runs=8).curve()
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert mean[-1] > mean[:20].mean()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"episodes": 0}, "episodes"),
        ({"learning_rate": 2.0}, "learning_rate"),
        ({"explore": "greedy"}, "explore"),
        ({"method": "guessing"}, "method"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ParameterError, match=words):
        learn_by_doing(BET, **settings)


def test_an_unknown_start_and_a_process_of_ends_are_refused():
    with pytest.raises(InputError, match="no state 'nowhere'"):
        q_learning(BET, start="nowhere")
    with pytest.raises(ValueError, match="all are ends"):
        q_learning(MarkovDecisionProcess({"end": {}}))


def test_texts_and_pictures():
    learning = q_learning(WORLD, episodes=500, runs=3)
    assert str(learning).startswith("q-learning: 500 episodes in each of 3 runs")
    assert learning.drawing().count("\n") == 2
    assert len(learning.plot().lines) == 2
