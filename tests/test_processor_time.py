"""The end of a run tells what its tests cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.processor_time import Bill

pytest_plugins = ["pytester"]


class _Terminal:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def write_line(self, line: str) -> None:
        self.lines.append(line)


def told_of(*tests: tuple[str, float, bool]) -> list[str]:
    bill, terminal = Bill(), _Terminal()
    for name, took, marked in tests:
        bill.pytest_runtest_logreport(
            pytest.TestReport(
                name,
                ("", 0, ""),
                {},
                "passed",
                None,
                "teardown",
                user_properties=[("processor_time", took), ("marked", marked)],
            )
        )
    bill.pytest_terminal_summary(terminal)  # type: ignore[arg-type]
    return terminal.lines


def test_folders_and_long_tests_without_a_mark_are_told():
    lines = told_of(
        ("tests/tree/test_x.py::test_a", 60.0, True),
        ("tests/tree/grow/test_y.py::test_b", 2.5, False),
        ("tests/linear/test_z.py::test_c", 0.5, False),
    )
    assert lines == [
        "processor time of the tests: 63 s, 60 of it in tests that take turns; tests/tree 62, tests/linear 0",
        "more than 1 s of processor time and not marked costly: 2.5 s tests/tree/grow/test_y.py::test_b",
    ]


def test_nothing_is_told_of_a_few_tests():
    assert told_of(("tests/tree/test_x.py::test_a", 59.0, False)) == []


@pytest.mark.costly
def test_children_and_fixtures_are_counted_in_any_process(pytester):
    root = str(Path(__file__).resolve().parents[1])
    pytester.makeconftest(
        f"""
        import sys
        sys.path.insert(0, {root!r})
        import tests.processor_time as p
        pytest_plugins = ["tests.processor_time"]

        def pytest_terminal_summary(terminalreporter, config):
            bill = config.pluginmanager.get_plugin("processor-time-bill")
            print("found", sorted(bill.long), sum(bill.folders.values()) > 0.3)
        """
    )
    pytester.makepyfile(
        """
        import subprocess, sys, time, pytest

        def burn(seconds):
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass

        @pytest.fixture
        def slow_start():
            burn(0.1)

        def test_here(slow_start):
            burn(0.1)

        def test_child():
            code = "import time\\nwhile time.process_time() < 0.2: pass"
            subprocess.run([sys.executable, "-c", code], check=True)
        """
    )
    for workers in ([], ["-n", "1"]):
        lines = pytester.runpytest_subprocess("-p", "no:cacheprovider", *workers).outlines
        assert "found [] True" in [line.strip() for line in lines]
