"""Planning: values and policies of value iteration and policy iteration are those of linear programming."""

import numpy as np
import pytest
from scipy.optimize import linprog

from learnt.control import (
    MarkovDecisionProcess,
    evaluate_policy,
    grid_world,
    policy_iteration,
    value_iteration,
)
from learnt.errors import ConvergenceWarning, InputError, ParameterError

CLASSIC = "...+\n.#.-\n...."


def random_process(seed, discount, n=12):
    """States with one to four actions of one to five moves; one of them is an end."""
    rng = np.random.default_rng(seed)
    moves = {0: {}}
    for state in range(1, n):
        moves[state] = {}
        for action in range(rng.integers(1, 5)):
            to = rng.choice(n, rng.integers(1, 6), replace=False)
            chances = rng.dirichlet(np.ones(len(to)))
            moves[state][f"a{action}"] = [
                (float(p), int(t), float(r)) for p, t, r in zip(chances, to, rng.normal(size=len(to)), strict=True)
            ]
    return MarkovDecisionProcess(moves, discount)


def by_linear_programming(process):
    """The least values that no choice can beat."""
    n = process.n_states
    rows, sides = [], []
    for s, state in enumerate(process.states):
        for moves in process.moves[state].values():
            row = np.zeros(n)
            row[s] -= 1
            for chance, to, _ in moves:
                row[process.states.index(to)] += process.discount * chance
            rows.append(row)
            sides.append(-sum(chance * reward for chance, _, reward in moves))
    ends = [(0, 0) if process.is_terminal(state) else (None, None) for state in process.states]
    return linprog(np.ones(n), np.array(rows), sides, bounds=ends).x


@pytest.mark.parametrize("discount", [0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_linear_programming(seed, discount):
    process = random_process(seed, discount)
    expected = by_linear_programming(process)
    for solution in (value_iteration(process, tol=1e-10), policy_iteration(process)):
        np.testing.assert_allclose(list(solution.values.values()), expected, atol=1e-7)
        assert solution.error_bound < 1e-8
    assert value_iteration(process, tol=1e-10).policy == policy_iteration(process).policy


@pytest.mark.parametrize("tol", [0.1, 1e-3])
def test_the_bound_on_the_error_holds(tol):
    for seed in range(10):
        process = random_process(seed, 0.95)
        rough, fine = value_iteration(process, tol=tol), value_iteration(process, tol=1e-12)
        off = max(abs(rough.values[state] - fine.values[state]) for state in process.states)
        assert off <= rough.error_bound <= tol


def test_the_grid_of_the_textbook():
    """Russell and Norvig's world: step −0.04, no discount, and the utilities printed there."""
    world = grid_world(CLASSIC, step=-0.04, slip=0.2, discount=1.0)
    expected = [[0.812, 0.868, 0.918], [0.762, None, 0.660], [0.705, 0.655, 0.611, 0.388]]
    for solution in (value_iteration(world), policy_iteration(world)):
        for i, row in enumerate(expected):
            for j, value in enumerate(row):
                if value is not None:
                    assert solution.values[i, j] == pytest.approx(value, abs=6e-4)
        assert solution.drawing() == "→ → → +\n↑ # ↑ -\n↑ ← ← ←"
        assert solution.error_bound is None


def test_a_policy_is_worth_what_following_it_gains():
    process = random_process(1, 0.8)
    policy = {state: next(iter(process.moves[state])) for state in process.states if not process.is_terminal(state)}
    values = evaluate_policy(process, policy)
    for state, action in policy.items():
        gained = sum(p * (r + 0.8 * values[to]) for p, to, r in process.moves[state][action])
        assert values[state] == pytest.approx(gained, abs=1e-10)
    best = policy_iteration(process).values
    assert all(values[state] <= best[state] + 1e-9 for state in values)


def test_many_states_are_valued_by_sweeps_with_the_same_answer(monkeypatch):
    process = random_process(3, 0.9, n=60)
    exact = policy_iteration(process)
    monkeypatch.setattr("learnt.control.planning.MOST_SOLVED", 10)
    swept = policy_iteration(process)
    assert swept.policy == exact.policy
    np.testing.assert_allclose(list(swept.values.values()), list(exact.values.values()), atol=1e-9)


def test_without_discount_and_without_an_end_it_says_so():
    for_ever = MarkovDecisionProcess({"a": {"stay": [(1.0, "a", 1.0)]}}, 1.0)
    with pytest.raises(InputError, match="a way to an end"):
        policy_iteration(for_ever)
    with pytest.warns(ConvergenceWarning, match="Without discount, values may grow for ever"):
        value_iteration(for_ever, max_sweeps=50)


@pytest.mark.parametrize(
    ("policy", "words"),
    [({}, "no action for state 'a'"), ({"a": "fly"}, "takes 'fly' in state 'a'. Expected 'stay'")],
)
def test_policies_that_do_not_fit_are_refused(policy, words):
    process = MarkovDecisionProcess({"a": {"stay": [(1.0, "a", 1.0)]}}, 0.5)
    with pytest.raises(InputError, match=words):
        evaluate_policy(process, policy)


def test_wrong_settings_are_named():
    process = random_process(0, 0.9)
    with pytest.raises(ParameterError, match="tol"):
        value_iteration(process, tol=0)
    with pytest.raises(ParameterError, match="max_rounds"):
        policy_iteration(process, max_rounds=0)


def test_texts_and_pictures():
    solution = value_iteration(random_process(0, 0.9))
    assert str(solution).splitlines()[1].split() == ["state", "value", "best"]
    assert "(an end)" in str(solution)
    assert len(solution.plot().patches) == 12
    world = value_iteration(grid_world(CLASSIC))
    assert len(world.plot().texts) >= 11
    with pytest.raises(InputError, match="grid worlds"):
        solution.drawing()
