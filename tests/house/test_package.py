"""What holds for the package as a whole: its version, its types, and how little importing it loads."""

import importlib.metadata
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import learnt

ROOT = Path(learnt.__file__).parent


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_version_is_the_one_written_in_the_package():
    assert importlib.metadata.version("learnt") == learnt.__version__


def test_the_version_is_written_in_one_place_only():
    pattern = re.compile(re.escape(f'"{learnt.__version__}"'))
    places = [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.py") if pattern.search(p.read_text("utf-8"))]
    assert places == ["__init__.py"]


def test_type_checkers_are_told_that_the_package_is_typed():
    assert (ROOT / "py.typed").exists()


def test_every_public_name_can_be_had():
    assert len(set(learnt.__all__)) == len(learnt.__all__)
    for name in learnt.__all__:
        getattr(learnt, name)
    assert set(learnt.__all__) <= set(dir(learnt))


def test_a_name_that_does_not_exist_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="Kmeens"):
        learnt.Kmeens


@pytest.mark.costly
def test_every_module_of_the_lower_layers_can_be_the_first_to_be_imported():
    layers = ("data", "engine", "statistics")
    names = [p.relative_to(ROOT).with_suffix("").as_posix() for room in layers for p in (ROOT / room).rglob("*.py")]
    modules = ["learnt." + name.replace("/", ".").removesuffix(".__init__") for name in names]
    python(
        "import importlib, sys\n"
        f"for name in {modules!r}:\n"
        "    for loaded in [m for m in sys.modules if m.startswith('learnt') and m != 'learnt._core']:\n"
        "        del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
    )


HEAVY = (
    *("matplotlib", "pyarrow", "typer", "rich", "pandas", "polars", "sklearn", "jinja2", "joblib"),
    *("scipy.sparse", "scipy.linalg", "scipy.stats", "scipy.spatial", "learnt.cli", "asyncio"),
)


def test_importing_learnt_and_naming_a_learner_loads_nothing_heavy():
    loaded = json.loads(
        python(
            "import json, sys, learnt; learnt.KMeans; learnt.LinearRegression; print(json.dumps(sorted(sys.modules)))"
        )
    )
    assert "learnt" in loaded
    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.costly
def test_importing_learnt_takes_less_than_half_the_time_of_importing_sklearn():
    def seconds(statement: str) -> float:
        return float(python(f"{statement}; import time; print(time.process_time())"))

    seconds("import learnt"), seconds("import sklearn")  # the first of each warms the file cache
    runs = [(seconds("import learnt"), seconds("import sklearn")) for _ in range(5)]
    # Processor time of pairs back to back: the ratio is fair even when the machine is busy.
    assert statistics.median(ours / theirs for ours, theirs in runs) < 0.5, runs
