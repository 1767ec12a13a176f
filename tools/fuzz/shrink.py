"""A finding made smaller: simpler cases are tried as long as they end in the same way."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tools.fuzz.case import Case, Fuzzer
from tools.fuzz.judge import Finding
from tools.fuzz.process import Ended, Process


def verdict_of(process: Process, case: Case) -> Finding | None:
    """What a process says about one case."""
    with tempfile.TemporaryDirectory() as folder:
        path = case.save(Path(folder))
        try:
            found = process.ask({"first": 0, "count": 1, "path": str(path)})
        except Ended as ended:
            return ended.finding
    return Finding(found[0]["key"], found[0]["what"], found[0]["trace"]) if found else None


def shrink(fuzzer: Fuzzer, process: Process, case: Case, finding: Finding, seconds: float) -> Case:
    """The smallest case found in time that ends in the same way."""
    until = time.monotonic() + seconds
    going = True
    while going and time.monotonic() < until:
        going = False
        for simpler in fuzzer.smaller(case):
            if time.monotonic() > until:
                break
            found = verdict_of(process, simpler)
            if found is not None and found.key == finding.key:
                case, going = simpler, True
                break
    return case
