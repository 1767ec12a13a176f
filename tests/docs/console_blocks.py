"""Console blocks of pages: `$ learnt …` lines are run, and what is printed is compared with the lines under them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

#: After the word console, for what installs, builds, reads files that nobody has, or takes long.
NOT_RUN = "not-run"
FENCE = re.compile(r"^```console([^\n`]*)\n(.*?)^```\s*?$", re.MULTILINE | re.DOTALL)
#: Durations differ from run to run, and so does the room they take in a table.
TIME = re.compile(r"\b\d+(\.\d+)? (µs|ms|s|min)(?=\s|$|\))")


@dataclass(frozen=True)
class Command:
    words: list[str]
    shown: list[str]  # lines under it; none: whatever it prints
    line: int


def commands(text: str) -> Iterator[Command]:
    """The commands of a page, in order, but for those in blocks marked as not run."""
    for fence in FENCE.finditer(text):
        if fence[1].strip() == NOT_RUN:
            continue
        first = text.count("\n", 0, fence.start(2)) + 1
        lines = fence[2].splitlines()
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        assert starts[:1] == [0], f"line {first}: a console block begins with a command"
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            words = shlex.split(lines[start][2:], comments=True)
            assert words[0] == "learnt", f"line {first + start}: {words[0]!r} is not run here; mark it {NOT_RUN}"
            yield Command(words[1:], lines[start + 1 : end], first + start)


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Line by line, but for times and the width of gaps. A line with … alone stands for any lines; at the end what
    follows may be left out only by such a line."""
    parts = ["(?:.*\n)*" if line.strip() == "…" else re.escape(normal(line)) + "\n" for line in shown]
    return re.fullmatch("".join(parts), "".join(normal(line) + "\n" for line in printed)) is not None


def normal(line: str) -> str:
    return re.sub(r"\s+", " ", TIME.sub("TIME", line)).strip()
