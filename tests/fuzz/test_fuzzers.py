"""What fuzzers found stays mended; a few new cases of each fuzzer; and the fuzzers themselves find what they should."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from tools.fuzz.case import ROOT, Case, Fuzzer, numbered
from tools.fuzz.drive import Run
from tools.fuzz.examples import UNLISTED
from tools.fuzz.fuzzers import FUZZERS
from tools.fuzz.fuzzers.files import FileFuzzer
from tools.fuzz.judge import judge
from tools.fuzz.mutate import mutate_bytes
from tools.fuzz.parts import Parts
from tools.fuzz.stub import kernels

import learnt
from learnt import _core
from learnt.errors import InputError
from learnt.learner.registry import _entries

CASES = sorted((Path(__file__).parent / "cases").glob("*.case"))
READERS = {name: fuzzer for name, fuzzer in FUZZERS.items() if isinstance(fuzzer, FileFuzzer)}
EACH = 4  # new cases of every file


def test_what_is_kept_says_nothing_of_the_machine_it_was_found_on():
    assert [path.name for path in CASES if "trace" in Case.load(path).about] == []


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path):
    case = Case.load(path)
    with contextlib.suppress(Exception):
        FUZZERS[case.fuzzer].attempt(case)  # what is imported late is imported now
    finding = judge(FUZZERS[case.fuzzer], case)
    assert finding is None, finding.what


@pytest.mark.costly
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_a_table_or_an_error_in_one_line_that_names_it(name):
    fuzzer = READERS[name]
    fuzzer.begin()
    for number in range(EACH * len(fuzzer.seeds)):
        finding = judge(fuzzer, numbered(fuzzer, 7, number))
        assert finding is None, f"case {number} of seed 7: {finding.what}\n{finding.trace}"


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_ten_thousand_damaged_files(name):
    fuzzer = READERS[name]
    fuzzer.begin()
    for number in range(10_000):
        finding = judge(fuzzer, numbered(fuzzer, 8, number))
        assert finding is None, f"case {number} of seed 8: {finding.what}\n{finding.trace}"


# ---- the fuzzers themselves


@pytest.mark.parametrize("name", [*READERS, "tables"])
def test_a_case_depends_on_seed_and_number_alone(name):
    fuzzer = FUZZERS[name]
    first = [numbered(fuzzer, 3, number) for number in range(20)]
    again = [numbered(fuzzer, 3, number) for number in reversed(range(20))]
    assert first == again[::-1]
    assert first != [numbered(fuzzer, 4, number) for number in range(20)]


def test_a_saved_case_is_the_same_when_loaded(tmp_path):
    case = Case("csv", "read a b.csv", b"\n\0{}\nx", {"seed": 1})
    assert Case.load(case.save(tmp_path)) == case


def test_mutations_change_nearly_everything():
    chance = random.Random(0)
    content = b"a,b\n" + b"1,x\n2,y\n" * 9
    changed = {mutate_bytes(content, chance) for _ in range(300)}
    assert len(changed) > 250


def test_a_model_file_taken_apart_and_put_together_says_the_same(tmp_path):
    from learnt import DecisionTreeClassifier, load, save

    path = tmp_path / "model.learnt"
    save(DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]), path)
    path.write_bytes(Parts.of(path.read_bytes()).packed())
    assert load(path).predict([[1.0]]).tolist() == ["a"]


def test_every_learner_that_nobody_is_offered_has_an_example():
    for name in learnt.__all__:
        getattr(learnt, name)
    inside = {"ExpertGate", "LogarithmicPool"}  # parts of ensembles, which are tried with them
    inside.add("MarkovNetwork")  # is not fitted; its inference is that of BayesianNetwork
    assert {name for name, entry in _entries.items() if not entry.listed and not entry.own} - inside == set(UNLISTED)


def test_all_kernels_of_the_stub_are_there():
    for name, kernel in kernels().items():
        assert all(hasattr(getattr(_core, name), method) for method, _ in kernel.methods)


class Naughty(Fuzzer):
    """Does whatever the case says."""

    name = "naughty"

    def make(self, chance):
        return Case(self.name, "what", chance.choice([b"fine", b"own", b"raw", b"lines", b"slow", b"memory"]))

    def attempt(self, case):
        match case.content:
            case b"own":
                raise InputError("one line")
            case b"lines":
                raise InputError("two\nlines")
            case b"raw":
                raise KeyError("x")
            case b"slow":
                begun = time.process_time()
                while time.process_time() < begun + 0.4:
                    pass
            case b"memory":
                assert b"x" * (200 << 20)

    def smaller(self, case):
        return iter(())


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="memory is measured by Linux")
def test_the_judge_knows_what_may_be(monkeypatch):
    for content, what in {
        b"fine": None, b"own": None, b"raw": "KeyError", b"lines": "not one line", b"slow": "processor time",
        b"memory": "MB of memory",
    }.items():  # fmt: skip
        # Memory that is touched for the first time may take a second of its own.
        monkeypatch.setattr("tools.fuzz.judge.SECONDS", 0.3 if content == b"slow" else 60)
        finding = judge(Naughty(), Case("naughty", "what", content))
        assert (finding is None) if what is None else (what in finding.what), content


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="memory is measured by Linux")
def test_memory_of_the_process_that_started_this_one_is_no_finding():
    """Linux hands the peak of a process on to what it starts, which was 361 MB for 503 bytes."""
    grow = "import subprocess, sys; held = b'x' * (400 << 20); del held; sys.exit(subprocess.call(sys.argv[1:]))"
    started = [sys.executable, "-c", grow, sys.executable, "-c", INHERITED]
    told = subprocess.run(started, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    assert told == ["None", "memory"]


INHERITED = """
from tests.fuzz.test_fuzzers import Naughty
from tools.fuzz.case import Case
from tools.fuzz.judge import judge
for content in (b"fine", b"memory"):
    finding = judge(Naughty(), Case("naughty", "what", content))
    print(finding and finding.key.split(" ")[0])
"""


@pytest.mark.slow
def test_a_crash_and_an_endless_loop_are_found_and_the_run_goes_on(tmp_path, monkeypatch, capsys):
    """In real workers: CSV cases, two of which are made to do harm by a module that the workers import first."""
    (tmp_path / "sitecustomize.py").write_text(HARM, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setattr("tools.fuzz.drive.SHRINK_SECONDS", 0.0)
    run = Run(FUZZERS["libsvm"], 0, tmp_path, most=12)
    run.go(1)
    told = capsys.readouterr().out
    assert run.done == 12
    assert len(run.found) == 2
    assert "SIGABRT" in told
    assert "runs for more than" in told
    assert len(list((tmp_path / "found").glob("*.case"))) == 2


HARM = """
import os
import sys
if "tools.fuzz.worker" in " ".join(sys.orig_argv):
    from tools.fuzz import judge, worker
    from tools.fuzz.case import numbered
    judge_well, worker.LIMIT_SECONDS = judge.judge, 0.5

    def judge_harm(fuzzer, case):
        if case == numbered(fuzzer, 0, 3):
            os.abort()
        while case == numbered(fuzzer, 0, 7):
            pass
        return judge_well(fuzzer, case)

    judge.judge = judge_harm
"""
