"""Journals of comparisons that were stopped stay, are told of, and are found by --resume."""

from __future__ import annotations

import os
import sys
import time
import warnings

import pytest
from tests.cli.cli_box import commands

from learnt.cli.writing.journals import KEPT, journal_for, kept_folder
from learnt.errors import FileError
from learnt.evaluate.journal import Journal


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def begun(n_folds: int, *settings: object, file: str = "a.csv"):
    """The journal of a comparison that was killed after so many folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = journal_for(file, *settings, resume=False)
    path.write_bytes(b"header\n" + b"fold\n" * n_folds)
    return path


def test_a_second_comparison_keeps_the_journal_of_the_first_and_says_resume():
    first = begun(37)
    content = first.read_bytes()
    with pytest.warns(UserWarning, match="37 of its folds are kept: --resume goes on with them"):
        second = journal_for("a.csv", resume=False)
    assert second != first
    assert first.read_bytes() == content
    assert journal_for("a.csv", resume=True) == first


def test_one_that_was_killed_before_its_first_fold_is_not_worth_a_word(recwarn):
    begun(0)
    journal_for("a.csv", resume=False)
    assert list(recwarn) == []


def test_of_several_the_one_with_most_folds_is_resumed_and_others_stay():
    journals = [begun(n) for n in (3, 12, 5)]
    assert journal_for("a.csv", resume=True) == journals[1]
    assert all(path.exists() for path in journals)


def test_another_file_or_other_settings_are_another_comparison(recwarn):
    begun(3, "cv", 10)
    for file, settings in (("b.csv", ("cv", 10)), ("a.csv", ("cv", 5)), ("dataset:a.csv", ("cv", 10))):
        with pytest.raises(FileError, match="nothing to resume"):
            journal_for(file, *settings, resume=True)
        journal_for(file, *settings, resume=False)
    assert list(recwarn) == []


def test_what_nobody_resumes_any_more_is_cleared_away():
    old, recent = begun(3), begun(4)
    long_ago = time.time() - KEPT - 60
    os.utime(old, (long_ago, long_ago))
    begun(1)
    assert not old.exists()
    assert recent.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="locks of Unix")
def test_a_comparison_that_runs_at_this_moment_is_neither_resumed_nor_told_of(recwarn):
    path = begun(0)
    path.write_bytes(b"")
    running = os.fork()
    if running == 0:
        with Journal(path, {"data": "these"}) as journal:
            path.with_suffix(".ready").touch()
            while path.with_suffix(".ready").exists():
                time.sleep(0.01)
            journal.close()
        os._exit(0)
    while not path.with_suffix(".ready").exists():
        time.sleep(0.01)
    try:
        with pytest.raises(FileError, match="still being compared"):
            journal_for("a.csv", resume=True)
        with pytest.raises(FileError, match="Another process writes to this journal"):
            Journal(path, {"data": "these"})
        assert journal_for("a.csv", resume=False) != path
        assert list(recwarn) == []
    finally:
        path.with_suffix(".ready").unlink()
        os.waitpid(running, 0)
    Journal(path, {"data": "these"}).close()


def test_the_command_says_it_once_and_quiet_is_quiet(capfdbinary, monkeypatch):
    command = commands(capfdbinary, monkeypatch)
    args = ("compare", "dataset:iris", "--learners", "MajorityClassifier", "--cv", "2")
    command(*args, "-q")  # finished: it leaves no journal
    assert list(kept_folder().glob("*.journal")) == []
    monkeypatch.setattr("learnt.cli.commands.compare._finish", lambda *args, **settings: sys.exit(0))
    seen = {}

    def note(file, *settings, resume):
        seen["key"] = (file, *settings)
        return journal_for(file, *settings, resume=resume)

    monkeypatch.setattr("learnt.cli.writing.journals.journal_for", note)
    command(*args, "-q")
    stopped = begun(2, *seen["key"][1:], file=seen["key"][0])
    told = command(*args).err
    assert told.count("--resume goes on with them") == 1
    assert command(*args, "-q").err == ""
    assert list(kept_folder().glob("*.journal")) == [stopped]
