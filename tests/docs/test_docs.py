"""Every example runs: doctests of the package, code blocks of the pages, programs of the gallery."""

import contextlib
import doctest
import importlib
import io
import itertools
import os
import pkgutil
import re
import runpy
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.rotation import third_of

import learnt

pytestmark = pytest.mark.usefixtures("forked_workers")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = {"_build", "gallery", "api"}
WRITTEN = sorted(p for p in DOCS.rglob("*.md") if not MADE & set(p.relative_to(DOCS).parts))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
#: Pages whose code needs a package of an extra, which may be absent.
NEEDS = {"cluster.md": "distributed", "convnet.md": "torch", "lstm.md": "torch"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```\s*?$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A runnable fence: its code, the line it starts on, and the output that follows it, if any."""

    code: str
    line: int
    output: str | None


def blocks(text: str) -> list[Block]:
    """Python fences. A fence called `output` or `text` right after one is what it prints."""
    found = list(FENCE.finditer(text))
    runnable = []
    for fence, after in itertools.zip_longest(found, found[1:]):
        if fence[1].strip() not in ("python", "pycon"):
            continue
        adjacent = after is not None and not text[fence.end() : after.start()].strip()
        shown = after[2] if after is not None and adjacent and after[1].strip() in ("output", "text") else None
        runnable.append(Block(fence[2], text.count("\n", 0, fence.start(2)), shown))
    return runnable


def run(block: Block, names: dict, where: str) -> None:
    if block.code.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.code, names, where, where, block.line)
        report = io.StringIO()
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.write, clear_globs=False)
        names.update(test.globs)
        if report.getvalue():
            pytest.fail(report.getvalue(), pytrace=False)
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.code, where, "exec"), names)
    if block.output is not None:
        right = doctest.OutputChecker().check_output(block.output, printed.getvalue(), FLAGS)
        assert right, f"{where}, line {block.line + 1} prints\n{printed.getvalue()}\nbut the page says\n{block.output}"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder of its own, and pictures that need no screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield tmp_path
    import matplotlib.pyplot as plt

    plt.close("all")


def pages_by_turns() -> list:
    """Pages of learners, of which there are many, go by thirds, all others run each time."""
    names = {page: page.relative_to(ROOT).as_posix() for page in PAGES}
    marks = {page: [third_of(name)] if page.parent.name == "learners" else [] for page, name in names.items()}
    return [pytest.param(page, id=names[page], marks=marks[page]) for page in PAGES]


@pytest.mark.parametrize("page", pages_by_turns())
def test_the_code_on_a_page_runs_and_prints_what_the_page_says(page, elsewhere):
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name], reason=f"the code of {page.name} needs it")
    names: dict = {"__name__": "__main__"}
    for block in blocks(page.read_text("utf-8")):
        run(block, names, page.name)


@pytest.mark.costly
@pytest.mark.parametrize("program", sorted((DOCS / "examples").rglob("*.py")), ids=lambda p: p.stem)
def test_a_program_of_the_gallery_runs(program, elsewhere):
    import matplotlib as mpl

    mpl.use("Agg")
    runpy.run_path(str(program), run_name="__main__")


def modules() -> dict[str, list[str]]:
    """The modules by their package, "linear" for learnt.linear.penalised.ridge; "" for those of learnt itself."""
    found = pkgutil.walk_packages(learnt.__path__, "learnt.")
    names = ["learnt", *(m.name for m in found if not m.name.endswith(("._core", ".__main__")))]
    packages: dict[str, list[str]] = {}
    for name in names:
        packages.setdefault(name.split(".")[1] if name.count(".") > 1 else "", []).append(name)
    return packages


@pytest.mark.parametrize("package", modules())
def test_the_examples_of_all_modules_hold(package, elsewhere):
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for name in modules()[package]:
        for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
            runner.run(test, out=report.write)
    if report.getvalue():
        pytest.fail(report.getvalue(), pytrace=False)


def page_of(learner: str) -> Path:
    """docs/learners/linear_regression.md for LinearRegression, kmeans.md for KMeans."""
    return DOCS / "learners" / (re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", learner).lower() + ".md")


def gap_in_docs(learner: str) -> str | None:
    """What the docs of a learner lack."""
    page = page_of(learner)
    if not page.exists():
        return f"{learner} has no page: write {page.relative_to(ROOT)}"
    code = "\n".join(block.code for block in blocks(page.read_text("utf-8")))
    if not re.search(rf"\b{learner}\(", code):
        return f"{page.relative_to(ROOT)} has no example that makes a {learner}"
    return None


def test_every_learner_has_a_page_with_a_runnable_example_of_it():
    offenders = [words for entry in learnt.learners() if (words := gap_in_docs(entry.name))]
    assert not offenders, "\n".join(offenders)


def test_every_learner_shows_an_example_in_its_docstring():
    assert [entry.name for entry in learnt.learners() if ">>>" not in (entry.cls.__doc__ or "")] == []


def test_the_links_between_pages_lead_somewhere():
    offenders = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", FENCE.sub("", page.read_text("utf-8"))):
            if "://" not in target and not target.startswith("mailto:") and not os.path.exists(page.parent / target):
                offenders.append(f"{page.relative_to(ROOT)} points to {target}")
    assert not offenders, "\n".join(offenders)


def test_a_wrong_output_on_a_page_is_noticed():
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```pycon\n>>> 1 + 1\n3\n```\n"
    for block in blocks(page):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            run(block, {}, "page")
    assert len(blocks(page)) == 2
    assert blocks("") == []
