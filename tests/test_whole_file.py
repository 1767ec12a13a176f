"""A file is written whole or not at all, where it was meant to be and with the permissions it was meant to have."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from tests.faults.faults_box import as_nobody, killed_at, small_disk

from learnt.errors import LearntError, WriteError
from learnt.whole_file import check_place, whole_file, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and forks of Unix")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_folder():
    """A folder that every user can reach; those of pytest are for their owner alone."""
    folder = Path(tempfile.mkdtemp(prefix="learnt-test-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)])
def test_a_new_file_has_the_permissions_that_the_mask_says(tmp_path, mask, mode):
    former = os.umask(mask)
    try:
        write_whole(tmp_path / "a", "new")
    finally:
        os.umask(former)
    assert mode_of(tmp_path / "a") == mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o604, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_text(), mode_of(path)) == ("new", mode)


def test_a_private_file_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "a"
    path.touch(mode=0o600)
    with whole_file(path):
        assert [mode_of(other) for other in tmp_path.iterdir()] == [0o600, 0o600]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_stays_theirs(tmp_path):
    path = tmp_path / "a"
    path.touch()
    os.chown(path, 1234, 4321)
    write_whole(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


def test_a_link_stays_a_link_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link, second = tmp_path / "there" / "model", tmp_path / "link", tmp_path / "second"
    target.write_text("old")
    link.symlink_to("there/model")
    second.symlink_to(link)
    write_whole(second, "new")
    assert link.is_symlink()
    assert second.is_symlink()
    assert (target.read_text(), target.is_symlink()) == ("new", False)
    assert [path.name for path in target.parent.iterdir()] == ["model"]


def test_a_link_that_leads_nowhere_is_where_the_file_goes(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "later")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "later").read_text() == "new"


def test_until_the_end_of_the_block_the_former_file_is_there_and_after_an_error_too(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")

    def fail_on_the_way():
        with whole_file(path) as out:
            out.write(b"new" * 100_000)
            assert path.read_text() == "old"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_on_the_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_errors_of_the_block_are_not_taken_for_those_of_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "a"):
        (tmp_path / "b").read_text()
    assert not isinstance(caught.value, LearntError)


def test_a_name_as_long_as_names_may_be_is_written(tmp_path):
    path = tmp_path / ("x" * 255)
    write_whole(path, "new")
    assert path.read_text() == "new"


def test_what_is_no_file_is_written_to_directly(tmp_path):
    write_whole("/dev/null", "gone")
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    listener.start()
    write_whole(pipe, "through")
    listener.join(600)
    assert heard == ["through"]
    assert list(tmp_path.iterdir()) == [pipe]


def test_standard_output_by_its_name_is_no_file_to_replace(capfd):
    write_whole("/dev/stdout", "heard")
    assert capfd.readouterr().out == "heard"


# What cannot be written, in words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no/such/a", "there is no folder '.*no/such'. Make it, or choose another place."),
        ("file/a", "'.*file' is not a folder. Choose another place."),
        ("folder", "it is a folder. Choose another name."),
        ("y" * 300, "the name is too long. Choose a shorter one."),
        ("circle", "its links lead in a circle. Choose another name."),
    ],
)
def test_a_wrong_place_is_told_in_words_before_the_work_and_after_it(tmp_path, name, words):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    before = sorted(tmp_path.rglob("*"))
    for attempt in (check_place, lambda path, what: write_whole(path, "new", what)):
        with pytest.raises(WriteError, match=rf"The report cannot be written: {words} \(file '.*'\)"):
            attempt(tmp_path / name, "The report")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="looks for /proc")
def test_a_folder_that_takes_no_files_is_there_all_the_same():
    with pytest.raises(
        WriteError, match=r"the folder '/proc' takes no files. Choose another place|nothing may be written"
    ):
        write_whole("/proc/a", "new", "The report")


def test_the_error_is_one_of_learnt_and_one_of_the_system(tmp_path):
    with pytest.raises(OSError) as caught:
        write_whole(tmp_path / "no" / "a", "new")
    assert isinstance(caught.value, LearntError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.errno == errno.ENOENT
    assert caught.value.file == str(tmp_path / "no" / "a")


def test_a_folder_without_permission_is_named(open_folder):
    open_folder.chmod(0o555)
    words = f"nothing may be written into the folder '{open_folder}'. Choose another place, or change its permissions."
    for attempt in (check_place, lambda path: write_whole(path, "new")):
        with pytest.raises(WriteError, match=words):
            as_nobody(lambda attempt=attempt: attempt(open_folder / "a"))


def test_a_write_protected_file_is_not_replaced(open_folder):
    open_folder.chmod(0o777)
    path = open_folder / "a"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(WriteError, match="it is write-protected"):
        as_nobody(lambda: write_whole(path, "new"))
    assert path.read_text() == "old"


def test_a_read_only_file_system_is_called_one(tmp_path):
    with small_disk(tmp_path / "disk", "ro") as disk:
        for attempt in (check_place, lambda path: write_whole(path, "new")):
            with pytest.raises(WriteError, match="the file system is read-only"):
                attempt(disk / "a")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_says_only_at_the_end_that_it_is_full_destroys_nothing(tmp_path, monkeypatch, number):
    def refuse(descriptor):
        raise OSError(number, os.strerror(number))

    path = tmp_path / "a"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(WriteError, match="the disk is full") as caught:
        write_whole(path, "new")
    assert caught.value.errno == number
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_system_that_cannot_sync_is_written_to(tmp_path, monkeypatch):
    def refuse(descriptor):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", refuse)
    write_whole(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"


# Killed


@pytest.mark.parametrize("old", [None, b"old"])
def test_killed_at_any_step_the_file_is_the_former_or_the_new_and_the_next_write_cleans_up(tmp_path, old):
    new = b"new" * 100_000
    step, killed = 0, True
    while killed:
        folder = tmp_path / str(step)
        folder.mkdir()
        path = folder / "a"
        if old is not None:
            path.write_bytes(old)
        killed = killed_at(step, lambda path=path: write_whole(path, new))
        found = path.read_bytes() if path.exists() else None
        assert found in (old, new)
        assert len(list(folder.iterdir())) <= 2
        write_whole(path, b"next")
        assert list(folder.iterdir()) == [path]
        step += 1
    assert found == new
    assert step > 5  # opened, written, synced, moved, the folder synced
