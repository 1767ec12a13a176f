"""Shattering: the VC dimensions of the textbook, found; and of finite classes, those of a search through all sets."""

import itertools

import numpy as np
import pytest

from learnt.errors import InputError, ParameterError
from learnt.theory import (
    Conjunctions,
    HalfPlanes,
    Intervals,
    Rays,
    Rectangles,
    growth_function,
    patterns,
    sauer_bound,
    shatters,
    vc_dimension,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("hypotheses", "domain", "expected"),
    [
        (Rays(), [1.0, 2.0, 3.0], 1),
        (Intervals(), [1.0, 2.0, 3.0, 4.0], 2),
        (Rectangles(), [[0, 1], [1, 0], [0, -1], [-1, 0], [0.1, 0.2], [0.5, 0.5]], 4),
        (Rectangles(), np.vstack([np.eye(3), -np.eye(3), [[0.1, 0.1, 0.1]]]), 6),
        (HalfPlanes(), RNG.normal(size=(6, 2)), 3),
        (HalfPlanes(), RNG.normal(size=(6, 3)), 4),
        *((Conjunctions(), list(itertools.product((0, 1), repeat=d)), d) for d in (2, 3, 4)),
    ],
)
def test_the_dimensions_of_the_textbook(hypotheses, domain, expected):
    found = vc_dimension(hypotheses, domain)
    assert int(found) == expected
    assert shatters(hypotheses, np.array(found.points))
    assert found.exact == isinstance(hypotheses, Conjunctions)


def by_all_sets(table):
    n = table.shape[1]
    for size in range(n, 0, -1):
        for chosen in itertools.combinations(range(n), size):
            if len({tuple(row) for row in table[:, chosen].tolist()}) == 2**size:
                return size
    return 0


@pytest.mark.parametrize("seed", range(25))
def test_finite_classes_have_the_dimension_of_a_search_through_all_sets(seed):
    rng = np.random.default_rng(seed)
    table = rng.random((rng.integers(1, 40), rng.integers(1, 9))) < rng.random()
    found = vc_dimension(table, range(table.shape[1]))
    assert (found.value, found.exact) == (by_all_sets(table), True)
    for m in range(table.shape[1] + 1):
        assert growth_function(table, range(table.shape[1]), m) <= sauer_bound(m, found.value)


def test_functions_are_hypotheses_too():
    thresholds = [lambda x, t=t: x >= t for t in range(6)]
    assert vc_dimension(thresholds, range(5)).value == 1
    assert not shatters(thresholds, [1, 2])
    assert growth_function(thresholds, range(5), 3) == 4
    assert patterns(thresholds, [0, 3]) == [(False, False), (False, True), (True, True)]


def test_all_functions_of_three_booleans_shatter_all_eight_rows():
    everything = np.array(list(itertools.product((0, 1), repeat=8)), bool)
    assert vc_dimension(everything, range(8)).value == 8
    assert sauer_bound(8, 8) == 256


def test_copies_of_a_point_are_never_shattered():
    assert not shatters(HalfPlanes(), [[1.0, 1.0], [1.0, 1.0]])
    assert not shatters(Intervals(), [2.0, 2.0])


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="no hypotheses"):
        vc_dimension([], [1, 2])
    with pytest.raises(InputError, match="3 columns, and the domain 2"):
        vc_dimension([[True, False, True]], [1, 2])
    with pytest.raises(ParameterError, match="m is 9"):
        growth_function([[True, False]], [1, 2], 9)
    with pytest.raises(InputError, match="table of labels"):
        vc_dimension([True, False], [1, 2])


def test_what_is_said_of_a_bound_from_below():
    assert str(vc_dimension(Rays(), [1.0, 2.0])) == "VC dimension at least 1: 1 point is shattered, 1.0."


def test_a_search_that_was_cut_short_is_not_called_exact():
    every = list(itertools.product((False, True), repeat=3))
    assert not vc_dimension(every, range(3), most=2).exact
    assert vc_dimension(every, range(3), most=3).exact
    assert vc_dimension(every[:3], range(3), most=3).exact
