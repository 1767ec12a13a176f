"""A worker seen from outside: given orders, watched, and started again after whatever ended it."""

from __future__ import annotations

import json
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.fuzz.case import ROOT
from tools.fuzz.judge import Finding

WAIT_SECONDS = 180.0  # on the clock without a new case: only something that waits for ever takes so long
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\w+|<\w+>)')


class Ended(Exception):
    """The process is gone: at which case, and of what."""

    def __init__(self, number: int, finding: Finding):
        super().__init__(finding.what)
        self.number, self.finding = number, finding


class Process:
    """One worker of one fuzzer. `ask` gives it an order and waits; `Ended` is raised if it died of a case."""

    def __init__(self, fuzzer: str, folder: Path):
        self._fuzzer, self._folder = fuzzer, folder
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._place = tempfile.NamedTemporaryFile()  # noqa: SIM115
        self._place.write(bytes(8))
        self._place.flush()
        self._process: subprocess.Popen[bytes] | None = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._words.seek(0)
        self._words.truncate()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.worker", self._fuzzer, str(self._folder), self._place.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, cwd=ROOT,
        )  # fmt: skip
        self._await(self._process, lambda: True)
        return self._process

    def ask(self, order: dict[str, Any], still: Callable[[], bool] = lambda: True) -> list[dict[str, Any]]:
        """The findings of an order; `still` says whether anybody waits for them."""
        process = self._process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass
        answer = self._await(process, still)
        return list(answer.get("found", []))

    def _await(self, process: subprocess.Popen[bytes], still: Callable[[], bool]) -> dict[str, Any]:
        assert process.stdout is not None
        waited, seen = 0.0, self.number
        while not select.select([process.stdout], [], [], 1.0)[0]:
            waited, seen = (waited + 1.0, seen) if seen == self.number else (0.0, self.number)
            if waited > WAIT_SECONDS:
                process.send_signal(signal.SIGABRT)
                raise self._ended(process, "waits for ever")
            if not still():
                self.close()
                return {}
        line = process.stdout.readline()
        if not line:
            raise self._ended(process, None)
        answer: dict[str, Any] = json.loads(line)
        return answer

    @property
    def number(self) -> int:
        """The case under way."""
        with open(self._place.name, "rb") as file:
            return int(struct.unpack("<q", file.read(8))[0])

    def _ended(self, process: subprocess.Popen[bytes], what: str | None) -> Ended:
        code = process.wait()
        self._words.seek(0)
        words = self._words.read().decode("utf-8", "replace")[-6000:]
        name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        what = what or {"SIGPROF": "runs for more than 6 s of processor time"}.get(name, f"the process ended by {name}")
        frames = [f"{Path(f).stem}.{function} line {line}" for f, line, function in _FRAME.findall(words)]
        ours = [frame for frame, (f, _, _) in zip(frames, _FRAME.findall(words), strict=True) if "learnt" in f]
        place = (ours or frames or ["nowhere known"])[0]
        self._process = None
        return Ended(self.number, Finding(f"{name} {place}", f"{what}, {place}", words))

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
