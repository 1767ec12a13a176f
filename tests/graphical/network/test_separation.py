"""d-separation against the moral graph of ancestors, and the trail shown against the rules of trails."""

from itertools import combinations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from learnt.graphical.network.ancestry import ancestors, children_of, parents_first
from learnt.graphical.network.separation import markov_blanket, separation


def random_parents(seed, n=8):
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n)]
    return {b: [a for a in names[:i] if rng.random() < 0.3] for i, b in enumerate(names)}


def moral_separated(parents, a, b, given):
    """No way from a to b around `given` in the ancestors' graph, parents of one child married (Lauritzen 1990)."""
    kept = sorted(ancestors(parents, {a, b, *given}) - set(given))
    near = np.zeros((len(kept), len(kept)), bool)
    for family in ([name, *parents[name]] for name in ancestors(parents, {a, b, *given})):
        members = [kept.index(n) for n in family if n in kept]
        near[np.ix_(members, members)] = True
    part = connected_components(near)[1]
    return part[kept.index(a)] != part[kept.index(b)]


@pytest.mark.parametrize("seed", range(10))
def test_separated_is_what_the_moral_graph_says_and_trails_are_open(seed):
    parents = random_parents(seed)
    rng = np.random.default_rng(seed)
    for a, b in combinations(parents, 2):
        others = [n for n in parents if n not in (a, b)]
        given = [n for n in others if rng.random() < 0.3]
        found = separation(parents, {a}, {b}, given)
        assert bool(found) == moral_separated(parents, a, b, given)
        if found:
            continue
        assert (found.trail[0], found.trail[-1]) == (a, b)
        assert len(set(found.trail)) == len(found.trail)
        for x, arrow, y in zip(found.trail, found.arrows, found.trail[1:], strict=False):
            assert x in parents[y] if arrow == "→" else y in parents[x]
        below = ancestors(parents, given)
        for i, name in enumerate(found.trail[1:-1]):
            meets = found.arrows[i] == "→" and found.arrows[i + 1] == "←"
            assert (name in below) if meets else (name not in given)
            assert meets == (name in found.meeting)


@pytest.mark.parametrize("seed", range(5))
def test_the_blanket_separates_and_no_smaller_one_does(seed):
    parents = random_parents(seed, n=7)
    for name in parents:
        blanket = markov_blanket(parents, name)
        rest = set(parents) - blanket - {name}
        assert all(separation(parents, {name}, {other}, sorted(blanket)) for other in rest)
        for member in blanket:
            assert not separation(parents, {name}, {member}, sorted(blanket - {member}))


def test_orders_children_and_cycles():
    parents = random_parents(3)
    order = parents_first(parents)
    assert all(order.index(p) < order.index(name) for name, above in parents.items() for p in above)
    assert {(p, c) for p, below in children_of(parents).items() for c in below} == {
        (p, c) for c, above in parents.items() for p in above
    }
