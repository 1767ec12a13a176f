"""A test that fails is named at once, with one line of its reason, not only at the end of the run."""

from __future__ import annotations

import pytest

MOST = 300  # characters of a reason


class FailureReporter:
    """Hears of every test in the process that prints, also of those that ran in others."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and reporter is not None:
            reporter.ensure_newline()
            when = "" if report.when == "call" else f" ({report.when})"
            reporter.write_line(f"FAILED {report.nodeid}{when}: {reason_of(report)}", red=True)


def reason_of(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = (crash.message if crash is not None else report.longreprtext).strip().splitlines()
    words = [line.strip() for line in lines if line.strip()]
    if words and words[0] == "AssertionError:":  # of NumPy, whose reason begins on the next line
        words[0] += " " + " ".join(words[1:3])
    return words[0][:MOST] if words else "no reason given"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # a worker of xdist prints nothing
        config.pluginmanager.register(FailureReporter(config), "failure-reporter")
