"""Every registered learner passes every check that its abilities call for."""

from __future__ import annotations

import inspect

import pytest
from tests.conformance.checks import Check, all_checks
from tests.conformance.expected_failures import OWN, reason
from tests.conformance.page import PAGE, page
from tests.conformance.subject import Subject
from tests.conformance.tables import counts_only
from tests.rotation import turns

import learnt


def cases():
    subjects = [Subject(entry) for entry in learnt.learners()]
    rotating = {
        check.name: turns(check.name, (s.entry.cls for s in subjects if check.concerns(s)), check.parts)
        for check in all_checks()
        if check.parts > 1
    }
    for subject in subjects:
        for check in all_checks():
            if check.concerns(subject):
                why = reason(OWN, subject.name, check.name)
                marks = [] if why is None else [pytest.mark.xfail(reason=why, strict=True)]
                marks += [rotating[check.name][subject.name]] if check.parts > 1 else []
                yield pytest.param(subject, check, id=f"{subject.name}-{check.name}", marks=marks)


@pytest.mark.parametrize(("subject", "check"), list(cases()))
def test_every_learner_passes(subject: Subject, check: Check, request: pytest.FixtureRequest) -> None:
    wanted = list(inspect.signature(check.run).parameters)[1:]
    with counts_only(subject.can("counts")):
        check.run(subject, **{name: request.getfixturevalue(name) for name in wanted})


def test_failures_are_expected_of_checks_and_learners_that_exist() -> None:
    known = {check.name for check in all_checks()}
    names = {entry.name for entry in learnt.learners()} | {"*"}
    for learner, check in OWN:
        assert check in known
        assert learner in names


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in all_checks()]
    assert len(names) == len(set(names)) > 60


def test_the_page_in_the_docs_lists_these_checks() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it again: python -m tests.conformance.page"
