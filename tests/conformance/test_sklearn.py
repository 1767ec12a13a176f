"""scikit-learn's own estimator checks, all of them, on every registered learner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
import warnings
from functools import cache, partial
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import _yield_clustering_checks, estimator_checks_generator
from tests.conformance.expected_failures import SKLEARN, reason

import learnt


def check_title(check) -> str:
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
        found = list(estimator_checks_generator(entry.cls()))
    if entry.task == "clustering":  # these scikit-learn runs for what inherits from its ClusterMixin alone
        estimator = entry.cls()
        if hasattr(estimator, "n_components"):  # the checks ask for three clusters where that is called n_clusters
            estimator.set_params(n_components=3)
        found += [(estimator, partial(check, entry.name)) for check in _yield_clustering_checks(estimator)]
    return found


def cases():
    for entry in learnt.learners():
        for estimator, check in checks_of(entry):
            name = check_title(check)
            why = reason(SKLEARN, entry.name, name.partition("(")[0])
            marks = [] if why is None else [pytest.mark.xfail(reason=why, strict=True)]
            yield pytest.param(estimator, check, id=f"{entry.name}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_scikit_learns_check_passes(estimator, check) -> None:
    if "array_api" in check_title(check) and not os.environ.get("SCIPY_ARRAY_API"):
        error = _with_the_array_api()[f"{type(estimator).__name__} {check_title(check)}"]
        assert not error, error
    else:
        check(estimator)


@cache
def _with_the_array_api() -> dict[str, str]:
    """What went wrong in the checks of the array API, by learner and check; nothing where all went well.

    SciPy reads its switch for the array API once, when it is imported, so that they need a process: one for all.
    """
    code = "import json; from tests.conformance import test_sklearn as t; print(json.dumps(t.array_api_errors()))"
    root = Path(__file__).parents[2]
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    errors: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return errors


def array_api_errors() -> dict[str, str]:
    found = {}
    for entry in learnt.learners():
        for estimator, check in checks_of(entry):
            if "array_api" in check_title(check):
                try:
                    check(estimator)
                    found[f"{entry.name} {check_title(check)}"] = ""
                except Exception:
                    found[f"{entry.name} {check_title(check)}"] = traceback.format_exc()
    return found


def test_each_expected_failure_is_one_check_and_there_are_more_than_four_thousand() -> None:
    made = [(entry.name, check_title(check)) for entry in learnt.learners() for _, check in checks_of(entry)]
    assert len(made) > 4000
    assert sorted(set(SKLEARN)) == sorted(case for case in made if case in SKLEARN)
