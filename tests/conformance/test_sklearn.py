"""scikit-learn's own estimator checks, all of them, on every registered learner."""

from __future__ import annotations

from functools import partial

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import learnt
from tests.conformance.exceptions import SKLEARN, reason


def called(check) -> str:
    """The name and settings of a check: `check_classifiers_train(X_dtype=float32)`."""
    inner, settings = check, {}
    while isinstance(inner, partial):
        settings |= inner.keywords
        inner = inner.func
    told = ",".join(f"{key}={value}" for key, value in settings.items())
    return inner.__name__ + (f"({told})" if told else "")


def cases():
    for entry in learnt.learners():
        for estimator, check in estimator_checks_generator(entry.cls()):
            name = called(check)
            why = reason(SKLEARN, entry.name, name.partition("(")[0])
            marks = [] if why is None else [pytest.mark.xfail(reason=why, strict=True)]
            yield pytest.param(estimator, check, id=f"{entry.name}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), cases())
def test_scikit_learns_check_passes(estimator, check) -> None:
    check(estimator)


def test_exceptions_are_made_for_checks_that_exist() -> None:
    known = {
        called(check).partition("(")[0]
        for entry in learnt.learners()
        for _, check in estimator_checks_generator(entry.cls())
    }
    assert {check for _, check in SKLEARN} <= known
