"""What the README claims of all learners holds for all but those it names."""

import re
from pathlib import Path

from tests.conformance.expected_failures import OWN, SKLEARN
from tests.laws.exceptions import EXCEPTIONS

import learnt
from learnt.data.row_keys import ORDERED_UP_TO

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
LEARNERS = {entry.name: entry for entry in learnt.learners()}


def row(beginning: str) -> str:
    """What learnt's cell says in the row of the table that begins so."""
    lines = [line for line in README.splitlines() if line.startswith(f"| {beginning}")]
    assert len(lines) == 1, beginning
    return lines[0].split(" | ")[1]


def names_in(cell: str) -> set[str]:
    """`SGDClassifier/Regressor` stands for two."""
    found = set()
    for name in re.findall(r"`(\w+(?:/\w+)?)`", cell):
        first, _, second = name.partition("/")
        found |= {first, first.replace("Classifier", second)} if second else {first}
    return found


def failing(check: str) -> set[str]:
    return {learner for learner, name in OWN if name.startswith(check)}


def test_weights_are_copies_but_for_the_learners_it_names():
    cell = row("a row twice = weight two")
    assert names_in(cell) == failing("a_row_twice_is_a_weight_of_two") == set()
    assert "tested for all" in cell
    assert f"of up to {ORDERED_UP_TO:,}" in cell
    assert not {promise for _, promise in EXCEPTIONS} & {"weights_are_copies", "a_row_of_weight_zero_is_none"}


def test_so_many_checks_of_scikit_learn_are_excepted_as_it_says():
    said = re.search(r"of more\s+than 4,000 checks that scikit-learn makes of them all but (\d+) pass", README)
    assert said is not None
    assert int(said[1]) == len(SKLEARN) <= 15


def test_categories_and_missing_cells_go_into_all_but_those_it_names():
    lacking = {name for name, entry in LEARNERS.items() if not {"missing", "nominal"} <= entry.abilities}
    documents = {name for name in lacking if "text" in LEARNERS[name].abilities}
    cell = row("learners take categories and missing cells")
    assert names_in(cell) - {"MixtureModel"} == lacking - documents
    assert documents
    assert "readers of documents" in cell


def test_what_it_says_without_exception_has_none():
    for claim, check in (
        ("`explain(X)`", "explanations_"),
        ("the same bits for any number of threads", "the_number_of_threads_changes_no_bit"),
        ("saved models never run code", "a_saved_model_gives_the_same_answers"),
    ):
        assert row(claim)
        assert failing(check) == set()
    assert all(hasattr(entry.cls, "explain") for entry in LEARNERS.values() if hasattr(entry.cls, "predict"))


def test_every_learner_it_lists_exists_and_all_are_listed():
    listed = names_in(README.split("## Learners today")[1].split("## Read on")[0])
    absent = {name for name in LEARNERS if name not in listed} - {"TextClassifier", "MinimumRiskClassifier"}
    assert absent == set()
