"""What one more learner costs in `make test`, counted in checks: never measured, so that no busy machine matters.

A suite that runs for every learner grows with both, learners and checks. What a check takes is rounded to what its kind
takes on average; a check that takes longer than its kind is marked as the next.
"""

from __future__ import annotations

import pytest
from tests.conformance import test_conformance, test_sklearn
from tests.conformance.checks import all_checks
from tests.conformance.subject import Subject
from tests.rotation import COSTLY_PARTS, PARTS, THIRDS, family_of, has_its_turn
from tests.rotation_box import Item

import learnt

#: Seconds of processor time that a check of each kind takes for one learner: each time, by thirds, expensive.
SECONDS = {1: 0.008, THIRDS: 0.05, PARTS: 0.9}
#: scikit-learn's checks are many and short.
SECONDS_OF_SCIKIT = 0.012
#: Forty more learners cost two minutes of two processors: six seconds each, half of it for tests of their own.
LIMIT = 3.0


def in_turn(cases: list, rotation: int) -> list:
    return [case for case in cases if has_its_turn(Item(case.id, *case.marks), str(rotation), share=1)]


def test_one_more_learner_costs_three_seconds_of_checks_on_average():
    subjects = [Subject(entry) for entry in learnt.learners()]
    ours = sum(SECONDS[check.parts] / check.parts for s in subjects for check in all_checks() if check.concerns(s))
    theirs = len(list(test_sklearn.cases())) * SECONDS_OF_SCIKIT / THIRDS
    assert (ours + theirs) / len(subjects) < LIMIT, "run more checks by thirds, or make expensive ones cheaper"


@pytest.mark.parametrize("suite", [test_conformance, test_sklearn])
def test_no_rotation_holds_much_more_than_another(suite):
    cases = list(suite.cases())
    counts = [len(in_turn(cases, rotation)) for rotation in range(PARTS)]
    assert max(counts) < 1.1 * min(counts)


def test_every_rotation_holds_at_most_a_third_of_scikit_learns_checks_and_one_of_each_family():
    cases = list(test_sklearn.cases())
    families = {family_of(entry.cls) for entry in learnt.learners()}
    titles = {case.id.partition("-")[2] for case in cases}
    for rotation in range(THIRDS):
        held = in_turn(cases, rotation)
        assert len(held) < len(cases) / THIRDS + len(titles) * len(families) / THIRDS
    assert THIRDS == COSTLY_PARTS
