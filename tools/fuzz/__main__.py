"""The command: which fuzzers, for how long, from which seed; exit status 1 if anything was found."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tools.fuzz import __doc__ as about
from tools.fuzz.case import ROOT, Case
from tools.fuzz.drive import Run
from tools.fuzz.fuzzers import FUZZERS
from tools.fuzz.process import Process
from tools.fuzz.shrink import verdict_of


def main() -> int:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuzzers", nargs="*", metavar="FUZZER", help=f"all, or some of {', '.join(FUZZERS)}")
    parser.add_argument("--minutes", type=float, help="for all fuzzers together")
    parser.add_argument("--cases", type=int, help="for each fuzzer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="where findings are kept")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="CASE", help="try saved cases instead")
    asked = parser.parse_args()
    if asked.replay:
        return replay(asked.replay, asked.folder)
    if unknown := set(asked.fuzzers) - set(FUZZERS):
        parser.error(f"there is no fuzzer {unknown.pop()!r}; there are {', '.join(FUZZERS)}")
    chosen = [FUZZERS[name] for name in asked.fuzzers or FUZZERS]
    minutes = asked.minutes if asked.minutes is not None or asked.cases is not None else 10.0
    seconds = None if minutes is None else 60 * minutes / len(chosen)
    runs = [Run(f, asked.seed, asked.folder, asked.cases, seconds, first=asked.first) for f in chosen]
    for run in runs:
        run.go(asked.jobs)
        print(run, flush=True)
    n_found = sum(len(run.found) for run in runs)
    print(f"{sum(run.done for run in runs):,} cases, {n_found} findings")
    return int(n_found > 0)


def replay(paths: list[Path], folder: Path) -> int:
    """What each saved case does today, in one line."""
    status = 0
    for path in paths:
        case = Case.load(path)
        FUZZERS[case.fuzzer].prepare(folder)
        process = Process(case.fuzzer, folder)
        try:
            finding = verdict_of(process, case)
        finally:
            process.close()
        print(f"{path.name}: {'nothing' if finding is None else finding.what}", flush=True)
        status |= finding is not None
    return status


if __name__ == "__main__":
    sys.exit(main())
