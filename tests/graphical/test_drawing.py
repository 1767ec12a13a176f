"""Layers without overlaps, arrows downwards; pictures of networks and messages."""

import re
from itertools import pairwise

import numpy as np
import pytest
from tests.graphical.random_networks import random_network

from learnt.graphical import BayesianNetwork, FactorGraph
from learnt.graphical.drawing.layers import _crossings, _ordered, _with_bends, lay_out


@pytest.mark.parametrize("n", [1, 5, 50])
def test_nodes_do_not_overlap_and_arrows_point_down(n):
    rng = np.random.default_rng(n)
    parents = {f"n{i}": [f"n{j}" for j in rng.choice(i, min(i, 2), replace=False)] if i % 5 else [] for i in range(n)}
    sizes = {name: (float(rng.integers(40, 120)), float(rng.integers(20, 60))) for name in parents}
    layout = lay_out(parents, sizes)
    for name, (x, y) in layout.places.items():
        assert x - sizes[name][0] / 2 + 1e-6 >= 0
        assert x + sizes[name][0] / 2 <= layout.width + 1e-6
        assert y + sizes[name][1] / 2 <= layout.height + 1e-6
        for other, (u, v) in layout.places.items():
            apart = (
                abs(x - u) >= (sizes[name][0] + sizes[other][0]) / 2
                or abs(y - v) >= (sizes[name][1] + sizes[other][1]) / 2
            )
            assert name == other or apart
    for points in layout.ways.values():
        assert all(a[1] < b[1] for a, b in pairwise(points))


def test_sweeps_untangle_what_can_be_untangled():
    parents = {"a": [], "b": [], "c": [], "x": ["c"], "y": ["b"], "z": ["a"]}
    rows, above = _with_bends(parents, {"a": 0, "b": 0, "c": 0, "x": 1, "y": 1, "z": 1})
    assert _crossings(rows, above) == 3
    assert _crossings(_ordered(rows, above), above) == 0


def test_a_drawing_shows_names_states_and_what_was_seen(tmp_path):
    network = BayesianNetwork().add("rain & snow", table={"no": 0.8, "yes": 0.2})
    network.add("grass", ["rain & snow"], [[0.9, 0.1], [0.2, 0.8]], ["dry", "wet"])
    picture = network.draw({"grass": "wet"}, tmp_path / "network.svg")
    assert (tmp_path / "network.svg").read_text("utf-8") == picture.svg
    assert "rain &amp; snow" in picture.svg
    assert "33 %" in picture.svg
    assert "given 1 finding" in picture.svg
    network.draw(bars=False, path=tmp_path / "network.png")
    assert (tmp_path / "network.png").read_bytes()[:4] == b"\x89PNG"


def test_large_networks_and_messages_are_drawn():
    large = random_network(0, n=50)
    assert large.draw().svg.count("<rect") > 100
    graph = FactorGraph(random_network(1, n=6, most_parents=1))
    messages = graph.messages()
    picture = messages.draw().svg
    assert all(f">{i}: " in picture for i in range(1, len(messages) + 1))


def test_nodes_that_nothing_ties_stand_below_the_middle_of_the_others():
    parents = {"a": [], "b": ["a"], "c": ["a"], "d": ["b"], "lone": []}
    places = lay_out(parents, dict.fromkeys(parents, (60.0, 20.0))).places
    others = [x for name, (x, _) in places.items() if name != "lone"]
    assert places["lone"][0] == pytest.approx((min(others) + max(others)) / 2)
    assert places["lone"][1] > max(y for name, (_, y) in places.items() if name != "lone")


def test_names_stay_in_the_middle_and_bars_reach_their_numbers_whatever_the_font():
    long = "a name of thirty-two letters, ok"
    drawing = BayesianNetwork().add(long, table={"no": 0.25, "yes": 0.75}).draw()
    assert f'text-anchor="middle" pointer-events="none" xml:space="preserve">{long}<' in drawing.svg
    widths = sorted({float(width) for width in re.findall(r'<rect x="[^"]*" y="[^"]*" width="([^"]*)"', drawing.svg)})
    assert widths[-2] > 54  # longer than the shortest bar: the box is as wide as the name
    assert widths[0] == pytest.approx(0.25 * widths[-2], abs=0.1)
