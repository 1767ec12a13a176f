"""A journal of finished folds: work that was stopped goes on where it ended, with the same numbers.

One line of JSON per record, each with a checksum. The first says what was evaluated; a journal of something else is
an error. A torn last line, as a kill leaves it, is cut off. Arrays are base64 of little-endian bytes. Nothing read
from a journal is executed. It is locked while it is written, and what it cannot take any more stops no work.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import json
import os
import re
import sys
import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import learnt
from learnt.data.table import Array
from learnt.errors import FileError, InputError
from learnt.evaluate.closing import Closing
from learnt.evaluate.folds import FoldResult
from learnt.evaluate.problem import Problem
from learnt.show.words import shorten_text
from learnt.unwritable import write_error

if sys.platform != "win32":
    import fcntl

_TYPES = ("<i4", "<i8", "<f8")
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would write line ends of its own


class Journal(Closing):
    """Finished folds on disk, by learner.

    `about` says in words or hashes what is evaluated and how, by name: {"data": …, "cv": …}. An existing journal must
    say the same. `results(key)` are the folds of a learner that are in it, `append(key, result)` adds one.
    """

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, str]) -> None:
        self.path = Path(path)
        self._results: dict[str, dict[tuple[int, int], FoldResult]] = {}
        self._full = False
        about = {"learnt": learnt.__version__, **about}
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)
        except OSError as error:
            raise write_error("The journal", self.path, error) from error
        try:
            if not _lock(self._file):
                raise FileError("Another process writes to this journal. Wait for it, or give another.", str(path))
            self._read(about)
        except BaseException:
            self.close()
            raise

    def results(self, key: str) -> list[FoldResult]:
        """The finished folds of a learner, in order."""
        return [result for _, result in sorted(self._results.get(key, {}).items())]

    def append(self, key: str, result: FoldResult) -> None:
        """Add a finished fold; a fold that is there already stays as it is."""
        place = (result.repeat, result.number)
        of_learner = self._results.setdefault(key, {})
        if place not in of_learner:
            of_learner[place] = result
            self._write({"key": key, **_record(result)})

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self, record: dict[str, Any]) -> None:
        body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode()
        line = memoryview(b'{"crc":%d,"record":%s}\n' % (zlib.crc32(body), body))
        size = os.fstat(self._file).st_size
        try:
            while line and not self._full:  # one call takes at most two gigabytes
                line = line[os.write(self._file, line) :]
        except OSError as error:
            self._full = True
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, size)
            advice = "The work goes on without it; what it holds so far can be resumed."
            warnings.warn(str(write_error("The journal", self.path, error, advice)), stacklevel=2)

    def _read(self, about: dict[str, str]) -> None:
        size = 0
        with open(self._file, "rb", closefd=False) as file:  # closing a file would end its lock
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                record = self._checked_record(line, number)
                if number == 1:
                    self._compare(record, about)
                else:
                    self._keep(record, number)
                size += len(line)
        os.ftruncate(self._file, size)
        if size == 0:
            self._write({"journal": "learnt", "about": about})

    def _checked_record(self, line: bytes, number: int) -> dict[str, Any]:
        match = re.fullmatch(rb'\{"crc":(\d{1,10}),"record":(\{.*\})\}\n', line, re.DOTALL)
        if match is None or int(match[1]) != zlib.crc32(match[2]):
            what = "is not a record of a journal" if match is None else "was changed after it was written"
            raise FileError(f"A line {what}. Choose another file or delete this one.", str(self.path), number)
        try:
            record: dict[str, Any] = json.loads(match[2])
        except (ValueError, RecursionError) as error:
            raise FileError(
                "A line is not a record of a journal. Choose another file.", str(self.path), number
            ) from error
        return record

    def _compare(self, record: dict[str, Any], about: dict[str, str]) -> None:
        former = record.get("about")
        if record.get("journal") != "learnt" or not isinstance(former, dict):
            raise FileError("This is not a journal of learnt. Choose another file.", str(self.path), 1)
        other = [name for name in {**former, **about} if former.get(name) != about.get(name)]
        if other:
            told = ", ".join(f"{name} ({_short(former.get(name))}, now {_short(about.get(name))})" for name in other)
            raise InputError(
                f"The journal {str(self.path)!r} was written for something else: it differs in {told}. "
                "Give the data and settings it was begun with, or another file."
            )

    def _keep(self, record: dict[str, Any], number: int) -> None:
        try:
            result = _result(record)
            self._results.setdefault(str(record["key"]), {}).setdefault((result.repeat, result.number), result)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise FileError(f"A record is damaged ({error}). Delete the file.", str(self.path), number) from error


def in_use(path: Path) -> bool:
    """Whether another process has the journal open."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _lock(file)
    finally:
        os.close(file)


