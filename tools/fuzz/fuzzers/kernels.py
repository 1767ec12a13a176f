"""Hostile calls of kernels: sound calls with arguments changed, or arguments drawn by the stub. An error of Python's is
an answer; a crash is none."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from tools.fuzz.case import Case, Fuzzer
from tools.fuzz.parts import edge_value
from tools.fuzz.recorded import LEFT_ALONE, record
from tools.fuzz.stub import kernels
from tools.fuzz.values import FLOATS, INTEGERS, LAYOUTS, WORDS, decode, draw

from learnt import _core

_TYPES = ("f8", "f4", "i4", "i8", "u1", "u2", "u4", "i1", "?", "c16", "O")


_ROUNDS = ("epochs", "n_trees")  # whoever asks for 2**62 rounds, or for 30,000 trees, gets them


class Kernels(Fuzzer):
    name = "kernels"
    allowed = (TypeError, ValueError, IndexError, KeyError, OverflowError, RuntimeError, MemoryError, BufferError)
    one_line = False  # nanobind lists the signatures it knows

    def prepare(self, folder: Path) -> None:
        if not (folder / "calls.json").exists():
            record(folder / "calls.json")
        self._calls: dict[str, list[Any]] = json.loads((folder / "calls.json").read_text(encoding="utf-8"))

    def begin(self) -> None:
        _core.set_threads(2)

    @cached_property
    def names(self) -> list[str]:
        """Every kernel and method, those without a sound call too."""
        found = []
        for name, kernel in kernels().items():
            if name not in LEFT_ALONE:
                found += [name, *(f"{name}.{method}" for method, _ in kernel.methods)]
        return found

    def make(self, chance: random.Random) -> Case:
        name = chance.choice(self.names)
        sound = self._calls.get(name)
        calls = copy.deepcopy(chance.choice(sound)) if sound and chance.random() < 0.9 else self._drawn(name, chance)
        if sound:
            for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
                change_call(calls[-1] if chance.random() < 0.8 else chance.choice(calls), chance)
        return Case(self.name, name, json.dumps(calls).encode())

    def _drawn(self, name: str, chance: random.Random) -> list[Any]:
        owner, _, method = name.partition(".")
        kernel = kernels()[owner]
        made = {"call": owner, "of": None, "given": [], "named": {k: draw(a, chance) for k, a in kernel.arguments}}
        if not method:
            return [made]
        sound = self._calls.get(owner)
        before = copy.deepcopy(chance.choice(sound)) if sound else [made]
        before[-1]["as"] = "made"
        arguments = dict(kernel.methods)[method]
        return [*before, {"call": method, "of": "made", "given": [draw(a, chance) for _, a in arguments], "named": {}}]

    def attempt(self, case: Case) -> None:
        objects: dict[str, Any] = {}
        for call in json.loads(case.content):
            found = getattr(_core if call["of"] is None else objects[call["of"]], call["call"])
            if not callable(found):
                continue
            given = [decode(value, objects) for value in call["given"]]
            answer = found(*given, **{key: decode(value, objects) for key, value in call["named"].items()})
            if "as" in call:
                objects[call["as"]] = answer

    def smaller(self, case: Case) -> Iterator[Case]:
        calls = json.loads(case.content)
        for i, call in enumerate(calls):
            if i < len(calls) - 1 and "as" not in call:
                yield Case(case.fuzzer, case.kind, json.dumps(calls[:i] + calls[i + 1 :]).encode())
            for key, values in (("given", range(len(call["given"]))), ("named", list(call["named"]))):
                for place in values:
                    for plain in _plainer(call[key][place]):
                        changed = copy.deepcopy(calls)
                        changed[i][key][place] = plain
                        yield Case(case.fuzzer, case.kind, json.dumps(changed).encode())


def change_call(call: dict[str, Any], chance: random.Random) -> None:
    """One argument of a call made another, or two exchanged."""
    places = [("given", i) for i in range(len(call["given"]))] + [("named", key) for key in call["named"]]
    if not places:
        return
    part, key = chance.choice(places)
    if _name_of(call, part, key) in _ROUNDS:
        return
    if chance.random() < 0.04:
        other, there = chance.choice(places)
        call[part][key], call[other][there] = call[other][there], call[part][key]
    else:
        call[part][key] = changed(call[part][key], chance)


def _name_of(call: dict[str, Any], part: str, key: Any) -> str | None:
    """What the stub calls an argument of a kernel; None for those of methods that are given by place."""
    if part == "named":
        return str(key)
    kernel = kernels().get(call["call"])
    return kernel.arguments[key][0] if kernel is not None and key < len(kernel.arguments) else None


def changed(value: Any, chance: random.Random) -> Any:
    """Another value of the same type, mostly, at the ends of what it can be."""
    if chance.random() < 0.04:
        return chance.choice((None, 0, -1, "", {"list": []}, {"tuple": []}, 1.5, {"bytes": "00ff"}))
    if isinstance(value, dict) and "array" in value:
        return changed_array(value, chance)
    if isinstance(value, dict) and "object" not in value and "bytes" not in value:
        ((kind, items),) = value.items()
        items = list(items)
        if not items or chance.random() < 0.2:
            return {kind: items[:-1] if chance.random() < 0.5 else items + items[:1]}
        place = chance.randrange(len(items))
        items[place] = changed(items[place], chance)
        return {kind: items}
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice((*INTEGERS, value + 1, value - 1, 2 * value))
    if isinstance(value, float):
        return chance.choice(FLOATS)
    if isinstance(value, str):
        return chance.choice(WORDS)
    return value


def changed_array(value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """An array with other cells, most often; else with another shape, type or layout."""
    dtype, shape, cells = np.dtype(value["array"]), list(value["shape"]), list(value["cells"])
    if dtype.kind not in "fiub":
        return value
    match chance.randrange(10):
        case 0 if shape:
            axis = chance.randrange(len(shape))
            shape[axis] = max(0, shape[axis] + chance.choice((-1, 1, -shape[axis], 5)))
            size = math.prod(shape)
            cells = ((cells or [0]) * (size // max(len(cells), 1) + 1))[:size]
        case 1:
            shape = chance.choice(([len(cells)], [1, *shape], [*shape, 1], shape[::-1]))
        case 2:
            return value | {"layout": chance.choice(LAYOUTS)}
        case 3:
            kind = chance.choice(_TYPES)
            if np.dtype(kind).kind in "iub" and dtype.kind == "f":
                cells = [int(c) if abs(c) < 100 else 0 for c in cells]
            if np.dtype(kind).kind == "u":
                cells = [abs(c) for c in cells]
            return value | {"array": kind, "cells": cells}
        case 4:
            cells = [edge_value(dtype, chance, len(cells)).item() for _ in cells]
        case _:
            for _ in range(chance.choice((1, 1, 2, 3)) if cells else 0):
                cells[chance.randrange(len(cells))] = edge_value(dtype, chance, len(cells)).item()
    return value | {"shape": shape, "cells": cells}


def _plainer(value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and "array" in value:
        cells = value["cells"]
        if value["layout"] != "C":
            yield value | {"layout": "C"}
        if len(cells) and any(cells):
            yield value | {"cells": [0] * len(cells)}
        if value["shape"] and value["shape"][0] > 1:
            rows = value["shape"][0] // 2
            size = len(cells) // value["shape"][0] * rows
            yield value | {"shape": [rows, *value["shape"][1:]], "cells": cells[:size]}
    elif isinstance(value, int) and not isinstance(value, bool) and value not in (0, 1):
        yield 1
