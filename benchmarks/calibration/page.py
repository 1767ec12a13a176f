"""What came out, as lines of found.csv, and the tables of docs/calibration.md made of them, with verdicts."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from calibration import ALPHA, GROUPS, Group

STORE = Path(__file__).parent / "found.csv"
PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
BANDS = {"test": (0.04, 0.06), "interval": (0.94, 0.96)}
HEADS = {"test": ("test", "rejected"), "interval": ("interval", "held the truth")}
UNEXPLAINED = "OUTSIDE"


@dataclass(frozen=True)
class Found:
    """How often a test rejected at the level .05, or an interval of 95 % held the truth."""

    group: str
    n: int
    name: str
    kind: str
    runs: int
    share: float

    @property
    def error(self) -> float:
        """The standard error that so many runs leave; that of one case where there was none, or nothing else."""
        return math.sqrt(max(self.share * (1 - self.share), 1 / self.runs) / self.runs)

    def verdict(self, group: Group) -> str:
        low, high = BANDS[self.kind]
        if low <= self.share <= high:
            return "holds"
        if self.name in group.reachable:
            level = group.reachable[self.name](self.n)
            if abs(self.share - level) <= 3.5 * self.error:  # one in two thousand lines by chance
                return f"cautious: counts allow {_share(level)}"
        if low - 2 * self.error <= self.share <= high + 2 * self.error:
            return "holds within twice ±"
        why = group.known.get(self.name, "")
        cautious = (self.share < low) == (self.kind == "test")
        if why and why.startswith("cautious") == cautious:  # a reason for one side is none for the other
            return why
        return UNEXPLAINED

    def row(self, group: Group) -> str:
        code = self.name if "`" in self.name else re.sub(r"^([\w.]+(?:\([^)]*\))?(?:\.\w+)*)", r"`\1`", self.name)
        cells = (code, group.null, f"{self.n:,}", f"{self.runs:,}", _share(self.share), _share(self.error))
        return f"| {' | '.join(cells)} | {self.verdict(group)} |"


def _share(value: float) -> str:
    return f"{value:.4f}".removeprefix("0")


def found_in(group: Group, n: int, answers: dict[str, np.ndarray]) -> list[Found]:
    """Booleans are intervals, numbers p-values."""
    found = []
    for name, values in answers.items():
        kind, hits = ("interval", values) if values.dtype == bool else ("test", values <= ALPHA)
        found.append(Found(group.name, n, name, kind, len(values), round(float(hits.mean()), 6)))
    return found


def stored() -> list[Found]:
    if not STORE.exists():
        return []
    with STORE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Found(r["group"], int(r["n"]), r["name"], r["kind"], int(r["runs"]), float(r["share"])) for r in rows]


def runs_stored(group: Group, n: int) -> int:
    """How often a group was run at this size: of what it asks, the least."""
    return min((f.runs for f in stored() if (f.group, f.n) == (group.name, n)), default=0)


def store(fresh: Sequence[Found]) -> None:
    """Put these in the place of what was found for the same groups and sizes; what no group asks for any more goes."""
    again = {(f.group, f.n) for f in fresh}
    kept = [f for f in stored() if (f.group, f.n) not in again]
    place = {(g.name, n): i for i, (g, n) in enumerate((g, n) for g in GROUPS for n in g.sizes)}
    found = sorted((f for f in [*kept, *fresh] if (f.group, f.n) in place), key=lambda f: place[f.group, f.n])
    with STORE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(Found.__dataclass_fields__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(f) for f in found)


def page_text() -> str:
    """The page with its tables made anew of what is stored."""
    page = PAGE.read_text(encoding="utf-8")
    groups = {g.name: g for g in GROUPS}
    for kind, (what, share) in HEADS.items():
        begin, end = f"<!-- {kind}s, written by make calibrate -->\n", f"<!-- end of {kind}s -->"
        before, rest = page.split(begin)
        head = f"| {what} | tried on | n | runs | {share} | ± | verdict |\n|---|---|---|---|---|---|---|"
        rows = [f.row(groups[f.group]) for f in stored() if f.kind == kind]
        page = before + begin + "\n".join([head, *rows]) + "\n" + end + rest.split(end)[1]
    return page


def unexplained() -> list[Found]:
    """What is outside the band and no group says why."""
    groups = {g.name: g for g in GROUPS}
    return [f for f in stored() if f.verdict(groups[f.group]) == UNEXPLAINED]
