"""The stub of the kernels says what the compiled module has: `make stub` writes it anew."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

from learnt import _core

ROOT = Path(__file__).parents[2]
pytest.importorskip("nanobind.stubgen")


def generated():
    name = "stub_generator"
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "stub.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.stub_of(_core)


def signatures(body, inside=""):
    """Of every function its parameters, their defaults and its docstring; of every class its bases."""
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[inside + node.name] = [ast.unparse(base) for base in node.bases]
            found |= signatures(node.body, f"{inside}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            arguments = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            defaults = [ast.unparse(d) for d in (*node.args.defaults, *filter(None, node.args.kw_defaults))]
            found.setdefault(inside + node.name, []).append((arguments, defaults, ast.get_docstring(node)))
    return found


def test_the_stub_has_the_names_parameters_and_defaults_of_the_module():
    written = signatures(ast.parse((ROOT / "src/learnt/_core.pyi").read_text(encoding="utf-8")).body)
    compiled = signatures(ast.parse(generated()).body)
    assert written.keys() == compiled.keys()
    assert {name: found for name, found in written.items() if found != compiled[name]} == {}


def test_every_name_of_the_module_is_in_the_stub():
    tree = ast.parse((ROOT / "src/learnt/_core.pyi").read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert {name for name in vars(_core) if not name.startswith("_")} == names
