"""Expensive checks of every learner, run for some learners at a time: a sample that changes with every commit.

Without `--rotation` every case runs. With it, a family of m learners is cut into min(6, m) parts as equal as can be,
and a check marked expensive runs for one part of each family: rotation 0 for the first, 1 for the second, and so on
around. So each rotation holds at least one learner of each family, six rotations in a row hold all learners, and one
more learner of a family costs a sixth of what it costs to run them all. Where the parts begin differs from check to
check, so that one rotation does not ask everything of the same few.

`--rotation auto` takes the number of commits: the same for the same commit, the next for the next. A shallow clone or
an archive has no number, and takes the day. The number stands in the header of the run; `--rotation 17` repeats it.

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

#: Within so many rotations in a row every learner has its turn at every check.
PARTS = 6
#: Within so many rotations every costly test has its turn.
COSTLY_PARTS = 3


def family_of(cls: type) -> str:
    """ "linear" of learnt.linear.penalised.ridge."""
    return cls.__module__.split(".")[1]


def turns(check: str, learners: Iterable[type]) -> dict[str, pytest.MarkDecorator]:
    """For each learner that a check concerns, by name, the mark that says when it has its turn."""
    families: dict[str, list[str]] = defaultdict(list)
    for cls in learners:
        families[family_of(cls)].append(cls.__name__)
    return {
        name: pytest.mark.rotating(turn=(place + zlib.crc32(check.encode())) % parts_of(names), of=parts_of(names))
        for names in families.values()
        for place, name in enumerate(sorted(names))
    }


def by_turns(check: str, entries: Sequence[Entry]) -> list[Any]:
    """Learners for `pytest.mark.parametrize`, each with its turn at a test that is expensive."""
    marks = turns(check, [entry.cls for entry in entries])
    return [pytest.param(entry, id=entry.name, marks=marks[entry.name]) for entry in entries]


def parts_of(family: Sequence[str]) -> int:
    return min(PARTS, len(family))


# What pytest calls


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rotation",
        metavar="N",
        default=None,
        help="run expensive checks for the N-th part of the learners (auto: by the number of commits); else for all",
    )
    parser.addoption("--share", metavar="K", type=int, default=1, help="run every K-th test, and those marked quick")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rotating(turn, of): runs in rotations that leave `turn` when divided by `of`")
    config.addinivalue_line("markers", f"costly: an expensive test; runs in one of {COSTLY_PARTS} rotations")
    chosen = config.option.rotation
    if chosen == "auto":
        config.option.rotation = str(rotation_of_now(config.rootpath))
    elif chosen is not None and not chosen.isdigit():
        raise pytest.UsageError(f"--rotation {chosen}: expected a whole number, or auto")


def rotation_of_now(root: Path) -> int:
    """The number of commits; of the day where they are not known."""
    told = []
    for question in ("--is-shallow-repository", "--count HEAD"):
        command = ["git", "rev-parse" if "shallow" in question else "rev-list", *question.split()]
        try:
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        except OSError:
            break
        told.append(done.stdout.strip())
    if len(told) == 2 and told[0] == "false" and told[1].isdigit():
        return int(told[1])
    return datetime.datetime.now(datetime.UTC).date().toordinal()


def pytest_report_header(config: pytest.Config) -> str | None:
    number, share = config.option.rotation, config.option.share
    if share > 1:
        return f"rotation {number or 0}: one of {share} tests and no expensive checks; --rotation {number or 0} repeats"
    if number is None:
        return None
    return (
        f"rotation {number}: expensive checks run for one of {PARTS} learners and at least one of each family; "
        f"--rotation {number} repeats it, and without --rotation they run for all"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (chosen if has_its_turn(item, config.option.rotation, config.option.share) else left_out).append(item)
    items[:] = chosen
    config.hook.pytest_deselected(items=left_out)


def has_its_turn(item: pytest.Item, rotation: str | None, share: int) -> bool:
    number, mark, place = int(rotation or 0), item.get_closest_marker("rotating"), zlib.crc32(item.nodeid.encode())
    costly = item.get_closest_marker("costly") is not None
    if share > 1 and item.get_closest_marker("quick") is None:
        return mark is None and not costly and place % share == number % share
    if rotation is None:
        return True
    if costly and number % COSTLY_PARTS != place % COSTLY_PARTS:
        return False
    return mark is None or number % mark.kwargs["of"] == mark.kwargs["turn"]
