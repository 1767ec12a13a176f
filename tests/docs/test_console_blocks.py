"""What pages show at a terminal is what the commands print today."""

from pathlib import Path

import pytest
from tests.cli.cli_box import commands as box
from tests.docs.console_blocks import FENCE, agrees, commands
from tests.docs.test_docs import PAGES, ROOT

import learnt
from learnt.cli.writing.csv_cells import csv_line
from learnt.cli.writing.predictions import csv_bytes, table_texts

WITH_COMMANDS = [page for page in PAGES if list(commands(page.read_text("utf-8")))]
SLOW = {"README.md"}  # it compares all learners


def write_csv(path: Path, table: learnt.Table) -> None:
    path.write_bytes(csv_line(table.names).encode() + csv_bytes(table_texts(table)))


@pytest.fixture
def terminal(tmp_path, monkeypatch, capfdbinary):
    """A folder with the files that pages speak of."""
    vote, weather = learnt.datasets.load("vote"), learnt.datasets.load("weather_numeric")
    write_csv(tmp_path / "votes.csv", vote)
    write_csv(tmp_path / "new.csv", vote.drop("Class"))
    write_csv(tmp_path / "data.csv", weather)
    write_csv(tmp_path / "contracts.csv", learnt.datasets.load("labor"))
    cells = (tmp_path / "data.csv").read_text()
    (tmp_path / "data.csv").write_text(cells.replace("play", "y", 1))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return box(capfdbinary, monkeypatch)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, id=p.name, marks=[pytest.mark.slow, pytest.mark.timeout(1200)] if p.name in SLOW else [])
        for p in WITH_COMMANDS
    ],
)
def test_a_page_shows_what_its_commands_print(terminal, page):
    for command in commands(page.read_text("utf-8")):
        done = terminal(*command.words)
        where = f"{page.relative_to(ROOT)}, line {command.line}"
        assert done.code == 0, f"{where}: {done.err}"
        if command.shown:
            assert agrees(command.shown, done.out.splitlines()), f"{where} prints\n{done.out}"


def test_the_pages_hold_blocks_to_run():
    assert ROOT / "README.md" in WITH_COMMANDS
    for page in PAGES:  # what looks like a terminal is called one
        text = page.read_text("utf-8")
        assert FENCE.sub("", text).count("\n$ learnt") == 0, page


def test_a_stale_block_is_noticed():
    printed = ["learner  accuracy  fit", "Tree         0.9  12 ms", "Rule         0.8   3 s", "", "Tree is best."]
    assert agrees(["learner  accuracy   fit", "Tree  0.9  5 ms", "…", "Tree is best."], printed)
    assert agrees(["…", "Tree is best."], printed)
    assert agrees(printed, printed)
    assert not agrees(["learner  accuracy   fit", "Tree  0.8  5 ms", "…", "Tree is best."], printed)
    assert not agrees(printed[:-1], printed)
    assert not agrees(["…", "Rule is best."], printed)


def test_only_learnt_is_run_and_blocks_may_be_marked():
    run = "```console\n$ learnt show m.learnt  # why\nTree\n$ learnt datasets\n```\n\n"
    page = run + "```console not-run\n$ make it\n```\n"
    assert [(c.words, c.shown, c.line) for c in commands(page)] == [
        (["show", "m.learnt"], ["Tree"], 2),
        (["datasets"], [], 4),
    ]
    with pytest.raises(AssertionError, match="make"):
        list(commands("```console\n$ make it\n```\n"))
