"""`learnt compare`, run as a user runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest
from tests.evaluate.workers.live_processes import SESSION, alive

from learnt import datasets
from learnt.cli.arguments.durations import seconds_of
from learnt.errors import ParameterError
from learnt.evaluate import compare

PAIR = "MajorityClassifier,NaiveBayesClassifier"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Journals go here, not into the home of whoever runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "cache" / "learnt" / "compare"


def run(*args: str, **settings) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "learnt", "compare", *args],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=600,
        check=False,
        **settings,
    )


def without_times(text: str) -> str:
    return re.sub(r"[\d.e+-]+ (ms|s)\b", "…", " ".join(text.split()))


@pytest.mark.costly
def test_the_text_is_that_of_the_comparison(cache):
    done = run("dataset:iris", "--target", "class", "--learners", PAIR, "--cv", "3")
    assert done.returncode == 0, done.stderr
    same = compare(datasets.iris(), learners=PAIR, cv=3)
    same.source = "dataset:iris"
    assert without_times(done.stdout) == without_times(str(same))
    assert "MajorityClassifier  first fold: accuracy" in done.stderr
    assert "NaiveBayesClassifier  done: accuracy" in done.stderr
    assert list(cache.glob("*.journal")) == []  # finished, so that there is nothing to resume


@pytest.mark.costly
def test_json_and_a_report_go_together_and_quiet_is_quiet(cache, tmp_path):
    page = tmp_path / "iris.html"
    done = run("dataset:iris", "-q", "--learners", PAIR, "--cv=3", "--json", "--report", str(page))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    record = json.loads(done.stdout)
    assert record["best"] == "NaiveBayesClassifier"
    assert record["command"].startswith("learnt compare dataset:iris --learners MajorityClassifier,")
    assert (record["cv"], record["task"], record["target"]) == (3, "multiclass", "class")
    assert page.read_text("utf-8").lower().startswith("<!doctype html>")


@pytest.mark.costly
def test_json_is_all_that_goes_to_standard_output(cache):
    done = run("dataset:iris", "--learners", PAIR, "--cv", "3", "--json", "--seed", "5", "--metric", "auc")
    record = json.loads(done.stdout)
    assert (record["random_state"], record["metric"]) == (5, "auc")


@pytest.mark.costly
def test_a_table_may_come_through_a_pipe(cache):
    lines = ["x,y", *(f"{i % 7},{'yes' if i % 7 > 3 else 'no'}" for i in range(70))]
    done = run("-", "--target", "y", "--learners", PAIR, "--cv", "3", "-q", input="\n".join(lines))
    assert done.returncode == 0, done.stderr
    assert "'y' is either 'no' or 'yes', so this is binary classification." in done.stdout


@pytest.mark.costly
def test_a_loss_file_ranks_by_what_answers_cost(cache, tmp_path):
    path = tmp_path / "costs.csv"
    names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    costs = [f"{a},{','.join('0' if a == b else '9' for b in names)}" for a in names]
    path.write_text("\n".join(["truth," + ",".join(names), *costs]))
    done = run("dataset:iris", "--learners", PAIR, "--cv", "3", "--loss", str(path), "-q")
    assert done.returncode == 0, done.stderr
    assert "expected cost: less is better" in done.stdout


@pytest.mark.costly
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["no/such.csv", "--target", "y"], "no/such.csv"),
        (["dataset:iris", "--target", "clas"], "'class'"),
        (["dataset:iris", "--learners", "Magic"], "'Magic'"),
        (["dataset:iris", "--metric", "rmse"], "'rmse'"),
        (["dataset:iris", "--task", "cooking"], "'cooking'"),
        (["dataset:iris", "--time-budget", "soon"], "'soon'"),
        (["dataset:iris", "--cv", "1"], "at least 2"),
        (["dataset:iris", "--loss", "no/such.csv"], "no/such.csv"),
        (["dataset:iris", "--report", "no/such/folder.html"], "no/such/folder.html"),
        (["dataset:iris", "--resume"], "nothing to resume"),
    ],
)
def test_what_the_user_can_mend_exits_with_two_and_one_line(cache, args, words):
    done = run(*args)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.costly
def test_where_nothing_could_be_compared_it_exits_with_one(cache):
    done = run("dataset:iris", "--learners", "LinearRegression")
    assert done.returncode == 1
    assert "it is for regression, and this is classification" in done.stdout


SLOW = [
    "dataset:labor",
    "--learners",
    f"{PAIR},RandomForestClassifier,RuleListClassifier",
    "--cv",
    "10",
    "--repeats",
    "3",
]


def started(*args: str) -> subprocess.Popen[str]:
    """The command at work: two learners are done."""
    process = subprocess.Popen(
        [sys.executable, "-m", "learnt", "compare", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    for line in process.stderr:
        if "NaiveBayesClassifier  done" in line:
            break
    return process


def interrupt(*args: str) -> tuple[str, str]:
    """What a command says that is stopped at work; tried again where it had finished when the signal came."""
    for _ in range(5):
        with started(*args) as process:
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
            out, err = process.communicate(timeout=600)
        assert process.returncode in (0, 130), err
        if "interrupted" in out:
            break
    assert process.returncode == 130, err
    return out, err


@pytest.mark.costly
def test_ctrl_c_gives_the_results_so_far_and_resume_the_rest(cache, tmp_path):
    out, err = interrupt(*SLOW)
    assert "Traceback" not in err
    assert "NaiveBayesClassifier" in out
    assert "interrupted" in out
    assert "--resume goes on" in out
    assert len(list(cache.glob("*.journal"))) == 1
    resumed = run(*SLOW, "--resume", "-q", "--json")
    assert resumed.returncode == 0
    assert list(cache.glob("*.journal")) == []
    one, other = json.loads(resumed.stdout), json.loads(run(*SLOW, "-q", "--json").stdout)
    assert one["folds"] == other["folds"]
    assert one["conclusion"] == other["conclusion"]


@pytest.mark.costly
def test_a_killed_command_can_be_resumed(cache):
    with started(*SLOW) as process:
        process.kill()
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and alive(SESSION, process.pid):
        time.sleep(0.1)
    assert alive(SESSION, process.pid) == []  # the workers have noticed that they are alone
    done = run(*SLOW, "--resume")
    assert done.returncode == 0, done.stderr
    first = done.stderr.splitlines()[0]
    assert "MajorityClassifier  done" in first  # from the journal
    assert "RuleListClassifier" in done.stdout


@pytest.mark.costly
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of Unix")
def test_in_a_terminal_a_table_fills_in_and_leaves_the_result(cache):
    read, write = pty.openpty()
    env = {**os.environ, "COLUMNS": "72", "LINES": "20", "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    args = [sys.executable, "-m", "learnt", "compare", "dataset:iris", "--learners", PAIR, "--cv", "5"]
    with subprocess.Popen(args, stdout=write, stderr=write, env=env) as process:
        os.close(write)
        received = b""
        while chunk := _read(read):
            received += chunk
    os.close(read)
    assert process.returncode == 0
    text = received.decode()
    assert "Ctrl-C stops" in text
    assert re.search(r"[1-5]/5", text)
    shown = text[text.rindex("dataset:iris:") :]
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "")
    assert "Ctrl-C stops" not in plain
    assert max(map(len, plain.splitlines())) <= 72
    assert "\x1b[32m● NaiveBayesClassif" in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("5m", 300), ("5min", 300), ("1h30m", 5400), ("1H 30M 5S", 5405), ("0.5s", 0.5)],
)
def test_times_are_read_as_people_type_them(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-5", "5 parsecs", "m", "٣", "1e400"])
def test_other_times_are_refused(text):
    with pytest.raises(ParameterError, match="such as 90s, 5m or 1h30m"):
        seconds_of(text)
