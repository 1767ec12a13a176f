"""scikit-learn's own estimator checks, all of them, on every registered learner."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.conformance.exceptions import SKLEARN, reason

import learnt


def called(check) -> str:
    """The name and settings of a check: `check_classifiers_train(X_dtype=float32)`."""
    inner, settings = check, {}
    while isinstance(inner, partial):
        settings |= inner.keywords
        inner = inner.func
    told = ",".join(f"{key}={value}" for key, value in settings.items())
    return inner.__name__ + (f"({told})" if told else "")


def checks_of(entry):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # learnt does not inherit from scikit-learn, and says so
        return list(estimator_checks_generator(entry.cls()))


def cases():
    for entry in learnt.learners():
        for estimator, check in checks_of(entry):
            name = called(check)
            why = reason(SKLEARN, entry.name, name.partition("(")[0])
            marks = [] if why is None else [pytest.mark.xfail(reason=why, strict=True)]
            yield pytest.param(estimator, check, id=f"{entry.name}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_scikit_learns_check_passes(estimator, check) -> None:
    if "array_api" in called(check) and not os.environ.get("SCIPY_ARRAY_API"):
        _in_a_process_with_the_array_api(type(estimator).__name__, called(check))
    else:
        check(estimator)


def _in_a_process_with_the_array_api(learner: str, name: str) -> None:
    """SciPy reads its switch for the array API once, when it is imported."""
    code = f"from tests.conformance.test_sklearn import run_check; run_check({learner!r}, {name!r})"
    root = Path(__file__).parents[2]
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def run_check(learner: str, name: str) -> None:
    """Run the one check of that name."""
    (entry,) = (entry for entry in learnt.learners() if entry.name == learner)
    for estimator, check in checks_of(entry):
        if called(check) == name:
            return check(estimator)
    raise LookupError(name)


def test_exceptions_are_made_for_checks_that_exist() -> None:
    known = {called(check).partition("(")[0] for entry in learnt.learners() for _, check in checks_of(entry)}
    assert {check for _, check in SKLEARN} <= known
