"""Arguments of kernels as JSON and back, arrays with their layout included; and hostile ones drawn by annotation."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from tools.fuzz.parts import edge_value

Array = np.ndarray[Any, Any]
DTYPES = {
    "Reals": "float64", "Doubles": "float64", "Codes": "int32", "Counts": "int64", "Bytes": "uint8", "Offsets": "int64",
    "NDArray[np.float32]": "float32", "NDArray[np.float64]": "float64", "NDArray[np.uint16]": "uint16",
    "NDArray[np.uint32]": "uint32", "NDArray[np.int8]": "int8", "NDArray[np.bool_]": "bool", "NDArray[Any]": "float64",
}  # fmt: skip
LAYOUTS = ("C", "C", "C", "F", "gaps", "backwards", "misaligned", "read-only", "broadcast", "swapped")
WORDS = (
    *(
        "",
        "l1",
        "l2",
        "max",
        "lp",
        "hamming",
        "gini",
        "entropy",
        "squared",
        "single",
        "ward",
        "centroid",
        "median",
        "average",
    ),
    *("gaussian", "uniform", "log", "x" * 999, "\0", "ü", "share", "branch", "ignore", "multiway", "binary"),
)
INTEGERS = (
    0,
    1,
    2,
    3,
    5,
    8,
    -1,
    -2,
    64,
    255,
    256,
    2**15,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**62,
    2**63 - 1,
    -(2**63),
    2**63,
    10**40,
)
FLOATS = (0.0, -0.0, 1.0, 0.5, 2.0, -1.0, 1e-300, 1e300, 5e-324, math.nan, math.inf, -math.inf, 2.0**63)
SIZES = (0, 1, 1, 2, 3, 3, 4, 7, 9, 17)


def encode(value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, np.ndarray):
        return {
            "array": value.dtype.str,
            "shape": list(value.shape),
            "layout": "C",
            "cells": value.reshape(-1).tolist(),
        }
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return {type(value).__name__: [encode(item) for item in value]}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(type(value).__name__)


def decode(node: Any, objects: dict[str, Any]) -> Any:
    """The value again; objects of the core are made by their own calls before."""
    if not isinstance(node, dict):
        return node
    if "array" in node:
        return laid_out(np.array(node["cells"]).astype(node["array"]).reshape(node["shape"]), node["layout"])
    if "bytes" in node:
        return bytes.fromhex(node["bytes"])
    if "object" in node:
        return objects[node["object"]]
    (name, items), *_ = node.items()
    return (list if name == "list" else tuple)(decode(item, objects) for item in items)


def laid_out(array: Array, layout: str) -> Array:
    """The same cells in memory laid out otherwise."""
    match layout:
        case "F":
            return np.asfortranarray(array)
        case "gaps" if array.ndim:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype)
            wide[..., : 2 * array.shape[-1] : 2] = array
            return wide[..., : 2 * array.shape[-1] : 2]
        case "backwards" if array.ndim:
            return array[::-1].copy()[::-1]
        case "misaligned":
            raw = np.zeros(array.nbytes + 1, np.uint8)
            view = raw[1:].view(array.dtype).reshape(array.shape) if array.dtype.itemsize else array
            view[...] = array
            return view
        case "read-only":
            array = array.copy()
            array.flags.writeable = False
            return array
        case "broadcast" if array.ndim and array.shape[0]:
            return np.broadcast_to(array[:1], array.shape)
        case "swapped":
            return array.astype(array.dtype.newbyteorder())
    return np.ascontiguousarray(array)


def draw(annotation: str, chance: random.Random) -> Any:
    """An encoded value that an annotation allows, of hostile sizes and cells."""
    options = [part.strip() for part in annotation.split("|")]
    if "None" in options and chance.random() < 0.4:
        return None
    kind = chance.choice([option for option in options if option != "None"] or ["None"])
    if kind in DTYPES:
        shape = [
            chance.choice(SIZES)
            for _ in range(chance.choice((1, 1, 2, 2, 3) if kind in ("Reals", "Doubles") else (1, 1, 1, 2)))
        ]
        return draw_array(np.dtype(DTYPES[kind]), shape, chance)
    match kind:
        case "int":
            return chance.choice(INTEGERS)
        case "float":
            return chance.choice(FLOATS)
        case "bool":
            return chance.random() < 0.5
        case "str":
            return chance.choice(WORDS)
        case "list[Any]":
            n = chance.choice(SIZES)
            return {
                "list": [
                    draw_array(np.dtype(chance.choice(("f8", "f4", "i4"))), [n], chance)
                    for _ in range(chance.choice((0, 1, 2, 3)))
                ]
            }
        case _ if kind.startswith("tuple["):
            return {"tuple": [draw(part, chance) for part in _split(kind[6:-1]) if part != "..."]}
    return chance.choice((None, 0, "", {"list": []}, {"tuple": ["a", None, "b c"]}))


def draw_array(dtype: np.dtype[Any], shape: list[int], chance: random.Random) -> dict[str, Any]:
    size = math.prod(shape)
    if chance.random() < 0.6:
        cells = [
            edge_value(dtype, chance, size).item() if chance.random() < 0.1 else _small(dtype, chance)
            for _ in range(size)
        ]
    else:
        cells = [_small(dtype, chance) for _ in range(size)]
    return {
        "array": dtype.str,
        "shape": shape,
        "layout": chance.choice(LAYOUTS) if chance.random() < 0.15 else "C",
        "cells": cells,
    }


def _small(dtype: np.dtype[Any], chance: random.Random) -> Any:
    return chance.gauss(0, 1) if dtype.kind == "f" else chance.randrange(2 if dtype.kind == "b" else 4)


def _split(text: str) -> list[str]:
    """The parts of a tuple's annotation, at commas outside of brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]
