"""Grid worlds against maps walked by hand."""

import numpy as np
import pytest

from learnt.control import grid_world, policy_iteration, value_iteration
from learnt.errors import InputError, ParameterError


def test_moves_go_where_they_are_meant_to_slip_to_the_sides_and_stop_at_walls():
    world = grid_world("..+\n.#-\nS..", step=-1, slip=0.2)
    moves = {to: (p, gain) for p, to, gain in world.moves[(0, 1)]["right"]}
    assert moves[(0, 2)] == (pytest.approx(0.8), pytest.approx(0.0))  # a step and the end's reward
    assert moves[(0, 1)] == (pytest.approx(0.2), pytest.approx(-1.0))  # the edge above, the wall below
    down = {to: p for p, to, _ in world.moves[(2, 0)]["down"]}
    assert down == {(2, 0): pytest.approx(0.9), (2, 1): pytest.approx(0.1)}
    assert (1, 1) not in world.moves
    assert world.moves[(0, 2)] == {}
    for actions in world.moves.values():
        for outcomes in actions.values():
            assert sum(p for p, _, _ in outcomes) == pytest.approx(1)


def test_a_corridor_is_worth_what_its_steps_cost():
    world = grid_world("S..+", step=-0.1, slip=0.0, discount=0.9)
    solved = value_iteration(world)
    one = -0.1 + 1
    two = -0.1 + 0.9 * one
    three = -0.1 + 0.9 * two
    values = [solved.values[0, j] for j in range(3)]
    np.testing.assert_allclose(values, [three, two, one], atol=1e-6)
    assert solved.drawing() == policy_iteration(world).drawing() == "→ → → +"


def test_letters_have_the_rewards_given():
    world = grid_world("S.g", rewards={"g": 5}, step=0, slip=0, discount=1.0)
    assert value_iteration(world).values[0, 0] == pytest.approx(5)


@pytest.mark.parametrize("drawing", ["", "...\n..", "S.S", "a.b"])
def test_maps_that_are_none_are_refused(drawing):
    with pytest.raises(InputError, match="map"):
        grid_world(drawing)


def test_chances_are_from_0_to_1():
    with pytest.raises(ParameterError, match="slip is 2"):
        grid_world("S+", slip=2)
