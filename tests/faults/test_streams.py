"""Standard streams that are closed, full or without a reader: one line or silence, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import learnt

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="streams of Unix")


def run(*args, buffered: bool = True, **streams) -> subprocess.CompletedProcess:
    """The command in a process of its own; `closed` are the streams that it finds closed."""
    closed = streams.pop("closed", ())
    settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    env = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    started = [sys.executable, "-m", "learnt", *map(str, args)]

    def close() -> None:
        for place in closed:
            os.close(place)

    return subprocess.run(started, env=env, preexec_fn=close, timeout=600, check=False, **settings)


@pytest.fixture
def nobody_reads():
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.fixture
def full():
    with open("/dev/full", "wb") as file:
        yield file


@pytest.mark.costly
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("args", [["datasets"], ["describe", "dataset:iris", "--json"], ["--version"]])
def test_a_reader_that_went_away_is_no_error_to_speak_of(nobody_reads, args, buffered):
    done = run(*args, stdout=nobody_reads, buffered=buffered)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.costly
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("args", [["datasets"], ["describe", "dataset:iris", "--json"], ["--help"]])
def test_a_full_standard_output_is_one_line(full, args, buffered):
    done = run(*args, stdout=full, buffered=buffered)
    words = b"Error: Standard output cannot be written to: the disk is full. Send it to another place.\n"
    assert (done.returncode, done.stderr) == (2, words)


def test_a_closed_standard_output_is_one_line():
    done = run("datasets", closed=[1])
    words = b"Error: Standard output cannot be written to: it is closed. Send it to another place.\n"
    assert (done.returncode, done.stderr) == (2, words)


@pytest.mark.costly
def test_a_closed_standard_output_is_not_taken_for_the_file_that_is_written(tmp_path):
    page = tmp_path / "iris.html"
    done = run("describe", "dataset:iris", "--html", page, "-q", closed=[0, 1])
    assert done.returncode == 2
    assert page.read_text(encoding="utf-8").endswith("</html>\n")


def test_a_closed_standard_input_is_one_line():
    done = run("describe", "-", closed=[0])
    words = b"Error: Standard input is closed, and - asks for rows from it. Pipe a file in, or name one.\n"
    assert (done.returncode, done.stderr) == (2, words)


def test_a_standard_input_that_cannot_be_read_is_one_line(tmp_path):
    with (tmp_path / "written").open("wb") as file:
        done = run("describe", "-", stdin=file)
    words = b"Error: Standard input cannot be read: Bad file descriptor. Name a file instead of -.\n"
    assert (done.returncode, done.stderr) == (2, words)


@pytest.mark.costly
@pytest.mark.parametrize("buffered", [True, False])
def test_comments_that_nobody_can_read_stop_no_work(full, nobody_reads, buffered):
    args = ["predict", "no.learnt", "no.csv"]
    assert run(*args, stderr=full, buffered=buffered).returncode == 2
    assert run(*args, stderr=nobody_reads, buffered=buffered).returncode == 2
    assert run(*args, closed=[2], buffered=buffered).returncode == 2


@pytest.mark.slow
def test_predicting_to_a_reader_that_went_away_or_to_a_full_disk(tmp_path, full, nobody_reads):
    learnt.save(learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [3.0, 4.0]), tmp_path / "m.learnt")
    (tmp_path / "d.csv").write_text("x\n" + "1\n" * 100_000)
    files = (tmp_path / "m.learnt", tmp_path / "d.csv")
    done = run("predict", *files, stdout=nobody_reads)
    assert (done.returncode, done.stderr) == (141, b"")
    done = run("predict", *files, "-o", "/dev/stdout", stdout=nobody_reads)
    assert (done.returncode, done.stderr) == (141, b"")
    done = run("predict", *files, stdout=full)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)


@pytest.mark.costly
@pytest.mark.parametrize("stream", ["full", "nobody_reads"])
def test_a_comparison_that_cannot_be_printed_still_writes_its_report_and_model(tmp_path, request, stream):
    report, model = tmp_path / "r.html", tmp_path / "m.learnt"
    args = ["compare", "dataset:iris", "--learners", "MajorityClassifier", "--cv", "2", "-q"]
    out = request.getfixturevalue(stream)
    done = run(*args, "--report", report, "--save", model, stdout=out)
    assert done.returncode == (2 if stream == "full" else 141)
    assert done.stderr.count(b"\n") == (1 if stream == "full" else 0)
    assert report.read_text(encoding="utf-8").endswith("</html>\n")
    assert isinstance(learnt.load(model), learnt.MajorityClassifier)
