"""`learnt recommend`: ratings in a file, lists of items."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from tests.cli.cli_box import commands

from learnt.cli.arguments.completing import method_setting_names


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((12, 8)) < 0.6)
    lines = [f"{u},{'abcdefgh'[i]},{rng.integers(1, 6)}" for u, i in zip(users, items, strict=True)]
    (tmp_path / "ratings.csv").write_text("\n".join(["user,item,rating", *lines]) + "\n")
    return tmp_path / "ratings.csv"


def test_it_lists_and_explains(command, file):
    done = command("recommend", file, "--user", "3", "-n", "2", "--explain", "--item", "a")
    assert done.code == 0
    assert "for '3'" in done.out
    assert "why '" in done.out
    assert "similar to 'a'" in done.out


def test_a_saved_model_gives_the_same_lists(command, file, tmp_path):
    saved = tmp_path / "films.learnt"
    first = json.loads(command("recommend", file, "--user", "3", "--save", saved, "--json", "--implicit").out)
    again = json.loads(command("recommend", saved, "--user", "3", "--json").out)
    assert first == again
    assert first["recommendations"][0]["known"] is True
    wrong = command("recommend", saved, "--user", "3", "--implicit")
    assert (wrong.code, len(wrong.err.splitlines())) == (2, 1)


def test_settings_are_completed():
    context = SimpleNamespace(info_name="recommend", params={})
    assert method_setting_names(context, "ra") == ["rank=", "random_state="]


def test_somebody_new_is_told_so(command, file):
    done = command("recommend", file, "--user", "Zoë", "-n", "3")
    assert "who is new" in done.out
    facts = json.loads(command("recommend", file, "--user", "Zoë", "-n", "3", "--json").out)
    assert facts["recommendations"][0]["known"] is False
    assert len(facts["recommendations"][0]["items"]) == 3


def test_columns_and_settings_may_be_named_and_folders_are_read_in_passes(command, file, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    head, *lines = file.read_text().splitlines()
    for part in (0, 1):
        (folder / f"{part}.csv").write_text("\n".join([head.replace("user", "who"), *lines[part::2]]) + "\n")
    named = ["--user-column", "who", "--rating-column", "rating", "--set", "rank=2", "--set", "max_iter=3", "-q"]
    done = command("recommend", folder, "--user", "3", *named, "--json")
    whole = command("recommend", file, "--user", "3", "--set", "rank=2", "--set", "max_iter=3", "-q", "--json")
    a, b = (json.loads(one.out)["recommendations"][0]["items"] for one in (done, whole))
    assert [x["item"] for x in a] == [x["item"] for x in b]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--explain"], "--user"),
        (["--item", "zzz"], "no item 'zzz'"),
        (["--user-column", "nobody"], "nobody"),
        (["--set", "rank=none"], "rank"),
        (["--rating-column", "item"], "item"),
    ],
)
def test_errors_are_one_line(command, file, more, words):
    done = command("recommend", file, *more)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
