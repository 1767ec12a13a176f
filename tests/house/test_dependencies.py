"""What is imported is declared and the other way round; packages that may be absent are asked for in words."""

import ast
import functools
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt.data.convert.out import to_pandas
from learnt.errors import MissingPackageError

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "learnt"

#: Modules whose package is called otherwise.
PACKAGES = {"lazy_loader": "lazy-loader", "sklearn": "scikit-learn"}

#: Packages that users may have or not, and who may import them: each runs only where the package has been loaded.
OPTIONAL = {
    # A collection of it has come in.
    "dask": {"data/dask/collections.py", *(f"learner/partitions/{name}.py" for name in ("mapping", "scores", "sent"))},
    # A client of it has come in, or a worker of it is what runs.
    "distributed": {f"engine/cluster/{name}.py" for name in ("context", "machine", "payload", "tasks")},
    "pandas": {"data/convert/frames.py"},  # a frame of it has come in
    "polars": {"data/convert/frames.py"},
    "torch": {"neural/on_device.py"},  # a device that takes it was asked for
    "sklearn": {"learner/routing.py", "learner/tags.py", "linear/several/multi_label.py"},  # it asks for the tags
}


def imports(node: ast.AST) -> Iterator[str]:
    """The modules that a source imports when it runs, but for those whose absence it catches."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Try) and any("ImportError" in ast.unparse(h.type or node) for h in node.handlers):
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        yield str(node.module)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


@functools.cache
def imported() -> dict[str, set[str]]:
    """Of each module of others, the sources that import it."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name in imports(ast.parse(path.read_text("utf-8"))):
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top != "learnt":
                found.setdefault(top, set()).add(path.relative_to(SOURCE).as_posix())
    return found


def declared() -> set[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return {re.split(r"[^\w-]", line)[0].lower() for line in tomllib.load(file)["project"]["dependencies"]}


@pytest.mark.costly
def test_every_import_is_of_a_declared_dependency_and_every_dependency_is_imported():
    required = {PACKAGES.get(name, name) for name in imported() if name not in OPTIONAL}
    assert required == declared()


def test_packages_that_may_be_absent_are_imported_only_where_they_are_present():
    for name, places in OPTIONAL.items():
        assert imported().get(name, set()) <= places


def frames():
    """A call of everything that gives a frame."""
    iris = learnt.datasets.load("iris")
    numbers, y = iris.drop("class"), np.repeat([0, 1, 1], 50)
    compared = learnt.compare(iris, learners="MajorityClassifier,DecisionStumpClassifier", cv=2, n_jobs=1)
    tuned = learnt.tune(learnt.DecisionTreeClassifier(), iris, space={"max_depth": [1, 2]}, cv=2, nested=2, n_jobs=1)
    line = learnt.LinearRegression().fit(numbers.drop("petalwidth"), numbers["petalwidth"].values)
    score = numbers["petallength"].values / 10
    evaluate = learnt.evaluate
    return {
        "table": lambda: to_pandas(iris),
        "compare": compared.to_frame,
        "cross_validate": evaluate.cross_validate(learnt.MajorityClassifier(), iris, cv=2).to_frame,
        "tune": tuned.to_frame,
        "roc": evaluate.roc(y, score).to_frame,
        "precision_recall": evaluate.precision_recall(y, score).to_frame,
        "gain": evaluate.gain(y, score).to_frame,
        "calibration": evaluate.calibration(y, score).to_frame,
        "confusion": evaluate.confusion(y, y).to_frame,
        "residuals": evaluate.residuals(score, score).to_frame,
        "influence": line.influence(numbers.drop("petalwidth"), numbers["petalwidth"].values).to_frame,
        "set_output": lambda: learnt.StandardScaler().fit(numbers).set_output(transform="pandas").transform(numbers),
        "words": lambda: learnt.BagOfWords().fit(["one two"]).set_output(transform="pandas").transform(["one two"]),
    }


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    calls = frames()
    for call in calls.values():
        assert call() is not None
    monkeypatch.setitem(sys.modules, "pandas", None)
    for call in calls.values():
        with pytest.raises(MissingPackageError, match="pip install pandas"):
            call()


def test_a_missing_package_is_an_error_of_learnt_and_of_imports():
    assert issubclass(MissingPackageError, learnt.errors.LearntError)
    assert issubclass(MissingPackageError, ImportError)