def _lock(file: int) -> bool:
    """False if another process has it. The lock is of this process: forked workers do not inherit it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN)  # else there are no locks on this file system
    return True


def _short(value: Any) -> str:
    return repr(shorten_text(str(value), 40))


def _record(result: FoldResult) -> dict[str, Any]:
    return {
        "repeat": result.repeat,
        "number": result.number,
        "test": _packed_array(result.test),
        "answer": _packed_array(result.answer),
        "probabilities": None if result.probabilities is None else _packed_array(result.probabilities),
        "fit_seconds": result.fit_seconds,
        "predict_seconds": result.predict_seconds,
        "model_bytes": result.model_bytes,
        "n_train": result.n_train,
        "training": None if result.training is None else _record(result.training),
        **({} if result.chosen is None else {"chosen": result.chosen}),
    }


def _result(record: dict[str, Any]) -> FoldResult:
    test, answer, probabilities = (_unpacked_array(record[name]) for name in ("test", "answer", "probabilities"))
    if test is None or answer is None or test.dtype.kind != "i" or test.ndim != 1 or answer.shape != test.shape:
        raise ValueError("answers and rows do not fit together")
    if probabilities is not None and (probabilities.ndim != 2 or len(probabilities) != len(test)):
        raise ValueError("probabilities and rows do not fit together")
    return FoldResult(
        int(record["repeat"]),
        int(record["number"]),
        test,
        answer,
        probabilities,
        float(record["fit_seconds"]),
        float(record["predict_seconds"]),
        None if record["model_bytes"] is None else int(record["model_bytes"]),
        int(record["n_train"]),
        None if record["training"] is None else _result(record["training"]),
        _words_by_name(record.get("chosen")),
    )


def _words_by_name(chosen: Any) -> dict[str, str] | None:
    return None if chosen is None else {str(name): str(value) for name, value in chosen.items()}


def _packed_array(array: Array) -> list[Any]:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return [little.dtype.str, list(little.shape), base64.b64encode(little.tobytes()).decode()]


def _unpacked_array(packed: Any) -> Array | None:
    if packed is None:
        return None
    kind, shape, text = packed
    if kind not in _TYPES:
        raise ValueError(f"unknown type of array {kind!r}")
    array = np.frombuffer(base64.b64decode(text, validate=True), dtype=kind)
    return array.reshape([int(length) for length in shape]).astype(array.dtype.newbyteorder("="), copy=True)


# What was evaluated, in words and hashes


def data_key(problem: Problem) -> str:
    """A hash of everything a problem holds."""
    state = hashlib.blake2b(digest_size=16)
    table, declared = problem.table, problem.declared
    classes = None if problem.classes is None else problem.classes.tolist()
    state.update(
        repr((table.schema, classes, problem.task, None if declared is None else declared.categories)).encode()
    )
    for array in (problem.target, problem.weights, problem.groups, *table.arrays):
        if array is None:
            state.update(b"none")
            continue
        state.update(f"{array.dtype.str}{array.shape}".encode())
        for start in range(0, len(array), 65536):  # arrays in any strides, without a copy of the whole
            state.update(np.ascontiguousarray(array[start : start + 65536]).data)
    return state.hexdigest()


def settings_key(learner: Any) -> str:
    """A learner or splitter in words: its class and all its settings, the same in every process."""
    cls = type(learner)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if not hasattr(learner, "get_params"):
        return f"{name} {_words(vars(learner) if hasattr(learner, '__dict__') else learner)}"
    params = learner.get_params(deep=False)
    return f"{name}({', '.join(f'{key}={_words(params[key])}' for key in sorted(params))})"


def _words(value: Any) -> str:
    if hasattr(value, "get_params") and not isinstance(value, type):
        return settings_key(value)
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.str} {value.shape} {zlib.crc32(np.ascontiguousarray(value).tobytes()):08x}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_words, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_words(k)}: {_words(v)}" for k, v in value.items()) + "}"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # an address is another one each time
