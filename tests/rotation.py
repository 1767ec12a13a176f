"""Checks of every learner, run for some learners at a time: a sample that changes with every commit.

Without `--rotation` every case runs. With it, a family of m learners is cut into min(6, m) parts as equal as can be,
and a check marked expensive runs for one part of each family: rotation 0 for the first, 1 for the second, and so on
around. So each rotation holds at least one learner of each family, six rotations in a row hold all learners, and one
more learner of a family costs a sixth of what it costs to run them all. Where the parts begin differs from check to
check, so that one rotation does not ask everything of the same few.

Checks that are not expensive alone but many (scikit-learn's, those of ours that take 20 ms, learners' pages) go by
thirds in the same way: any three rotations in a row hold every learner at every one of them.

`--rotation auto` takes the number of commits: the same for the same commit, the next for the next. A shallow clone or
an archive has no number, and takes the day. The number stands in the header of the run; `--rotation 17` repeats it.
Learners and pages whose own files the last commit changed, or nobody has committed yet, have all their thirds,
unless they are many.

A test marked `costly` is expensive and of no one learner: a whole comparison, a report in a browser, a process that is
killed. It runs in one rotation of three, other ones in every rotation.

With `--share 10`, every tenth test runs, other ones in every rotation; no expensive checks, and all tests marked quick.
"""

from __future__ import annotations

import datetime
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from learnt.learner.registry import Entry

#: Within so many rotations in a row every learner has its turn at every expensive check.
PARTS = 6
#: The same for checks that cost little each and much together.
THIRDS = 3
#: Where more learners and pages than these have just changed, as by a new name, their turns are as ever.
MOST_CHANGED = 12
#: Within so many rotations every costly test has its turn.
COSTLY_PARTS = 3


def family_of(cls: type) -> str:
    """ "linear" of learnt.linear.penalised.ridge."""
    return cls.__module__.split(".")[1]


def turns(check: str, learners: Iterable[type], parts: int = PARTS) -> dict[str, pytest.MarkDecorator]:
    """For each learner that a check concerns, by name, the mark that says when it has its turn."""
    families: dict[str, list[type]] = defaultdict(list)
    for cls in learners:
        families[family_of(cls)].append(cls)
    marks = {}
    for family in families.values():
        of = min(parts, len(family))
        for place, cls in enumerate(sorted(family, key=lambda cls: cls.__name__)):
            turn = (place + zlib.crc32(check.encode())) % of
            marks[cls.__name__] = pytest.mark.rotating(
                turn=turn, of=of, expensive=parts == PARTS, of_what=cls.__module__
            )
    return marks


def third_of(name: str) -> pytest.MarkDecorator:
    """The turn of a case that is of no learner; `name` is what it tests, a page of the docs."""
    return pytest.mark.rotating(turn=zlib.crc32(name.encode()) % THIRDS, of=THIRDS, expensive=False, of_what=name)


def by_turns(check: str, entries: Sequence[Entry], parts: int = PARTS) -> list[Any]:
    """Learners for `pytest.mark.parametrize`, each with its turn at a test that is expensive."""
    marks = turns(check, [entry.cls for entry in entries], parts)
    return [pytest.param(entry, id=entry.name, marks=marks[entry.name]) for entry in entries]


# What pytest calls


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rotation",
        metavar="N",
        default=None,
        help="run expensive checks for the N-th part of the learners (auto: by the number of commits); else for all",
    )
    parser.addoption(
        "--changed",
        metavar="NAMES",
        default=None,
        help="learners of these modules and these pages, with spaces between, have all thirds (auto: just changed)",
    )
    parser.addoption("--share", metavar="K", type=int, default=1, help="run every K-th test, and those marked quick")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rotating(turn, of): runs in rotations that leave `turn` when divided by `of`")
    config.addinivalue_line("markers", f"costly: an expensive test; runs in one of {COSTLY_PARTS} rotations")
    chosen = config.option.rotation
    if chosen == "auto":
        config.option.rotation = str(rotation_of_now(config.rootpath))
        if config.option.changed is None:
            config.option.changed = " ".join(just_changed(config.rootpath))
    elif chosen is not None and not chosen.isdigit():
        raise pytest.UsageError(f"--rotation {chosen}: expected a whole number, or auto")


def rotation_of_now(root: Path) -> int:
    """The number of commits; of the day where they are not known."""
    whole = answer_of_git(root, "rev-parse", "--is-shallow-repository") == "false"
    count = answer_of_git(root, "rev-list", "--count", "HEAD")
    if whole and count.isdigit():
        return int(count)
    return datetime.datetime.now(datetime.UTC).date().toordinal()


def just_changed(root: Path) -> list[str]:
    """Modules of src and pages of the docs that differ from the commit before the last."""
    names = answer_of_git(root, "diff", "--name-only", "HEAD~1", "--", "src", "docs").splitlines()
    modules = [name[4:-3].replace("/", ".") for name in names if name.startswith("src/") and name.endswith(".py")]
    return modules + [name for name in names if name.startswith("docs/") and name.endswith(".md")]


def answer_of_git(root: Path, *question: str) -> str:
    """What git prints; nothing where there is none, or none of its commits."""
    try:
        done = subprocess.run(["git", *question], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def pytest_report_header(config: pytest.Config) -> str | None:
    number, share = config.option.rotation, config.option.share
    if share > 1:
        return f"rotation {number or 0}: one of {share} tests and no expensive checks; --rotation {number or 0} repeats"
    if number is None:
        return None
    third = int(number) % THIRDS + 1
    changed = f' --changed "{config.option.changed}"' if config.option.changed else ""
    return (
        f"rotation {number}: expensive checks run for one of {PARTS} learners, many others and costly tests by thirds "
        f"(third {third} of {THIRDS}), each for at least one learner of each family; --rotation {number}{changed} "
        "repeats it, and without --rotation all run for all"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    changed = changed_of(items, (config.option.changed or "").split())
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (chosen if has_its_turn(item, config.option.rotation, config.option.share, changed) else left_out).append(item)
    items[:] = chosen
    config.hook.pytest_deselected(items=left_out)


def changed_of(items: list[pytest.Item], names: list[str]) -> frozenset[str]:
    """What the tests are of and has changed; nothing where that is much, which no run could hold."""
    marks = (item.get_closest_marker("rotating") for item in items)
    changed = {mark.kwargs["of_what"] for mark in marks if mark is not None}.intersection(names)
    return frozenset(changed if len(changed) <= MOST_CHANGED else ())


def has_its_turn(item: pytest.Item, rotation: str | None, share: int, changed: frozenset[str] = frozenset()) -> bool:
    number, mark, place = int(rotation or 0), item.get_closest_marker("rotating"), zlib.crc32(item.nodeid.encode())
    costly = item.get_closest_marker("costly") is not None
    if share > 1 and item.get_closest_marker("quick") is None:
        expensive = costly or (mark is not None and mark.kwargs["expensive"])
        return not expensive and place % share == number % share
    if rotation is None:
        return True
    if costly and number % COSTLY_PARTS != place % COSTLY_PARTS:
        return False
    if mark is None or number % mark.kwargs["of"] == mark.kwargs["turn"]:
        return True
    return not mark.kwargs["expensive"] and mark.kwargs["of_what"] in changed
