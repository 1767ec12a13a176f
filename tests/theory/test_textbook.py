"""The worked numbers of the courses on concept learning and learning theory, one by one."""

import itertools
import math

import numpy as np
import pytest
from tests.concepts.sport import LABELS, ROWS, SPORT, VALUES

from learnt.concepts import (
    FindS,
    Halving,
    Language,
    ListThenEliminate,
    Nominal,
    RayLearner,
    RoteLearner,
    at_least_as_general,
)
from learnt.theory import consistent_bound, halving_mistakes, shatters, vc_dimension
from learnt.theory.experiments import posterior_over_version_space
from learnt.theory.shattering import Conjunctions, HalfPlanes


def test_enjoy_sport_has_96_instances_5120_sentences_and_973_hypotheses():
    sizes = [len(values) for values in VALUES.values()]
    instances = list(itertools.product(*VALUES.values()))
    assert len(instances) == math.prod(sizes) == 96
    assert math.prod(size + 2 for size in sizes) == 5120  # each value, "?" and "∅": many of them say the same
    assert SPORT.size == 973 == len({tuple(h.covers(row) for row in instances) for h in SPORT})


def test_general_means_that_all_rows_of_the_other_are_covered():
    instances = list(itertools.product(*VALUES.values()))
    some = list(SPORT)[::37]
    for one, other in itertools.product(some, repeat=2):
        covered = all(one.covers(row) for row in instances if other.covers(row))
        assert at_least_as_general(one, other) == covered


def test_every_consistent_hypothesis_is_equally_likely_after_the_examples():
    # P(D) = |version space| / |H|, so that P(h|D) = 1 / |version space|.
    space = ListThenEliminate(SPORT).fit(ROWS, LABELS)
    assert space.size_ == 6
    for left, probability in [(row[1], row[2]) for row in posterior_over_version_space().rows]:
        assert probability == 1 / left


@pytest.mark.parametrize("n", [1, 4, 10])
def test_conjunctions_of_n_booleans(n):
    # A literal, its negation or neither for each: 3ⁿ, and the sample grows with n, not with 2ⁿ.
    wanted = (n * math.log(3) + math.log(1 / 0.05)) / 0.1
    assert consistent_bound(epsilon=0.1, delta=0.05, hypotheses=3**n).value == pytest.approx(wanted)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_without_a_bias_the_sample_grows_with_the_number_of_instances(n):
    wanted = (2**n * math.log(2) + math.log(1 / 0.05)) / 0.1
    assert consistent_bound(epsilon=0.1, delta=0.05, log_hypotheses=2**n * math.log(2)).value == pytest.approx(wanted)


def test_a_ray_begins_at_the_least_positive_number_so_far():
    stream = [(4.0, "+"), (1.0, "-"), (5.0, "+"), (2.5, "+"), (2.0, "-"), (2.2, "+")]
    begins = []
    for k in range(1, len(stream) + 1):
        x, y = zip(*stream[:k], strict=True)
        begins.append(RayLearner(positive="+").fit({"x": x}, y).low_[0])
    assert begins == [4.0, 4.0, 4.0, 2.5, 2.5, 2.2]
    assert np.isinf(RayLearner(positive="+").fit({"x": [1.0, 2.0]}, ["-", "-"]).low_[0])


def test_four_animals_are_shattered_by_conjunctions_of_what_they_lack():
    # Each has one property that the others lack; a subset is "none of the properties of those outside".
    animals = np.eye(4)  # gills, short, beak, many teeth
    assert shatters(Conjunctions(), animals)
    assert not shatters(Conjunctions(), [*animals, np.zeros(4)])
    language = Language(tuple(Nominal(name, (0, 1)) for name in ("gills", "short", "beak", "teeth")))
    none_of = language.hypothesis(gills=0, short=0)
    assert [none_of.covers(tuple(map(int, animal))) for animal in animals] == [False, False, True, True]


def test_three_points_are_split_by_lines_in_all_ways_and_four_are_not():
    assert shatters(HalfPlanes(), [(0, 0), (1, 0), (0, 1)])
    square = [(0, 0), (1, 1), (1, 0), (0, 1)]
    assert not shatters(HalfPlanes(), square)
    assert not HalfPlanes().realises(np.array(square, float), np.array([True, True, False, False]))  # exclusive or
    assert int(vc_dimension(HalfPlanes(), square)) == 3


@pytest.mark.parametrize("n", [1, 2, 5])
def test_find_s_errs_n_plus_1_times_on_the_worst_sequence(n):
    # The first positive row leaves n of 2n literals, each later one takes a single literal away until none is left.
    rows = [np.ones(n, int)] + [np.where(np.arange(n) == j, 0, 1) for j in range(n)]
    columns = [f"x{j}" for j in range(n)]
    language = Language(tuple(Nominal(name, ("0", "1")) for name in columns))
    table = dict(zip(columns, np.array(rows).T.astype(str), strict=True))
    learner = FindS(language, positive="+").fit(table, ["+"] * (n + 1))
    assert learner.mistakes_ == n + 1
    assert str(learner.hypothesis_) == f"⟨{', '.join('?' * n)}⟩"


def test_halving_errs_between_never_and_log_2_of_the_hypotheses_times():
    # A hypothesis for each of 16 numbers, asked for its four bits. The truth is right with the majority at every
    # step (ties go to what is named first), or against it at every step.
    assert halving_mistakes(16) == 4
    bits = np.array(list(itertools.product("01", repeat=4)))
    advice = {f"h{i}": row.tolist() for i, row in enumerate(bits)}
    mistakes = {Halving().run(advice, truth.tolist()).mistakes for truth in bits}
    assert (min(mistakes), max(mistakes)) == (0, 4)


def test_two_learners_that_agree_on_all_they_saw_err_40_and_60_percent_elsewhere():
    # Three of eight rows are seen and known by heart. On the other five one says always +, one always −: 40 % and
    # 60 % on this function, 60 % and 40 % on its reverse, and half over all functions that agree on what was seen.
    rows = dict(zip("abc", np.array(list(itertools.product("01", repeat=3))).T, strict=True))
    seen = {name: column[:3] for name, column in rows.items()}
    known = RoteLearner(positive="+").fit(seen, ["+", "-", "+"]).predict(rows)
    assert known[:3].tolist() == ["+", "-", "+"]

    def errors(unseen):
        truth = ["+", "-", "+", *unseen]
        said = ([label or default for label in known] for default in "+-")
        return tuple(np.mean([a != b for a, b in zip(labels[3:], truth[3:], strict=True)]) for labels in said)

    assert errors("-+-++") == (0.4, 0.6)
    assert errors("+-+--") == (0.6, 0.4)
    every = [errors(unseen) for unseen in itertools.product("+-", repeat=5)]
    assert np.mean(every, axis=0) == pytest.approx([0.5, 0.5], rel=1e-14)
