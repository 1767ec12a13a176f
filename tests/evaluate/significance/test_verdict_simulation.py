"""How often the verdict is wrong and what it sees, simulated: bounds that it was chosen by."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "verdict_simulation.py"


@pytest.fixture(scope="module")
def simulation():
    spec = importlib.util.spec_from_file_location("verdict_simulation", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize(("rows", "learners"), [(100, 10), (100, 30), (435, 30), (435, 60), (2000, 10)])
def test_equally_good_learners_are_hardly_ever_told_apart(simulation, kind, rows, learners):
    found = simulation.simulate(simulation.Setting(kind, rows, learners, ladder=False), 60)
    assert found.false_now <= 0.1  # 5 %, and three standard errors of 60 runs would be 13 %


@pytest.mark.slow
@pytest.mark.parametrize(("learners", "power"), [(30, 0.8), (60, 0.7)])
def test_learners_that_are_clearly_worse_are_left_out(simulation, learners, power):
    found = simulation.simulate(simulation.Setting("classes", 435, learners, ladder=True), 40)
    assert found.power_now >= power
    assert found.power_before <= 0.1
    assert found.worst_now <= 0.05 < 0.1 < found.worst_before


def test_a_handful_of_simulations_agree(simulation):
    found = simulation.simulate(simulation.Setting("classes", 435, 8, ladder=True), 5)
    assert found.worst_now < found.worst_before
    assert found.power_now > found.power_before
