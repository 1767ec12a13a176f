"""The page docs/reference.md lists every public name."""

import importlib
import inspect
import re
from types import ModuleType

import pytest
from tests.docs.test_docs import DOCS

import learnt

PAGE = (DOCS / "reference.md").read_text("utf-8")
SUMMARIES = re.compile(r":nosignatures:\n\n((?:   \S+\n)+)")
LISTED = [name for part in SUMMARIES.findall(PAGE) for name in part.split()]
#: Each says by `__all__` what it offers. Pictures (`plot`) are methods of what they show.
PACKAGES = [
    "learnt",
    "learnt.bayes",
    "learnt.bayes.estimate",
    "learnt.cluster",
    "learnt.concepts",
    "learnt.control",
    "learnt.data",
    "learnt.datasets",
    "learnt.describe",
    "learnt.distance",
    "learnt.engine",
    "learnt.ensemble",
    "learnt.evaluate",
    "learnt.evaluate.metrics",
    "learnt.evaluate.splits",
    "learnt.explain",
    "learnt.graphical",
    "learnt.information",
    "learnt.linear",
    "learnt.losses",
    "learnt.neighbors",
    "learnt.prepare",
    "learnt.reduce",
    "learnt.report",
    "learnt.saving",
    "learnt.theory",
    "learnt.theory.experiments",
    "learnt.tree",
]


def find_listed(name: str) -> object:
    """What an entry stands for; `learnt.describe`, a function, shares its name with the module of its neighbours."""
    module, _, last = f"learnt.{name}".rpartition(".")
    return getattr(importlib.import_module(module), last)


def public_names(package: str) -> dict[str, object]:
    module = importlib.import_module(package)
    return {name: thing for name in module.__all__ if not isinstance(thing := getattr(module, name), ModuleType)}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_appears(package):
    entries = {id(find_listed(name)) for name in LISTED}
    absent = []
    for name, thing in public_names(package).items():
        if inspect.isclass(thing) or inspect.isroutine(thing):
            found = id(thing) in entries
        else:  # a constant has no docstring to show: the page speaks of it
            found = re.search(rf"`([\w.]+\.)?{name}`", PAGE) is not None
        if not found:
            absent.append(f"{package}.{name}")
    assert not absent, f"docs/reference.md lacks {absent}"


def test_all_learners_and_errors_appear():
    entries = {id(find_listed(name)) for name in LISTED}
    own = [thing for thing in vars(learnt.errors).values() if inspect.isclass(thing)]
    errors = [thing for thing in own if issubclass(thing, Exception) and thing.__module__ == "learnt.errors"]
    assert errors
    offered = [*errors, *(entry.cls for entry in learnt.learners())]
    assert [thing.__name__ for thing in offered if id(thing) not in entries] == []


def test_no_entry_stands_twice():
    things = [id(find_listed(name)) for name in LISTED]
    assert len(set(LISTED)) == len(LISTED)
    assert [name for name, thing in zip(LISTED, things, strict=True) if things.count(thing) > 1] == []
