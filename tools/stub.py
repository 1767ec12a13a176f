"""Write src/learnt/_core.pyi from the compiled module: nanobind's stub, made readable.

Overloads that differ in types alone become one function of unions; arrays keep their type of number and lose the rest.
What a kernel returns as a Python object is told here, for nanobind cannot know it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

STUB = Path(__file__).parent.parent / "src" / "learnt" / "_core.pyi"

HEADER = '''"""Kernels of learnt, compiled from core/: passes over tables on all threads. Written by `make stub`.

Arrays are never converted: tables (`x`) are float32 or float64 with any strides, all others have exactly the
type stated and no gaps; centres have the type of the rows. `weights` may be None for ones. Outputs come last.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Reals: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.floating[Any]]
Doubles: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int32] | NDArray[np.int64] | NDArray[np.signedinteger[Any]]
Lists: TypeAlias = tuple[Counts, Counts, Doubles]
WordCounts: TypeAlias = tuple[Bytes, Counts, Counts, Counts]
WordRows: TypeAlias = tuple[Counts, Codes, Doubles]
'''

ALIASES = {
    "NDArray[numpy.float32] | NDArray[numpy.float64]": "Reals",
    "NDArray[numpy.int32] | NDArray[numpy.int64]": "Offsets",
    "NDArray[numpy.float64]": "Doubles",
    "NDArray[numpy.int32]": "Codes",
    "NDArray[numpy.int64]": "Counts",
    "NDArray[numpy.uint8]": "Bytes",
    "list": "list[Any]",
    "tuple": "tuple[Any, ...]",
    "object": "Any",
}

RETURNS = {
    "grow_tree": "dict[str, Any]",
    "grow_forest": "dict[str, Any]",
    "grow": "dict[str, Any]",
    "send": "tuple[Codes, Counts, Doubles]",
    "next": "dict[str, Any]",
    "tests": "tuple[Any, ...]",
    "found": "tuple[Any, ...]",
    "finish": "tuple[dict[str, Any], Codes]",
    "within": "Lists",
    "brute_within": "Lists",
    "given_within": "Lists",
    "edges_of_sorted": "Doubles",
    "distinct_numbers": "tuple[Doubles, Doubles, bool]",
    "boost_exponents": "Counts",
    "boost_magnitudes": "Counts",
    "count_words": "WordCounts",
    "count_and_encode_words": "tuple[WordCounts, WordRows]",
    "encode_words": "WordRows",
    "hash_words": "WordRows",
    "join_terms": "tuple[Bytes, Counts, Codes, Codes]",
    "show_instances": "tuple[Counts, Counts, Counts]",
    "swap_medoids": "tuple[int, int, int, float]",
}

Function = ast.FunctionDef


def stub_of(module: ModuleType) -> str:
    """The stub of the compiled module, not yet formatted."""
    from nanobind.stubgen import StubGen

    generator = StubGen(module)
    generator.put(module)
    tree = ast.parse(_plain(generator.get()))
    body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)][1:]
    return HEADER + "\n" + "\n\n".join(ast.unparse(node) for node in _merged(body)) + "\n"


def _plain(text: str) -> str:
    """Array types without shapes: Annotated[NDArray[X], dict(shape=(None,), …)] is NDArray[X]."""
    array = r"NDArray(?:\[[\w.]+\])?"
    return re.sub(rf"Annotated\[({array}), dict\((?:[^()]|\([^()]*\))*\)\]", r"\1", text)


def _merged(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Functions and classes in the module's order, overloads of the same parameters in one."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and (doc := ast.get_docstring(node)) is not None:
            node.body[0] = ast.Expr(ast.Constant(doc))
        if isinstance(node, ast.ClassDef):
            node.body = _merged(node.body)
        former = found[-1] if found else None
        if (
            isinstance(node, Function)
            and isinstance(former, Function)
            and former.name == node.name
            and _names(former) == _names(node)
        ):
            _join(former, node)
            continue
        found.append(node)
    for i, node in enumerate(found):
        if isinstance(node, Function):
            alone = sum(isinstance(n, Function) and n.name == node.name for n in found) == 1
            node.decorator_list = [d for d in node.decorator_list if not (alone and ast.unparse(d) == "overload")]
            _tidy(node, first=all(getattr(n, "name", "") != node.name for n in found[:i]))
    return found


def _names(node: Function) -> list[str]:
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _arguments(node: Function) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _join(into: Function, other: Function) -> None:
    """Unions of the types of two overloads, and the docstring of either."""
    if ast.get_docstring(into) is None:
        into.body = other.body
    for a, b in zip(_arguments(into), _arguments(other), strict=True):
        if a.annotation is not None and b.annotation is not None:
            a.annotation = _parse(" | ".join(sorted({*_parts(a.annotation), *_parts(b.annotation)}, key=_order)))


def _parts(annotation: ast.expr) -> list[str]:
    """The types of a union."""
    if isinstance(annotation, ast.BinOp):
        return [*_parts(annotation.left), *_parts(annotation.right)]
    return [ast.unparse(annotation)]


def _order(part: str) -> tuple[bool, str]:
    return part == "None", part


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _named(annotation: ast.expr) -> ast.expr:
    """The type by our own names."""
    parts = _parts(annotation)
    if "object" in parts:
        return _parse("Any")
    arrays = " | ".join(part for part in parts if part.startswith("NDArray["))
    if arrays in ALIASES:
        parts = [ALIASES[arrays], *(part for part in parts if not part.startswith("NDArray["))]
    return _parse(" | ".join(_inner(ALIASES.get(part, part)) for part in parts))


def _inner(text: str) -> str:
    """Array types inside of tuples and sequences by our own names."""
    for array in re.findall(r"NDArray\[numpy\.\w+\]", text):
        text = text.replace(array, ALIASES.get(array, array))
    return re.sub(r"\bNDArray\b(?!\[)", "NDArray[Any]", text.replace("numpy.", "np."))


def _tidy(node: Function, *, first: bool) -> None:
    for argument in _arguments(node):
        if argument.annotation is not None:
            argument.annotation = _named(argument.annotation)
            if (
                argument.arg == "indptr" and ast.unparse(argument.annotation) == "NDArray[Any]"
            ):  # the binding looks at it
                argument.annotation = _parse("Offsets")
    if node.returns is not None:
        told = RETURNS.get(node.name) if ast.unparse(node.returns) in ("object", "tuple", "dict") else None
        node.returns = _parse(told) if told else _named(node.returns)
    if not first and ast.get_docstring(node):
        node.body = [ast.Expr(ast.Constant(...))]


def main() -> None:
    """Write the stub, formatted by ruff."""
    from learnt import _core

    STUB.write_text(stub_of(_core), encoding="utf-8")
    ruff = Path(sys.executable).with_name("ruff")
    subprocess.run([ruff, "format", "--quiet", STUB], check=True)
    subprocess.run([ruff, "check", "--quiet", "--fix", STUB], check=True)


if __name__ == "__main__":
    main()
