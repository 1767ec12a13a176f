"""The verdict on one case: None, or what went wrong, where, and whether that was seen before."""

from __future__ import annotations

import os
import resource
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools.fuzz.case import ROOT, Case, Fuzzer

SECONDS = 2.0  # of processor time a case may take
FREE_BYTES, TIMES = 128 << 20, 3  # a case may take so much memory, and so many times its own length
_SOURCE = str(ROOT / "src")
_PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Finding:
    """`what` in one line; `key` is the same for what is probably the same mistake."""

    key: str
    what: str
    trace: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def judge(fuzzer: Fuzzer, case: Case) -> Finding | None:
    """Try a case and look at how it ended."""
    memory, peak = current_bytes(), peak_bytes()
    if peak - memory > FREE_BYTES // 2:  # a peak below that hides nothing that would be a finding
        reset_peak()
    begun = time.process_time()
    finding = _ending(fuzzer, case)
    if finding is not None:
        return finding
    taken = time.process_time() - begun
    if taken > SECONDS:
        return Finding(f"slow {case.kind}", f"{taken:.1f} s of processor time for {len(case.content):,} bytes")
    free = FREE_BYTES + TIMES * len(case.content)
    if peak_bytes() - memory > free and (grown := own_peak_bytes() - memory) > free:
        return Finding(f"memory {case.kind}", f"{grown >> 20:,} MB of memory for {len(case.content):,} bytes")
    return None


def _ending(fuzzer: Fuzzer, case: Case) -> Finding | None:
    try:
        fuzzer.attempt(case)
    except fuzzer.allowed as error:
        text = str(error)
        if fuzzer.one_line and ("\n" in text.strip() or not text.strip()):
            return Finding(f"lines {_place(error)}", f"{_words(error)} is not one line", _trace(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Finding(f"{type(error).__name__} {_place(error)}", f"{_words(error)}, {_place(error)}", _trace(error))
    return None


def _words(error: BaseException) -> str:
    text = (str(error) or "no message").replace("\n", "\\n")
    return f"{type(error).__name__}: {text[:160]}"


def _place(error: BaseException) -> str:
    """The innermost function of ours that the error passed: where the check is missing."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _is_ours(frame.filename)]
    frame = (ours or frames)[-1]
    return f"{Path(frame.filename).stem}.{frame.name} line {frame.lineno}"


def _is_ours(filename: str) -> bool:
    return filename.startswith(_SOURCE) or f"{os.sep}learnt{os.sep}" in filename


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error, limit=-12))


@contextmanager
def limited_memory(n_bytes: int) -> Iterator[None]:
    """More address space than this beyond what is taken already is refused, as a MemoryError."""
    former = resource.getrlimit(resource.RLIMIT_AS)
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which maps terabytes by itself
        taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + n_bytes, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, former)


def reset_peak() -> None:
    """Let the peak of memory count from now."""
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:  # then it counts from the start, and a finding is less likely
        pass


def current_bytes() -> int:
    """Asked before every case, so the file stays open."""
    return int(os.pread(_statm(os.getpid()), 100, 0).split()[1]) * _PAGE


@cache
def _statm(pid: int) -> int:
    return os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)


def peak_bytes() -> int:
    """Cheap, and never too low; too high where the process that started this one was larger, which no reset undoes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def own_peak_bytes() -> int:
    """What `reset_peak` resets: the peak of this process alone, at twenty times the price."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return peak_bytes()
