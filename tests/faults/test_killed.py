"""Killed, kill -9, wherever it hurts: files are the former or the new ones, and the next run finds and tidies all."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.evaluate.workers.live_processes import SESSION, alive
from tests.faults.faults_box import killed_at

import learnt
from learnt.cli import main
from learnt.cli.writing.journals import kept_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

OLD = learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [3.0, 4.0])
NEW = learnt.KNeighborsRegressor().fit({"x": [float(i) for i in range(2000)]}, [float(i) for i in range(2000)])


def contents(path: Path, *models) -> list[bytes]:
    """What files of the models hold."""
    made = []
    for number, model in enumerate(models):
        learnt.save(model, path.with_name(f"whole{number}"))
        made.append(path.with_name(f"whole{number}").read_bytes())
        path.with_name(f"whole{number}").unlink()
    return made


def test_a_model_is_saved_whole_or_not_at_all_whichever_step_is_the_last(tmp_path):
    old, new = contents(tmp_path / "m", OLD, NEW)
    step, killed = 0, True
    while killed:
        path = tmp_path / str(step) / "m.learnt"
        path.parent.mkdir()
        path.write_bytes(old)
        killed = killed_at(step, lambda path=path: learnt.save(NEW, path))
        assert path.read_bytes() in (old, new)
        learnt.save(OLD, path)
        assert list(path.parent.iterdir()) == [path]
        step += 1
    assert step > 5


@pytest.mark.costly
def test_answers_are_written_whole_or_not_at_all_whichever_step_is_the_last(tmp_path):
    learnt.save(OLD, tmp_path / "m.learnt")
    row = f"1,{'word ' * 20}end"
    (tmp_path / "d.csv").write_text("x,note\n" + f"{row}\n" * 2000)
    args = ["predict", str(tmp_path / "m.learnt"), str(tmp_path / "d.csv"), "--append", "-q", "-o"]

    def predict(path: Path) -> None:
        with pytest.raises(SystemExit, match=r"^0$"):
            main([*args, str(path)])

    predict(tmp_path / "whole")
    new = (tmp_path / "whole").read_bytes()
    assert new.decode() == "x,note,prediction\n" + f"{row},3.5\n" * 2000
    step, killed = 0, True
    while killed:
        path = tmp_path / str(step) / "answers.csv"
        path.parent.mkdir()
        path.write_bytes(b"old")
        killed = killed_at(step, lambda path=path: predict(path))
        assert path.read_bytes() in (b"old", new)
        step += 1
    assert path.read_bytes() == new
    assert step > 5


# At random moments, as long as an undisturbed run takes on this machine


def started(*args: object, tmp: Path) -> subprocess.Popen:
    """A Python in a session of its own, whose temporary files go to `tmp`."""
    return subprocess.Popen(
        [sys.executable, *map(str, args)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp)},
    )


def kill_all(process: subprocess.Popen) -> None:
    """The command and its workers, at once."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    limit = time.monotonic() + 600
    while alive(SESSION, process.pid) and time.monotonic() < limit:
        time.sleep(0.01)


def seconds_of(*args: object, tmp: Path) -> float:
    begun = time.monotonic()
    process = started(*args, tmp=tmp)
    _, told = process.communicate(timeout=600)
    assert process.returncode == 0, told
    return time.monotonic() - begun


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Where results and temporary files go."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    return tmp_path / "out", tmp_path / "tmp"


@pytest.mark.slow
def test_saving_over_and_over_is_killed_at_random(places, tmp_path):
    out, tmp = places
    path = out / "m.learnt"
    whole = contents(tmp_path / "m", OLD, NEW)
    learnt.save(OLD, tmp_path / "old")
    learnt.save(NEW, tmp_path / "new")
    path.write_bytes(whole[0])
    code = (
        "import learnt, sys\n"
        "old, new, path = sys.argv[1:]\n"
        "models = [learnt.load(old), learnt.load(new)]\n"
        "for number in range(200):\n"
        "    learnt.save(models[number % 2], path)\n"
    )
    args = ("-c", code, tmp_path / "old", tmp_path / "new", path)
    longest = seconds_of(*args, tmp=tmp)
    draw = random.Random(17)
    for _ in range(25):
        process = started(*args, tmp=tmp)
        time.sleep(longest * draw.random())
        kill_all(process)
        assert path.read_bytes() in whole
        assert len(list(out.iterdir())) <= 2  # at most one is left, whoever came before was tidied up
    seconds_of(*args, tmp=tmp)
    assert list(out.iterdir()) == [path]


@pytest.mark.slow
def test_predicting_is_killed_at_random(places, tmp_path):
    out, tmp = places
    learnt.save(OLD, tmp_path / "m.learnt")
    (tmp_path / "d.csv").write_text("x\n" + "1\n" * 1_000_000)
    path = out / "answers.csv"
    args = ("-m", "learnt", "predict", tmp_path / "m.learnt", tmp_path / "d.csv", "-q", "-o", path)
    longest = seconds_of(*args, tmp=tmp)
    new = path.read_bytes()
    draw = random.Random(18)
    for _ in range(15):
        path.write_bytes(b"old")
        process = started(*args, tmp=tmp)
        time.sleep(longest * draw.random())
        kill_all(process)
        assert path.read_bytes() in (b"old", new)
    seconds_of(*args, tmp=tmp)
    assert list(out.iterdir()) == [path]
    assert path.read_bytes() == new


@pytest.mark.slow
def test_comparing_is_killed_at_random_and_resumed(places):
    out, tmp = places
    report, model = out / "r.html", out / "m.learnt"
    command = ["-m", "learnt", "compare", "dataset:iris", "--learners", "MajorityClassifier,NaiveBayesClassifier",
               "--cv", "5", "-q", "--report", report, "--save", model]  # fmt: skip
    longest = seconds_of(*command, tmp=tmp)
    assert list(kept_folder().glob("*.journal")) == []
    draw = random.Random(19)
    kept = 0
    for _ in range(12):
        report.write_text("old")
        process = started(*command, tmp=tmp)
        time.sleep(longest * draw.random())
        kill_all(process)
        assert report.read_text("utf-8") == "old" or report.read_text("utf-8").endswith("</html>\n")
        assert isinstance(learnt.load(model), learnt.NaiveBayesClassifier)
        journals = list(kept_folder().glob("*.journal"))
        assert len(journals) >= kept  # none is deleted by a comparison that came later
        kept = len(journals)
    whole = json.loads(_output([*command, "--json"], tmp))
    assert kept == len(list(kept_folder().glob("*.journal")))
    if kept:
        resumed = json.loads(_output([*command, "--json", "--resume"], tmp))
        assert resumed["folds"] == whole["folds"]
        assert kept - 1 == len(list(kept_folder().glob("*.journal")))
    assert sorted(out.iterdir()) == [model, report]
    assert list(tmp.iterdir()) == []  # folders that workers shared with a killed command are gone too


def _output(args: list, tmp: Path) -> bytes:
    done = subprocess.run(
        [sys.executable, *map(str, args)],
        capture_output=True,
        env={**os.environ, "TMPDIR": str(tmp)},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
