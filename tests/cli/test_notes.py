"""What was done to the columns is said once beside the result: on the terminal, in JSON, and on top of every page."""

import json

import pytest
from tests.cli.cli_box import commands

import learnt
from learnt.cli.arguments import inputs
from learnt.cli.terminal.notes import MOST_NOTES
from learnt.data.files.read import read
from learnt.data.notes import Note
from learnt.data.table import Table

NOTES = (
    Note("temperature", "3 words of 'temperature' are missing: 'n.a.' (line 4), '<b>'.", "--kind temperature=nominal",
         "kinds={'temperature': 'nominal'}"),
    Note(None, "2 lines above the header were left out."),
)  # fmt: skip
COMMANDS = {
    "describe": ("--html", "{page}"),
    "compare": ("--target", "play", "--learners", "MajorityClassifier,DecisionStumpClassifier", "--cv", "2", "--jobs",
                "1", "--report", "{page}"),
    "cluster": ("-k", "2", "--report", "{page}"),
    "reduce": ("--report", "{page}"),
    "train": ("--target", "play", "-l", "C45Classifier", "-o", "{folder}/m.learnt"),
}  # fmt: skip


@pytest.fixture
def command(capfdbinary, monkeypatch, tmp_path):
    """Files that are read with these notes, however they are written."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    table = learnt.datasets.load("weather_numeric")
    lines = zip(*table.to_dict().values(), strict=True)
    (tmp_path / "d.csv").write_text("\n".join([",".join(table.names), *(",".join(map(str, row)) for row in lines)]))
    noted = {"notes": NOTES}

    def read_with_notes(*args, **settings):
        found = read(*args, **settings)
        return Table.of_columns(found.columns, target=found.target, notes=noted["notes"])

    monkeypatch.setattr(inputs, "read", read_with_notes)
    run = commands(capfdbinary, monkeypatch)

    def typed(name, *more, notes=NOTES):
        noted["notes"] = notes
        words = [word.format(page=tmp_path / "p.html", folder=tmp_path) for word in COMMANDS[name]]
        return run(name, tmp_path / "d.csv", *words, *more)

    return typed


@pytest.mark.costly
@pytest.mark.parametrize("name", COMMANDS)
def test_notes_stand_on_stderr_with_the_flag_that_undoes_them_unless_quiet(command, name):
    done = command(name)
    assert done.code == 0, done.err
    words = " ".join(done.err.split())
    assert "What I did to your columns" in words
    assert "'<b>'. [--kind temperature=nominal]" in words
    assert "2 lines above the header were left out." in words
    assert "n.a." not in done.out
    assert "n.a." not in command(name, "--quiet").err


@pytest.mark.costly
@pytest.mark.parametrize("name", COMMANDS)
def test_json_holds_the_notes_and_stderr_does_not(command, name):
    done = command(name, "--json")
    assert [note["text"] for note in json.loads(done.out)["notes"]] == [note.text for note in NOTES]
    assert json.loads(done.out)["notes"][0]["flag"] == "--kind temperature=nominal"
    assert "n.a." not in done.err


@pytest.mark.costly
@pytest.mark.parametrize("name", [name for name, words in COMMANDS.items() if "{page}" in words])
def test_every_page_folds_the_notes_at_its_top(command, name, tmp_path):
    command(name, "--quiet")
    page = (tmp_path / "p.html").read_text("utf-8")
    head = page[: page.index("</header>")]
    assert '<details class="notes">' in head
    assert "<code>--kind temperature=nominal</code>" in head
    assert "&lt;b&gt;" in head
    command(name, "--quiet", notes=())
    assert 'class="notes"' not in (tmp_path / "p.html").read_text("utf-8")


def test_many_notes_are_cut_short_and_it_is_said_where_all_are(command, tmp_path):
    many = tuple(Note("temperature", f"Thing {i} was done.") for i in range(20))
    done = command("compare", notes=many)
    assert done.err.count("was done.") == MOST_NOTES
    assert f"and 12 more: learnt describe {tmp_path}/d.csv --notes" in " ".join(done.err.split())
    whole = command("describe", "--notes", notes=many)
    assert (whole.out.count("was done."), whole.err) == (20, "")


def test_the_list_of_columns_says_their_kinds_and_how_to_change_them(command):
    done = command("describe", "--notes")
    assert "outlook      nominal  'sunny', 'overcast', 'rainy'" in done.out
    assert "Undo: --kind temperature=nominal" in done.out
    assert "--kind COLUMN=KIND, such as --kind outlook=text" in done.out
    facts = json.loads(command("describe", "--notes", "--json").out)
    assert facts["columns"][0] == {"name": "outlook", "kind": "nominal", "to_change": "--kind outlook=text"}
    assert facts["columns"][1]["to_change"] == "--kind temperature=nominal"
