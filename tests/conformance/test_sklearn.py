"""scikit-learn's own estimator checks, all of them, on every registered learner, by thirds in `make test`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
import warnings
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import _yield_clustering_checks, estimator_checks_generator
from tests.conformance.expected_failures import SKLEARN, reason
from tests.rotation import THIRDS, turns

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
    entries = learnt.learners()
    found = {entry.name: [(check_title(check), made, check) for made, check in checks_of(entry)] for entry in entries}
    concerned = defaultdict(list)
    for entry in entries:
        for title in dict.fromkeys(title for title, *_ in found[entry.name]):
            concerned[title].append(entry.cls)
    rotating = {title: turns(title, learners, THIRDS) for title, learners in concerned.items()}
    for entry in entries:
        for title, estimator, check in found[entry.name]:
            if "array_api" not in title:
                why = reason(SKLEARN, entry.name, title.partition("(")[0])
                marks = [] if why is None else [pytest.mark.xfail(reason=why, strict=True)]
                marks += [rotating[title][entry.name]]
                yield pytest.param(estimator, check, id=f"{entry.name}-{title}", marks=marks)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_scikit_learns_check_passes(estimator, check) -> None:
    check(estimator)


@pytest.mark.costly
def test_checks_of_the_array_api_pass_for_every_learner() -> None:
    """SciPy reads its switch for the array API once, when it is imported, so that they need a process: one for all."""
    code = "import json; from tests.conformance import test_sklearn as t; print(json.dumps(t.array_api_errors()))"
    root = Path(__file__).parents[2]
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    errors: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    assert len(errors) >= sum("text" not in entry.abilities for entry in learnt.learners())
    failed = {case: error for case, error in errors.items() if error}
    assert not failed, "\n\n".join(f"{case}: {error}" for case, error in failed.items())


def array_api_errors() -> dict[str, str]:
    """What went wrong in the checks of the array API, by learner and check; nothing where all went well."""
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
