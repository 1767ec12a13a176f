"""Imports point downwards only. The table below is the architecture; a new module must take its place in it."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent / "src" / "learnt"
FAMILIES = ("baseline", "linear", "cluster", "reduce", "prepare", "tree", "bayes", "ensemble", "neighbors")

#: From the ground up. A module may import from its own layer and from those below.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "lazy", "storable", "wording", "_core", "threads"),
    ("data",),
    ("watch", "engine"),
    (
        "describe",
        "describing",
        "datasets",
        "distance",
        "explain",
        "information",
        "losses",
        "medians",
        "registry",
        "parameters",
        "matching",
        "output",
        "tags",
        "settings",
    ),
    ("base", "one_pass", "saving"),
    FAMILIES,
    ("evaluate",),
    ("plot",),
    ("report",),
    ("cli", "demo", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

#: Who may reach upwards, and only inside a function, when it is called: how a result draws itself.
DRAWN_ABOVE = {"plot", "report"}


def layer_of(module: str) -> str:
    """ "learnt.data.table" is of "data"."""
    return module.split(".")[1]


def sources() -> list[str]:
    """All modules but the front door learnt/__init__.py, which shows what every layer offers."""
    return sorted(p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def module_of(source: str) -> str:
    return "learnt." + source.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(tree: ast.AST, late: bool = False) -> Iterator[tuple[str, str, bool]]:
    """(module, name or "", inside a function) of every import of learnt that runs."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((a.name, "", late) for a in node.names if a.name.split(".")[0] == "learnt")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import; write the full name"
            if node.module and node.module.split(".")[0] == "learnt":
                yield from ((node.module, a.name, late) for a in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from imports(ast.Module(node.orelse, []), late)
        else:
            yield from imports(node, late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


@cache
def imports_of(source: str) -> list[tuple[str, str, bool]]:
    """The same for a file; what comes through the front door is given as ("learnt", name)."""
    return list(read_imports(source))


def read_imports(source: str) -> Iterator[tuple[str, str, bool]]:
    tree = ast.parse((ROOT / source).read_text("utf-8"))
    for module, name, late in imports(tree):
        if module != "learnt":
            yield module, name, late
        elif name:
            is_module = (ROOT / name).is_dir() or (ROOT / f"{name}.py").exists() or name == "_core"
            yield (f"learnt.{name}", "", late) if is_module else ("learnt", name, late)
        else:
            used = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "learnt")
            yield from (("learnt", n.attr, late) for n in used)


def wrong_directions(source: str) -> Iterator[str]:
    own = layer_of(module_of(source))
    if own not in RANK:
        yield f"{source} has no layer: give {own!r} a place in LAYERS"
        return
    for module, name, late in imports_of(source):
        if module == "learnt":
            if RANK[own] < RANK["report"] and name != "__version__":
                yield f"{source} takes {name} from the front door; import its module"
            continue
        there = layer_of(module)
        if there not in RANK:
            yield f"{source} imports {module}, which has no layer"
        elif RANK[there] > RANK[own] and not (late and there in DRAWN_ABOVE):
            yield f"{source} imports {module}, which lies above it"


def foreign_privates(source: str) -> Iterator[str]:
    own = layer_of(module_of(source))
    for module, name, _ in imports_of(source):
        if module != "learnt" and layer_of(module) in FAMILIES and layer_of(module) != own:
            private = (part for part in [*module.split(".")[2:], name] if part.startswith("_"))
            yield from (f"{source} imports {part} of {module}" for part in private)


def assert_none(offenders: Iterable[str]) -> None:
    listed = list(offenders)
    assert not listed, "\n".join([f"{len(listed)} in all:", *listed])


def test_imports_point_downwards():
    assert len(sources()) > 100
    assert_none(offence for source in sources() for offence in wrong_directions(source))


def test_a_family_never_imports_private_names_of_another():
    assert_none(offence for source in sources() for offence in foreign_privates(source))


def test_the_checks_see_what_they_are_meant_to_see():
    code = """
import learnt.data.table
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from learnt.cli import app
def f():
    from learnt.plot import draw
class C:
    from learnt.linear import _hidden
"""
    assert list(imports(ast.parse(code))) == [
        ("learnt.data.table", "", False),
        ("learnt.plot", "draw", True),
        ("learnt.linear", "_hidden", False),
    ]
