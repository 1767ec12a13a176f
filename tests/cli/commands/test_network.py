"""`learnt network`: shown, asked, drawn, written, and a page that computes."""

import json
import shutil
import subprocess

import pytest
from tests.cli.cli_box import commands

import learnt
from learnt.graphical import BayesianNetwork, read_bif
from learnt.report.network import network_page


@pytest.fixture
def command(capfdbinary, monkeypatch):
    return commands(capfdbinary, monkeypatch)


@pytest.fixture
def garden():
    network = BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    network.add("sprinkler", ["rain"], [[0.6, 0.4], [0.99, 0.01]], ["off", "on"])
    table = [[[1.0, 0.0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]]
    return network.add("</script>", ["sprinkler", "rain"], table, ["dry", "wet"])


@pytest.fixture
def file(garden, tmp_path):
    garden.write_bif(tmp_path / "garden.bif")
    return tmp_path / "garden.bif"


def test_a_network_is_listed_and_asked(command, file):
    listed = command("network", file)
    assert listed.code == 0
    assert "BayesianNetwork(3 variables, 3 edges)" in listed.out
    asked = command("network", file, "--query", "rain", "--given", "</script>=wet", "--explain")
    assert "yes  0.3577" in asked.out
    assert "log-odds of rain = 'no' (80 % before, 64.2 % after)" in asked.out
    best = command("network", file, "--given", "</script>=wet", "--most-probable")
    assert "sprinkler  on" in best.out
    found = json.loads(command("network", file, "--query", "rain", "--json").out)
    assert found["posteriors"]["rain"]["yes"] == pytest.approx(0.2)


def test_a_network_is_learnt_from_a_table(command, tmp_path):
    asked = command("network", "dataset:vote", "--query", "Class", "--given", "physician-fee-freeze=y", "--json")
    found = json.loads(asked.out)
    assert found["variables"] == 17
    assert found["posteriors"]["Class"]["republican"] > 0.85
    done = command(
        "network", "dataset:iris", "--structure", "chow_liu", "-o", tmp_path / "iris.bif", "--drop", "petalwidth"
    )
    assert done.code == 0
    network = read_bif(tmp_path / "iris.bif")
    assert len(network.variables) == 4
    assert len(network.edges) == 3
    wrong = command("network", "dataset:iris", "--structure", "magic")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)


def test_a_network_is_drawn_and_written(command, file, tmp_path):
    for place in ("g.xml", "g.learnt"):
        assert command("network", file, "-o", tmp_path / place, "--draw", tmp_path / "g.svg").code == 0
    assert "<svg" in (tmp_path / "g.svg").read_text("utf-8")
    assert read_bif(tmp_path / "g.xml").variables == learnt.load(tmp_path / "g.learnt").variables
    assert command("network", tmp_path / "g.learnt").code == 0
    refused = command("show", tmp_path / "g.learnt")
    assert refused.code == 2
    assert "learnt network" in refused.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--given", "snow=yes"], "Expected VARIABLE=STATE"),
        (["--given", "rain=maybe"], "'rain' has no state 'maybe'"),
        (["--query", "snow"], "There is no variable 'snow'"),
        (["--explain"], "without --query"),
        (["--draw", "x.gif"], "cannot be written"),
        (["--method", "magic", "--query", "rain"], "method='magic' is not allowed"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_line(command, file, arguments, words):
    done = command("network", file, *arguments)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_number_is_seen_within_its_interval(command):
    done = command("network", "dataset:iris", "--query", "class", "--given", "petallength=5", "--explain")
    assert done.code == 0
    assert "P(class | petallength = 5" in done.out
    assert "are cut into intervals" in done.err
    words = command("network", "dataset:iris", "--given", "petallength=(4.65, 5.35]", "--query", "class")
    assert words.out.splitlines()[1:] == done.out.splitlines()[1:4]
    assert command("network", "dataset:iris", "--given", "petallength=long").code == 2


def test_the_picture_of_a_page_shows_no_probabilities_that_would_not_move(garden):
    picture = network_page(garden).split("<figure>")[1]
    assert "rain" in picture
    assert "80 %" not in picture


@pytest.fixture
def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("needs node")
    return found


def computed_in_page(node, page, expression, tmp_path):
    data = page.split('id="network">')[1].split("</script>")[0]
    script = page.split("<script>")[1].split("</script>")[0].split("const nodes")[0]
    program = f"""
const document = {{ getElementById: () => ({{ textContent: {json.dumps(data)} }}) }};
{script}
console.log(JSON.stringify({expression}));
"""
    (tmp_path / "page.js").write_text(program, "utf-8")
    done = subprocess.run([node, tmp_path / "page.js"], capture_output=True, text=True, check=True, timeout=600)
    return json.loads(done.stdout)


@pytest.mark.parametrize("seen", [{"sprinkler": "on"}, {"sprinkler": [0.2, 0.9], "rain": "no"}])
def test_the_page_passes_the_messages_itself(garden, node, seen, tmp_path):
    page = network_page(garden, seen, "<garden>")
    assert page.count("</script>") == 2
    assert "&lt;garden&gt;" in page
    found = computed_in_page(node, page, "marginals().map((m) => Array.from(m))", tmp_path)
    for name, values in zip(garden.variables, found, strict=True):
        assert values == pytest.approx(garden.infer(name, seen).probabilities.tolist(), abs=1e-12)


def test_the_page_names_the_findings_that_contradict_each_other(garden, node, tmp_path):
    """Without sprinkler nor rain the grass is dry: wet contradicts the two together, not either alone."""
    page = network_page(garden.add("wind", table={"no": 0.5, "yes": 0.5}))
    found = computed_in_page(node, page, "(seen.splice(0, 4, 0, 0, 1, 1), [marginals(), conflict()])", tmp_path)
    assert found == [None, [0, 0, 1, -1]]
