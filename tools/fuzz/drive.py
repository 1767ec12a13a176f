"""One fuzzer for a while: its cases dealt out to processes, its findings made small, kept and told."""

from __future__ import annotations

import threading
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tools.fuzz.case import Case, Fuzzer, numbered
from tools.fuzz.judge import Finding
from tools.fuzz.process import Ended, Process
from tools.fuzz.shrink import shrink, verdict_of

BATCH = 50
SHRINK_SECONDS = 10.0


@dataclass
class Run:
    """What one fuzzer is to do, and what it has done."""

    fuzzer: Fuzzer
    seed: int
    folder: Path
    most: int | None = None
    seconds: float | None = None
    done: int = 0
    elapsed: float = 0.0
    found: dict[str, Finding] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    first: int = 0
    _next: int = 0
    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def go(self, jobs: int) -> None:
        """All cases, on so many processes."""
        begun = time.monotonic()
        self._until = begun + (self.seconds or float("inf"))
        self._next = self.first
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.fuzzer.prepare(self.folder)
        threads = [threading.Thread(target=self._serve) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.elapsed = time.monotonic() - begun

    def _going(self) -> bool:
        return time.monotonic() < self._until

    def _take(self) -> range:
        with self._lock:
            last = self._next + BATCH
            if self.most is not None:
                last = min(last, self.first + self.most)
            taken = range(self._next, last if self._going() else self._next)
            self._next = taken.stop
            return taken

    def _serve(self) -> None:
        process = Process(self.fuzzer.name, self.folder)
        try:
            while numbers := self._take():
                self._try(process, numbers)
        finally:
            process.close()

    def _try(self, process: Process, numbers: range) -> None:
        while numbers and self._going():
            try:
                order = {"seed": self.seed, "first": numbers.start, "count": len(numbers)}
                found = process.ask(order, self._going)
                for one in found:
                    self._keep(process, one["number"], Finding(one["key"], one["what"], one["trace"]))
                self._count(len(numbers) if self._going() else 0)
                return
            except Ended as ended:
                self._count(ended.number + 1 - numbers.start)
                self._keep(process, ended.number, ended.finding)
                numbers = range(ended.number + 1, numbers.stop)

    def _count(self, cases: int) -> None:
        with self._lock:
            self.done += cases

    def _keep(self, process: Process, number: int, finding: Finding) -> None:
        """A finding that is new is made smaller, saved and told; others are counted."""
        with self._lock:
            self.times[finding.key] += 1
            if finding.key in self.found:
                return
            self.found[finding.key] = finding
        about = {"seed": self.seed, "number": number}
        case = numbered(self.fuzzer, self.seed, number)
        if (alone := verdict_of(process, case)) is None:
            about["alone"] = "no finding"  # it takes the cases before it, too
        elif alone.key == finding.key:
            case = shrink(self.fuzzer, process, case, finding, SHRINK_SECONDS)
        about |= {"finding": finding.what, "trace": finding.trace}
        path = Case(case.fuzzer, case.kind, case.content, about).save(self.folder / "found")
        print(f"{self.fuzzer.name} {number} of seed {self.seed}, {case.kind}: {finding.what} ({path})", flush=True)

    def __str__(self) -> str:
        rate = self.done / max(self.elapsed, 1e-9)
        kinds = f"{len(self.found)} findings in {sum(self.times.values())} cases" if self.found else "no findings"
        return f"{self.fuzzer.name:<10} {self.done:>10,} cases  {rate:>7,.0f} a second  {kinds}"
