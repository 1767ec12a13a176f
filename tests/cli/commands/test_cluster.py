"""`learnt cluster` and `learnt reduce` as users meet them: real tables, options, files, mistakes."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.cli_box import Command, commands

import learnt
from learnt.cli.arguments.completing import cluster_method_names, reduce_method_names

IRIS = learnt.datasets.load("iris")


@pytest.fixture
def command(capfdbinary, monkeypatch) -> Command:
    return commands(capfdbinary, monkeypatch)


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text("utf-8"))))


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# cluster


def test_clusters_are_told_with_what_makes_them_different_how_sure_it_is_and_their_classes(command):
    done = command("cluster", "dataset:iris", "--k", "3")
    assert done.code == 0, done.err
    assert "dataset:iris: 150 rows, 4 columns: 3 clusters by KMeans(n_clusters=3, n_init=10" in done.out
    assert "'class' was kept out" in done.out
    assert re.search(r"(?m)^ +\d +50  33.3 %  petallength +1.464  3.759   −1.30$", done.out)
    assert re.search(r"silhouette  0\.4\d+ ± 0\.0\d+ \(95 %\)", done.out)
    assert "restarts    10 fits from other starts agree by" in done.out
    assert "adjusted Rand" in done.out
    assert "Iris-setosa" in done.out


def test_the_json_holds_the_clusters_that_python_would_find(command, tmp_path):
    saved = tmp_path / "m.learnt"
    done = command("cluster", "dataset:iris", "-k", 3, "--json", "--seed", 4, "--save", saved)
    facts = json.loads(done.out)
    model = learnt.KMeans(3, n_init=10, standardize=True, random_state=4).fit(IRIS.drop("class"))
    assert [c["size"] for c in facts["clusters"]] == np.bincount(model.labels_).tolist()
    assert facts["n_clusters"] == 3
    assert facts["columns"] == list(IRIS.drop("class").names)
    kept = learnt.load(saved)
    np.testing.assert_array_equal(kept.predict(IRIS.drop("class")), model.labels_)


@pytest.mark.costly
def test_without_k_the_number_with_the_largest_silhouette_is_taken_and_its_doubt_told(command):
    words = " ".join(command("cluster", "dataset:iris").out.split())
    assert "k = 2: of k from 2 to 10 its mean silhouette is largest." in words
    model = learnt.KMeans(n_init=3, standardize=True, random_state=0)
    assert learnt.choose_k(IRIS.drop("class"), range(1, 11), model=model, random_state=0).doubt in words
    words = " ".join(command("cluster", "dataset:iris", "--method", "kmedoids").out.split())
    assert "k = 2: of k from 2 to 10, the mean silhouette is largest, 0.6" in words
    assert "Whether there are clusters at all it does not tell." in words
    words = " ".join(command("cluster", "dataset:iris", "--method", "gaussian").out.split())
    assert re.search(
        r"k = 2: of k from 1 to 10, the BIC is least( of those with rows enough)?, \d+.*A single one has \d+", words
    )


def test_rows_that_repeat_are_as_many_clusters_as_differ(command, tmp_path):
    data = write(tmp_path / "d.csv", "a,b\n" + "1,x\n2,y\n" * 15)
    for method in ("kmeans", "divisive", "kmedoids"):
        done = command("cluster", data, "--method", method, "--json")
        assert [c["size"] for c in json.loads(done.out)["clusters"]] == [15, 15], method


def test_a_mixed_table_with_missing_cells_needs_no_preparation(command, tmp_path):
    labelled = tmp_path / "labelled.csv"
    done = command("cluster", "dataset:labor", "--k", 2, "-o", labelled)
    assert done.code == 0, done.err
    head, *cells = rows_of(labelled)
    assert head == [*learnt.datasets.load("labor").names, "cluster"]
    assert len(cells) == 57
    assert {row[-1] for row in cells} == {"0", "1"}
    assert f"Written: {labelled}" in done.out


def test_a_saved_model_puts_new_rows_into_its_clusters(command, tmp_path):
    data = tmp_path / "iris.csv"
    data.write_text("id,a,b\n" + "".join(f"{i},{i % 2 * 10 + i % 3},{i % 2 * 7}\n" for i in range(40)))
    done = command("cluster", data, "--k", 2, "--save", tmp_path / "m.learnt", "--output", tmp_path / "l.csv")
    assert "'id' was left out: it numbers the rows, like an identifier." in done.out
    labels = [row[-1] for row in rows_of(tmp_path / "l.csv")[1:]]
    assert labels[::2] == [labels[0]] * 20
    assert labels[1::2] == [labels[1]] * 20
    answers = command("predict", tmp_path / "m.learnt", data).out.split()[1:]
    assert answers == labels


@pytest.mark.costly
def test_the_report_is_one_page_with_pictures_that_loads_nothing(command, tmp_path):
    page = tmp_path / "r.html"
    done = command("cluster", "dataset:labor", "--report", page, "--quiet")
    assert (done.code, done.err) == (0, "")
    text = page.read_text("utf-8")
    assert text.count("<svg") >= 4  # plane, heat map, silhouettes, numbers of clusters
    assert "could not be computed" not in text
    assert not re.search(r"(src|href)=[\"'](?!data:|#)", re.sub(r"xlink:href", "", text))
    assert "<script" not in text
    assert "learnt cluster dataset:labor --report" in text
    for heading in ("What makes them different", "How sure it is", "How the clusters were sought", "How to repeat it"):
        assert heading in text


def test_columns_can_be_left_out_and_another_class_compared(command):
    done = command(
        "cluster", "dataset:weather_numeric", "--k", 2, "--drop", "windy", "--drop", "play", "--class", "outlook"
    )
    assert done.code == 0, done.err
    assert "14 rows, 2 columns" in done.out
    assert "clusters and 'outlook'" in done.out


def test_rows_without_a_class_are_counted_and_left_out_of_the_figures(command, tmp_path):
    rows = [(i % 2 * 10 + i / 40, i % 7, "cat" if i % 2 else "dog") for i in range(40)]
    told = ["" if i < 30 else name for i, (_, _, name) in enumerate(rows)]
    told[30] = "cat"  # a dog's place: 9 of the 10 rows with a class are pure
    text = "".join(f"{x},{z},{name}\n" for (x, z, _), name in zip(rows, told, strict=True))
    path = write(tmp_path / "pets.csv", "x,z,pet\n" + text)
    page = tmp_path / "pets.html"
    words = ("cluster", path, "--k", 2, "--class", "pet", "--drop", "z")
    done = command(*words, "--report", page)
    assert done.code == 0, done.err
    left_out = "30 of 40 rows have no class and are left out: all figures are of the other 10."
    assert left_out in done.out
    assert left_out in page.read_text("utf-8")
    facts = json.loads(command(*words, "--json").out)
    assert facts["rows_without_class"] == 30
    assert facts["classes"]["purity"] == pytest.approx(0.9)


def test_one_class_alone_makes_no_cluster_pure(command, tmp_path):
    text = "".join(f"{i % 2 * 10 + i / 40},{'cat' if i > 35 else ''}\n" for i in range(40))
    done = command("cluster", write(tmp_path / "pets.csv", "x,pet\n" + text), "--k", 2, "--class", "pet")
    assert "36 of 40 rows have no class" in done.out
    assert "of one class, so that every cluster is pure: the figures say nothing" in " ".join(done.out.split())
    whole = command("cluster", "dataset:iris", "--k", 3)
    assert "have no class" not in whole.out


def test_clusters_beside_a_column_of_numbers_are_told_by_its_means(command):
    done = command("cluster", "dataset:cpu", "--k", 2)
    told = done.out.partition("clusters and 'class'")[2]
    cells = [line.split()[-3:] for line in told.strip().splitlines()[1:]]
    performance = np.asarray(learnt.datasets.load("cpu")["class"].values)
    assert len(cells) == 2
    assert float(cells[0][1]) == pytest.approx(performance.mean(), rel=1e-3)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--k", "0"), "Expected a whole number from 1 up, or auto"),
        (("--k", "many"), "Expected a whole number from 1 up, or auto"),
        (("--k", "200"), "n_clusters=200"),
        (("--method", "kmeens"), "Did you mean 'kmeans'?"),
        (("--method", "PCA"), "There is no method 'PCA'"),
        (("--k", "3", "--set", "n_clusters=4"), "were given together"),
        (("--set", "n_int=3"), "Did you mean 'n_init'?"),
        (("--set", "tol=-1"), "tol=-1 is not allowed"),
        (("--drop", "petalwith"), "Did you mean 'petalwidth'?"),
        (("--class", "species"), "There is no column 'species'"),
        (("--output", "/nowhere/x.csv"), "cannot be written"),
        (
            ("--drop", "sepallength", "--drop", "sepalwidth", "--drop", "petallength", "--drop", "petalwidth"),
            "No column is left",
        ),
    ],
)
def test_mistakes_are_answered_with_what_to_do(command, words, told):
    done = command("cluster", "dataset:iris", *words)
    assert done.code == 2
    assert done.out == ""
    assert told in done.err
    assert done.err.count("\n") == 1


@pytest.mark.costly
@pytest.mark.parametrize(("content", "told"), [("", "empty"), ("a,b\n", "no rows"), ("a\nx\nx\n", "No column is left")])
def test_files_without_rows_or_differences_are_refused(command, tmp_path, content, told):
    done = command("cluster", write(tmp_path / "d.csv", content))
    assert done.code == 2
    assert told in done.err


@pytest.mark.parametrize("content", ["a,b\n1,x\n", "a,b\n1,x\n2,y\n", "a\n1\n1\n2\n", "a,b\n,\n1,x\n,y\n"])
def test_a_row_or_two_are_clustered_without_complaint(command, tmp_path, content):
    page = ("--report", tmp_path / "r.html") if content.count("\n") == 2 else ()
    done = command("cluster", write(tmp_path / "d.csv", content), *page)
    assert done.code == 0, done.err
    assert "cluster" in done.out


def test_names_of_all_tongues_and_of_ill_intent_do_no_harm(command, tmp_path):
    rows = "".join(f"{i % 2},=1+{i % 2},{'甲乙'[i % 2]}\n" for i in range(30))
    data = write(tmp_path / "d.csv", "größe,<script>\x1b[31m,名前\n" + rows)
    done = command("cluster", data, "--k", 2, "--output", tmp_path / "o.csv", "--report", tmp_path / "r.html")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert "größe" in done.out
    assert "'甲' 100 %" in done.out
    assert "'=1+0" in (tmp_path / "o.csv").read_text("utf-8")
    assert "<script>" not in (tmp_path / "r.html").read_text("utf-8")


def test_rows_may_come_from_a_pipe_and_from_parquet(command, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = {"x": [0.0, 0.1, 9.0, 9.1] * 5, "town": ["a", "a", "b", "b"] * 5}
    pq.write_table(pa.table(data), tmp_path / "d.parquet")
    piped = "x,town\n" + "".join(f"{x},{t}\n" for x, t in zip(data["x"], data["town"], strict=True))
    one = command("cluster", tmp_path / "d.parquet", "--k", 2, "--json")
    other = command("cluster", "-", "--k", 2, "--json", stdin=piped.encode())
    assert json.loads(one.out)["clusters"] == json.loads(other.out)["clusters"]


# Every registered clusterer and reduction is offered.


@pytest.mark.costly
@pytest.mark.parametrize("entry", learnt.learners("clustering"), ids=lambda entry: entry.name)
def test_every_clusterer_runs_by_its_short_name_on_a_table_of_numbers(command, entry, tmp_path):
    from learnt.cli.arguments.methods import cluster_methods

    short = next(name for name, full in cluster_methods().items() if full == entry.name)
    done = command("cluster", "dataset:iris", "--method", short, "--json", "--save", tmp_path / "m.learnt")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert facts["learner"] == entry.name
    assert facts["n_clusters"] >= 2, facts
    assert "error" not in (facts["silhouette"] or {}), facts
    assert "error" not in (facts["restarts"] or {}), facts
    assert facts["classes"]["adjusted_rand"] > 0.4  # setosas at least are told from the rest


def test_every_method_is_completed():
    assert "kmeans" in cluster_method_names("k")
    assert "pca" in reduce_method_names("")
    assert cluster_method_names("x") == []


# reduce


def test_components_are_told_by_what_they_keep_and_are_made_of(command):
    done = command("reduce", "dataset:iris")
    assert done.code == 0, done.err
    assert "4 columns: 2 components by PCA(n_components=0.9, standardize=True" in done.out
    assert "72.8 %    72.8 %  0.58·petallength" in done.out
    assert "Together they keep 95.8 % of the variance." in done.out


def test_the_new_columns_are_those_of_python_alone_or_beside_the_old_ones(command, tmp_path):
    path, both = tmp_path / "s.csv", tmp_path / "b.csv"
    assert command("reduce", "dataset:labor", "--components", 3, "--output", path, "-q").code == 0
    assert command("reduce", "dataset:labor", "--components", 3, "--output", both, "--append", "-q").code == 0
    labor = learnt.datasets.load("labor")
    model = learnt.PCA(3, standardize=True).fit(labor.drop("class"))
    head, *cells = rows_of(path)
    assert head == ["pca0", "pca1", "pca2"]
    np.testing.assert_allclose(np.array(cells, float), np.array(model.transform(labor.drop("class"))), atol=1e-12)
    head, *rows = rows_of(both)
    assert head == [*labor.names, "pca0", "pca1", "pca2"]
    assert [row[-3:] for row in rows] == cells


def test_the_page_of_a_reduction_has_its_pictures(command, tmp_path):
    page = tmp_path / "r.html"
    done = command("reduce", "dataset:iris", "--report", page, "--save", tmp_path / "m.learnt")
    assert done.code == 0, done.err
    text = page.read_text("utf-8")
    assert "could not be computed" not in text
    assert text.count("<svg") >= 3  # rows, biplot, scree
    assert "Iris-setosa" in text
    assert type(learnt.load(tmp_path / "m.learnt")).__name__ == "PCA"


@pytest.mark.parametrize("method", ["ica", "lsa", "mds", "rp", "pca"])
def test_every_reduction_runs_by_its_short_name_on_a_mixed_table(command, method, tmp_path):
    from learnt.cli.arguments.methods import reduce_methods

    assert set(reduce_methods()) >= {"ica", "lsa", "mds", "rp", "pca"}
    path, saved = tmp_path / "s.csv", tmp_path / "m.learnt"
    done = command(
        "reduce", "dataset:labor", "--method", method, "--components", 2, "-o", path, "--save", saved, "--json"
    )
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    names = [component["name"] for component in facts["components"]]
    head, *cells = rows_of(path)
    assert head == names
    assert np.array(cells, float).shape == (57, 2)
    again = np.array(learnt.load(saved).transform(learnt.datasets.load("labor").drop("class")))
    np.testing.assert_allclose(np.array(cells, float), again, atol=1e-6)


def test_documents_become_topics(command, tmp_path):
    lines = ["the cat purrs,pet", "a cat and a kitten,pet", "the kitten purrs,pet", "stocks and bonds,money", ",money"]
    data = write(tmp_path / "d.csv", "body,kind\n" + "\n".join(lines) + "\n")
    words = ("reduce", data, "--text", "body", "--class", "kind", "-n", 2, "--output", tmp_path / "t.csv")
    done = command(*words, "--method", "lsa")
    assert done.code == 0, done.err
    assert "0: purrs, the" in done.out
    scores = np.array(rows_of(tmp_path / "t.csv")[1:], float)
    assert scores.shape == (5, 2)
    assert not scores[4].any()  # no words, no topic
    done = command(*words)
    assert done.code == 2
    assert "PCA reads no documents" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--components", "0"), "Expected a whole number from 1 up, or a share below 1"),
        (("--components", "1.5"), "Expected a whole number from 1 up, or a share below 1"),
        (("--components", "nan"), "Expected a whole number from 1 up, or a share below 1"),
        (("--components", "9"), "n_components=9"),
        (("--components", "2", "--set", "n_components=2"), "were given together"),
        (("--method", "pac"), "Did you mean 'pca'?"),
        (("--append",), "without --output"),
    ],
)
def test_mistakes_with_reduce_are_answered_with_what_to_do(command, words, told):
    done = command("reduce", "dataset:iris", *words)
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1
