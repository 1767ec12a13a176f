"""A model file taken apart: the document and the tensors, each of which can be changed alone, and put together."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.saving.container import DTYPES

_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        7,
        255,
        2**31 - 1,
        2**31,
        -(2**31) - 1,
        2**62,
        2**63 - 1,
        10**19,
        0.5,
        -0.5,
        1e-300,
    ),
    *(1e300, "", "x", "no", "age", "l2", "numeric", "nominal", [], {}, [None], ["a", "b"], [[0]], "é" * 50),
    *({"$": "float", "value": "nan"}, {"$": "float", "value": "inf"}, {"$": "float", "value": "-inf"}),
    *({"$": "tuple", "items": []}, {"$": "tuple", "items": [1, 2]}, {"$": "dict", "keys": [], "values": []}),
)


@dataclass
class Parts:
    """`tensors` by name, in the order of the file; `extra` holds what else the header has."""

    document: Any
    tensors: dict[str, np.ndarray[Any, Any]]

    @classmethod
    def of(cls, content: bytes) -> Parts:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        document = json.loads(header.pop("__metadata__")["learnt"])
        tensors = {}
        for name, entry in header.items():
            start, stop = (8 + length + place for place in entry["data_offsets"])
            tensors[name] = np.frombuffer(content[start:stop], DTYPES[entry["dtype"]]).reshape(entry["shape"]).copy()
        return cls(document, tensors)

    def packed(self) -> bytes:
        header: dict[str, Any] = {"__metadata__": {"learnt": json.dumps(self.document)}}
        data, at = [], 0
        for name, values in self.tensors.items():
            raw = values.tobytes()
            place = {"dtype": _NAMES[values.dtype], "shape": list(values.shape), "data_offsets": [at, at + len(raw)]}
            header[name] = place
            data.append(raw)
            at += len(raw)
        text = json.dumps(header).encode()
        return len(text).to_bytes(8, "little") + text + b"".join(data)


def places_of(node: Any) -> list[tuple[Any, Any]]:
    """Every container inside a document, with each of its keys."""
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            waiting.append(node[key])
    return found


def change_document(parts: Parts, chance: random.Random) -> None:
    """One value replaced, taken out, doubled, moved elsewhere, or a number made another."""
    document = parts.document if isinstance(parts.document, dict) else {}
    places = places_of(document.get("model") if chance.random() < 0.97 else document)
    if not places:
        return
    node, key = chance.choice(places)
    value = node[key]
    match chance.randrange(6):
        case 0:
            del node[key]
        case 1:
            other, there = chance.choice(places)
            node[key], copied = copy.deepcopy(other[there]), copy.deepcopy(value)
            if chance.random() < 0.5:
                other[there] = copied
        case 2 if isinstance(node, list):
            node.insert(key, copy.deepcopy(value))
        case 3 if isinstance(value, int | float):
            node[key] = chance.choice((value + 1, value - 1, -value, value * 2, value * 1000, float(value), 2**31, -1))
        case _:
            node[key] = copy.deepcopy(chance.choice(_VALUES))


def change_tensor(parts: Parts, chance: random.Random) -> None:
    """One tensor with other cells, another shape, another type, or the place of another."""
    name = chance.choice(list(parts.tensors))
    values = parts.tensors[name]
    match chance.randrange(8):
        case 0:
            shape = [*values.shape]
            if shape:
                axis = chance.randrange(len(shape))
                shape[axis] = max(0, shape[axis] + chance.choice((-1, 1, -2, 3)))
                values = np.resize(values, shape) if values.size else np.zeros(shape, values.dtype)
        case 1:
            values = values.T.copy() if chance.random() < 0.5 else values.reshape(-1)
        case 2:
            with np.errstate(all="ignore"):
                values = values.astype(chance.choice(list(DTYPES.values())))
        case 3:
            other = chance.choice(list(parts.tensors))
            parts.tensors[other], values = values, parts.tensors[other]
        case _:
            values = change_cells(values, chance)
    parts.tensors[name] = np.ascontiguousarray(values)


def change_cells(values: np.ndarray[Any, Any], chance: random.Random) -> np.ndarray[Any, Any]:
    """A cell or two, or all, at the ends of the type."""
    flat = values.reshape(-1).copy()
    if not flat.size:
        return values
    places = (
        range(flat.size)
        if chance.random() < 0.1
        else [chance.randrange(flat.size) for _ in range(chance.choice((1, 1, 2)))]
    )
    value = edge_value(flat.dtype, chance, flat.size)
    for place in places:
        flat[place] = value
    return flat.reshape(values.shape)


def edge_value(dtype: np.dtype[Any], chance: random.Random, size: int = 1) -> Any:
    """A value that a type can hold and that code might not expect."""
    if dtype.kind == "f":
        wild = (
            math.nan,
            math.inf,
            -math.inf,
            0.0,
            -0.0,
            -1.0,
            1.0,
            0.5,
            1e-300,
            1e300,
            -1e300,
            2.0**31,
            2.0**63,
            1e-320,
        )
        with np.errstate(all="ignore"):
            return dtype.type(chance.choice(wild))
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        wanted = (ends.min, ends.max, ends.max - 1, 0, 1, 2, -1, -2, size, size - 1, size + 1, 2**30, 2**31, 1000)
        return dtype.type(chance.choice([value for value in wanted if ends.min <= value <= ends.max]))
    return dtype.type(chance.randrange(2))


def simpler_parts(parts: Parts, sound: Parts) -> Iterator[Parts]:
    """The same file with one more part as the sound one has it."""
    if parts.document != sound.document:
        yield Parts(sound.document, parts.tensors)
        model, right = parts.document.get("model"), sound.document["model"]
        for group in ("params", "attributes"):
            ours, theirs = (m.get(group) if isinstance(m, dict) else None for m in (model, right))
            if isinstance(ours, dict) and isinstance(theirs, dict):
                for key, value in theirs.items():
                    if key not in ours or ours[key] != value:
                        changed = copy.deepcopy(parts.document)
                        changed["model"][group][key] = value
                        yield Parts(changed, parts.tensors)
    for name, values in sound.tensors.items():
        if name in parts.tensors and not _same(parts.tensors[name], values):
            yield Parts(parts.document, {**parts.tensors, name: values})


def _same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
