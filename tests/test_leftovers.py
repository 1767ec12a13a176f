"""Only what a killed process of this machine left behind is removed, and nothing that anybody may still need."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learnt.leftovers import ScratchFolder, claim, remove_leftovers, temporary_name

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks of Unix")


@pytest.fixture
def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def name_for(pid: int) -> str:
    return temporary_name().replace(f"-{os.getpid()}-", f"-{pid}-")


def test_what_a_process_that_is_gone_has_left_is_removed(tmp_path, gone):
    (tmp_path / name_for(gone)).write_text("half")
    folder = tmp_path / name_for(gone).strip(".").removesuffix(".tmp")
    (folder / "inside").mkdir(parents=True)
    remove_leftovers(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_number_that_is_ours_by_chance_is_decided_by_the_lock(tmp_path):
    left, used = tmp_path / temporary_name(), tmp_path / temporary_name()
    left.touch()
    with used.open("wb") as file:
        assert claim(file.fileno()) == "ours"
        remove_leftovers(str(tmp_path))
        assert list(tmp_path.iterdir()) == [used]


def test_what_may_be_in_use_or_another_s_stays(tmp_path, gone):
    of_other_machine = re.sub("learnt-[0-9a-f]{8}", "learnt-00000000", name_for(gone))
    alive = name_for(os.getppid())
    alike = [f"{name_for(gone)}x", f"x{name_for(gone)}", ".learnt-model.tmp", "learnt-notes"]
    for name in (of_other_machine, alive, *alike):
        (tmp_path / name).touch()
    (tmp_path / "file").touch()
    (tmp_path / name_for(gone)).symlink_to("file")
    locked = tmp_path / name_for(gone)  # a process of another container, whose numbers are others
    with locked.open("wb") as file:
        claim(file.fileno())
        before = sorted(tmp_path.iterdir())
        remove_leftovers(str(tmp_path))
        assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_cannot_be_looked_through_is_let_be(tmp_path):
    remove_leftovers(str(tmp_path / "nowhere"))


def test_a_scratch_folder_is_private_and_goes_with_its_owner(tmp_path, monkeypatch, gone):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / name_for(gone).strip(".").removesuffix(".tmp")).mkdir()
    with ScratchFolder() as first:
        assert list(tmp_path.iterdir()) == [first.path]
        assert first.path.stat().st_mode & 0o777 == 0o700
        (first.path / "a").touch()
    second = ScratchFolder()
    assert list(tmp_path.iterdir()) == [second.path]
    del second
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_scratch_folder_of_a_killed_process_is_removed_by_the_next(tmp_path):
    code = "import os, learnt.leftovers as l; s = l.ScratchFolder(); print(s.path, flush=True); os.kill(os.getpid(), 9)"
    settings = {"env": {**os.environ, "TMPDIR": str(tmp_path)}, "capture_output": True, "text": True, "check": False}
    killed = subprocess.run([sys.executable, "-c", code], **settings)
    assert [Path(killed.stdout.strip())] == list(tmp_path.iterdir())
    subprocess.run([sys.executable, "-c", "import learnt.leftovers as l; l.ScratchFolder()"], **settings)
    assert list(tmp_path.iterdir()) == []
