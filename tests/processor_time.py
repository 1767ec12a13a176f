"""What tests cost, told at the end of a run: processor time, which a busy machine changes little, by folder, and the
tests that take more than a second without saying so by a mark.

Nothing fails by it: how long a test takes is for people to look at, before `make test` takes longer than they wait.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator

import pytest

#: Seconds from which on a test is marked: costly, rotating or slow.
LONG = 1.0
#: So many folders and tests are told.
MOST = 15
_NAME, _MARKED = "processor_time", "marked"


def seconds() -> float:
    """Of this process and of its children that have ended."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


class Meter:
    """Notes what each test took, setup and teardown included, in the process that runs it."""

    def __init__(self) -> None:
        self._began = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        self._began = seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        try:
            return (yield)
        finally:
            marked = any(item.get_closest_marker(mark) for mark in ("costly", "rotating", "slow"))
            item.user_properties += [(_NAME, seconds() - self._began), (_MARKED, marked)]


class Bill:
    """Adds up what tests took, also those of other processes, where the run is printed."""

    def __init__(self) -> None:
        self.folders: Counter[str] = Counter()
        self.long: dict[str, float] = {}
        self.marked = 0.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = dict(report.user_properties)
        if report.when != "teardown" or _NAME not in told:
            return
        took = float(told[_NAME])  # type: ignore[arg-type]
        self.folders["/".join(report.nodeid.split("::")[0].split("/")[:2])] += took  # type: ignore[assignment]
        if told[_MARKED]:
            self.marked += took
        elif took > LONG:
            self.long[report.nodeid] = took

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = sum(self.folders.values())
        if total < 60:  # of a few tests nobody asks
            return
        write = terminalreporter.write_line
        most = ", ".join(f"{folder} {took:.0f}" for folder, took in self.folders.most_common(MOST))
        write(f"processor time of the tests: {total:.0f} s, {self.marked:.0f} of it in tests that take turns; {most}")
        for name, took in sorted(self.long.items(), key=lambda item: -item[1])[:MOST]:
            write(f"more than {LONG:g} s of processor time and not marked costly: {took:.1f} s {name}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Meter(), "processor-time-meter")
    if not hasattr(config, "workerinput"):  # a worker of xdist prints nothing
        config.pluginmanager.register(Bill(), "processor-time-bill")
