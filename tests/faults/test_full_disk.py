"""Whatever a command writes: on a full disk it fails with one line and code 2, and what was there before is there."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from contextlib import ExitStack

import pytest
from tests.cli.cli_box import commands
from tests.faults.faults_box import LIMIT, files_of_at_most, fill, small_disk

import learnt
from learnt.cli.writing.journals import journal_for, kept_folder
from learnt.engine.engines import StreamEngine
from learnt.errors import WriteError
from learnt.evaluate.journal import Journal
from learnt.evaluate.problem import problem
from learnt.evaluate.workers.shared import SharedProblem

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and mounts of Unix")

OLD = b"the former one"


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "iris.learnt"
    learnt.save(learnt.KNeighborsClassifier().fit(learnt.datasets.load("iris")), path)
    return path


@pytest.fixture(params=["a full disk", "a limit"])
def disk(request, tmp_path):
    """A folder, and a function after which nothing large can be written to it."""
    with ExitStack() as until_the_end:
        if request.param == "a full disk":
            folder = until_the_end.enter_context(small_disk(tmp_path / "disk"))
            yield folder, lambda: fill(folder)
        else:
            yield tmp_path, lambda: until_the_end.enter_context(files_of_at_most(LIMIT))


WRITERS = {
    "train": ("train", "dataset:iris", "--learner", "KNeighborsClassifier", "-q", "-o", "{place}/m.learnt"),
    "predict": ("predict", "{model}", "dataset:iris", "--append", "--proba", "-q", "-o", "{place}/p.csv"),
    "predict, a workbook": ("predict", "{model}", "dataset:iris", "--append", "-q", "-o", "{place}/p.xlsx"),
    "describe": ("describe", "dataset:iris", "-q", "--html", "{place}/d.html"),
    "explain": ("explain", "{model}", "dataset:iris", "-q", "--html", "{place}/e.html"),
    "cluster": ("cluster", "dataset:iris", "--k", "3", "-q", "-o", "{place}/c.csv"),
    "cluster, a workbook": ("cluster", "dataset:iris", "--k", "3", "-q", "-o", "{place}/c.xlsx"),
    "cluster, the report": ("cluster", "dataset:iris", "--k", "3", "-q", "--report", "{place}/c.html"),
    "reduce, the model": ("reduce", "dataset:iris", "--method", "mds", "-q", "--save", "{place}/r.learnt"),
}


@pytest.mark.costly
@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_is_one_line_and_destroys_nothing(command, disk, model, writer):
    folder, make_full = disk
    args = [word.format(place=folder, model=model) for word in WRITERS[writer]]
    place = folder / os.path.basename(args[-1])
    place.write_bytes(OLD)
    make_full()
    before = sorted(folder.iterdir())
    done = command(*args)
    assert done.code == 2, done
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert " cannot be written: " in done.err
    named = tempfile.gettempdir() if place.suffix == ".xlsx" and folder.name != "disk" else place
    assert f"(file '{named}')" in done.err
    assert place.read_bytes() == OLD
    assert sorted(folder.iterdir()) == before


def test_what_cannot_be_written_costs_neither_the_other_files_nor_the_result(command, tmp_path):
    with small_disk(tmp_path / "disk") as folder:
        fill(folder)
        model, report = tmp_path / "c.learnt", tmp_path / "c.html"
        args = ("--k", "3", "-o", folder / "c.csv", "--save", model, "--report", report)
        done = command("cluster", "dataset:iris", *args)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"(file '{folder}/c.csv')" in done.err
    assert f"Written: {model}\nWritten: {report}\n" in done.out
    assert f"Written: {folder}" not in done.out
    assert learnt.load(model).n_clusters == 3
    assert report.read_text("utf-8").endswith("</html>\n")


@pytest.mark.costly
def test_drawings_and_reports_of_python_are_not_lost_either(disk):
    folder, make_full = disk
    tree = learnt.DecisionTreeClassifier().fit(learnt.datasets.load("glass"))
    places = [folder / "tree.svg", folder / "tree.png"]
    for place in places:
        place.write_bytes(OLD)
    make_full()
    for place in places:
        with pytest.raises(WriteError, match="The drawing cannot be written"):
            tree.draw(place)
        assert place.read_bytes() == OLD


# The cache, which nobody needs


def test_a_comparison_goes_on_without_the_cache_and_says_so_once(command, tmp_path, monkeypatch):
    with small_disk(tmp_path / "disk") as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        kept_folder().mkdir(parents=True)
        fill(folder)
        report = tmp_path / "r.html"
        done = command("compare", "dataset:iris", "--learners", "MajorityClassifier", "--cv", "3", "--report", report)
    assert done.code == 0, done.err
    told = [line for line in done.err.splitlines() if "journal" in line]
    assert len(told) == 1
    assert told[0].startswith("! The journal cannot be written: the disk is full. The work goes on without it")
    assert "MajorityClassifier" in done.out
    assert report.exists()


def fold(number):
    """A finished fold of some learner."""
    import numpy as np

    from learnt.evaluate.folds import FoldResult

    rows = np.arange(50)
    return FoldResult(0, number, rows, rows * 0.5, None, 0.1, 0.1, None, 100)


def test_a_journal_on_a_full_disk_keeps_what_it_has_and_stops_nobody(tmp_path):
    path = tmp_path / "folds.journal"
    with Journal(path, {"data": "these"}) as journal:
        for number in range(3):
            journal.append("a", fold(number))
        size = path.stat().st_size
        with files_of_at_most(size + 10), warnings.catch_warnings(record=True) as told:
            for number in range(3, 6):
                journal.append("a", fold(number))
        assert len(told) == 1
        assert "The work goes on without it" in str(told[0].message)
        assert len(journal.results("a")) == 6
    assert path.stat().st_size == size
    with Journal(path, {"data": "these"}) as again:
        assert [result.number for result in again.results("a")] == [0, 1, 2]


def test_a_cache_folder_that_cannot_be_made_is_said_and_done_without(tmp_path, monkeypatch):
    (tmp_path / "cache").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.warns(UserWarning, match="The comparison goes on without one") as told:
        assert journal_for("a.csv", 1, resume=False) is None
    assert len(told) == 1


# Temporary files


def test_rows_for_the_workers_that_find_no_room_are_an_error_and_no_crash(tmp_path, monkeypatch):
    iris = learnt.datasets.load("iris")
    large = iris.take([i % 150 for i in range(20_000)])
    with small_disk(tmp_path / "disk") as folder:
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        with pytest.raises(WriteError, match=r"Temporary files cannot be written: the disk is full.*TMPDIR"):
            SharedProblem(problem(large))
        assert list(folder.iterdir()) == []


def test_state_of_a_scan_that_finds_no_room_is_an_error_that_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("learnt.engine.engines.STATE_BYTES", 0)
    engine = StreamEngine(source=None)
    with files_of_at_most(LIMIT), pytest.raises(WriteError, match=r"Temporary files cannot be written.*TMPDIR"):
        engine._write(b"x" * 2 * LIMIT, 0)
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_a_library_that_finds_no_room_is_one_line(command, tmp_path, monkeypatch):
    def refuse(*args, **settings):
        raise OSError(28, "No space left on device", str(tmp_path / "spool"))

    monkeypatch.setattr("learnt.describe", refuse)
    done = command("describe", "dataset:iris")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "the disk is full. Make room or choose another place." in done.err
    assert f"(file '{tmp_path}/spool')" in done.err
