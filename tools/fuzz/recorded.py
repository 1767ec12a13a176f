"""Calls of kernels as learners make them, written down: sound ones, from which hostile ones are made."""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from tools.fuzz.examples import ROWS, TARGETS, UNLISTED, entry_rows, fitting_settings
from tools.fuzz.questions import ask_everything
from tools.fuzz.settings import draw_settings
from tools.fuzz.stub import kernels
from tools.fuzz.values import encode

import learnt
from learnt import _core

MOST_CELLS, MOST_EACH, MOST_BEFORE = 2000, 10, 3
#: Threads, levels and stops are the worker's own business; an open file's number may be the worker's own.
LEFT_ALONE = {"get_threads", "set_threads", "simd_level", "set_simd_level", "request_stop", "clear_stop", "read_file"}


class Recorder:
    """Keeps calls by kernel, of different shapes; objects of the core with the calls that made them."""

    def __init__(self) -> None:
        self.calls: dict[str, dict[str, list[Any]]] = defaultdict(dict)
        self._history: dict[int, tuple[Any, str, list[Any]]] = {}  # kept, so that no other gets its id

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Inside, every call of a kernel is written down."""
        former = {name: getattr(_core, name) for name in kernels() if name not in LEFT_ALONE}
        methods = {}
        for name, kernel in kernels().items():
            if name in LEFT_ALONE:
                continue
            if kernel.is_class:
                cls = former[name]
                for method, _ in kernel.methods:
                    found = inspect.getattr_static(cls, method)
                    if callable(found):
                        methods[cls, method] = found
                        setattr(cls, method, self._method(name, method, found))
            setattr(_core, name, partial(self._call, name, former[name], kernel.is_class))
        try:
            yield
        finally:
            for name, found in former.items():
                setattr(_core, name, found)
            for (cls, method), found in methods.items():
                setattr(cls, method, found)

    def _call(self, name: str, kernel: Any, makes: bool, *arguments: Any, **named: Any) -> Any:
        call = self._written(name, arguments, named)
        answer = kernel(*arguments, **named)
        if call is not None:
            self._keep(name, call)
            if makes:
                name = f"o{len(self._history)}"
                self._history[id(answer)] = (answer, name, [*call[:-1], {**call[-1], "as": name}])
        return answer

    def _method(self, owner: str, method: str, found: Any) -> Any:
        def called(this: Any, *arguments: Any, **named: Any) -> Any:
            call = self._written(method, arguments, named, this)
            answer = found(this, *arguments, **named)
            if call is not None:
                self._keep(f"{owner}.{method}", call)
                _, name, before = self._history[id(this)]
                if sum(one["of"] == name for one in before) < MOST_BEFORE:
                    before.append(call[-1])
            return answer

        return called

    def _written(
        self, name: str, arguments: tuple[Any, ...], named: dict[str, Any], this: Any = None
    ) -> list[Any] | None:
        """The calls that make its objects, then the call itself; None if it is too large or holds something else."""
        before: list[Any] = []
        try:
            given = [self._value(value, before) for value in arguments]
            by_name = {key: self._value(value, before) for key, value in named.items()}
            of = None if this is None else self._value(this, before)["object"]
        except (TypeError, KeyError):
            return None
        return [*before, {"call": name, "of": of, "given": given, "named": by_name}]

    def _value(self, value: Any, before: list[Any]) -> Any:
        if id(value) in self._history:
            _, name, made = self._history[id(value)]
            before += [call for call in made if call not in before]
            return {"object": name}
        if isinstance(value, np.ndarray) and value.size > MOST_CELLS:
            raise TypeError("too large")
        if isinstance(value, list | tuple):
            return {type(value).__name__: [self._value(item, before) for item in value]}
        return encode(value)

    def _keep(self, name: str, call: list[Any]) -> None:
        shape = json.dumps([_outline(value) for value in (*call[-1]["given"], *call[-1]["named"].values())])
        kept = self.calls[name]
        if len(kept) < MOST_EACH or shape in kept:
            kept.setdefault(shape, call)


def _outline(value: Any) -> Any:
    """What tells calls apart: types and numbers of dimensions, words, and whether an array is there."""
    if isinstance(value, dict) and "array" in value:
        return [value["array"], len(value["shape"]), math.prod(value["shape"]) > 0]
    return value if isinstance(value, str | bool) else type(value).__name__


def record(path: Path) -> None:
    """Write down the kernels' calls while all learners are fitted to small tables and asked everything."""
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder, recorder.listening():
        tables = _tables(Path(folder))
        for entry in learnt.learners():
            for name, rows in tables.items():
                for i in range(3 if name == entry_rows(entry) else 1):
                    settings = draw_settings(entry.cls, random.Random(f"{entry.name} {name} {i}")) if i else {}
                    with contextlib.suppress(Exception):  # rows and settings that do not go together
                        _fit_and_ask(entry, settings, rows)
        for name, example in UNLISTED.items():
            for i in range(6):
                cls = getattr(learnt, name)
                settings = draw_settings(cls, random.Random(f"{name} {i}")) if i else {}
                with contextlib.suppress(Exception):
                    model = example.fit(cls(**(example.settings | settings)))
                    ask_everything(model, ROWS[example.rows], TARGETS)
        for a in ("", "word", "wörter"):
            _core.levenshtein_distance(a, "sword")
        learnt.silhouette(tables["numbers"], [0, 1] * 20)
        for settings in ({}, {"feedback": "implicit"}, {"nonnegative": True, "biases": False}, {"solver": "sgd"}):
            for precision in ("single", "double"):
                model = learnt.MatrixFactorization(2, precision=precision, max_iter=2, tol=1, **settings)
                model.fit(tables["numbers"]).predict(tables["numbers"])
    path.parent.mkdir(parents=True, exist_ok=True)
    written = {name: list(kept.values()) for name, kept in sorted(recorder.calls.items())}
    path.write_text(json.dumps(written), encoding="utf-8")


def _tables(folder: Path) -> dict[str, Any]:
    """Rows of every sort that kernels are made for, by name; a scan of a file is one."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, (40, 3)).astype(np.float64)
    with open(folder / "rows.csv", "w", encoding="utf-8") as file:
        file.write("a,b,word\n" + "".join(f"{a:g},{b:g},{'xyz'[int(c) % 3]}\n" for a, b, c in numbers))
    return ROWS | {
        "numbers": numbers,
        "floats": numbers.astype(np.float32),
        "sparse": scipy.sparse.csr_matrix(numbers * (numbers > 5)),
        "wide": rng.normal(size=(6, 30)),
        "scan": learnt.scan(folder / "rows.csv", batch_rows=16),
    }


def _fit_and_ask(entry: Any, settings: dict[str, Any], rows: Any) -> None:
    n = 8 if isinstance(rows, dict | list) else 6 if getattr(rows, "shape", (0, 0))[1] == 30 else 40
    target = {name: [cells[i % 8] for i in range(n)] for name, cells in TARGETS.items()}
    model = entry.cls(**(fitting_settings(entry) | settings))
    model.fit(rows, target.get(model.needs))
    ask_everything(model, rows, target)
