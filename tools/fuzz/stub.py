"""The kernels as their stub declares them: names, arguments and what each is to be."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from tools.fuzz.case import ROOT

STUB = ROOT / "src" / "learnt" / "_core.pyi"


@dataclass(frozen=True)
class Kernel:
    """A function, or a class with its constructor's arguments and its methods; arguments by name, as annotated."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    methods: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    is_class: bool = False


@cache
def kernels() -> dict[str, Kernel]:
    """All kernels; of overloads, the last."""
    found: dict[str, Kernel] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = Kernel(node.name, _arguments(node))
        elif isinstance(node, ast.ClassDef):
            inside = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            making = next((_arguments(part) for part in inside if part.name == "__init__"), None)
            methods = tuple((part.name, _arguments(part)) for part in inside if not part.name.startswith("__"))
            if making is not None:
                found[node.name] = Kernel(node.name, making, methods, True)
    return found


def _arguments(node: ast.FunctionDef) -> tuple[tuple[str, str], ...]:
    given = [a for a in (*node.args.args, *node.args.kwonlyargs) if a.arg != "self"]
    return tuple((a.arg, ast.unparse(a.annotation) if a.annotation else "Any") for a in given)
