"""What the report says of the data: warnings, hashes, and the script that repeats the comparison."""

from __future__ import annotations

import ast
import subprocess
import sys

import numpy as np
import pytest
from tests.report.comparisons import compared, hostile_comparison

import learnt
from learnt.evaluate.problem import problem
from learnt.report.comparison.fingerprint import fingerprint
from learnt.report.comparison.reproduce import expression, packed_table, script, unpacked_table
from learnt.report.comparison.understood import Understood
from learnt.report.comparison.warnings import row_marks, warnings

pytestmark = pytest.mark.usefixtures("forked_workers")

N = 200


def found(table, target="y") -> dict[str, list]:
    """Warnings by their sort."""
    by_sort: dict[str, list] = {}
    for w in warnings(Understood(problem(learnt.Table(table), target))):
        by_sort.setdefault(w.sort, []).append(w)
    return by_sort


@pytest.fixture
def table() -> dict[str, list]:
    """Two columns that help a little, and a target in no order."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    return {
        "a": (rng.normal(size=N) + y).tolist(),
        "b": [f"b{i}" for i in rng.integers(0, 3, N)],
        "y": [("no", "yes")[i] for i in y],
    }


def test_an_ordinary_table_gives_no_warning(table):
    assert not any(w.grave for ws in found(table).values() for w in ws)
    assert not {"Leakage suspect", "Time order", "Imbalance", "Duplicates", "Identifier"} & set(found(table))


def test_a_column_made_from_the_target_is_a_leakage_suspect(table):
    table["c"] = [f"class {v}" for v in table["y"]]
    (w,) = found(table)["Leakage suspect"]
    assert w.names == ("c",)
    assert w.grave


def test_numbers_that_tell_every_class_are_a_leakage_suspect(table):
    wide = np.random.default_rng(2).exponential(30, N).tolist()
    table["c"] = [100 + x if v == "yes" else min(x, 99.0) for v, x in zip(table["y"], wide, strict=True)]
    assert [w.names for w in found(table)["Leakage suspect"]] == [("c",)]


def test_gaps_that_tell_the_target_are_a_leakage_suspect(table):
    rng = np.random.default_rng(3)
    table["c"] = [None if v == "yes" else float(x) for v, x in zip(table["y"], rng.normal(size=N), strict=True)]
    assert any("Whether 'c' is filled in tells 'y'" in w.words for w in found(table)["Leakage suspect"])


def test_a_numeric_target_has_leakage_suspects_too(table):
    rng = np.random.default_rng(4)
    y = rng.normal(size=N)
    table |= {"y": y.tolist(), "c": (3 * y + 1e-3 * rng.normal(size=N)).tolist()}
    assert [w.names for w in found(table)["Leakage suspect"]] == [("c",)]


def test_suspects_are_those_of_the_description_but_for_columns_that_are_meant(table):
    table["c"] = [f"class {v}" for v in table["y"]]
    understood = Understood(problem(learnt.Table(table), "y"))
    (suspect,) = understood.description.suspects
    (w,) = [w for w in warnings(understood) if w.sort == "Leakage suspect"]
    assert w.words.startswith(suspect.words)
    assert not [w for w in warnings(understood, keep=["c"]) if w.sort == "Leakage suspect"]


def test_identifiers_are_named(table):
    table["id"] = list(range(1000, 1000 + N))
    assert found(table)["Identifier"][0].names == ("id",)


def test_repeated_rows_are_counted_as_by_a_set(table):
    rows = list(zip(*table.values(), strict=True))
    rows += rows[:30]
    again = dict(zip(table, map(list, zip(*rows, strict=True)), strict=True))
    (w,) = found(again)["Duplicates"]
    assert w.words.startswith(f"{len(rows) - len(set(rows))} rows (13.0 %) repeat")
    assert w.grave


def test_rows_that_contradict_each_other_bound_what_can_be_reached():
    table = {"a": ["x"] * 10 + ["z"] * 10, "y": ["no"] * 7 + ["yes"] * 3 + ["yes"] * 10}
    (w,) = found(table)["Contradictions"]
    assert w.words.startswith("10 rows agree")
    assert "85.0 %" in w.words


def test_marks_of_rows_are_equal_exactly_where_rows_are():
    rng = np.random.default_rng(5)
    t = learnt.Table(
        {
            "a": [None if x == 0 else float(x) for x in rng.integers(0, 4, 500)],
            "b": [None if x == 0 else f"l{x}" for x in rng.integers(0, 4, 500)],
            "c": [0.0, -0.0] * 250,
        }
    )
    rows = list(zip(*t.to_dict().values(), strict=True))
    marks = row_marks(t.columns).tolist()
    assert len(set(marks)) == len(set(rows))
    assert len(set(zip(marks, rows, strict=True))) == len(set(rows))


def test_dates_are_a_sign_of_time_order(table):
    table["when"] = [f"2024-{1 + i // 28 % 12:02}-{1 + i % 28:02}" for i in range(N)]
    assert any(w.names == ("when",) and w.grave for w in found(table)["Time order"])


def test_a_number_that_never_falls_is_a_hint_of_time_order(table):
    table["reading"] = np.cumsum(np.random.default_rng(6).exponential(size=N)).tolist()
    (w,) = found(table)["Time order"]
    assert not w.grave
    table["year"] = table.pop("reading")
    (w,) = found(table)["Time order"]
    assert w.grave


def test_rows_sorted_by_the_target_are_noticed(table):
    order = np.argsort(table["y"], kind="stable")
    (w,) = found({name: [cells[i] for i in order] for name, cells in table.items()})["Order of rows"]
    assert "row number" in w.words
    assert not w.grave


def test_a_rare_class_is_an_imbalance(table):
    table["y"] = ["yes" if i % 20 == 0 else "no" for i in range(N)]
    (w,) = found(table)["Imbalance"]
    assert w.grave
    assert "95.0 %" in w.words


def test_columns_with_the_same_cells_are_noticed(table):
    table["copy"] = table["b"]
    assert [w.names for w in found(table)["Same content"]] == [("b", "copy")]


# Hashes


def test_the_fingerprint_is_of_the_content_alone(table):
    whole = fingerprint(problem(learnt.Table(table), "y"))
    assert fingerprint(problem(learnt.Table(dict(table)), "y")) == whole
    assert len(whole) == 64
    for change in ({"a": [*table["a"][:-1], 0.5]}, {"b": [*table["b"][:-1], None]}, {"y": [*table["y"][:-1], "maybe"]}):
        assert fingerprint(problem(learnt.Table({**table, **change}), "y")) != whole
    renamed = {("A" if name == "a" else name): cells for name, cells in table.items()}
    assert fingerprint(problem(learnt.Table(renamed), "y")) != whole


def test_cells_cannot_wander_between_columns_unnoticed():
    one = problem(learnt.Table({"a": [1.0, 2.0], "b": [3.0, 4.0]}), np.array(["x", "y"]))
    other = problem(learnt.Table({"a": [1.0, 3.0], "b": [2.0, 4.0]}), np.array(["x", "y"]))
    assert fingerprint(one) != fingerprint(other)


# The script


@pytest.mark.costly
def test_the_script_runs_and_finds_the_same_scores(tmp_path):
    names = ("MajorityClassifier", "NaiveBayesClassifier")
    comparison = compared(learnt.datasets.load("iris"), "class", names, source="dataset:iris", cv=3)
    (tmp_path / "reproduce.py").write_text(script(comparison), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "reproduce.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "The same data and the same 2 scores as in the report." in done.stdout


@pytest.mark.costly
@pytest.mark.parametrize(
    "roles", [{"drop": "noise", "keep": "id"}, {"groups": "town"}, {"weight": "times"}, {"time": "day"}]
)
def test_the_script_gives_columns_their_roles_again(tmp_path, roles):
    rng = np.random.default_rng(0)
    n = 120
    columns = {
        "id": np.arange(n),
        "noise": rng.normal(size=n),
        "town": rng.choice(list("abcdefghij"), n),
        "times": rng.integers(1, 4, n),
        "day": rng.permutation(n) / 7,
        "x": rng.normal(size=n),
    }
    lines = [",".join([*columns, "y"])]
    yes = columns["x"] + rng.normal(size=n) > 0
    lines += [",".join([*(str(c[i]) for c in columns.values()), "yes" if yes[i] else "no"]) for i in range(n)]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    names = ["MajorityClassifier", "NaiveBayesClassifier"]
    table = learnt.read(tmp_path / "rows.csv")
    comparison = learnt.compare(table, "y", learners=names, cv=3, **roles)
    comparison.source = "rows.csv"
    (tmp_path / "reproduce.py").write_text(script(comparison), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "reproduce.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "The same data and the same 2 scores as in the report." in done.stdout


@pytest.mark.costly
def test_the_script_holds_a_small_table_and_notices_other_scores(tmp_path):
    comparison = compared(learnt.datasets.load("labor"), "class", ("MajorityClassifier", "C45Classifier"), cv=3)
    text = script(comparison)
    assert "TABLE = " in text
    mean = repr(comparison.outcome("C45Classifier").mean("accuracy"))
    (tmp_path / "reproduce.py").write_text(text.replace(f": {mean},", ": 0.123,"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "reproduce.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1
    assert "Other scores than in the report: 'C45Classifier'." in done.stderr


@pytest.mark.parametrize(
    ("name", "learner"), [("labor", "MajorityClassifier"), ("iris", "MajorityClassifier"), ("cpu", "MeanRegressor")]
)
def test_a_packed_table_is_the_same_table(name, learner):
    comparison = compared(learnt.datasets.load(name), "class", (learner,), cv=2)
    again = problem(unpacked_table(packed_table(comparison)), "class")
    assert fingerprint(again) == fingerprint(comparison.problem)


def test_hostile_names_stand_in_the_script_as_literals_only():
    text = script(hostile_comparison())
    tree = ast.parse(text)
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "os._exit" not in called
    assert not any(isinstance(node, ast.Import) and node.names[0].name == "os" for node in ast.walk(tree))


@pytest.mark.parametrize(
    "learner",
    [
        learnt.C45Classifier(),
        learnt.C45Classifier(confidence=0.1),
        learnt.NaiveBayesClassifier().with_loss({("a", "b"): 2.0}),
        learnt.TextClassifier(bag=learnt.BagOfWords(column="it's")),
    ],
)
def test_learners_are_written_as_source_that_makes_their_equals(learner):
    words = expression(learner)
    assert words is not None
    again = eval(words, {"find": learnt.learner.registry.find})
    assert type(again) is type(learner)
    assert repr(again.get_params()) == repr(learner.get_params())


def test_what_cannot_be_written_is_not_guessed():
    from sklearn.tree import DecisionTreeClassifier

    assert expression(DecisionTreeClassifier()) is None
    assert expression(np.arange(3)) is None


def test_the_script_reads_the_file_as_the_comparison_did():
    comparison = compared(learnt.datasets.load("labor"), "class", ("MajorityClassifier",), cv=3, source="my file.csv")
    comparison.reading = {"kinds": {"zip": "nominal", "it's": "numeric"}, "missing": ("?",), "header": False}
    words = "learnt.read(source, kinds={'zip': 'nominal', \"it's\": 'numeric'}, missing=('?',), header=False)"
    assert words in script(comparison)
