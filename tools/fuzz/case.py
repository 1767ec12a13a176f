"""A case: what is tried, as bytes that can be kept in a file; and what a fuzzer must be able to do with it."""

from __future__ import annotations

import hashlib
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from learnt.errors import LearntError

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Case:
    """`kind` says what the bytes are, in words of the fuzzer; `about` where they come from, for whoever reads it."""

    fuzzer: str
    kind: str
    content: bytes
    about: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        words = "-".join(filter(None, ("".join(c if c.isalnum() else " " for c in self.kind)).split()))
        return f"{self.fuzzer}-{words[:60]}-{hashlib.sha256(self.content).hexdigest()[:8]}"

    def save(self, folder: Path) -> Path:
        """One line of JSON, then the bytes as they are."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.case"
        head = {"fuzzer": self.fuzzer, "kind": self.kind, **self.about}
        path.write_bytes(json.dumps(head, ensure_ascii=False).encode() + b"\n" + self.content)
        return path

    @classmethod
    def load(cls, path: Path) -> Case:
        head, _, content = path.read_bytes().partition(b"\n")
        about = json.loads(head)
        return cls(about.pop("fuzzer"), about.pop("kind"), content, about)


class Fuzzer(ABC):
    """Makes cases by chance and tries them. `attempt` lets through whatever is raised; the judge knows what may be."""

    name: str
    allowed: tuple[type[BaseException], ...] = (LearntError,)
    one_line = True  # whether the message of an allowed error must be one line

    def prepare(self, folder: Path) -> None:  # noqa: B027 - many need nothing
        """Make, unless it is there, what all cases are made from, in a folder; then know where it is."""

    def begin(self) -> None:  # noqa: B027
        """Called in each worker before its first case; what is imported late is imported now."""

    @abstractmethod
    def make(self, chance: random.Random) -> Case:
        """A case, by chance alone."""

    @abstractmethod
    def attempt(self, case: Case) -> None:
        """Try it."""

    @abstractmethod
    def smaller(self, case: Case) -> Iterator[Case]:
        """Cases that are simpler, the boldest first."""


def numbered(fuzzer: Fuzzer, seed: int, number: int) -> Case:
    """The case of a number: the same in every run."""
    return fuzzer.make(random.Random(f"{fuzzer.name} {seed} {number}"))


def shorter_bytes(content: bytes) -> Iterator[bytes]:
    """The same bytes without a run of them, long runs first; then without their variety."""
    length = len(content)
    size = length // 2
    while size >= 1:
        for start in range(0, length, size):
            yield content[:start] + content[start + size :]
        size //= 2
    for value in (b"0", b"a"):
        yield from (content[:i] + value + content[i + 1 :] for i in range(length) if content[i : i + 1] != value)
