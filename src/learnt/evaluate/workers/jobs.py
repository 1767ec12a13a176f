"""A learner as workers take it: pickled where that can be, and whether it may share a process with others."""

from __future__ import annotations

import io
import pickle
import sys
import types
from dataclasses import dataclass
from typing import Any

#: Packages whose objects leave no global state behind: learners made of these alone share a process.
OUR_PACKAGES = frozenset({"learnt", "numpy", "builtins", "copyreg", "_codecs", "collections"})


@dataclass(frozen=True, eq=False)
class Job:
    """A learner to be evaluated. `packed` is None where only a copy of this very process could read it.

    A learner made of learnt's classes alone is `ours`: it leaves a process as it found it, so that others may follow it
    there. Any other may change what the next one starts from (filters, seeds, settings of other packages), so it has
    processes of its own.
    """

    learner: Any
    packed: bytes | None
    ours: bool


def job_of(learner: Any) -> Job:
    """The learner as bytes for another Python, if it can be sent."""
    buffer = io.BytesIO()
    pickler = _ForOthers(buffer, protocol=5)
    try:
        pickler.dump(learner)
    except Exception:  # pickling runs the learner's code
        return Job(learner, None, False)
    return Job(learner, buffer.getvalue(), pickler.packages <= OUR_PACKAGES)


def can_work(learner: Any) -> bool:
    """Whether a learner can be evaluated in another process here."""
    return sys.platform == "linux" or job_of(learner).packed is not None


class _ForOthers(pickle.Pickler):
    """Refuses what stands in the main program, and notes the packages of all it packs."""

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.packages: set[str] = set()

    def reducer_override(self, obj: Any) -> Any:
        named = isinstance(obj, type | types.FunctionType)
        if named and obj.__module__ == "__main__":
            raise pickle.PicklingError(f"{obj.__qualname__} stands in __main__")
        module = obj.__module__ if named else type(obj).__module__
        self.packages.add(str(module).partition(".")[0])
        return NotImplemented
