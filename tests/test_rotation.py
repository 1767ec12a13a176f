"""Rotations: every learner has its turn at every expensive check, and every family in every rotation."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.conformance.test_conformance import cases
from tests.rotation import (
    COSTLY_PARTS,
    MOST_CHANGED,
    PARTS,
    THIRDS,
    changed_of,
    family_of,
    has_its_turn,
    just_changed,
    rotation_of_now,
    third_of,
    turns,
)
from tests.rotation_box import Item

import learnt

pytest_plugins = ["pytester"]


def learners_in(marks: dict[str, pytest.MarkDecorator], rotation: int) -> set[str]:
    return {name for name, mark in marks.items() if has_its_turn(Item(name, mark), str(rotation), share=1)}


@pytest.mark.parametrize("first", [0, 1, 7, 739_000])
def test_six_rotations_in_a_row_hold_every_learner_and_each_holds_every_family(first):
    every = {entry.name: entry.cls for entry in learnt.learners()}
    marks = turns("a check", every.values())
    rotations = [learners_in(marks, first + k) for k in range(PARTS)]
    assert set().union(*rotations) == set(every)
    families = {family_of(cls) for cls in every.values()}
    for names in rotations:
        assert {family_of(every[name]) for name in names} == families
        assert len(names) <= len(every) / PARTS + len(families)


def test_without_a_rotation_every_case_runs():
    marks = turns("a check", [entry.cls for entry in learnt.learners()])
    assert all(has_its_turn(Item(name, mark), None, share=1) for name, mark in marks.items())


def test_other_checks_begin_with_other_learners():
    classes = [entry.cls for entry in learnt.learners()]
    assert len({frozenset(learners_in(turns(f"check {k}", classes), 0)) for k in range(20)}) > 3


def test_each_check_of_the_conformance_suite_has_a_turn_as_it_says():
    for case in cases():
        _, check = case.values
        found = [mark.kwargs for mark in case.marks if mark.name == "rotating"]
        assert len(found) == (check.parts > 1)
        assert all(1 <= mark["of"] <= check.parts and mark["expensive"] == check.expensive for mark in found)


@pytest.mark.parametrize("first", [0, 1, 7, 739_000])
def test_three_rotations_in_a_row_hold_every_learner_at_every_check_by_thirds(first):
    every = {entry.name: entry.cls for entry in learnt.learners()}
    marks = turns("a check", every.values(), THIRDS)
    rotations = [learners_in(marks, first + k) for k in range(THIRDS)]
    assert set().union(*rotations) == set(every)
    families = {family_of(cls) for cls in every.values()}
    for names in rotations:
        assert {family_of(every[name]) for name in names} == families
        assert len(names) <= len(every) / THIRDS + len(families)


def test_a_learner_just_changed_has_all_its_thirds_and_no_more_expensive_checks():
    classes = [entry.cls for entry in learnt.learners()]
    changed = frozenset({learnt.Ridge.__module__})
    for parts in (THIRDS, PARTS):
        item = Item("Ridge", turns("a check", classes, parts)["Ridge"])
        seen = [has_its_turn(item, str(k), 1, changed) for k in range(parts)]
        assert sum(seen) == (parts if parts == THIRDS else 1)


def test_where_much_has_changed_turns_are_as_ever():
    items = [Item(f"case {i}", third_of(f"docs/{i}.md")) for i in range(MOST_CHANGED + 5)]
    names = [f"docs/{i}.md" for i in range(MOST_CHANGED + 5)]
    assert changed_of(items, [*names[:MOST_CHANGED], "learnt.errors"]) == frozenset(names[:MOST_CHANGED])
    assert changed_of(items, names) == frozenset()


def test_modules_and_pages_just_changed_are_those_of_the_last_commit_and_of_the_folder(tmp_path):
    def git(*words):
        told = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words]
        subprocess.run(told, cwd=tmp_path, check=True, capture_output=True)

    def write(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert just_changed(tmp_path) == []  # no repository
    git("init")
    for k, names in enumerate([("src/a/one.py", "src/a/two.py"), ("src/a/two.py", "docs/x.md", "tests/y.py")]):
        for name in names:
            write(name, str(k))
        git("add", ".")
        git("commit", "-m", "some words")
    assert rotation_of_now(tmp_path) == 2
    assert just_changed(tmp_path) == ["a.two", "docs/x.md"]
    write("src/a/one.py", "changed")
    assert just_changed(tmp_path) == ["a.one", "a.two", "docs/x.md"]


def test_each_costly_test_runs_in_one_of_three_rotations_and_in_no_share():
    items = [Item(f"tests/test_x.py::test_{i}", pytest.mark.costly) for i in range(600)]
    rotations = [[item for item in items if has_its_turn(item, str(7 + k), share=1)] for k in range(COSTLY_PARTS)]
    assert sum(map(len, rotations)) == 600
    assert all(150 < len(some) < 250 for some in rotations)
    assert all(has_its_turn(item, None, share=1) for item in items)
    assert not any(has_its_turn(item, "7", share=10) for item in items)


def test_a_share_holds_every_tenth_test_and_all_that_are_quick():
    items = [Item(f"tests/test_x.py::test_{i}") for i in range(2000)]
    rotations = [[item for item in items if has_its_turn(item, str(k), share=10)] for k in range(10)]
    assert sum(map(len, rotations)) == 2000
    assert all(130 < len(some) < 270 for some in rotations)
    assert all(has_its_turn(Item("layers", pytest.mark.quick), str(k), share=10) for k in range(10))


@pytest.mark.costly
def test_a_failure_is_told_at_once_with_its_reason(pytester):
    root = str(Path(__file__).resolve().parents[1])
    pytester.makeconftest(
        f"import sys\nsys.path.insert(0, {root!r})\npytest_plugins = ['tests.report_failures', 'tests.rotation']"
    )
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("n", range(4))
        def test_small(n):
            assert n != 1, f"{n} is too much"

        def test_later():
            print("the last test runs")
        """
    )
    for workers in ([], ["-n", "1"]):
        lines = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", *workers).outlines
        words = "::test_small[1]: AssertionError: 1 is too much"
        told = next(i for i, line in enumerate(lines) if line.startswith("FAILED test_") and line.endswith(words))
        assert told < next(i for i, line in enumerate(lines) if "short test summary" in line or "FAILURES" in line)
    bad = pytester.runpytest_subprocess("--rotation", "often")
    assert bad.ret == pytest.ExitCode.USAGE_ERROR
    header = pytester.runpytest_subprocess("--rotation", "17").outlines
    assert any(line.startswith("rotation 17: ") for line in header)
