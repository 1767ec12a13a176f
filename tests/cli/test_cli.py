"""The command line, run as a user runs it: in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.cli_box import commands

import learnt
from learnt import datasets


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "learnt", *args],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
        timeout=600,
        check=False,
    )


def test_version_is_the_packages():
    done = run("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"learnt {learnt.__version__}")


@pytest.mark.costly
def test_describe_prints_the_text_of_the_description():
    done = run("describe", "dataset:iris")
    assert done.returncode == 0, done.stderr
    assert done.stdout == str(learnt.describe(datasets.iris())) + "\n"
    assert done.stderr == ""


@pytest.mark.costly
def test_describe_reads_a_file_with_target_and_kinds(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("zip,size,rain\n8001,S,1.5\n8002,L,2.5\n8001,M,\n")
    done = run("describe", str(path), "--target", "rain", "--kinds", "zip=nominal", "--ordinal", "size=S,M,L", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["target"] == "rain"
    assert found["columns"]["zip"]["kind"] == "nominal"
    assert found["columns"]["size"]["counts"] == [["S", 1], ["M", 1], ["L", 1]]
    assert found["columns"]["rain"]["missing"] == 1


@pytest.mark.costly
def test_html_is_written_and_its_place_told(tmp_path):
    page = tmp_path / "seiten" / "iris.html"
    page.parent.mkdir()
    done = run("describe", "dataset:iris", "--html", str(page))
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"Written: {page}\n")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "petalwidth" in text


@pytest.mark.costly
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["describe", "no/such.csv"], "no/such.csv"),
        (["describe", "dataset:irsi"], "Did you mean 'iris'"),
        (["describe", "dataset:iris", "--target", "clas"], "'class'"),
        (["describe", "dataset:iris", "--kinds", "class"], "COLUMN=VALUE"),
        (["describe", "dataset:iris", "--kinds", "class=colour"], "'colour'"),
        (["describe", "dataset:iris", "--html", "/no/such/folder/x.html"], "cannot be written"),
        (["datasets", "[bold]x"], "'[bold]x'"),
        (["learners", "cooking"], "'cooking'"),
    ],
)
def test_our_errors_are_one_message_without_traceback_and_exit_with_two(args, words, capfdbinary, monkeypatch):
    done = commands(capfdbinary, monkeypatch)(*args)
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert words in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_malformed_file_is_told_with_its_line(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n1,2\n3,4,5\n")
    done = run("describe", str(path))
    assert done.returncode == 2
    assert "line 3" in done.stderr


@pytest.mark.costly
@pytest.mark.parametrize("args", [["describe"], ["cook"], ["describe", "dataset:iris", "--colour"]])
def test_wrong_usage_exits_with_two(args):
    done = run(*args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_unexpected_error_exits_with_one():
    code = (
        "import learnt, learnt.cli\n"
        "def broken(*args, **settings): raise ZeroDivisionError('ours')\n"
        "learnt.describe = broken\n"
        "learnt.cli.main(['describe', 'dataset:iris'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1
    assert "ZeroDivisionError: ours" in done.stderr


@pytest.mark.costly
def test_learners_lists_the_registry():
    done = run("learners")
    assert done.returncode == 0, done.stderr
    table, _, note = done.stdout.rpartition("\n\n")
    listed = [line.split()[0] for line in table.splitlines()[1:] if not line.startswith(" ")]
    assert note.startswith("cost: ")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert listed == [entry.name for entry in learnt.learners()]
    clustering = run("learners", "clustering").stdout
    assert "KMeans" in clustering
    assert "LinearRegression" not in clustering


@pytest.mark.costly
def test_datasets_lists_all_and_tells_of_one():
    lines = run("datasets").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == datasets.names()
    assert run("datasets", "organs").stdout == f"{datasets.info('organs')}\n"


@pytest.mark.costly
def test_a_terminal_without_unicode_gets_question_marks_and_no_crash():
    done = run("describe", "dataset:iris", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "petalwidth" in done.stdout
    assert "?" in done.stdout


def in_terminal(columns: int, *args: str) -> str:
    """What a terminal of that width receives."""
    read, write = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    with subprocess.Popen([sys.executable, "-m", "learnt", *args], stdout=write, stderr=write, env=env) as process:
        os.close(write)
        received = b""
        while True:
            try:
                chunk = os.read(read, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            received += chunk
    os.close(read)
    assert process.returncode == 0, received
    return received.decode()


@pytest.mark.costly
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of Unix")
def test_in_a_terminal_lines_fit_and_a_progress_bar_comes_and_goes():
    received = in_terminal(64, "describe", "dataset:labor")
    assert "\x1b[36m" in received  # the bars are coloured
    assert re.search(r"describe .*17/17", received)
    shown = received[received.rindex("57 rows") :]
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert max(map(len, plain.replace("\r", "").splitlines())) <= 64
    assert "17/17" not in plain


@pytest.mark.costly
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of Unix")
def test_in_a_terminal_predicting_into_a_file_shows_how_far_it_is(tmp_path):
    learnt.save(learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [3.0, 4.0]), tmp_path / "m.learnt")
    (tmp_path / "d.csv").write_text("x\n" + "1\n" * 1000)
    files = [str(tmp_path / "m.learnt"), str(tmp_path / "d.csv")]
    received = in_terminal(80, "predict", *files, "-o", str(tmp_path / "o"))
    assert "━" in received
    assert "1,000 rows" in received
    shown = in_terminal(80, "predict", *files)
    assert shown.replace("\r", "") == "prediction\n" + "3.5\n" * 1000


def wait_until(holds):
    limit = time.monotonic() + 600
    while not holds() and time.monotonic() < limit:
        time.sleep(0.05)


def wait_until_asleep(process):
    """Found asleep ten times in a row, it waits for more rows; a busy machine only makes it look awake for longer."""
    looks = 0

    def asleep():
        nonlocal looks
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        looks = looks + 1 if state == "S" else 0
        return looks == 10 or process.poll() is not None

    wait_until(asleep)


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interrupt_ends_predicting_in_silence_and_leaves_no_half_file(tmp_path):
    learnt.save(learnt.MeanRegressor().fit({"x": [1.0, 2.0]}, [3.0, 4.0]), tmp_path / "m.learnt")
    command = [sys.executable, "-m", "learnt", "predict", str(tmp_path / "m.learnt"), "-", "-o", str(tmp_path / "o")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b"x\n" + b"1\n" * 200_000)  # more than is looked at to tell the dialect
        process.stdin.flush()
        wait_until(lambda: any(path.name.endswith(".tmp") for path in tmp_path.iterdir()))
        for _ in range(20):
            wait_until_asleep(process)  # one that comes while pyarrow is imported is lost
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
                break
        process.stdin.close()
        process.wait(600)
        told = process.stderr.read()
    assert (process.returncode, told) == (130, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["m.learnt"]


def test_importing_the_command_line_loads_neither_typer_nor_rich():
    code = "import sys, learnt.cli; print(sorted({'typer', 'rich', 'matplotlib', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_entry_point_is_the_module(tmp_path):
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    assert 'learnt = "learnt.cli:main"' in pyproject.read_text(encoding="utf-8")
