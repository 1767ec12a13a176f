"""A process that tries cases in ranges, says before each which one it is at, and dies of those that run too long.

Orders come as lines of JSON: {"seed", "first", "count"} or {"path"} of a saved case; answers go back so. The number of
the case under way stands in a small shared file: whoever finds the process dead knows what killed it.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import mmap
import os
import signal
import struct
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

LIMIT_SECONDS = 6.0  # of processor time; then the process is ended by a signal, wherever it is
LIMIT_BYTES = 3 << 30
MEMORY = "/dev/shm"  # where there is such a place


def main() -> None:
    from tools.fuzz.case import Case, numbered
    from tools.fuzz.fuzzers import FUZZERS
    from tools.fuzz.judge import judge, limited_memory

    name, folder, place = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a case prints is no answer
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)  # says where it is, then dies of it
    warnings.simplefilter("ignore")
    fuzzer = FUZZERS[name]
    with open(place, "r+b") as file:
        at = mmap.mmap(file.fileno(), 8)
    if os.access(MEMORY, os.W_OK):  # saving waits for the disk, which was a quarter of the time of a case
        tempfile.tempdir = MEMORY
    fuzzer.prepare(folder)
    fuzzer.begin()
    gc.freeze()
    with limited_memory(LIMIT_BYTES):
        _answer(answers, {"ready": True})
        for line in sys.stdin:
            order = json.loads(line)
            found: list[dict[str, Any]] = []
            for number in range(order["first"], order["first"] + order["count"]):
                at[:8] = struct.pack("<q", number)
                case = Case.load(Path(order["path"])) if "path" in order else numbered(fuzzer, order["seed"], number)
                signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
                finding = judge(fuzzer, case)
                signal.setitimer(signal.ITIMER_PROF, 0)
                if finding is not None:
                    found.append({"number": number, **finding.to_dict()})
            _answer(answers, {"found": found})


def _answer(answers: Any, value: dict[str, Any]) -> None:
    answers.write(json.dumps(value) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
