"""What all tests share: helpers importable as `tests.…`, and the conformance count at the end of a run."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import hypothesis
import pytest

ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so a shell starts what runs in its background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests press Ctrl-C, here and in processes of theirs

pytest_plugins = [
    "tests.rotation",
    "tests.report_failures",
    "tests.forked_workers",
    "tests.processor_time",
    "tests.small_cluster",
]

hypothesis.settings.register_profile("patient", deadline=None)  # how long an example takes says how busy the machine is
hypothesis.settings.load_profile("patient")

_SUITES = {
    "scikit-learn's estimator checks": "tests/conformance/test_sklearn.py::test_scikit",
    "learnt's conformance checks": "tests/conformance/test_conformance.py::test_every_learner",
}
_OUTCOMES = {
    "passed": "passed",
    "xfailed": "expected failures with a reason",
    "skipped": "skipped",
    "failed": "failed",
}


def pytest_terminal_summary(terminalreporter):
    """How many checks ran on all learners, and how they ended; the reasons stand in the short summary."""
    for suite, path in _SUITES.items():
        counts = {
            words: sum(path in report.nodeid for report in terminalreporter.stats.get(outcome, ()))
            for outcome, words in _OUTCOMES.items()
        }
        if any(counts.values()):
            told = ", ".join(f"{count} {words}" for words, count in counts.items() if count or words == "passed")
            terminalreporter.write_line(f"{suite}: {sum(counts.values())} run, {told}")


@pytest.fixture
def own_learners_apart():
    """Learners that this test defines leave no trace in the registry, and it sees none that other tests defined."""
    from learnt.learner import registry

    before = dict(registry._entries)
    for name in [name for name, entry in before.items() if entry.own]:
        del registry._entries[name]
    yield
    registry._entries.clear()
    registry._entries.update(before)
