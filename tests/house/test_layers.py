"""Imports point downwards only. The table below is the architecture; a new module must take its place in it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2] / "src" / "learnt"
#: The families of learners, from the ground up. One may use those of lower ranks and its own rank, never a higher one.
FAMILIES: tuple[tuple[str, ...], ...] = (
    ("baseline", "prepare", "tree"),
    ("bayes", "linear", "neighbors"),
    ("ensemble", "cluster", "graphical", "reduce", "kernel", "neural", "recommendation"),
    ("semi_supervised", "novelty"),
)

#: From the ground up. A module may import from its own layer and from those below.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "lazy", "unwritable", "leftovers", "whole_file", "show", "storable", "_core", "threads"),
    ("data",),
    ("watch", "engine", "statistics"),
    ("describe", "datasets", "distance", "explain", "information", "losses", "medians"),
    ("learner", "saving"),
    *FAMILIES,
    ("control", "theory"),
    ("concepts",),
    ("evaluate",),
    ("drift",),
    ("plot",),
    ("report",),
    ("cli", "demo", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FAMILY = {name for names in FAMILIES for name in names}

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


def imports_of(code: str) -> Iterator[tuple[str, str, bool]]:
    """The same for a file's text; what comes through the front door is given as ("learnt", name)."""
    tree = ast.parse(code)
    for module, name, late in imports(tree):
        if module != "learnt":
            yield module, name, late
        elif name:
            is_module = (ROOT / name).is_dir() or (ROOT / f"{name}.py").exists() or name == "_core"
            yield (f"learnt.{name}", "", late) if is_module else ("learnt", name, late)
        else:
            used = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "learnt")
            yield from (("learnt", n.attr, late) for n in used)


def wrong_imports(source: str, code: str) -> Iterator[str]:
    """What a module imports from above itself, past the front door of another family, or by a private name."""
    own = layer_of(module_of(source))
    if own not in RANK:
        yield f"{source} has no layer: give {own!r} a place in LAYERS"
        return
    for module, name, late in imports_of(code):
        if module == "learnt":
            if RANK[own] < RANK["report"] and name != "__version__":
                yield f"{source} takes {name} from the front door; import its module"
            continue
        there = layer_of(module)
        if there not in RANK:
            yield f"{source} imports {module}, which has no layer"
        elif RANK[there] > RANK[own] and not (late and there in DRAWN_ABOVE):
            yield f"{source} imports {module}, which lies above it"
        elif {own, there} <= FAMILY and own != there and module.count(".") > 1:
            yield f"{source} imports {module}; take {name} from learnt.{there}, which names what other families may use"
        private = [part for part in [*module.split(".")[2:], name] if part.startswith("_") and part != "_core"]
        if private and there != own:
            yield f"{source} imports {private[0]}, a private name of {module}"


def test_imports_point_downwards_and_families_meet_at_their_front_doors():
    wrong = [words for source in sources() for words in wrong_imports(source, (ROOT / source).read_text("utf-8"))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        ("data/table.py", "from learnt.engine import run", "lies above"),
        ("data/table.py", "def f():\n    from learnt.engine import run", "lies above"),
        ("tree/cart.py", "from learnt.ensemble import RandomForestClassifier", "lies above"),
        ("linear/ridge.py", "from learnt.tree.arrays import TreeArrays", "names what other families may use"),
        ("linear/ridge.py", "from learnt.tree import _hidden", "a private name"),
        ("evaluate/folds.py", "from learnt.tree._hidden import thing", "a private name"),
        ("linear/ridge.py", "from learnt import Ridge", "front door"),
        ("nowhere/new.py", "import math", "has no layer"),
    ],
)
def test_a_wrong_import_is_found(source, code, words):
    (found,) = wrong_imports(source, code)
    assert words in found


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("ensemble/forest.py", "from learnt.tree import DecisionTreeClassifier"),
        ("data/table.py", "def f():\n    from learnt.plot import draw"),
        ("linear/ridge.py", "from learnt.linear._hidden import thing"),
        ("evaluate/folds.py", "from learnt.tree.cart import DecisionTreeClassifier"),
    ],
)
def test_a_right_import_is_let_pass(source, code):
    assert not list(wrong_imports(source, code))


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
